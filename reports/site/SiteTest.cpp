// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/site/Site.h"

#include "reports/site/Chart.h"
#include "reports/site/Pages.h"
#include "reports/site/Quality.h"
#include "reports/triage/VerdictTesting.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static Verdict makeVerdict(StringRef id, State state, StringRef signature = "") {
  return assay::makeVerdict(id, "gfx1100", state, signature.empty() ? "" : "CRASH", signature);
}

static std::unique_ptr<Site> siteOf(std::vector<Verdict> now,
                                    std::optional<std::vector<Verdict>> before = std::nullopt) {
  SiteInput input;
  input.title = "t";
  input.report.verdicts = std::move(now);
  if (before)
    input.baseline.emplace().verdicts = std::move(*before);
  Expected<std::unique_ptr<Site>> site = makeSite(std::move(input));
  EXPECT_TRUE(static_cast<bool>(site));
  return site ? std::move(*site) : nullptr;
}

static std::vector<std::string> titlesIn(const Site &site, BugList list) {
  std::vector<std::string> titles;
  for (const Bug &bug : site.bugs)
    if (bug.isIn[static_cast<size_t>(list)])
      titles.push_back(bug.title);
  return titles;
}

using Titles = std::vector<std::string>;

TEST(Site, SortsBugsIntoListsByTheBaseline) {
  auto site = siteOf({makeVerdict("a", State::Crash, "new one"), makeVerdict("b", State::Pass),
                      makeVerdict("c", State::Crash, "stays")},
                     {{makeVerdict("a", State::Pass), makeVerdict("b", State::Crash, "gone"),
                       makeVerdict("c", State::Crash, "stays")}});
  ASSERT_TRUE(site);
  EXPECT_EQ(titlesIn(*site, BugList::Regressions), Titles{"crash: new one"});
  EXPECT_EQ(titlesIn(*site, BugList::Fixes), Titles{"crash: gone"});
  EXPECT_EQ(titlesIn(*site, BugList::Problems), (Titles{"crash: new one", "crash: stays"}));
  EXPECT_EQ(site->bugs[site->bugOf.at(&site->input.report.verdicts[2])].title, "crash: stays");
}

TEST(Site, CallsNothingARegressionWithoutABaseline) {
  auto site = siteOf({makeVerdict("a", State::Crash, "x")});
  ASSERT_TRUE(site);
  EXPECT_EQ(titlesIn(*site, BugList::Regressions), Titles());
  EXPECT_EQ(titlesIn(*site, BugList::Problems), Titles{"crash: x"});
  EXPECT_EQ(site->bugs[0].status, "seen");
}

TEST(Site, ListsWhatComesAndGoesAsFlaky) {
  auto site = siteOf({makeVerdict("a", State::Flaky, "x"), makeVerdict("b", State::Crash, "y")});
  ASSERT_TRUE(site);
  EXPECT_EQ(titlesIn(*site, BugList::Flaky), Titles{"flaky: x"});
  EXPECT_EQ(titlesIn(*site, BugList::Problems), Titles{"crash: y"});
}

TEST(Site, GroupsWhatIsUnsupportedByReason) {
  Verdict other = makeVerdict("c", State::Unsupported);
  other.reason = "another";
  auto site = siteOf({other, makeVerdict("a", State::Unsupported),
                      makeVerdict("b", State::Unsupported), makeVerdict("b", State::Unsupported)});
  ASSERT_TRUE(site);
  ASSERT_EQ(site->unsupported.size(), 2u);
  EXPECT_EQ(site->unsupported[0].reason, "because");
  EXPECT_EQ(site->unsupported[0].verdicts, 3u);
  EXPECT_EQ(site->unsupported[0].cases, 2u);
  EXPECT_EQ(site->unsupported[0].configurations, "assay gcn");
}

TEST(Site, NamesSimilarBugsWithTheirVotes) {
  auto site = siteOf({makeVerdict("a", State::Crash, "x"), makeVerdict("b", State::Crash, "y")});
  ASSERT_TRUE(site);
  ASSERT_EQ(site->bugs.size(), 2u);
  ASSERT_EQ(site->bugs[0].similar.size(), 0u); // rule agrees, place disagrees.
  Verdict silent = makeVerdict("c", State::Crash);
  site = siteOf({makeVerdict("a", State::Crash, "x"), silent});
  ASSERT_EQ(site->bugs.size(), 2u);
  ASSERT_EQ(site->bugs[0].similar.size(), 1u);
  EXPECT_EQ(site->bugs[0].similar[0].votes, "kind+1 compiler+0 rule+2 configurations+0");
}

