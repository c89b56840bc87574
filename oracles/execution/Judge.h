// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The execution oracle: what a script expects, and what the reference says, against what came out.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "oracles/api/Verdict.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <vector>

namespace assay {

/// What judging one outcome gave. \p compared says how much was looked at: 0 means that nothing was
/// judged, which is never a pass.
struct Judgement {
  std::vector<Finding> findings;
  std::optional<Difference> firstDifference;
  uint64_t compared = 0;
  bool isOpen = false; ///< Of a buffer at the end: any value is right for some byte of it.

  /// Adds \p other; the earlier first difference stays.
  void merge(Judgement other);
};

/// Rule EXPECT: each Expectation of \p input against the buffers of \p outcome at its checkpoint;
/// one finding per expectation that is not met. NaN equals an expected NaN; -0 equals +0. Where the
/// outcome is the reference's, a float or a component of a texel that Vulkan allows an interval
/// meets an expectation when any value of it does; an expectation of bytes that may have any value
/// is rule EXPECT-OPEN. Counts scalars. Error: \p outcome has not the checkpoints \p input asks
/// for.
llvm::Expected<Judgement> judgeExpectations(const Case &input, const Outcome &outcome);

/// Rule REF-DIFF: every byte of every buffer at every checkpoint of \p machine against \p
/// reference, except what the reference leaves open (BufferState); padding too. One finding per
/// buffer: its first difference. Counts the bytes the reference fixes in the buffers that the case
/// changed, or in all buffers when it changed none. Error: the outcomes are not of the same case,
/// or incomplete.
llvm::Expected<Judgement> compareWithReference(const Case &input, const Outcome &reference,
                                               const Outcome &machine);

/// The same for buffer number \p buffer alone, and for a run that may have ended early: what it
/// holds at the end. Where \p machine did not come to its end, bytes that still are as the case has
/// them are not judged. Error: the outcomes are not of this case, or \p reference is incomplete.
llvm::Expected<Judgement> compareBufferAtEnd(const Case &input, size_t buffer,
                                             const Outcome &reference, const Outcome &machine);

/// How one texel of an image compares with the reference.
enum class TexelMatch : uint8_t {
  Same,      ///< The only value that the reference has.
  Permitted, ///< One of several.
  Different,
};

/// Compares each texel of level \p level of \p buffer, an image, in the order of its bytes. Both
/// states have the size of the buffer.
std::vector<TexelMatch> compareTexels(const Buffer &buffer, uint32_t level,
                                      const BufferState &reference, const BufferState &machine);

/// The number of the checkpoint, from 0, that a finding of rule REF-DIFF is about; nothing for
/// other findings.
std::optional<size_t> getCheckpoint(const Finding &finding);

/// True when \p value may be where the reference allows \p interval. -0 and +0 are different
/// values, -0 the smaller.
bool intervalContains(const FloatInterval &interval, double value);

/// The number that \p bytes hold in the bits of \p field, whose first is \p firstBit.
int64_t loadField(llvm::ArrayRef<uint8_t> bytes, uint64_t firstBit, const FieldInterval &field);

} // namespace assay
