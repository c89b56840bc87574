// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/Verdict.h"

using namespace llvm;
using namespace assay;

namespace {
struct FactRow {
  StringLiteral name;
  std::optional<uint64_t> VerdictFacts::*member;
};
} // namespace

static constexpr FactRow factRows[] = {
#define ASSAY_VERDICT_FACT(member, name) {name, &VerdictFacts::member},
#include "oracles/api/VerdictFacts.def"
};

/// Before the name of a fault that was reached.
static constexpr StringLiteral reachedPrefix = "reaches ";

std::vector<VerdictStatistic> assay::listStatistics(const Verdict &verdict) {
  std::vector<VerdictStatistic> all;
  for (const FactRow &row : factRows)
    if (const std::optional<uint64_t> &value = verdict.facts.*row.member)
      all.emplace_back(row.name.str(), *value);
  for (const std::string &fault : verdict.facts.reachedFaults)
    all.emplace_back(reachedPrefix.str() + fault, 1);
  all.insert(all.end(), verdict.statistics.begin(), verdict.statistics.end());
  return all;
}

void assay::addStatistic(Verdict &verdict, StringRef name, uint64_t value) {
  for (const FactRow &row : factRows)
    if (row.name == name) {
      verdict.facts.*row.member = value;
      return;
    }
  if (name.consume_front(reachedPrefix))
    verdict.facts.reachedFaults.push_back(name.str());
  else
    verdict.statistics.emplace_back(name.str(), value);
}
