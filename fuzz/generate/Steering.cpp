// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Steering.h"

#include "fuzz/generate/Writer.h"
#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include <functional>

using namespace llvm;

namespace assay::fuzz {

static constexpr StringRef schema = "assay.coverage/1";

void CoverageTable::add(const std::set<std::string> &constructs,
                        const std::set<std::string> &features) {
  ++m_cases;
  for (const std::string &construct : constructs)
    ++m_constructs[construct];
  for (const std::string &feature : features) {
    Feature &entry = m_features[feature];
    ++entry.cases;
    for (const std::string &construct : constructs)
      ++entry.constructs[construct];
  }
}

/// Adds the counts of each name.
static void addCounts(std::map<std::string, uint64_t> &to,
                      const std::map<std::string, uint64_t> &from) {
  for (const auto &[name, count] : from)
    to[name] += count;
}

void CoverageTable::merge(const CoverageTable &other) {
  m_cases += other.m_cases;
  addCounts(m_constructs, other.m_constructs);
  for (const auto &[name, feature] : other.m_features) {
    Feature &entry = m_features[name];
    entry.cases += feature.cases;
    addCounts(entry.constructs, feature.constructs);
  }
}

uint64_t CoverageTable::casesWithConstruct(StringRef name) const {
  auto found = m_constructs.find(name.str());
  return found == m_constructs.end() ? 0 : found->second;
}

/// Returns an object with a number for each name.
static json::Object countsAsJson(const std::map<std::string, uint64_t> &counts) {
  json::Object object;
  for (const auto &[name, count] : counts)
    object[name] = count;
  return object;
}

/// One line; keys are sorted, so that equal tables are equal texts.
std::string CoverageTable::print() const {
  json::Object features;
  for (const auto &[name, feature] : m_features)
    features[name] =
        json::Object{{"cases", feature.cases}, {"constructs", countsAsJson(feature.constructs)}};
  json::Value table = json::Object{{"schema", schema},
                                   {"cases", m_cases},
                                   {"constructs", countsAsJson(m_constructs)},
                                   {"features", std::move(features)}};
  std::string text;
  raw_string_ostream(text) << formatv("{0}", table) << "\n"; // Keys come in their order.
  return text;
}

/// Counts by name, of at most \p most each.
static Error readCounts(const json::Value *value, StringRef what, uint64_t most,
                        std::map<std::string, uint64_t> &counts) {
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    return invalidInput(what + ": no object with counts");
  for (const auto &[name, count] : *object) {
    std::optional<uint64_t> number = count.getAsUINT64();
    if (!number || *number > most)
      return invalidInput(what + ", " + name.str() + ": not a number up to " + Twine(most));
    counts[name.str()] = *number;
  }
  return Error::success();
}

/// Cases that a read table may have at most: products of two counts and a percentage fit in 64
/// bits.
static constexpr uint64_t mostCases = uint64_t(1) << 28;

/// No count may exceed the number of cases.
Expected<CoverageTable> CoverageTable::parse(StringRef text) {
  Expected<json::Value> value = parseJson(text, "coverage");
  if (!value)
    return value.takeError();
  CoverageTable table;
  std::string name;
  JsonFields fields(*value, "coverage");
  fields.read("schema", name);
  fields.readNumber("cases", table.m_cases);
  if (Error error = fields.takeError())
    return std::move(error);
  if (name != schema)
    return invalidInput("coverage of schema '" + name + "', expected " + schema);
  if (table.m_cases > mostCases)
    return invalidInput("coverage: more than " + Twine(mostCases) + " cases");
  if (Error error = readCounts(fields.find("constructs"), "coverage, constructs", table.m_cases,
                               table.m_constructs))
    return std::move(error);
  const json::Value *features = fields.find("features");
  if (!features || !features->getAsObject())
    return invalidInput("coverage: no object 'features'");
  for (const auto &[key, each] : *features->getAsObject()) {
    std::string what = "coverage, " + key.str();
    JsonFields feature(each, what);
    Feature &entry = table.m_features[key.str()];
    feature.readNumber("cases", entry.cases);
    if (Error error = feature.takeError())
      return std::move(error);
    if (entry.cases > table.m_cases)
      return invalidInput(what + ": in more cases than the table has");
    if (Error error = readCounts(feature.find("constructs"), what, table.m_cases, entry.constructs))
      return std::move(error);
  }
  return table;
}

/// The constructs that are in nearly all cases with \p feature, and much more often than in the
/// others: what makes it is among them.
static SmallVector<StringRef, 3> makersOf(const CoverageTable &table,
                                          const CoverageTable::Feature &feature) {
  constexpr uint64_t percent = 100, nearlyAll = 90, lift = 130, fewest = 3;
  constexpr size_t most = 3;
  if (feature.cases < fewest) // Of so few nothing can be said.
    return {};
  std::vector<std::pair<uint64_t, StringRef>> makers;
  for (const Construct &construct : constructs()) {
    auto together = feature.constructs.find(construct.name.str());
    uint64_t alone = table.casesWithConstruct(construct.name);
    if (together == feature.constructs.end() || !alone ||
        together->second * percent < feature.cases * nearlyAll)
      continue;
    // In how many of its cases the feature is, over in how many of all cases it is.
    uint64_t ratio = together->second * table.cases() * percent / (alone * feature.cases);
    if (ratio >= lift)
      makers.push_back({ratio, construct.name});
  }
  sort(makers, std::greater<>());
  SmallVector<StringRef, 3> names;
  for (const auto &[ratio, name] : ArrayRef(makers).take_front(most))
    names.push_back(name);
  return names;
}

Steering::Steering(const CoverageTable &table) {
  // What no case has is as likely as the number of all cases.
  auto likelihood = [&](uint64_t cases) { return 1 + table.cases() / (cases * cases + 1); };
  for (const Construct &construct : constructs())
    m_goals.push_back({likelihood(table.casesWithConstruct(construct.name)), {construct.name}});
  for (const auto &[name, feature] : table.features())
    if (SmallVector<StringRef, 3> makers = makersOf(table, feature); !makers.empty())
      m_goals.push_back({likelihood(feature.cases), std::move(makers)});
  uint64_t total = 0;
  for (const Goal &goal : m_goals)
    m_sums.push_back(total += goal.likelihood);
}

/// Draws by likelihood; each goal has at least 1.
const Steering::Goal &Steering::draw(Random &random) const {
  auto at = upper_bound(m_sums, random.below(m_sums.back())) - m_sums.begin();
  return m_goals[static_cast<size_t>(at)];
}

/// Chased constructs have 16 times their weight.
Profile Steering::apply(Profile profile, uint64_t seed, uint64_t number) const {
  constexpr uint64_t stream = 0x73746565; // Apart from the one that makes the case's own seed.
  constexpr unsigned factor = 16;
  Random random = Random::derive(Random::derive(seed, stream).next(), number);
  if (random.oneIn(2))
    return profile;
  std::set<StringRef> chased;
  for (uint64_t count = random.between(2, 5); count > 0; --count) {
    const Goal &goal = draw(random);
    chased.insert(goal.constructs.begin(), goal.constructs.end());
  }
  for (const Construct &construct : constructs()) {
    if (!chased.contains(construct.name))
      continue;
    auto entry = profile.weights.try_emplace(construct.name.str(), construct.weight).first;
    entry->second *= factor;
  }
  return profile;
}

} // namespace assay::fuzz
