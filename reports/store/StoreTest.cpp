// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/store/Store.h"

#include "reports/store/Schema.h"
#include "reports/triage/VerdictTesting.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace assay;

namespace {

class StoreTest : public testing::Test {
protected:
  StoreTest() {
    SmallString<128> path;
    EXPECT_FALSE(sys::fs::createUniqueDirectory("assay-store", path));
    m_folder = path.str().str();
  }
  ~StoreTest() override { sys::fs::remove_directories(m_folder); }

  Store open(const StoreRules &rules = {}) {
    Expected<Store> store = Store::open(m_folder + "/store", rules);
    EXPECT_TRUE(static_cast<bool>(store));
    return std::move(*store);
  }

  std::string m_folder;
};

} // namespace

static Verdict makeVerdict(StringRef id, State state, StringRef signature = "",
                           StringRef target = "gfx1100") {
  Verdict verdict =
      assay::makeVerdict(id, target, state, signature.empty() ? "" : "CRASH", signature);
  verdict.facts.instructions = 10;
  return verdict;
}

static void recordNight(Store &store, StringRef name, ArrayRef<Verdict> verdicts,
                        uint64_t timeMs = 0) {
  Error error = store.record(verdicts, {name.str(), "r-" + name.str(), {}, timeMs});
  ASSERT_FALSE(error) << toString(std::move(error));
}

template <typename T> static T take(Expected<T> value) {
  if (value)
    return std::move(*value);
  ADD_FAILURE() << toString(value.takeError());
  return T();
}

static std::string messageOf(Error error) {
  return error ? takeError(std::move(error)).message : "";
}

static std::vector<std::string> livesOf(Store &store) {
  std::vector<std::string> lives;
  for (const StoredBucket &bucket : take(store.buckets()))
    lives.push_back(lifeName(bucket.life).str());
  return lives;
}

using Texts = std::vector<std::string>;

TEST_F(StoreTest, RemembersWhatWasRecorded) {
  Store store = open();
  recordNight(store, "1",
              {makeVerdict("a", State::Crash, "crash x"), makeVerdict("b", State::Crash, "crash x"),
               makeVerdict("c", State::Pass)});
  std::vector<StoredBucket> buckets = take(store.buckets());
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_EQ(buckets[0].key, "crash x");
  EXPECT_EQ(buckets[0].id, keyDigest("crash x"));
  EXPECT_EQ(buckets[0].occurrences, 2u);
  EXPECT_EQ(buckets[0].nights, 1u);
  std::vector<StoredOccurrence> seen = take(store.occurrences(buckets[0].id));
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].about.caseId, "b");
  EXPECT_EQ(seen[1].rerun, "assay diff b");
  EXPECT_EQ(seen[1].configurations, (std::map<std::string, bool>{{"gfx1100 -O2", true}}));
  EXPECT_EQ(sumVotes(seen[1].votes), seen[1].sum);
  EXPECT_GE(seen[1].sum, sameBug);
  std::vector<StoredNight> nights = take(store.nights());
  ASSERT_EQ(nights.size(), 1u);
  EXPECT_EQ(nights[0].revision, "r-1");
  EXPECT_EQ(nights[0].counts[State::Crash], 2u);
  EXPECT_TRUE(nights[0].isWhole);
  ASSERT_EQ(nights[0].metrics.size(), 2u);
  EXPECT_EQ(nights[0].metrics[0].first, "cases assay gcn gfx1100 -O2");
  EXPECT_EQ(nights[0].metrics[0].second, 1);
  EXPECT_EQ(nights[0].metrics[1].first, "instructions assay gcn gfx1100 -O2");
  EXPECT_EQ(nights[0].metrics[1].second, 10);
}

TEST_F(StoreTest, IsTheSameInASecondProcessAndAfterRebuilding) {
  Store store = open();
  // Times of their own: what two writers say in one millisecond has no order that could be told.
  recordNight(store, "1", {makeVerdict("a", State::Crash, "crash x")}, 1);
  Store other = open();
  recordNight(other, "1", {makeVerdict("b", State::Crash, "crash y")}, 2);
  recordNight(other, "2", {makeVerdict("b", State::Crash, "crash y")}, 3);
  EXPECT_EQ(livesOf(store), (Texts{"new", "reproduced"}));
  ASSERT_FALSE(store.rebuild());
  EXPECT_EQ(livesOf(store), (Texts{"new", "reproduced"}));
  EXPECT_EQ(take(store.nights()).size(), 2u);
}

