// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's AMDGPU disassembler as a reference. It crashes on some bytes, so that it runs in a child.
#pragma once

#include "oracles/machine/gcn_isa/Isa.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace assay::gcn {

/// LLVM's DecodeStatus, and what happens to the child process.
enum class ReferenceStatus : uint8_t {
  Fail,
  Soft, ///< Decoded, but bits are set that should not be.
  Good,
  Crash, ///< Of the child, or no answer in time.
};

/// LLVM's decoding of one word sequence.
struct ReferenceResult {
  ReferenceStatus status = ReferenceStatus::Crash;
  unsigned size = 0; ///< Bytes, as LLVM reports them.
  std::string text;  ///< As LLVM prints it, blanks and tabs made single blanks.
};

class LlvmReference {
public:
  /// \p features is LLVM's list ("+wavefrontsize64"). Unsupported for chips that LLVM does not
  /// know.
  static llvm::Expected<std::unique_ptr<LlvmReference>> create(llvm::StringRef cpu,
                                                               llvm::StringRef features);
  ~LlvmReference();

  /// One result for each of \p words, which are followed by zeros for the decoder.
  std::vector<ReferenceResult> decode(llvm::ArrayRef<Words> words);

private:
  /// LLVM's tables and printers for one chip, hidden from users of this header.
  struct Target;
  LlvmReference();
  /// Runs in the child: decodes \p words from number \p first on into \p arena, in memory that both
  /// processes share.
  void runChild(llvm::ArrayRef<Words> words, size_t first, struct ReferenceArena &arena);

  std::unique_ptr<Target> m_target;
};

} // namespace assay::gcn
