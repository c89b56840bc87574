// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/store/Schema.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Number N brings version N to N + 1. Old ones are never changed: a database may be of any
/// version. "number" is the place of a row in what it is a list of. docs/store.md says what a
/// column means.
static constexpr const char *migrations[] = {
    R"sql(
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE nights (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, revision TEXT NOT NULL,
  time_ms INTEGER NOT NULL, whole INTEGER NOT NULL, counts TEXT NOT NULL);
CREATE TABLE buckets (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL,
  title TEXT NOT NULL, life TEXT NOT NULL, previous TEXT NOT NULL, link TEXT NOT NULL,
  first_night TEXT NOT NULL, last_night TEXT NOT NULL, occurrences INTEGER NOT NULL,
  nights INTEGER NOT NULL, clean_nights INTEGER NOT NULL, pass TEXT NOT NULL,
  features TEXT NOT NULL, transformations TEXT NOT NULL, bundle TEXT NOT NULL);
CREATE TABLE occurrences (number INTEGER PRIMARY KEY, bucket TEXT NOT NULL, night TEXT NOT NULL,
  event TEXT NOT NULL, case_id TEXT NOT NULL, compiler TEXT NOT NULL, machine TEXT NOT NULL,
  state TEXT NOT NULL, rule TEXT NOT NULL, key TEXT NOT NULL, configurations TEXT NOT NULL,
  reason TEXT NOT NULL, rerun TEXT NOT NULL, votes TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE transitions (number INTEGER PRIMARY KEY, bucket TEXT NOT NULL, from_life TEXT NOT NULL,
  to_life TEXT NOT NULL, actor TEXT NOT NULL, reason TEXT NOT NULL, link TEXT NOT NULL,
  event TEXT NOT NULL, time_ms INTEGER NOT NULL, refused INTEGER NOT NULL);
)sql",
    R"sql(
CREATE TABLE metrics (night TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
  value REAL NOT NULL, PRIMARY KEY (night, number));
CREATE INDEX occurrences_by_bucket ON occurrences (bucket);
CREATE INDEX transitions_by_bucket ON transitions (bucket);
)sql",
    R"sql(
ALTER TABLE buckets ADD COLUMN operation TEXT NOT NULL DEFAULT '';
)sql",
    R"sql(
ALTER TABLE buckets ADD COLUMN bug TEXT NOT NULL DEFAULT '';
)sql",
};

unsigned assay::latestSchema() {
  return std::size(migrations);
}

static Expected<unsigned> readVersion(Database &database) {
  unsigned version = 0;
  if (Error error = database.query("PRAGMA user_version", {}, [&](const Row &row) {
        version = static_cast<unsigned>(row.number(0));
      }))
    return std::move(error);
  return version;
}

Error assay::migrate(Database &database, unsigned version) {
  for (;;) {
    if (Error error = database.execute("BEGIN IMMEDIATE"))
      return error;
    Expected<unsigned> present = readVersion(database);
    if (!present)
      return present.takeError();
    if (*present >= version) {
      if (Error error = database.execute("COMMIT"))
        return error;
      return *present <= latestSchema()
                 ? Error::success()
                 : unsupported("the database has schema " + Twine(*present) +
                               ", this build knows " + Twine(latestSchema()) +
                               "; a newer build made it");
    }
    // What the tables hold lacks what is new, so it is to be written again.
    std::string forget = *present ? "DELETE FROM meta;" : "";
    if (Error error = database.execute(migrations[*present] + forget + "PRAGMA user_version = " +
                                       std::to_string(*present + 1) + "; COMMIT"))
      return error;
  }
}

static SqlValue number(uint64_t value) {
  return static_cast<int64_t>(value);
}

static SqlValue list(ArrayRef<std::string> texts) {
  return join(texts, "\n");
}

static std::vector<std::string> splitList(const std::string &text) {
  SmallVector<StringRef> parts;
  StringRef(text).split(parts, '\n', -1, /*KeepEmpty=*/false);
  return {parts.begin(), parts.end()};
}

