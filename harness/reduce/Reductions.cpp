// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reductions of modules and of cases after one interface.
#include "harness/reduce/CaseReductions.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

namespace {
/// A row of fuzz::programReductions() on all modules of a case.
class ModuleReduction : public Reduction {
public:
  explicit ModuleReduction(const fuzz::ProgramReduction &row) : m_row(row) {}

  StringRef name() const override { return m_row.name; }

  std::vector<CaseChance> find(const Subject &subject) const override {
    std::vector<CaseChance> chances;
    for (auto [pipeline, program] : enumerate(subject.programs))
      for (const fuzz::Chance &chance : m_row.find(program))
        chances.push_back({pipeline, chance});
    return chances;
  }

  void apply(Subject &subject, ArrayRef<CaseChance> chances) const override {
    while (!chances.empty()) {
      size_t pipeline = chances.front().pipeline;
      std::vector<fuzz::Chance> own;
      while (!chances.empty() && chances.front().pipeline == pipeline) {
        own.push_back(chances.front().chance);
        chances = chances.drop_front();
      }
      m_row.apply(subject.programs[pipeline], own);
      fuzz::repair(subject.programs[pipeline]);
    }
  }

private:
  const fuzz::ProgramReduction &m_row;
};

/// A row of caseReductions() or mixedReductions().
class RowReduction : public WholeCaseReduction {
public:
  explicit RowReduction(const CaseReduction &row) : m_row(row) {}

  StringRef name() const override { return m_row.name; }

private:
  std::vector<fuzz::Chance> findInCase(const Subject &subject) const override {
    return m_row.find(subject);
  }
  void applyToCase(Subject &subject, ArrayRef<fuzz::Chance> chances) const override {
    m_row.apply(subject, chances);
  }

  const CaseReduction &m_row;
};
} // namespace

std::vector<CaseChance> WholeCaseReduction::find(const Subject &subject) const {
  std::vector<CaseChance> chances;
  for (const fuzz::Chance &chance : findInCase(subject))
    chances.push_back({0, chance});
  return chances;
}

void WholeCaseReduction::apply(Subject &subject, ArrayRef<CaseChance> chances) const {
  std::vector<fuzz::Chance> own;
  for (const CaseChance &chance : chances)
    own.push_back(chance.chance);
  applyToCase(subject, own);
}

std::vector<std::unique_ptr<Reduction>> assay::makeReductions() {
  std::vector<std::unique_ptr<Reduction>> all;
  for (const CaseReduction &row : caseReductions())
    all.push_back(std::make_unique<RowReduction>(row));
  for (const fuzz::ProgramReduction &row : fuzz::programReductions())
    all.push_back(std::make_unique<ModuleReduction>(row));
  for (const CaseReduction &row : mixedReductions())
    all.push_back(std::make_unique<RowReduction>(row));
  return all;
}

void assay::sweep(Subject &subject) {
  for_each(subject.programs, [](fuzz::Program &program) { fuzz::sweep(program); });
}
