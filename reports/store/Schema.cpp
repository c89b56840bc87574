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
    // Lists become rows, so that SQL can ask for one of their elements.
    R"sql(
ALTER TABLE nights DROP COLUMN counts;
CREATE TABLE night_counts (night TEXT NOT NULL, state TEXT NOT NULL, verdicts INTEGER NOT NULL,
  PRIMARY KEY (night, state));
ALTER TABLE occurrences DROP COLUMN configurations;
ALTER TABLE occurrences DROP COLUMN votes;
CREATE TABLE occurrence_configurations (occurrence INTEGER NOT NULL, name TEXT NOT NULL,
  shows INTEGER NOT NULL, PRIMARY KEY (occurrence, name));
CREATE TABLE occurrence_votes (occurrence INTEGER NOT NULL, aspect TEXT NOT NULL,
  agrees INTEGER NOT NULL, PRIMARY KEY (occurrence, aspect));
ALTER TABLE buckets DROP COLUMN features;
ALTER TABLE buckets DROP COLUMN transformations;
CREATE TABLE bucket_lists (bucket INTEGER NOT NULL, list TEXT NOT NULL, number INTEGER NOT NULL,
  name TEXT NOT NULL, PRIMARY KEY (bucket, list, number));
)sql",
};

/// Version 0 is a database without tables.
unsigned assay::latestSchema() {
  return std::size(migrations);
}

/// Returns the number of migrations that the database has; 0 for a new one.
static Expected<unsigned> readVersion(Database &database) {
  unsigned version = 0;
  if (Error error = database.query("PRAGMA user_version", {}, [&](const Row &row) {
        version = static_cast<unsigned>(row.number(0));
      }))
    return std::move(error);
  return version;
}

/// Applies one migration per transaction, so that several processes may migrate at a time. A
/// migrated database loses its stamp and by that is filled again. Unsupported for a newer schema
/// than this build knows.
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

/// SQLite has signed integers only.
static SqlValue number(uint64_t value) {
  return static_cast<int64_t>(value);
}

/// Rows of a table, values in the order of its columns.
using Rows = std::vector<std::vector<SqlValue>>;

/// The number of a row is its place in the history.
static Rows nightRows(const History &history) {
  Rows rows;
  for (auto [index, night] : enumerate(history.nights))
    rows.push_back(
        {number(index), night.name, night.revision, number(night.timeMs), number(night.isWhole)});
  return rows;
}

/// States without verdicts have no row.
static Rows nightCountRows(const History &history) {
  Rows rows;
  for (const StoredNight &night : history.nights)
    for (unsigned i = 0; i < stateCount; ++i)
      if (night.counts.byState[i])
        rows.push_back(
            {night.name, stateName(static_cast<State>(i)).str(), number(night.counts.byState[i])});
  return rows;
}

/// The number of a metric keeps the order in which the night listed it.
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
                    bucket.facts.pass, bucket.bundle, bucket.facts.operation, bucket.facts.bug});
  return rows;
}

/// The lists of a bucket's facts, by the name in column "list".
static constexpr struct {
  const char *name;
  std::vector<std::string> Facts::*list;
} bucketLists[] = {{"features", &Facts::features},
                   {"transformations", &Facts::transformations},
                   {"shown-by", &Facts::shownBy}};

/// One row for each element of each list of facts, in the order of the list.
static Rows bucketListRows(const History &history) {
  Rows rows;
  for (auto [index, bucket] : enumerate(history.buckets))
    for (const auto &[name, list] : bucketLists)
      for (auto [place, element] : enumerate(bucket.facts.*list))
        rows.push_back({number(index), std::string(name), number(place), element});
  return rows;
}

/// Configurations and votes are in separate tables.
static Rows occurrenceRows(const History &history) {
  Rows rows;
  for (auto [index, each] : enumerate(history.occurrences))
    rows.push_back({number(index), each.bucket, each.night, each.event, each.about.caseId,
                    each.about.compiler, each.about.machine, stateName(each.state).str(), each.rule,
                    each.key, each.reason, each.rerun, static_cast<int64_t>(each.sum)});
  return rows;
}

