// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which build of Assay and LLVM this process runs.
#pragma once

#include "support/Hash.h"

namespace assay {

/// The same for all processes of one build, and different after any change of code: a hash of the
/// GNU build ids of the program and of the LLVM library (elf(5), NT_GNU_BUILD_ID), and of the
/// loaded code of an object that has none. It depends neither on paths nor on time.
const Hash128 &getBuildId();

} // namespace assay
