// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a wrong result first goes wrong: phase, pass, function, instruction. By running what the
// compiler has made so far, pass after pass, and by leaving optional passes out (docs/localize.md).
#pragma once

#include "harness/bisect/Bisect.h"
#include "harness/reduce/Predicate.h"
#include "harness/run/CaseFiles.h"
#include "harness/run/FatPointerJobs.h"
#include "harness/run/WorkerProcess.h"
#include "llvm/Support/raw_ostream.h"

namespace assay {

/// One search between an end that is good and one that is bad, both of which were run.
struct LocalizeSearch {
  std::string method; ///< "snapshots": IR is run; "gate": optional passes are left out.
  BisectResult result;
  /// Why there is no result: an end that is not what it should be.
  std::string problem;
};

/// Schema assay.localize/1. Texts are empty where nobody knows.
struct Localization {
  std::string phase;    ///< "front-end", "middle-end", "code-generation".
  std::string pass;     ///< The guilty one; of the front-end, and of code generation where no
                        ///< optional pass is to blame, the phase's own name.
  std::string stage;    ///< Of graphics pipelines: "vertex", "fragment"; else empty.
  std::string function; ///< In which the first line differs.
  /// What the guilty pass gets wrong of the module before it. Where that is not known, the store of
  /// the first wrong value, or what that depends on and the pass has changed; else the first line
  /// that differs, as it is afterwards.
  std::string instruction;
  /// Of the instruction: describeDivergence(), or of machine code AccessMismatch::wrong or
  /// CodeRepair::kind.
  std::string wrong;
  /// What goes wrong: the kind of SPIR-V instruction that does so first (ProbeResult), else what
  /// the guilty pass gets wrong, or has changed after the first wrong value (operationOf()). Of
  /// the pass that has an oracle of its own, what it gets wrong goes first; of machine code,
  /// CodeRepair::kind.
  std::string operation;
  std::string difference; ///< What the pass changed, a unified diff.
  /// The instructions after the store that wrote the first wrong value, nearest last.
  std::vector<std::string> slice;
  /// Where it could be one of several: all of them, the guilty one among them.
  std::vector<std::string> suspects;
  std::vector<std::string> evidence; ///< Sentences.
  std::vector<LocalizeSearch> searches;
  unsigned runs = 0; ///< Worker processes asked.
};

/// Runs \p file as \p predicate says, again and again. InvalidInput where it does not show what the
/// predicate asks for. Of a compiler or driver whose passes are not ours to control the operation
/// alone: no phase, no pass. \p folder empty: a temporary one.
llvm::Expected<Localization> localize(const CaseFile &file, const Predicate &predicate,
                                      const PoolOptions &pool, llvm::StringRef folder);

/// The same of a module of IR with buffer fat pointers, as `check-fat-pointers` judges it; the
/// lowering of \p batch is the project's. LLVM's, of the function that fails, is the control.
/// InvalidInput where the oracle reports nothing.
llvm::Expected<Localization> localizeModule(const FatPointerInput &input,
                                            const FatPointerBatch &batch, llvm::StringRef folder);

/// A line for each thing that is known, then the searches point by point, then the difference.
void writeLocalizeText(llvm::raw_ostream &os, const Localization &result);
/// Schema assay.localize/1.
void writeLocalizeJson(llvm::raw_ostream &os, const Localization &result);

} // namespace assay