TEST_F(StoreTest, IsFixedAfterCleanNightsAndReturnsAsALinkedEntry) {
  Store store = open({/*cleanNights=*/2, /*quietNights=*/7});
  Verdict bad = makeVerdict("a", State::Crash, "crash x");
  Verdict good = makeVerdict("a", State::Pass);
  recordNight(store, "1", {bad});
  recordNight(store, "2", {good});
  EXPECT_EQ(livesOf(store), Texts{"new"});
  recordNight(store, "3", {bad});
  EXPECT_EQ(livesOf(store), Texts{"reproduced"});
  // Nights that did not run the case prove nothing.
  recordNight(store, "4", {good});
  recordNight(store, "5", {makeVerdict("other", State::Pass)});
  EXPECT_EQ(livesOf(store), Texts{"reproduced"});
  recordNight(store, "6", {good});
  EXPECT_EQ(livesOf(store), Texts{"fixed"});
  recordNight(store, "7", {bad});
  std::vector<StoredBucket> buckets = take(store.buckets());
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[0].life, Life::Fixed);
  EXPECT_EQ(buckets[1].life, Life::New);
  EXPECT_EQ(buckets[1].previous, buckets[0].id);
  EXPECT_EQ(buckets[1].id, buckets[0].id + ".2");
  EXPECT_EQ(buckets[1].firstNight, "7");
  for (const StoredTransition &transition : take(store.transitions())) {
    EXPECT_FALSE(transition.actor.empty());
    EXPECT_FALSE(transition.reason.empty());
    EXPECT_FALSE(transition.event.empty());
  }
}

TEST_F(StoreTest, IsNotFixedByANightInWhichOneOfItsCasesFailsOtherwise) {
  Store store = open({/*cleanNights=*/2, /*quietNights=*/2});
  Verdict goodA = makeVerdict("a", State::Pass);
  Verdict hidden = makeVerdict("b", State::Crash, "crash y");
  recordNight(
      store, "1",
      {makeVerdict("a", State::Crash, "crash x"), makeVerdict("b", State::Crash, "crash x")});
  recordNight(store, "2", {goodA});
  recordNight(store, "3", {goodA, hidden});
  // A clean night before one that is not does not count.
  recordNight(store, "4", {goodA});
  EXPECT_EQ(livesOf(store), (Texts{"new", "new"}));
  recordNight(store, "5", {goodA, makeVerdict("b", State::Pass)});
  EXPECT_EQ(livesOf(store), (Texts{"fixed", "new"}));
}

TEST_F(StoreTest, KeepsFlakyApartAndIncubatesWhatIsQuiet) {
  Store store = open({/*cleanNights=*/3, /*quietNights=*/2});
  recordNight(store, "1", {makeVerdict("a", State::Flaky, "crash x")});
  EXPECT_EQ(livesOf(store), Texts{"flaky"});
  recordNight(store, "2", {makeVerdict("z", State::Pass)});
  recordNight(store, "3", {makeVerdict("z", State::Pass)});
  EXPECT_EQ(livesOf(store), Texts{"incubating"});
  recordNight(store, "4", {makeVerdict("a", State::Crash, "crash x")});
  EXPECT_EQ(livesOf(store), Texts{"reproduced"});
}

TEST_F(StoreTest, TakesDecisionsThatTheTableAllows) {
  Store store = open();
  recordNight(
      store, "1",
      {makeVerdict("a", State::Crash, "crash x"), makeVerdict("b", State::Crash, "crash y")});
  std::string id = take(store.buckets())[0].id;
  EXPECT_EQ(messageOf(store.setLife(id, Life::Fixed, "me", "I say so", "")),
            id + ": a bucket that is new cannot be made fixed: what may follow is reproduced, "
                 "minimised, localised, reported, fix-claimed, flaky, incubating, duplicate, "
                 "wont-fix");
  EXPECT_FALSE(store.setLife(id, Life::Reported, "me", "sent", "issue 7"));
  EXPECT_EQ(take(store.findBucket(id.substr(0, 6))).link, "issue 7");
  EXPECT_FALSE(store.setLife(id, Life::FixClaimed, "me", "commit 1", ""));
  recordNight(store, "2", {makeVerdict("a", State::Crash, "crash x")});
  EXPECT_EQ(livesOf(store), (Texts{"reported", "new"}));
  EXPECT_NE(messageOf(store.setLife(id, Life::Duplicate, "me", "same", id)), "");
  EXPECT_FALSE(store.setLife(id, Life::Duplicate, "me", "same", keyDigest("crash y")));
  EXPECT_EQ(take(store.findBucket(id)).link, keyDigest("crash y"));
  EXPECT_NE(messageOf(store.setLife("nothing", Life::Reported, "me", "sent", "")), "");
}

TEST_F(StoreTest, WritesEventsAfterAnEmptyCall) {
  EventWriter writer(m_folder);
  EXPECT_FALSE(writer.append({}));
  Event event;
  event.body = TransitionEvent{keyDigest("crash x"), Life::New, Life::Reported, "me", "sent", ""};
  EXPECT_FALSE(writer.append(event));
  EXPECT_FALSE(writer.append({}));
}

