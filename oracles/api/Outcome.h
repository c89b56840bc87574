// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What machines give back.
#pragma once

#include "oracles/api/Verdict.h"
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// How a run of a machine ended.
enum class OutcomeKind {
  Completed,
  Trap,              ///< The code did what the machine does not survive.
  Hazard,            ///< The code relied on what the machine does not promise (a missing wait).
  UndefinedBehavior, ///< The case itself has no meaning (reference only).
  Timeout,           ///< Out of its instruction budget.
  Unsupported,       ///< The machine lacks something; reason says what.
  Invalid            ///< What it was told does not fit the case: a log of another run, a trace of
                     ///< nothing; reason says so.
};

/// What the reference allows for a float in memory: any value from lo to hi (bounds of the exact
/// result under Vulkan's precision rules), and NaN too if mayBeNan.
struct FloatInterval {
  double lo = 0;
  double hi = 0;
  unsigned bytes = 4; ///< 2, 4 or 8.
  bool mayBeNan = false;
};

/// What the reference allows for some bits of a texel (a component of UNORM, say): any number from
/// lo to hi. Small floats without a sign are in the order of their bits and count as numbers.
struct FieldInterval {
  int64_t lo = 0;
  int64_t hi = 0;
  uint8_t bits = 8; ///< 1 to 32.
  bool isSigned = false;

  bool operator==(const FieldInterval &) const = default;
};

/// One buffer at one checkpoint. Only the reference fills the maps: bits that are in none of them
/// are exact.
struct BufferState {
  std::vector<uint8_t> bytes;
  std::map<uint64_t, FloatInterval> intervals = {}; ///< By byte offset.
  std::map<uint64_t, uint64_t> indeterminate = {};  ///< Byte offset -> length: any value is right.
  /// By offset in bits, the first byte's lowest bit first; no two have a bit in common.
  std::map<uint64_t, FieldInterval> fields = {};
  /// Texels that are one of several ("A or B"), by the offset of their first byte: at least two
  /// states of the texel alone, all of the same size, with offsets from its first byte and without
  /// alternatives of their own. The maps above say nothing of these bytes; \p bytes has those of
  /// the first alternative.
  std::map<uint64_t, std::vector<BufferState>> alternatives = {};
};

/// The texel of \p state with alternatives that byte \p offset belongs to: its first byte and its
/// alternatives. Null: there is none.
const std::pair<const uint64_t, std::vector<BufferState>> *
findAlternatives(const BufferState &state, uint64_t offset);

/// The result of one run: the buffers at each checkpoint (Case.h), in the order of the case.
struct Outcome {
  OutcomeKind kind = OutcomeKind::Completed;
  std::string reason; ///< Empty only when Completed.
  std::vector<Finding> findings;
  std::vector<std::vector<BufferState>>
      checkpoints; ///< [checkpoint][buffer]; complete if Completed.
  std::vector<BufferState>
      atEnd;                 ///< Of a run that ended before its last command: the buffers then.
  uint64_t instructions = 0; ///< Executed, all invocations or waves.
  uint32_t subgroupSize = 0; ///< That the run had, where the machine says so; 0 otherwise.
};

} // namespace assay
