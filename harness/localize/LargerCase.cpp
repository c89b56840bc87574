// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/LargerCase.h"

#include "fuzz/elf/StageMetadata.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// How many times as many invocations or workgroups a larger case has.
static constexpr uint32_t factor = 4;
/// Of a workgroup, that any target can launch.
static constexpr uint32_t mostInvocations = 256;

/// False, and \p program is not to be used, where the size is no literal or becomes too large.
static bool growInvocations(fuzz::Program &program) {
  constexpr size_t X = 2; // After entry point and mode.
  for (fuzz::Instruction &mode : program.executionModes) {
    if (mode.word(1) != static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
      continue;
    uint64_t size = uint64_t(mode.word(X)) * mode.word(X + 1) * mode.word(X + 2);
    mode.operands[X].word *= factor;
    return size * factor <= mostInvocations;
  }
  return false;
}

/// Repeats the contents of each buffer.
static void growBuffers(Case &input) {
  for (Buffer &buffer : input.buffers) {
    std::vector<uint8_t> bytes = buffer.bytes;
    for (uint32_t i = 1; i < factor; ++i)
      append_range(buffer.bytes, bytes);
  }
}

/// False for a case without a dispatch.
static bool growDispatches(Case &input) {
  bool hasGrown = false;
  for (Command &command : input.commands)
    if (auto *dispatch = std::get_if<Dispatch>(&command)) {
      dispatch->groups[0] *= factor;
      hasGrown = true;
    }
  return hasGrown;
}

std::optional<Subject> assay::growCase(const Subject &subject, Growth growth) {
  bool hasImage = any_of(subject.input.buffers, [](const Buffer &each) { return !!each.image; });
  if (subject.programs.size() != 1 || hasImage)
    return std::nullopt;
  Subject grown = subject;
  growBuffers(grown.input);
  bool hasGrown = growth == Growth::Invocations ? growInvocations(grown.programs.front())
                                                : growDispatches(grown.input);
  return hasGrown ? std::optional(std::move(grown)) : std::nullopt;
}

std::optional<std::vector<uint8_t>> assay::growLaunch(ArrayRef<uint8_t> elf, Growth growth) {
  if (growth == Growth::Workgroups)
    return elf.vec();
  return fuzz::changeStage(elf, ".threadgroup_dimensions", [](MsgValue &size) {
    if (size.items.empty())
      return false;
    size.items.front() = MsgValue::makeUint(size.items.front().asUint().value_or(0) * factor);
    return true;
  });
}
