// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A case in which more happens: where few invocations run, one wrong address is as another.
#pragma once

#include "harness/reduce/Subject.h"
#include <optional>

namespace assay {

/// What a case gets more of.
enum class Growth : uint8_t {
  Invocations, ///< Of a workgroup: four times as many in x.
  Workgroups   ///< Four times as many in x.
};

/// \p subject grown so, with its buffers four times as long, the same again and again. Nothing
/// where it has images, several pipelines, or no literal size of its workgroups.
std::optional<Subject> growCase(const Subject &subject, Growth growth);

/// \p elf, compiled for the case as it was, launched as the case that has grown. What LLVM has made
/// of the size of a workgroup stays, and may be wrong then. Nothing for what is no such ELF.
std::optional<std::vector<uint8_t>> growLaunch(llvm::ArrayRef<uint8_t> elf, Growth growth);

} // namespace assay