TEST(Material, ComesFromTheUsualPlaces) {
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-material", folder));
  auto write = [&](StringRef name, StringRef text) {
    ASSERT_FALSE(static_cast<bool>(writeFile((folder + "/" + name).str(), text)));
  };
  write("case.amber", "whole");
  Expected<Material> material = readMaterial(std::string(folder));
  ASSERT_TRUE(static_cast<bool>(material));
  EXPECT_EQ(material->script, "whole");
  EXPECT_FALSE(material->isMinimal);
  write("minimal/minimal.amber", "small");
  write("bundle/case.spvasm", "OpNop");
  write("bundle/expected.json",
        R"([{"name":"b","type":"int32","components":1,"values":["1","2","undefined"]}])");
  write("bundle/actual.json",
        R"([{"name":"b","type":"int32","components":1,"values":["1","3","9"]}])");
  material = readMaterial(std::string(folder));
  ASSERT_TRUE(static_cast<bool>(material));
  EXPECT_EQ(material->script, "small");
  EXPECT_TRUE(material->isMinimal);
  EXPECT_EQ(material->spirv, "OpNop");
  uint64_t count = 0;
  auto differences = compareBuffers(material->expected, material->actual, 5, count);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(differences[0].index, 1u);
  EXPECT_EQ(differences[0].actual, "3");
  write("bundle/actual.json", "{}");
  material = readMaterial(std::string(folder));
  EXPECT_FALSE(static_cast<bool>(material));
  consumeError(material.takeError());
  sys::fs::remove_directories(folder);
}

TEST(Site, ShowsWhatTheFolderOfAFindingHas) {
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-site", folder));
  auto write = [&](StringRef name, StringRef text) {
    ASSERT_FALSE(static_cast<bool>(writeFile((folder + "/" + name).str(), text)));
  };
  write("finding/minimal/minimal.amber", "#!amber\n");
  write("finding/bundle/case.spvasm", "%1 = OpLabel\n");
  write("finding/bundle/isa.txt", "\ts_endpgm\n");
  write("finding/localize.json",
        R"({"phase":"middle-end","pass":"lower-x","function":"f","instruction":"i","evidence":["e"],
            "slice":["%v = add i32 1, 2"],"difference":"-was\n+is\n"})");
  SiteInput input;
  input.title = "t";
  input.report.verdicts = {makeVerdict("a", State::Crash, "x")};
  input.folders["a"] = (folder + "/finding").str();
  Expected<std::unique_ptr<Site>> site = makeSite(std::move(input));
  ASSERT_TRUE(static_cast<bool>(site));
  ASSERT_FALSE(static_cast<bool>(writeSite((folder + "/site").str(), **site)));
  Expected<std::string> page = readFileText((folder + "/site/" + (*site)->bugs[0].page()).str());
  ASSERT_TRUE(static_cast<bool>(page));
  for (StringRef part : {"<h2>Minimal case</h2>", ">OpLabel</span>", ">s_endpgm</span>",
                         "<code>lower-x</code>", ">+is</span>", ">%v</span>"})
    EXPECT_TRUE(StringRef(*page).contains(part)) << part.str();
  sys::fs::remove_directories(folder);
}

TEST(Material, OfNoFolderIsEmpty) {
  Expected<Material> material = readMaterial("/nonexistent/folder");
  ASSERT_TRUE(static_cast<bool>(material));
  EXPECT_TRUE(material->isEmpty());
}

