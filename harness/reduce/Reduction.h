// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of a whole case: those of its modules, and those of what stands around them.
#pragma once

#include "fuzz/reduce/Reduction.h"
#include "harness/reduce/Subject.h"
#include <memory>

namespace assay {

/// A place where a reduction may act: a chance of a module, or of the case, with the same freedom
/// in its numbers.
struct CaseChance {
  size_t pipeline = 0;
  fuzz::Chance chance;
};

/// A way to make a case smaller. Another kind of it (the steps of a log of transformations, say) is
/// another class; the search knows nothing else of them.
class Reduction {
public:
  virtual ~Reduction() = default;
  virtual llvm::StringRef name() const = 0;
  /// Costs so much that it is for when no other has a chance left. Such are after all others.
  virtual bool isLastResort() const { return false; }
  /// As fuzz::ProgramReduction::find.
  virtual std::vector<CaseChance> find(const Subject &subject) const = 0;
  /// Takes \p chances. The result is well-formed, and may be invalid.
  virtual void apply(Subject &subject, llvm::ArrayRef<CaseChance> chances) const = 0;
};

/// A reduction whose chances are of the case, not of its modules.
class WholeCaseReduction : public Reduction {
public:
  std::vector<CaseChance> find(const Subject &subject) const final;
  void apply(Subject &subject, llvm::ArrayRef<CaseChance> chances) const final;

private:
  virtual std::vector<fuzz::Chance> findInCase(const Subject &subject) const = 0;
  virtual void applyToCase(Subject &subject, llvm::ArrayRef<fuzz::Chance> chances) const = 0;
};

/// All reductions in the order in which they are tried: commands, buffers and sizes first, then
/// those of programReductions(), then those of modules that look at the case.
std::vector<std::unique_ptr<Reduction>> makeReductions();

/// fuzz::sweep() for every module.
void sweep(Subject &subject);

} // namespace assay