/// "pass=3 fail=1": states that occur.
static std::string printCounts(const Counts &counts) {
  std::vector<std::string> parts;
  for (unsigned i = 0; i < stateCount; ++i)
    if (counts.byState[i])
      parts.push_back((stateName(static_cast<State>(i)) + "=" + Twine(counts.byState[i])).str());
  return join(parts, " ");
}

static Counts parseCounts(StringRef text) {
  Counts counts;
  SmallVector<StringRef> parts;
  text.split(parts, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [name, value] = part.split('=');
    if (std::optional<State> state = parseState(name))
      value.getAsInteger(10, counts.byState[static_cast<size_t>(*state)]);
  }
  return counts;
}

using Rows = std::vector<std::vector<SqlValue>>;

static Rows nightRows(const History &history) {
  Rows rows;
  for (auto [index, night] : enumerate(history.nights))
    rows.push_back({number(index), night.name, night.revision, number(night.timeMs),
                    number(night.isWhole), printCounts(night.counts)});
  return rows;
}

static Rows metricRows(const History &history) {
  Rows rows;
  for (const StoredNight &night : history.nights)
    for (auto [index, metric] : enumerate(night.metrics))
      rows.push_back({night.name, number(index), metric.first, metric.second});
  return rows;
}

static Rows bucketRows(const History &history) {
  Rows rows;
  for (auto [index, bucket] : enumerate(history.buckets))
    rows.push_back({number(index), bucket.id, bucket.key, bucket.title, lifeName(bucket.life).str(),
                    bucket.previous, bucket.link, bucket.firstNight, bucket.lastNight,
                    number(bucket.occurrences), number(bucket.nights), number(bucket.cleanNights),
                    bucket.facts.pass, list(bucket.facts.features),
                    list(bucket.facts.transformations), bucket.bundle, bucket.facts.operation,
                    bucket.facts.bug});
  return rows;
}

static Rows occurrenceRows(const History &history) {
  Rows rows;
  for (auto [index, each] : enumerate(history.occurrences))
    rows.push_back({number(index), each.bucket, each.night, each.event, each.about.caseId,
                    each.about.compiler, each.about.machine, stateName(each.state).str(), each.rule,
                    each.key, each.configurations, each.reason, each.rerun, each.votes,
                    static_cast<int64_t>(each.sum)});
  return rows;
}

static Rows transitionRows(const History &history) {
  Rows rows;
  for (auto [index, each] : enumerate(history.transitions))
    rows.push_back({number(index), each.bucket, lifeName(each.from).str(), lifeName(each.to).str(),
                    each.actor, each.reason, each.link, each.event, number(each.timeMs),
                    number(each.isRefused)});
  return rows;
}

Error assay::writeHistory(Database &database, const History &history, const std::string &stamp) {
  const struct {
    StringRef table;
    Rows rows;
  } tables[] = {
      {"nights", nightRows(history)},           {"metrics", metricRows(history)},
      {"buckets", bucketRows(history)},         {"occurrences", occurrenceRows(history)},
      {"transitions", transitionRows(history)}, {"meta", {{"stamp", stamp}}},
  };
  for (const auto &[table, rows] : tables) {
    if (Error error = database.execute(("DELETE FROM " + table).str()))
      return error;
    if (rows.empty())
      continue;
    std::vector<StringRef> marks(rows.front().size(), "?");
    if (Error error = database.insert(
            ("INSERT INTO " + table + " VALUES (" + join(marks, ",") + ")").str(), rows))
      return error;
  }
  return Error::success();
}

Expected<std::string> assay::readStamp(Database &database) {
  std::string stamp;
  if (Error error = database.query("SELECT value FROM meta WHERE name = 'stamp'", {},
                                   [&](const Row &row) { stamp = row.text(0); }))
    return std::move(error);
  return stamp;
}

template <typename T>
static Expected<std::vector<T>> readAll(Database &database, const std::string &sql,
                                        ArrayRef<SqlValue> values, T (*make)(const Row &)) {
  std::vector<T> all;
  if (Error error = database.query(sql, values, [&](const Row &row) { all.push_back(make(row)); }))
    return std::move(error);
  return std::move(all);
}

