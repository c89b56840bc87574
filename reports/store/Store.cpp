// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/store/Store.h"

#include "reports/store/Schema.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <unistd.h>

using namespace llvm;
using namespace assay;

static constexpr StringRef storeSchema = "assay.store/1";

/// Raised when the same events add up to something else than before: in votes, keys or the life.
static constexpr unsigned foldVersion = 2;

/// Returns the contents of store.json, which are also a part of the stamp.
static std::string printRules(const StoreRules &rules) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", storeSchema);
    json.attribute("clean_nights", rules.cleanNights);
    json.attribute("quiet_nights", rules.quietNights);
  });
  os << "\n";
  return text;
}

/// Reads store.json; InvalidInput for another schema.
static Expected<StoreRules> readRules(const std::string &file) {
  Expected<json::Value> value = readJsonFile(file);
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "store");
  StoreRules rules;
  std::string schema;
  fields.read("schema", schema);
  fields.readNumber("clean_nights", rules.cleanNights);
  fields.readNumber("quiet_nights", rules.quietNights);
  if (schema != storeSchema)
    fields.fail("has schema '" + schema + "', this build reads " + storeSchema);
  if (Error error = fields.takeError())
    return addContext(std::move(error), file);
  return rules;
}

Store::Store(std::string folder, const StoreRules &rules)
    : m_folder(std::move(folder)), m_rules(rules), m_writer(eventsFolder()) {}

/// Creates folder and rules where they are missing. The rules of an existing store win over \p
/// rules.
Expected<Store> Store::open(std::string folder, const StoreRules &rules) {
  if (std::error_code code = sys::fs::create_directories(folder + "/events"))
    return environmentError(folder + ": " + code.message());
  std::string file = folder + "/store.json";
  // Two that make it at one time write it by renames: the later one's rules stay.
  if (!sys::fs::exists(file))
    if (Error error = writeFile(file, StringRef(printRules(rules))))
      return std::move(error);
  Expected<StoreRules> known = readRules(file);
  if (!known)
    return known.takeError();
  return Store(std::move(folder), *known);
}

Error Store::append(Event event) {
  return m_writer.append(event);
}

namespace {
/// The verdicts of one case, in their order.
struct CaseVerdicts {
  std::vector<Verdict> verdicts;
  bool isFinding = false;
};
} // namespace

/// Groups verdicts by case; a case with a bad or flaky verdict is a finding.
static std::map<std::string, CaseVerdicts> byCase(ArrayRef<Verdict> verdicts) {
  std::map<std::string, CaseVerdicts> cases;
  for (const Verdict &verdict : verdicts) {
    CaseVerdicts &of = cases[verdict.caseId];
    of.isFinding |= isBad(verdict.state) || verdict.state == State::Flaky;
    of.verdicts.push_back(verdict);
  }
  return cases;
}

// Cases that passed somewhere and were neither bad nor flaky anywhere, by compiler and machine.
static std::vector<CaseKey> findClean(ArrayRef<Verdict> verdicts) {
  std::map<CaseKey, bool> isClean;
  for (const Verdict &verdict : verdicts) {
    if (verdict.state == State::Unsupported)
      continue;
    bool &clean = isClean.try_emplace(caseKeyOf(verdict), true).first->second;
    clean &= verdict.state == State::Pass;
  }
  std::vector<CaseKey> keys;
  for (const auto &[key, clean] : isClean)
    if (clean)
      keys.push_back(key);
  return keys;
}

// "instructions assay gcn gfx1100 -O2": sums over what passed, and "cases ..." that they are of, so
// that nights can be compared that ran different ones.
static void sumStatistics(ArrayRef<Verdict> verdicts,
                          std::vector<std::pair<std::string, double>> &metrics) {
  std::map<std::string, double> sums;
  for (const Verdict &verdict : verdicts)
    if (std::vector<VerdictStatistic> all = listStatistics(verdict);
        verdict.state == State::Pass && !all.empty()) {
      ++sums["cases " + configurationName(verdict)];
      for (const auto &[name, value] : all)
        sums[metricOf(name).str() + " " + configurationName(verdict)] += static_cast<double>(value);
    }
  append_range(metrics, sums);
}

/// Writes an event for each finding and one for the end of the night, in one append.
Error Store::record(ArrayRef<Verdict> verdicts, const NightRecord &night) {
  std::vector<Event> events;
  NightEvent end;
  end.night = night.night;
  end.revision = night.revision;
  end.metrics = night.metrics;
  for (auto &[id, of] : byCase(verdicts))
    if (of.isFinding) {
      events.emplace_back().body = FindingEvent{night.night, std::move(of.verdicts)};
      events.back().timeMs = night.timeMs;
    }
  for (const Verdict &verdict : verdicts)
    end.counts.add(verdict.state);
  end.clean = findClean(verdicts);
  sumStatistics(verdicts, end.metrics);
  events.emplace_back().body = std::move(end);
  events.back().timeMs = night.timeMs;
  return m_writer.append(events);
}

/// Equal for two looks at the log that add up to the same.
Expected<std::string> Store::stamp() const {
  Expected<std::string> files = stampOf(eventsFolder());
  if (!files)
    return files.takeError();
  return "fold " + std::to_string(foldVersion) + "\n" + printRules(m_rules) + *files;
}