static Rows configurationRows(const History &history) {
  Rows rows;
  for (auto [index, each] : enumerate(history.occurrences))
    for (const auto &[name, shows] : each.configurations)
      rows.push_back({number(index), name, number(shows)});
  return rows;
}

/// Silent aspects have no row.
static Rows voteRowsOf(const History &history) {
  Rows rows;
  for (auto [index, each] : enumerate(history.occurrences))
    for (auto [aspect, opinion] : zip_equal(voteRows(), each.votes))
      if (opinion != Opinion::Silent)
        rows.push_back(
            {number(index), std::string(aspect.name), number(opinion == Opinion::Agree)});
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

/// Deletes and writes all rows of all tables.
Error assay::writeHistory(Database &database, const History &history, const std::string &stamp) {
  const struct {
    StringRef table;
    Rows rows;
  } tables[] = {
      {"nights", nightRows(history)},
      {"night_counts", nightCountRows(history)},
      {"metrics", metricRows(history)},
      {"buckets", bucketRows(history)},
      {"bucket_lists", bucketListRows(history)},
      {"occurrences", occurrenceRows(history)},
      {"occurrence_configurations", configurationRows(history)},
      {"occurrence_votes", voteRowsOf(history)},
      {"transitions", transitionRows(history)},
      {"meta", {{"stamp", stamp}}},
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

/// Returns an empty stamp for a database that was never filled.
Expected<std::string> assay::readStamp(Database &database) {
  std::string stamp;
  if (Error error = database.query("SELECT value FROM meta WHERE name = 'stamp'", {},
                                   [&](const Row &row) { stamp = row.text(0); }))
    return std::move(error);
  return stamp;
}

/// Runs a query and makes a value of each row.
template <typename T>
static Expected<std::vector<T>> readAll(Database &database, const std::string &sql,
                                        ArrayRef<SqlValue> values, T (*make)(const Row &)) {
  std::vector<T> all;
  if (Error error = database.query(sql, values, [&](const Row &row) { all.push_back(make(row)); }))
    return std::move(error);
  return std::move(all);
}

/// A row of nights, without counts and metrics.
static StoredNight makeNight(const Row &row) {
  StoredNight night;
  night.name = row.text(0);
  night.revision = row.text(1);
  night.timeMs = static_cast<uint64_t>(row.number(2));
  night.isWhole = row.number(3) != 0;
  return night;
}

/// A row of night_counts.
static void readCount(const Row &row, Counts &counts) {
  if (std::optional<State> state = parseState(row.text(0)))
    counts.byState[static_cast<size_t>(*state)] = static_cast<unsigned>(row.number(1));
}

/// Reads all runs in order, with their counts and metrics.
Expected<std::vector<StoredNight>> assay::readNights(Database &database) {
  auto nights = readAll(
      database, "SELECT name, revision, time_ms, whole FROM nights ORDER BY number", {}, makeNight);
  if (!nights)
    return nights.takeError();
  for (StoredNight &night : *nights) {
    if (Error error = database.query(
            "SELECT name, value FROM metrics WHERE night = ? ORDER BY number", {night.name},
            [&](const Row &row) { night.metrics.emplace_back(row.text(0), row.real(1)); }))
      return std::move(error);
    if (Error error =
            database.query("SELECT state, verdicts FROM night_counts WHERE night = ?", {night.name},
                           [&](const Row &row) { readCount(row, night.counts); }))
      return std::move(error);
  }
  return nights;
}

/// Unknown names read as New.
static Life lifeOf(const std::string &name) {
  return parseLife(name).value_or(Life::New);
}

/// A row of buckets, without the lists of its facts.
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
  bucket.facts.pass = row.text(11);
  bucket.bundle = row.text(12);
  bucket.facts.operation = row.text(13);
  bucket.facts.bug = row.text(14);
  return bucket;
}

/// Reads all buckets in order, with the lists of their facts.
Expected<std::vector<StoredBucket>> assay::readBuckets(Database &database) {
  auto buckets = readAll(database,
                         "SELECT id, key, title, life, previous, link, first_night, last_night, "
                         "occurrences, nights, clean_nights, pass, bundle, operation, bug "
                         "FROM buckets ORDER BY number",
                         {}, makeBucket);
  if (!buckets)
    return buckets.takeError();
  for (const auto &[name, list] : bucketLists)
    if (Error error = database.query(
            "SELECT bucket, name FROM bucket_lists WHERE list = ? ORDER BY bucket, number",
            {std::string(name)}, [&, list = list](const Row &row) {
              if (uint64_t bucket = static_cast<uint64_t>(row.number(0)); bucket < buckets->size())
                ((*buckets)[bucket].facts.*list).push_back(row.text(1));
            }))
      return std::move(error);
  return buckets;
}

/// A row of occurrences, without configurations; all votes are silent.
static StoredOccurrence makeOccurrence(const Row &row) {
  StoredOccurrence each;
  each.bucket = row.text(0);
  each.night = row.text(1);
  each.event = row.text(2);
  each.about = {row.text(3), row.text(4), row.text(5)};
  each.state = parseState(row.text(6)).value_or(State::ToolError);
  each.rule = row.text(7);
  each.key = row.text(8);
  each.reason = row.text(9);
  each.rerun = row.text(10);
  each.sum = static_cast<int>(row.number(11));
  each.votes.assign(voteRows().size(), Opinion::Silent);
  return each;
}

/// Rows of a table with a column "occurrence", first in \p sql, for those occurrences that \p
/// places has.
static Error readParts(Database &database, const std::string &sql,
                       const std::map<int64_t, StoredOccurrence *> &places,
                       function_ref<void(const Row &, StoredOccurrence &)> take) {
  return database.query(sql, {}, [&](const Row &row) {
    if (auto place = places.find(row.number(0)); place != places.end())
      take(row, *place->second);
  });
}

/// Sets the vote of the row's aspect; aspects that this build does not know are ignored.
static void takeVote(const Row &row, StoredOccurrence &each) {
  for (auto [aspect, opinion] : zip_equal(voteRows(), each.votes))
    if (row.text(1) == aspect.name)
      opinion = row.number(2) ? Opinion::Agree : Opinion::Disagree;
}

/// Reads three tables with one query each; without a transaction they may be of different states.
Expected<std::vector<StoredOccurrence>> assay::readOccurrences(Database &database,
                                                               StringRef bucket) {
  std::vector<StoredOccurrence> all;
  std::vector<int64_t> numbers;
  if (Error error = database.query(
          "SELECT bucket, night, event, case_id, compiler, machine, state, rule, key, "
          "reason, rerun, sum, number FROM occurrences "
          "WHERE ?1 = '' OR bucket = ?1 ORDER BY number",
          {bucket.str()}, [&](const Row &row) {
            all.push_back(makeOccurrence(row));
            numbers.push_back(row.number(12));
          }))
    return std::move(error);
  std::map<int64_t, StoredOccurrence *> places;
  for (auto [number, each] : zip_equal(numbers, all))
    places[number] = &each;
  if (Error error =
          readParts(database, "SELECT occurrence, name, shows FROM occurrence_configurations",
                    places, [](const Row &row, StoredOccurrence &each) {
                      each.configurations[row.text(1)] = row.number(2) != 0;
                    }))
    return std::move(error);
  if (Error error = readParts(database, "SELECT occurrence, aspect, agrees FROM occurrence_votes",
                              places, takeVote))
    return std::move(error);
  return all;
}

/// The row has the columns of readTransitions() in their order.
static StoredTransition makeTransition(const Row &row) {
  return {row.text(0),         lifeOf(row.text(1)),
          lifeOf(row.text(2)), row.text(3),
          row.text(4),         row.text(5),
          row.text(6),         static_cast<uint64_t>(row.number(7)),
          row.number(8) != 0};
}

/// An empty \p bucket selects the transitions of all buckets. They are in the order of the history.
Expected<std::vector<StoredTransition>> assay::readTransitions(Database &database,
                                                               StringRef bucket) {
  return readAll(database,
                 "SELECT bucket, from_life, to_life, actor, reason, link, event, time_ms, refused "
                 "FROM transitions WHERE ?1 = '' OR bucket = ?1 ORDER BY number",
                 {bucket.str()}, makeTransition);
}
