// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code that nobody compiled, with a launch of its own, run on machine gcn: whatever it is,
// the run ends within its budget and says why. Knows no fuzz engine.
#pragma once

#include "oracles/api/Outcome.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::fuzz {

/// What the 16 user SGPRs hold. As numbers they are descriptors and addresses of the input's own
/// choice; else s[0:1] is the base of scratch and s2 points to the descriptors of set 0.
enum class UserSgprs : uint8_t { Numbers, Tables };

/// Code and launch. Every value that bytes can give is one that can be launched.
struct HostileCode {
  gcn::Chip chip = gcn::Chip::Gfx1100;
  unsigned waveSize = 64; ///< Lanes: 32 or 64.
  UserSgprs userSgprs = UserSgprs::Numbers;
  bool late = false;                ///< Schedule.
  bool chosen = false;              ///< A schedule seed that is not 0.
  uint32_t groupThreads = 64;       ///< Up to 256.
  uint32_t groups = 1;              ///< Up to 8.
  unsigned vgprs = 32;              ///< Before they are rounded up as hardware allots them.
  uint32_t ldsBytes = 0;            ///< Up to 64 KiB.
  uint32_t scratchBytes = 0;        ///< A lane; up to 256.
  uint8_t floatMode = 0xc0;         ///< FLOAT_MODE of COMPUTE_PGM_RSRC1.
  std::array<uint32_t, 16> sgprs{}; ///< Passed as inline push constants.
  std::vector<uint32_t> words;      ///< Instructions; up to MaxWords.
};
/// Instruction words of an input; further ones are ignored.
constexpr size_t MaxWords = 1024;
/// Bytes of the launch in an input: 8 of flags and counts, then the SGPRs.
constexpr size_t HeaderBytes = 8 + 16 * 4;

/// Where the 4 KiB lie that code may read and write; s[k:k+1] = this is a good start.
constexpr uint64_t DataAddress = 0x0000'2345'0000'0000;

/// From any bytes; what is missing is 0.
HostileCode readHostileCode(llvm::ArrayRef<uint8_t> bytes);
/// Bytes that read the same again.
std::vector<uint8_t> writeHostileCode(const HostileCode &code);

/// How to run, apart from what the input says.
struct HostileOptions {
  uint64_t maxInstructions = 1000;
  unsigned threads = 1;
  bool sanitize = true;
  std::array<uint32_t, 3> groups{}; ///< In place of the code's own, where x is not 0.
};

/// Runs \p code. An Error says that it could not be launched.
llvm::Expected<Outcome> runHostileCode(const HostileCode &code, const HostileOptions &options);

/// Runs \p code with sanitizers on one and on two threads, and without them. Returns what is wrong
/// with the outcomes: more instructions than the budget, an end without a reason, results that
/// depend on threads or sanitizers. Empty: nothing.
std::string checkHostileCode(const HostileCode &code);

} // namespace assay::fuzz
