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
/// with what it loads from ("OpLoad PushConstant"); "OpVariable Private" where that only ever holds
/// what it begins with; "OpImageFetch level" of another level than the first; a copy is a load,
/// too; the branch that leads to the block. A value
/// that is made of something out of memory which is not among the values \p right - a pointer, an
/// address - is named by that load: nothing else tells whether it is right.
std::string describePoint(const fuzz::Program &program, fuzz::ProbePoint point,
                          const llvm::DenseSet<fuzz::Id> &right);

/// The branch that leads to the one OpUnreachable of \p program; empty where there is none or more.
std::string describeUnreachable(const fuzz::Program &program);

/// The built-in that \p point loads, by its name; nothing for anything else.
std::optional<spv::BuiltIn> findLoadedBuiltIn(const fuzz::Program &program, fuzz::ProbePoint point);

/// A load from a buffer that descriptors say.
struct BlockLoad {
  uint32_t set = 0, binding = 0;
  std::string place; ///< What the access chain goes into last: "matrix", "array", "member".
};

/// That of the value at \p point, or of the copy; nothing for anything else.
std::optional<BlockLoad> findBlockLoad(const fuzz::Program &program, fuzz::ProbePoint point);

/// BlockLoad::place of the first write to buffer number \p buffer that the only shader of \p input,
/// \p program, makes; empty where there is none.
std::string findWrittenPlace(const fuzz::Program &program, const Case &input, unsigned buffer);

/// How the only shader of \p input, \p program, writes to buffer number \p buffer: "OpStore
/// StorageBuffer", "OpAtomicIAdd", "OpImageWrite"; the first of several. Where it does not, how it
/// writes to anything that outlives it; empty where it never does.
std::string describeWrites(const fuzz::Program &program, const Case &input, unsigned buffer);

/// What makes the value that \p program writes first to what outlives it: instructionKind() of the
/// instruction that the written value comes from, past copies, parts and conversions between types;
/// an atomic operation itself. Empty where nothing is written, or a constant.
std::string describeStored(const fuzz::Program &program);

/// What decides where the first write to buffer number \p buffer goes, and is out of memory, but
/// not among the values \p right: an atomic operation's result, which may be any. Empty without
/// one.
std::string describeTargetOrigin(const fuzz::Program &program, const Case &input, unsigned buffer,
                                 const llvm::DenseSet<fuzz::Id> &right);

/// The first atomic operation whose result is not among the values \p right: control may depend on
/// it. Empty without one.
std::string describeOpenAtomic(const fuzz::Program &program, const llvm::DenseSet<fuzz::Id> &right);

} // namespace assay