TEST_F(StoreTest, RefusesTheSecondOfTwoDecisionsAtOnce) {
  Store store = open();
  recordNight(store, "1", {makeVerdict("a", State::Crash, "crash x")});
  std::string id = keyDigest("crash x");
  for (Life to : {Life::Reported, Life::WontFix}) {
    Event event;
    event.body = TransitionEvent{id, Life::New, to, "me", "because", ""};
    ASSERT_FALSE(store.append(std::move(event)));
  }
  EXPECT_EQ(livesOf(store), Texts{"reported"});
  std::vector<StoredTransition> transitions = take(store.transitions(id));
  ASSERT_EQ(transitions.size(), 3u);
  EXPECT_FALSE(transitions[1].isRefused);
  EXPECT_TRUE(transitions[2].isRefused);
  EXPECT_EQ(transitions[2].reason, "it was reported by then; because");
}

TEST_F(StoreTest, FactsPutWrongValuesOfOneCauseTogether) {
  Store store = open();
  std::vector<Verdict> verdicts;
  for (StringRef id : {"a", "b", "c"}) {
    verdicts.push_back(makeVerdict(id, State::Fail));
    verdicts.back().findings.push_back({"EXPECT", Severity::Error, "m", "", "EXPECT EQ", {}});
  }
  recordNight(store, "1", verdicts);
  EXPECT_EQ(take(store.buckets()).size(), 3u);
  std::string idOfB = keyDigest("wrong value in b");
  EXPECT_FALSE(store.setLife(idOfB, Life::Reported, "me", "sent", ""));
  std::pair<StringRef, StringRef> facts[] = {{"a", "OpISub"}, {"b", "OpISub"}, {"c", "OpIMul"}};
  for (auto [id, feature] : facts) {
    Event event;
    event.body = FactsEvent{{id.str(), "assay", "gcn"}, {"front-end", "", {feature.str()}, {}}, ""};
    ASSERT_FALSE(store.append(std::move(event)));
  }
  std::vector<StoredBucket> buckets = take(store.buckets());
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[0].occurrences, 2u);
  EXPECT_EQ(buckets[0].facts.features, Texts{"OpISub"});
  EXPECT_EQ(buckets[1].life, Life::Localized);
  // What was said of b holds for the bucket that b is in now.
  EXPECT_EQ(buckets[0].life, Life::Reported);
}

TEST_F(StoreTest, MigratesOldTablesAndRefusesNewerOnes) {
  Store store = open();
  {
    Expected<Database> database = Database::open(store.databaseFile());
    ASSERT_TRUE(static_cast<bool>(database));
    ASSERT_FALSE(migrate(*database, 1));
    ASSERT_FALSE(database->execute("INSERT INTO meta VALUES ('stamp', 'old')"));
  }
  recordNight(store, "1", {makeVerdict("a", State::Crash, "crash x")});
  EXPECT_EQ(take(store.buckets()).size(), 1u);
  EXPECT_EQ(take(store.nights())[0].metrics.size(), 0u); // The only verdict did not pass.
  EXPECT_EQ(take(store.nights())[0].counts[State::Crash], 1u);
  {
    Expected<Database> database = Database::open(store.databaseFile());
    ASSERT_TRUE(static_cast<bool>(database));
    ASSERT_FALSE(database->execute("PRAGMA user_version = 99"));
  }
  EXPECT_NE(messageOf(store.sync()).find("newer build"), std::string::npos);
  ASSERT_FALSE(store.rebuild());
  EXPECT_EQ(take(store.buckets()).size(), 1u);
}

TEST_F(StoreTest, MakesADamagedDatabaseAnew) {
  Store store = open();
  recordNight(store, "1", {makeVerdict("a", State::Crash, "crash x")});
  EXPECT_EQ(take(store.buckets()).size(), 1u);
  ASSERT_FALSE(writeFile(store.databaseFile(), StringRef("this is no database, whatever it says")));
  EXPECT_EQ(take(store.buckets()).size(), 1u);
}

TEST_F(StoreTest, NamesTheLineThatIsNoEvent) {
  Store store = open();
  recordNight(store, "1", {makeVerdict("a", State::Crash, "crash x")});
  ASSERT_FALSE(writeFile(store.eventsFolder() + "/x.jsonl", StringRef("{}\n")));
  EXPECT_NE(messageOf(store.sync()).find("x.jsonl, line 1"), std::string::npos);
  ASSERT_FALSE(writeFile(store.eventsFolder() + "/x.jsonl", StringRef("{\"half\":")));
  EXPECT_EQ(take(store.buckets()).size(), 1u);
}

