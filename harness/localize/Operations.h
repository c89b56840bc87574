// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of what goes wrong in a shader, which two cases of one bug share: of values, branches and
// stores of a SPIR-V module.
#pragma once

#include "fuzz/program/Probe.h"
#include "oracles/api/Case.h"
#include "llvm/ADT/DenseSet.h"
#include <string>

namespace assay {

/// "OpLoad GlobalInvocationId".
std::string describeLoad(spv::BuiltIn builtIn);

/// Where a plain store into a buffer does not arrive as it should.
std::string describeStore(spv::StorageClass target);

/// Of the value or block at \p point of \p program: instructionKind() of what makes it, of a load
/// with what it loads from ("OpLoad PushConstant"); the branch that leads to the block. A value
/// that is made of something out of memory which is not among the values \p right - a pointer, an
/// address - is named by that load: nothing else tells whether it is right.
std::string describePoint(const fuzz::Program &program, fuzz::ProbePoint point,
                          const llvm::DenseSet<fuzz::Id> &right);

/// The built-in that \p point loads, by its name; nothing for anything else.
std::optional<spv::BuiltIn> findLoadedBuiltIn(const fuzz::Program &program, fuzz::ProbePoint point);

/// How the only shader of \p input, \p program, writes to buffer number \p buffer: "OpStore
/// StorageBuffer", "OpAtomicIAdd", "OpImageWrite"; the first of several. Where it does not, how it
/// writes to anything that outlives it; empty where it never does.
std::string describeWrites(const fuzz::Program &program, const Case &input, unsigned buffer);

} // namespace assay