static StoredNight makeNight(const Row &row) {
  StoredNight night;
  night.name = row.text(0);
  night.revision = row.text(1);
  night.timeMs = static_cast<uint64_t>(row.number(2));
  night.isWhole = row.number(3) != 0;
  night.counts = parseCounts(row.text(4));
  return night;
}

Expected<std::vector<StoredNight>> assay::readNights(Database &database) {
  auto nights =
      readAll(database, "SELECT name, revision, time_ms, whole, counts FROM nights ORDER BY number",
              {}, makeNight);
  if (!nights)
    return nights.takeError();
  for (StoredNight &night : *nights)
    if (Error error = database.query(
            "SELECT name, value FROM metrics WHERE night = ? ORDER BY number", {night.name},
            [&](const Row &row) { night.metrics.emplace_back(row.text(0), row.real(1)); }))
      return std::move(error);
  return nights;
}

static Life lifeOf(const std::string &name) {
  return parseLife(name).value_or(Life::New);
}

static StoredBucket makeBucket(const Row &row) {
  StoredBucket bucket;
  bucket.id = row.text(0);
  bucket.key = row.text(1);
  bucket.title = row.text(2);
  bucket.life = lifeOf(row.text(3));
  bucket.previous = row.text(4);
  bucket.link = row.text(5);
  bucket.firstNight = row.text(6);
  bucket.lastNight = row.text(7);
  bucket.occurrences = static_cast<uint64_t>(row.number(8));
  bucket.nights = static_cast<uint64_t>(row.number(9));
  bucket.cleanNights = static_cast<unsigned>(row.number(10));
  bucket.facts = {row.text(11), row.text(15), splitList(row.text(12)), splitList(row.text(13))};
  bucket.bundle = row.text(14);
  bucket.facts.bug = row.text(16);
  return bucket;
}

Expected<std::vector<StoredBucket>> assay::readBuckets(Database &database) {
  return readAll(database,
                 "SELECT id, key, title, life, previous, link, first_night, last_night, "
                 "occurrences, nights, clean_nights, pass, features, transformations, bundle, "
                 "operation, bug FROM buckets ORDER BY number",
                 {}, makeBucket);
}

static StoredOccurrence makeOccurrence(const Row &row) {
  StoredOccurrence each;
  each.bucket = row.text(0);
  each.night = row.text(1);
  each.event = row.text(2);
  each.about = {row.text(3), row.text(4), row.text(5)};
  each.state = parseState(row.text(6)).value_or(State::ToolError);
  each.rule = row.text(7);
  each.key = row.text(8);
  each.configurations = row.text(9);
  each.reason = row.text(10);
  each.rerun = row.text(11);
  each.votes = row.text(12);
  each.sum = static_cast<int>(row.number(13));
  return each;
}

Expected<std::vector<StoredOccurrence>> assay::readOccurrences(Database &database,
                                                               StringRef bucket) {
  return readAll(database,
                 "SELECT bucket, night, event, case_id, compiler, machine, state, rule, key, "
                 "configurations, reason, rerun, votes, sum FROM occurrences "
                 "WHERE ?1 = '' OR bucket = ?1 ORDER BY number",
                 {bucket.str()}, makeOccurrence);
}

static StoredTransition makeTransition(const Row &row) {
  return {row.text(0),         lifeOf(row.text(1)),
          lifeOf(row.text(2)), row.text(3),
          row.text(4),         row.text(5),
          row.text(6),         static_cast<uint64_t>(row.number(7)),
          row.number(8) != 0};
}

Expected<std::vector<StoredTransition>> assay::readTransitions(Database &database,
                                                               StringRef bucket) {
  return readAll(database,
                 "SELECT bucket, from_life, to_life, actor, reason, link, event, time_ms, refused "
                 "FROM transitions WHERE ?1 = '' OR bucket = ?1 ORDER BY number",
                 {bucket.str()}, makeTransition);
}
