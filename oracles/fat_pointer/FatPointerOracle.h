// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Judges a lowering of buffer fat pointers: nothing of them is left, and the meaning is kept. Works
// on anybody's IR; shares nothing with the pass.
#pragma once

#include "oracles/api/Verdict.h"
#include "oracles/ir/Interpreter.h"
#include "llvm/IR/Module.h"
#include <functional>
#include <optional>

namespace assay {

/// The first check: findings FAT-* with the place of each type of address space 7 or 9 that is left
/// in values, constants, metadata, declarations, attributes or mangled names, and of each resource
/// that is rebuilt from its bits needlessly: more often, in a function of \p input, where that is
/// known, than there. Each finding's location is "function NAME" or "module".
std::vector<Finding> checkLowered(const llvm::Module &module, const llvm::Module *input = nullptr);

/// Whether \p module has a fat pointer at all.
bool hasFatPointers(const llvm::Module &module);

struct MeaningOptions {
  uint64_t seed = 0;
  unsigned trials = 32; ///< A function; half with robust bounds, half raw.
  unsigned lanes = 4;
  ir::RunLimits limits;
  /// Device addresses for buffers of the given sizes, for a machine that places them itself; null:
  /// the oracle's own. harness/system/fat_pointers runs the trials of makeTrial on gcn by it.
  std::function<std::vector<uint64_t>(llvm::ArrayRef<size_t> sizes)> place;
  /// Dword 3 of every raw and every strided resource, where a machine needs a certain one.
  std::optional<uint32_t> rawFlags, stridedFlags;
  /// No float of a trial is an infinity, NaN, a zero with a sign or denormal where the function
  /// computes with it in memory: machines have modes for these, IR has not.
  bool ordinaryFloats = false;
};

/// How much longer a lowered function may run: for each instruction before so many - pieces,
/// waterfall and exchange loops.
constexpr uint64_t loweredFactor = 256;

/// Bytes of LDS that a trial of so many lanes has at most.
uint64_t getLdsBytes(unsigned lanes);

/// What came of one function.
struct FunctionMeaning {
  std::string function;
  State state =
      State::ToolError; ///< pass, fail, unsupported (with reason), invalid (no trial was defined).
  std::string reason;
  unsigned compared = 0; ///< Trials whose outcomes could be compared.
  std::vector<Finding> findings;
};

/// The second check: every function of \p before that has a body and a counterpart of the same name
/// in \p after runs on the same random arguments, resources and contents; memory, results, traps
/// and events must be equal. A fat pointer argument of \p before is {ptr addrspace(8), i32} in \p
/// after.
std::vector<FunctionMeaning> compareMeaning(llvm::Module &before, llvm::Module &after,
                                            const MeaningOptions &options);
/// The same for one function and its counterpart; both have bodies.
FunctionMeaning compareMeaning(llvm::Function &before, llvm::Function &after,
                               const MeaningOptions &options);
/// What is to be said of a function that has no counterpart with a body: FAT-MISSING, unless nobody
/// else could call it.
FunctionMeaning reportMissing(const llvm::Function &before);

/// The arguments, memory and lanes of trial \p number for \p function: what other machines run,
/// too. Parameters named or marked as follows steer it: an integer parameter is drawn from edge
/// values and small numbers (below 64 where its name begins with "i", "n" or "index"); inreg = the
/// same in all lanes.
struct Trial {
  ir::Memory memory;
  std::vector<std::vector<ir::Value>> arguments; ///< By lane, then parameter.
};
Trial makeTrial(const llvm::Function &function, const MeaningOptions &options, unsigned number);

/// What the interpreter makes of a trial.
struct TrialMeaning {
  ir::RunResult result;
  ir::Memory memory; ///< As the run has left it.
  /// Why others need not give the same; empty where they must: undefined behaviour, an access
  /// partly outside of a buffer, lanes that touch what others write.
  std::string open;
};
/// The reason for which all that counts is that nothing is poison where it was not.
constexpr llvm::StringLiteral freezesPoison = "it freezes poison";
TrialMeaning interpretTrial(llvm::Function &function, const Trial &trial,
                            const MeaningOptions &options);

} // namespace assay