/// Folds the log again if it differs from what the database was made of. The caller holds the lock.
Error Store::update(Database &database) {
  if (Error error = migrate(database))
    return error;
  Expected<std::string> known = readStamp(database);
  if (!known)
    return known.takeError();
  // The stamp first: what arrives in between is in the tables, and makes the next one read again.
  Expected<std::string> present = stamp();
  if (!present)
    return present.takeError();
  if (*known == *present)
    return Error::success();
  Expected<std::vector<Event>> events = readEvents(eventsFolder());
  if (!events)
    return events.takeError();
  if (Error error = database.execute("BEGIN IMMEDIATE"))
    return error;
  if (Error error = writeHistory(database, foldEvents(*events, m_rules), *present))
    return error;
  return database.execute("COMMIT");
}

namespace {
/// One process at a time writes the database; the kernel takes the lock from one that dies.
class Lock {
public:
  /// Waits until no other process holds the lock. It ends with the returned value.
  static Expected<std::unique_ptr<Lock>> take(const std::string &file) {
    int descriptor = -1;
    if (std::error_code code = sys::fs::openFileForReadWrite(
            file, descriptor, sys::fs::CD_OpenAlways, sys::fs::OF_None))
      return environmentError(file + ": " + code.message());
    std::unique_ptr<Lock> lock(new Lock(descriptor));
    if (std::error_code code = sys::fs::lockFile(descriptor))
      return environmentError(file + ": " + code.message());
    return std::move(lock);
  }
  ~Lock() { close(m_descriptor); }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;

private:
  explicit Lock(int descriptor) : m_descriptor(descriptor) {}
  int m_descriptor;
};
} // namespace

/// Opens the database, up to date with the log. A damaged file is removed and made again once.
Expected<Database> Store::openCurrent() {
  auto lock = Lock::take(m_folder + "/store.lock");
  if (!lock)
    return lock.takeError();
  for (bool isSecondTry : {false, true}) {
    Expected<Database> database = Database::open(databaseFile());
    if (!database)
      return database.takeError();
    Error error = update(*database);
    if (!error)
      return std::move(*database);
    if (!database->isBroken() || isSecondTry)
      return std::move(error);
    // It holds nothing that the log does not.
    consumeError(std::move(error));
    if (Error problem = removeDatabase())
      return std::move(problem);
  }
  llvm_unreachable("the second try returns");
}

/// Removes the database and its journal; missing files are no error.
Error Store::removeDatabase() {
  for (StringRef suffix : {"", "-journal"})
    if (std::error_code code = sys::fs::remove(databaseFile() + suffix.str()))
      return environmentError(databaseFile() + ": " + code.message());
  return Error::success();
}

/// Brings the database up to date with the log; reading does the same.
Error Store::sync() {
  return openCurrent().takeError();
}

/// Removes the database while it holds the lock; sync() acquires the lock again.
Error Store::rebuild() {
  {
    auto lock = Lock::take(m_folder + "/store.lock");
    if (!lock)
      return lock.takeError();
    if (Error error = removeDatabase())
      return error;
  }
  return sync();
}

/// Reads within one transaction, which ends when the database is closed.
template <typename T> Expected<T> Store::read(Expected<T> (*from)(Database &)) {
  Expected<Database> database = openCurrent();
  if (!database)
    return database.takeError();
  // One view for all statements.
  if (Error error = database->execute("BEGIN"))
    return std::move(error);
  return from(*database);
}

template <typename T>
Expected<T> Store::readOf(StringRef bucket, Expected<T> (*from)(Database &, StringRef)) {
  Expected<Database> database = openCurrent();
  if (!database)
    return database.takeError();
  // As in read().
  if (Error error = database->execute("BEGIN"))
    return std::move(error);
  return from(*database, bucket);
}

Expected<std::vector<StoredNight>> Store::nights() {
  return read(readNights);
}

Expected<std::vector<StoredBucket>> Store::buckets() {
  return read(readBuckets);
}

Expected<std::vector<StoredOccurrence>> Store::occurrences(StringRef bucket) {
  return readOf(bucket, readOccurrences);
}

Expected<std::vector<StoredTransition>> Store::transitions(StringRef bucket) {
  return readOf(bucket, readTransitions);
}

/// An exact id takes precedence over ids that begin with the name.
Expected<StoredBucket> Store::findBucket(StringRef name) {
  Expected<std::vector<StoredBucket>> all = buckets();
  if (!all)
    return all.takeError();
  std::vector<const StoredBucket *> found;
  for (const StoredBucket &bucket : *all) {
    if (bucket.id == name)
      return bucket;
    if (StringRef(bucket.id).starts_with(name))
      found.push_back(&bucket);
  }
  if (found.size() == 1)
    return *found.front();
  return invalidInput(found.empty() ? "there is no bucket '" + name + "'"
                                    : "several buckets begin with '" + name + "'");
}

Error Store::setLife(StringRef name, Life to, StringRef actor, StringRef reason, StringRef link,
                     uint64_t timeMs) {
  Expected<StoredBucket> bucket = findBucket(name);
  if (!bucket)
    return bucket.takeError();
  if (Error error = verifyTransition(bucket->life, to))
    return addContext(std::move(error), bucket->id);
  std::string target = link.str();
  if (to == Life::Duplicate) {
    Expected<StoredBucket> other = findBucket(link);
    if (!other)
      return addContext(other.takeError(), "a duplicate needs the other bucket as its link");
    if (other->id == bucket->id)
      return invalidInput(bucket->id + " cannot be a duplicate of itself");
    target = other->id;
  }
  Event event;
  event.timeMs = timeMs;
  event.body = TransitionEvent{bucket->id, bucket->life, to, actor.str(), reason.str(), target};
  return append(std::move(event));
}