TEST(StoreEvents, ReadBackAsTheyWere) {
  Event events[4];
  events[0].body = FindingEvent{"n", {makeVerdict("a", State::Crash, "crash x")}};
  events[1].body = NightEvent{"n", "r", {}, {{"a", "assay", "gcn"}}, {{"cases/s", 1.5}}};
  events[2].body = FactsEvent{{"a", "assay", "gcn"}, {"p", "o", {"f"}, {"t"}}, "bundle"};
  events[3].body = TransitionEvent{"b", Life::New, Life::WontFix, "me", "why", "issue"};
  for (Event &event : events) {
    event.writer = "w";
    event.sequence = 3;
    event.timeMs = 1700000000000;
    std::string line = printEvent(event);
    Expected<Event> again = parseEvent(line);
    ASSERT_TRUE(static_cast<bool>(again)) << toString(again.takeError());
    EXPECT_EQ(printEvent(*again), line);
    if (size_t count = line.find("\"pass\":0"); count != std::string::npos) {
      Expected<Event> odd = parseEvent(std::string(line).replace(count, 8, "\"pass\":-1"));
      ASSERT_FALSE(static_cast<bool>(odd));
      EXPECT_NE(messageOf(odd.takeError()).find("counts"), std::string::npos);
    }
    size_t version = line.find("event/1");
    Expected<Event> newer = parseEvent(line.replace(version, 7, "event/2"));
    ASSERT_FALSE(static_cast<bool>(newer));
    EXPECT_NE(messageOf(newer.takeError()).find("event/2"), std::string::npos);
  }
}

namespace {

/// A process that records nights until it is killed, and says the name of each when it is safe.
struct Writer {
  pid_t pid = -1;
  int acknowledged = -1; ///< Read end; a line a night.
};

} // namespace

[[noreturn]] static void writeForever(const std::string &folder, unsigned id, int out) {
  Expected<Store> store = Store::open(folder);
  for (unsigned i = 0; store; ++i) {
    std::string name =
        std::to_string(id) + "-" + std::to_string(getpid()) + "-" + std::to_string(i);
    std::vector<Verdict> verdicts;
    for (unsigned j = 0; j < 3; ++j)
      verdicts.push_back(makeVerdict(name + "-" + std::to_string(j), State::Crash, "crash x"));
    // The database is written by all, too, so that some die in the middle of that.
    if (store->record(verdicts, {name, "", {}, 0}) || (i % 4 == 3 && store->sync()))
      break;
    std::string line = name + "\n";
    if (write(out, line.data(), line.size()) < 0)
      break;
  }
  _exit(1);
}

static Writer startWriter(const std::string &folder, unsigned id) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  Writer writer;
  writer.acknowledged = ends[0];
  writer.pid = fork();
  if (writer.pid == 0)
    writeForever(folder, id, ends[1]);
  close(ends[1]);
  return writer;
}

static void killWriter(const Writer &writer, std::vector<std::string> &safe) {
  kill(writer.pid, SIGKILL);
  int status = 0;
  waitpid(writer.pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "a writer ended by itself";
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(writer.acknowledged, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  close(writer.acknowledged);
  SmallVector<StringRef> lines;
  StringRef(text).take_front(text.rfind('\n') + 1).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    safe.push_back(line.str());
}

/// Four writers on \p folder, \p kills of them killed one after the other and replaced.
static void killWriters(const std::string &folder, unsigned kills, Random &random) {
  constexpr unsigned writers = 4;
  std::vector<std::string> safe;
  Writer running[writers];
  for (unsigned i = 0; i < writers; ++i)
    running[i] = startWriter(folder, i);
  for (unsigned i = 0; i < kills; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random.between(5, 250)));
    unsigned victim = static_cast<unsigned>(random.below(writers));
    killWriter(running[victim], safe);
    running[victim] = startWriter(folder, victim);
    Expected<Store> store = Store::open(folder);
    ASSERT_TRUE(static_cast<bool>(store));
    ASSERT_EQ(messageOf(store->sync()), "");
  }
  for (Writer &writer : running)
    killWriter(writer, safe);
  Expected<Store> store = Store::open(folder);
  ASSERT_TRUE(static_cast<bool>(store));
  std::map<std::string, unsigned> seen;
  for (const StoredOccurrence &each : take(store->occurrences()))
    ++seen[each.night];
  EXPECT_GT(safe.size(), 0u);
  for (const std::string &night : safe)
    EXPECT_EQ(seen[night], 3u) << night;
}

TEST_F(StoreTest, LosesNothingWhenWritersAreKilled) {
  const char *scale = std::getenv("ASSAY_SCALE");
  unsigned rounds = scale && StringRef(scale) == "full" ? 25 : 2;
  Random random(20261121);
  // Four kills to a store: the longer writers write, the longer each look at it takes.
  for (unsigned i = 0; i < rounds; ++i)
    killWriters(m_folder + "/killed" + std::to_string(i), 4, random);
}
