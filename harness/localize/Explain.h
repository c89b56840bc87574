// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is shown of a guilty pass: what it changed, and which instruction wrote the first wrong
// value.
#pragma once

#include "harness/localize/Localize.h"
#include "harness/localize/PassList.h"
#include "harness/localize/Trials.h"

namespace assay {

/// Adds to a Localization. Where something can't be shown, its evidence says why; Errors are of the
/// environment.
class Explainer {
public:
  /// All must outlive this.
  Explainer(const CaseFile &file, Trials &trials, Localization &result)
      : m_file(file), m_trials(trials), m_result(result) {}

  /// Of IR: the module before and after \p pass, number \p snapshot of JobPasses::snapshot (0: the
  /// front-end), and the store of the first wrong value there.
  llvm::Error explainSnapshot(uint64_t snapshot, const NamedPass &pass);
  /// Of a graphics stage: the difference that \p pass, number \p snapshot, makes to its module.
  llvm::Error showStage(uint64_t snapshot, const NamedPass &pass);
  /// Of IR: runs \p pass, number \p snapshot, and what stood before it side by side. False where
  /// they do the same, or that can't be told; m_result is then as before.
  llvm::Expected<bool> compareAround(uint64_t snapshot, const NamedPass &pass);
  /// Of an optional pass of the code generator: assembler text with \p limit - 1 and with \p limit
  /// of JobPasses::limit.
  llvm::Error explainGate(uint64_t limit);
  /// Of machine code: the store of the first wrong value, which \p verdict names; and, where code
  /// generation is to blame, the first access that the IR does not make.
  llvm::Error explainCode(const Verdict &verdict);

private:
  /// A device address.
  using Address = std::optional<uint64_t>;
  llvm::Expected<Address> findDifference(const Verdict &verdict) const;
  /// The text of the modules at \p snapshot, and the verdict of the run on them.
  llvm::Expected<std::string> readModule(uint64_t snapshot, Verdict &verdict);
  /// Notes where the run of the IR ended, or what wrote the first wrong value there. \p changed are
  /// the lines that the pass has changed.
  llvm::Error traceIr(uint64_t snapshot, const Verdict &verdict,
                      llvm::ArrayRef<std::string> changed);
  /// Notes the instruction of machine code that wrote the first wrong value, with its slice.
  llvm::Error traceStore(const Verdict &verdict, llvm::StringRef trace);
  /// Notes the first access of the trace \p code that the IR does not make.
  void compareWithIr(llvm::StringRef code);
  llvm::Expected<bool> dependsOnOrder(uint64_t snapshot, const Verdict &verdict);
  llvm::Expected<bool> noteLostBarrier(uint64_t snapshot, const Verdict &verdict,
                                       llvm::StringRef before, llvm::StringRef after);
  /// Sets instruction, slice and operation.
  void takeNote(const Finding &note, llvm::ArrayRef<std::string> changed);
  /// Adds the evidence that the first wrong value was written at \p place.
  void noteWriter(const Verdict &verdict, llvm::StringRef place);

  const CaseFile &m_file;
  Trials &m_trials;
  Localization &m_result;
};

/// Localization::wrong of a pass that leaves no barrier.
constexpr llvm::StringLiteral lostBarrier = "lost barrier";

/// The one pass that has an oracle of its own.
constexpr llvm::StringLiteral loweringPass = "lower-buffer-fat-pointers";

/// What the fat-pointer oracle says of its pass in \p verdict, with JobPasses::explains: as
/// evidence, and the instruction that is to blame.
void takeFinding(const Verdict &verdict, Localization &result);

} // namespace assay
