// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of LLVM IR to the fat-pointer oracle, one worker a module; and where a worker does not
// survive its module, one a function.
#pragma once

#include "harness/run/Job.h"
#include "harness/run/WorkFolder.h"
#include "harness/run/WorkerProcess.h"

namespace assay {

/// Who lowers.
enum class FatLowering {
  Own,     ///< The project's pass.
  Llvm,    ///< LLVM's amdgpu-lower-buffer-fat-pointers.
  Command, ///< Job::command, with {in} and {out}.
  Given,   ///< Somebody did: the second file.
  Lowered  ///< Somebody did, and only the result is there: first check alone.
};

/// "own", "llvm", "command", "given", "lowered".
llvm::StringRef loweringName(FatLowering lowering);
/// The reverse; nothing for an unknown name.
std::optional<FatLowering> parseLowering(llvm::StringRef name);

struct FatPointerOptions {
  FatLowering lowering = FatLowering::Own;
  uint64_t seed = 0;
  unsigned trials = 32;
  std::string function;  ///< Only this one, and what it needs; empty: all.
  bool explains = false; ///< As JobPasses::explains.
};

/// As texts, for Job::ruleOptions, and back. InvalidInput for anything that is not such a text.
std::vector<std::string> printFatPointerOptions(const FatPointerOptions &options);
llvm::Expected<FatPointerOptions> parseFatPointerOptions(llvm::ArrayRef<std::string> texts);

/// The rule of a lowered module that LLVM's verifier refuses: nothing was said of its functions.
constexpr llvm::StringLiteral brokenModuleRule = "FAT-BROKEN";

/// The reason of the verdict (invalid) on a module without a fat pointer.
constexpr llvm::StringLiteral noFatPointer = "it has no fat pointer";

/// A module, and with FatLowering::Given what it became.
struct FatPointerInput {
  std::string name;   ///< For verdicts.
  std::string before; ///< Path.
  std::string after;  ///< Path, or empty.
};

struct FatPointerBatch {
  FatPointerOptions options;
  std::vector<std::string> command;
  std::string target;
  std::vector<std::string> plants;
  JobLimits limits;
  PoolOptions pool;
};

/// The verdicts on all functions of \p inputs, in order: caseId is "NAME:FUNCTION", or NAME for
/// what concerns no function with a body. Where a worker dies of a module, or its lowering breaks,
/// the functions are tried one by one. Errors as of runJobs().
llvm::Expected<std::vector<Verdict>> checkFatPointers(llvm::ArrayRef<FatPointerInput> inputs,
                                                      const FatPointerBatch &batch,
                                                      const WorkFolder &folder);

} // namespace assay