TEST(Quality, ComparesWhatPassesInBoth) {
  auto with = [](StringRef id, State state, uint64_t vgprs) {
    Verdict verdict = makeVerdict(id, state);
    verdict.statistics = {{"p0 vgprs", vgprs}, {"p1 vgprs", 1}};
    return verdict;
  };
  const Verdict before[] = {with("a", State::Pass, 9), with("b", State::Pass, 20),
                            with("c", State::Fail, 1), with("d", State::Pass, 5)};
  const Verdict now[] = {with("a", State::Pass, 19), with("b", State::Pass, 10),
                         with("c", State::Pass, 90), with("d", State::Pass, 5)};
  QualityDelta delta = compareQuality(before, now);
  ASSERT_EQ(delta.totals.size(), 1u);
  EXPECT_EQ(delta.totals[0].metric, "vgprs");
  EXPECT_EQ(delta.totals[0].cases, 3u);
  EXPECT_EQ(delta.totals[0].before, 37u);
  EXPECT_EQ(delta.totals[0].now, 37u);
  EXPECT_EQ(delta.totals[0].affectedBefore, 31u);
  EXPECT_EQ(delta.totals[0].helped, 1u);
  EXPECT_EQ(delta.totals[0].hurt, 1u);
  ASSERT_TRUE(delta.totals[0].ratios);
  EXPECT_NEAR(delta.totals[0].ratios->geometricMean, std::cbrt(20.0 / 10 * 11 / 21), 1e-9);
  EXPECT_NEAR(delta.totals[0].ratios->best, 11.0 / 21, 1e-9);
  EXPECT_NEAR(delta.totals[0].ratios->median, 1, 1e-9);
  EXPECT_NEAR(delta.totals[0].ratios->worst, 2, 1e-9);
  ASSERT_EQ(delta.changes.size(), 2u);
  EXPECT_EQ(delta.changes[0].caseId, "a"); // The worst first.
  EXPECT_EQ(delta.changes[1].caseId, "b");
}

TEST(Quality, TakesSmallChangesOfTimeForNoise) {
  EXPECT_FALSE(isBeyondNoise(compileTimeMetric, 10000, 10900));
  EXPECT_FALSE(isBeyondNoise(compileTimeMetric, 100, 500));
  EXPECT_TRUE(isBeyondNoise(compileTimeMetric, 10000, 12000));
  EXPECT_TRUE(isBeyondNoise("vgprs", 10000, 10001));
}

TEST(Chart, WritesNumbersForPeople) {
  EXPECT_EQ(printAmount(0), "0");
  EXPECT_EQ(printAmount(0.125), "0.125");
  EXPECT_EQ(printAmount(2.5), "2.5");
  EXPECT_EQ(printAmount(1234), "1234");
  EXPECT_EQ(printAmount(12345), "12.34 k");
  EXPECT_EQ(printAmount(2.5e7), "25 M");
  EXPECT_EQ(printAmount(-20000), "-20 k");
}

TEST(Chart, SaysItsNumbersInATable) {
  LineChart chart{"t<", "x", "y", {{"a", {{0, 1}, {1, 4}}}, {"none", {}}}, {"n1", "n2"}, true};
  std::string html;
  raw_string_ostream os(html);
  writeLineChart(os, chart);
  EXPECT_NE(html.find("aria-label=\"t&lt;\""), std::string::npos);
  EXPECT_NE(html.find("<td class=\"number\">n2</td><td class=\"number\">4</td>"),
            std::string::npos);
  EXPECT_EQ(html.find("none"), std::string::npos);
  chart.series.clear();
  html.clear();
  writeLineChart(os, chart);
  EXPECT_NE(html.find("No numbers."), std::string::npos);
  EXPECT_EQ(html.find("<svg"), std::string::npos);
}

// A point of each chart is one group of batches; nothing is lost at the end.
TEST(Site, ChartsOfLongCampaignsAreThinned) {
  CampaignView campaign;
  campaign.name = "c";
  for (uint64_t i = 0; i < 1001; ++i) {
    CampaignBatch &batch = campaign.batches.emplace_back();
    batch.wallMicroseconds = 1000;
    batch.cases.push_back({i, 10, 5});
    batch.features = {"feature " + std::to_string(i)};
  }
  std::string page;
  raw_string_ostream os(page);
  writeCampaignPage(os, campaign);
  SmallVector<StringRef> charts;
  StringRef(page).split(charts, "<svg class=\"chart\"");
  ASSERT_GT(charts.size(), 1u);
  for (StringRef chart : drop_begin(charts)) {
    StringRef drawing = chart.take_front(chart.find("</svg>")); // Legends have lines of their own.
    ASSERT_TRUE(drawing.contains("<path class=\"line")) << drawing.str();
    size_t points = drawing.split("<path class=\"line").second.split('>').first.count('L');
    EXPECT_GT(points, 50u);
    EXPECT_LE(points, 201u);
  }
  EXPECT_NE(page.find("<td class=\"number\">1001</td><td class=\"number\">1001</td>"),
            std::string::npos);
}
