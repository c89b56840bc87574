// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/Report.h"

#include "reports/CampaignJournal.h"
#include "reports/Escape.h"
#include "reports/Evidence.h"
#include "reports/HtmlSummary.h"
#include "reports/VerdictJson.h"
#include "reports/triage/VerdictTesting.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace assay;

static const char hostile[] = "a<b>&\"'\x01\xff]]>\n</script><script>alert(1)</script>";

static Verdict makeVerdict(StringRef id, State state, StringRef target) {
  Verdict verdict = assay::makeVerdict(id, target, state);
  verdict.waveSize = 32;
  if (state != State::Pass)
    verdict.reason = "because of " + stateName(state).str();
  verdict.rerun = "assay diff '" + id.str() + "'";
  return verdict;
}

// One verdict of every state; the failing one with all there is, under a hostile name.
static Report makeReport() {
  Report report;
  report.verb = "diff";
  report.options = {{"targets", "gfx1100"}, {"seed", "0"}};
  for (unsigned i = 0; i < stateCount; ++i)
    report.verdicts.push_back(
        makeVerdict(i == 1 ? hostile : "plain.amber", static_cast<State>(i), "gfx1100"));
  Verdict &failing = report.verdicts[1];
  failing.findings.push_back({"EXPECT", Severity::Error, hostile, "line 3", "EXPECT EQ", {}});
  failing.findings[0].evidence = {{"actual", "<5>"}};
  failing.firstDifference = Difference{"out", 8, 2, 1, "2", "5 < 6"};
  failing.facts.instructions = 12345678901ull;
  report.sources[hostile] = {"x/<y>.amber", "#!amber\n# </pre> \x02\n"};
  return report;
}

static std::string render(ReportFormat format, TextStyle style = {}) {
  std::string text;
  raw_string_ostream os(text);
  writeReport(os, makeReport(), format, style);
  return text;
}

static bool contains(StringRef text, StringRef part) {
  return text.contains(part);
}

TEST(Report, NamesConfigurations) {
  EXPECT_EQ(configurationName(makeVerdict("x", State::Pass, "gfx900")),
            "assay gcn gfx900 -O2 wave32");
  Verdict reference;
  reference.machine = "spirv";
  EXPECT_EQ(configurationName(reference), "reference spirv");
}

TEST(Report, PrintsDurations) {
  EXPECT_EQ(printDuration(1300), "1.3 s");
  EXPECT_EQ(printDuration(59'940), "59.9 s");
  EXPECT_EQ(printDuration(59'960), "1 min 0 s");
  EXPECT_EQ(printDuration(3'599'999), "59 min 59 s");
  EXPECT_EQ(printDuration(3'660'000), "1 h 1 min");
}

TEST(JsonReport, BeginsWithSchemaAndAllNineCounts) {
  std::string text = render(ReportFormat::Json);
  std::string packed;
  for (char c : text)
    if (c != '\n' && c != ' ')
      packed += c;
  EXPECT_TRUE(StringRef(packed).starts_with(
      "{\"schema\":\"assay.diff/1\",\"counts\":{\"pass\":1,\"fail\":1,\"crash\":1,\"timeout\":1,"
      "\"oom\":1,\"unsupported\":1,\"invalid\":1,\"flaky\":1,\"tool_error\":1},"))
      << packed.substr(0, 200);
}

TEST(JsonReport, ReadsBackAsItWas) {
  std::string text = render(ReportFormat::Json);
  Expected<Report> back = readJsonReport(text);
  ASSERT_TRUE(static_cast<bool>(back)) << toString(back.takeError());
  Report original = makeReport();
  ASSERT_EQ(back->verdicts.size(), original.verdicts.size());
  for (size_t i = 0; i < original.verdicts.size(); ++i) {
    EXPECT_EQ(back->verdicts[i].state, original.verdicts[i].state);
    EXPECT_EQ(back->verdicts[i].optLevel, original.verdicts[i].optLevel);
    EXPECT_EQ(back->verdicts[i].reason, original.verdicts[i].reason);
  }
  const Verdict &failing = back->verdicts[1];
  EXPECT_EQ(failing.caseId, json::fixUTF8(hostile));
  ASSERT_TRUE(failing.firstDifference);
  EXPECT_EQ(failing.firstDifference->actual, "5 < 6");
  EXPECT_EQ(failing.findings.at(0).evidence.at(0).second, "<5>");
  EXPECT_EQ(failing.facts.instructions, 12345678901ull);
}

TEST(JsonReport, KeepsALevelThatDoesNotApply) {
  Verdict verdict = makeVerdict("x", State::Pass, "");
  verdict.optLevel = -1;
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os);
  writeVerdict(json, verdict);
  json.flush();
  Expected<json::Value> value = json::parse(text);
  ASSERT_TRUE(static_cast<bool>(value));
  Expected<Verdict> back = readVerdict(*value);
  ASSERT_TRUE(static_cast<bool>(back));
  EXPECT_EQ(back->optLevel, -1);
}

TEST(JsonReport, RefusesWhatItDidNotWrite) {
  const char *const texts[] = {
      "",
      "[]",
      "{}",
      "{\"schema\":\"assay.diff/2\",\"verdicts\":[]}",
      "{\"schema\":\"other/1\",\"verdicts\":[]}",
      "{\"schema\":\"assay.diff/1\",\"verdicts\":[{}]}",
      "{\"schema\":\"assay.diff/1\",\"verdicts\":[{\"case\":1}]}",
  };
  for (const char *text : texts) {
    Expected<Report> report = readJsonReport(text);
    ASSERT_FALSE(static_cast<bool>(report)) << text;
    EXPECT_EQ(takeError(report.takeError()).kind, ErrorKind::InvalidInput);
  }
}

TEST(JsonReport, WritesALinePerVerdict) {
  std::string text = render(ReportFormat::JsonLines);
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  ASSERT_EQ(lines.size(), stateCount + 1);
  for (StringRef line : lines) {
    Expected<json::Value> value = json::parse(line);
    EXPECT_TRUE(static_cast<bool>(value)) << line.str();
    consumeError(value.takeError());
  }
}

TEST(TextReport, PrintsReasonDifferenceAndRerunOfWhatFails) {
  std::string text = render(ReportFormat::Text);
  EXPECT_TRUE(contains(text, "because of fail"));
  EXPECT_TRUE(contains(text, "element 2 component 1 (byte 8): expected 2, got 5 < 6"));
  EXPECT_TRUE(contains(text, "    rerun: assay diff "));
  EXPECT_TRUE(contains(text, "9 verdicts: 1 pass, 1 fail, 1 crash"));
  EXPECT_FALSE(contains(text, "\x01"));
  EXPECT_FALSE(contains(text, "\x1b"));
  EXPECT_TRUE(contains(render(ReportFormat::Text, {.color = true}), "\x1b"));
  EXPECT_FALSE(contains(render(ReportFormat::Text, {.quiet = true}), "because of unsupported"));
}

TEST(Buffers, AreListedAsTextAndAsJson) {
  Report report;
  report.verb = "run";
  report.verdicts.push_back(makeVerdict("a.amber", State::Pass, "gfx1100"));
  report.buffers["a.amber"] = {{"out", "vec2<int32>", 2, {"1", "2", "3", "-4"}}};
  std::string text;
  raw_string_ostream os(text);
  writeTextReport(os, report, {.maxValues = 3});
  EXPECT_TRUE(contains(text, "  out: vec2<int32>[2]\n    0: 1 2\n    1: 3\n    and 1 more"));
  std::string json;
  raw_string_ostream jsonOs(json);
  writeJsonReport(jsonOs, report);
  Expected<json::Value> value = json::parse(json);
  ASSERT_TRUE(static_cast<bool>(value));
  const json::Array *cases = value->getAsObject()->getArray("buffers");
  ASSERT_TRUE(cases && cases->size() == 1);
  Expected<std::vector<BufferListing>> back =
      readBuffers(*(*cases)[0].getAsObject()->get("buffers"));
  ASSERT_TRUE(static_cast<bool>(back));
  EXPECT_EQ(back->at(0).values.at(3), "-4");
}

TEST(JunitReport, CountsFailuresErrorsAndSkipped) {
  std::string text = render(ReportFormat::Junit);
  EXPECT_TRUE(contains(text, "tests=\"9\" failures=\"1\" errors=\"5\" skipped=\"2\""));
  EXPECT_TRUE(contains(text, "&lt;script&gt;"));
  EXPECT_FALSE(contains(text, "<script>"));
  EXPECT_FALSE(contains(text, "\x01"));
}

TEST(HtmlReport, EscapesEverythingAndSaysStatesInWords) {
  std::string text = render(ReportFormat::Html);
  EXPECT_TRUE(contains(text, "<html lang=\"en\">"));
  EXPECT_FALSE(contains(text, "<script"));
  EXPECT_FALSE(contains(text, "# </pre>"));
  EXPECT_TRUE(contains(text, "<span class=\"state tool-error\">tool-error</span>"));
  EXPECT_TRUE(contains(text, "<th scope=\"row\">"));
}

TEST(HtmlReport, SaysThatThereAreNoVerdicts) {
  std::string text;
  raw_string_ostream os(text);
  writeReport(os, Report(), ReportFormat::Html, TextStyle());
  EXPECT_TRUE(contains(text, "There are no verdicts.</p>"));
}

TEST(SarifReport, HasARulePerRuleIdAndAResultPerFinding) {
  std::string text = render(ReportFormat::Sarif);
  Expected<json::Value> value = json::parse(text);
  ASSERT_TRUE(static_cast<bool>(value)) << toString(value.takeError());
  const json::Object &root = *value->getAsObject();
  EXPECT_EQ(root.getString("version"), "2.1.0");
  const json::Object &run = *(*root.getArray("runs"))[0].getAsObject();
  const json::Array &results = *run.getArray("results");
  // fail has a finding; crash, timeout, oom, invalid and tool-error represent themselves.
  ASSERT_EQ(results.size(), 6u);
  EXPECT_EQ(results[0].getAsObject()->getString("ruleId"), "EXPECT");
  EXPECT_EQ(results[1].getAsObject()->getString("ruleId"), "CRASH");
  const json::Array &rules = *run.getObject("tool")->getObject("driver")->getArray("rules");
  EXPECT_EQ(rules.size(), 6u);
}

TEST(SarifReport, TellsStatesFromABaseline) {
  auto crash = [](StringRef id, StringRef target, StringRef signature) {
    Verdict verdict;
    verdict.caseId = id.str();
    verdict.compiler = "assay";
    verdict.machine = "gcn";
    verdict.target = target.str();
    verdict.state = State::Crash;
    verdict.findings.push_back({"CRASH", Severity::Error, "m", "", signature.str(), {}});
    return verdict;
  };
  Report report;
  report.verdicts = {crash("a", "gfx900", "old"), crash("a", "gfx1100", "old"),
                     crash("b", "gfx900", "fresh")};
  report.baseline = {crash("a", "gfx900", "old"), crash("c", "gfx900", "was")};
  std::string text;
  raw_string_ostream os(text);
  writeReport(os, report, ReportFormat::Sarif, {});
  Expected<json::Value> value = json::parse(text);
  ASSERT_TRUE(static_cast<bool>(value));
  std::vector<std::string> states;
  std::set<std::string> fingerprints;
  const json::Object &run = *value->getAsObject()->getArray("runs")->front().getAsObject();
  for (const json::Value &result : *run.getArray("results")) {
    states.push_back(result.getAsObject()->getString("baselineState")->str());
    fingerprints.insert(
        result.getAsObject()->getObject("partialFingerprints")->getString("bucket/v1")->str());
  }
  EXPECT_EQ(states, (std::vector<std::string>{"unchanged", "updated", "new", "absent"}));
  EXPECT_EQ(fingerprints,
            (std::set<std::string>{keyDigest("old"), keyDigest("fresh"), keyDigest("was")}));
}

TEST(SarifReport, TellsOfWarningsOnWhatIsSound) {
  Report report;
  report.verb = "validate-elf";
  Verdict &verdict = report.verdicts.emplace_back();
  verdict.caseId = "a.elf";
  verdict.state = State::Pass;
  Finding warning{"MD-14", Severity::Warning, "odd", ".api", "MD-14:api", {}};
  Finding note{"MD-09", Severity::Note, "new", ".x", "MD-09:x", {}};
  verdict.findings = {warning, note};
  std::string text;
  raw_string_ostream os(text);
  writeReport(os, report, ReportFormat::Sarif, {});
  json::Value value = cantFail(json::parse(text));
  const json::Object &run = *(*value.getAsObject()->getArray("runs"))[0].getAsObject();
  const json::Array &results = *run.getArray("results");
  ASSERT_EQ(results.size(), 1u);
  const json::Object &result = *results[0].getAsObject();
  EXPECT_EQ(result.getString("level"), "warning");
  EXPECT_EQ(result.getObject("message")->getString("text"), ".api: odd");
  EXPECT_EQ(result.getObject("partialFingerprints")->getString("signature/v1"), "a.elf MD-14:api");
}

TEST(MarkdownReport, EscapesItsCells) {
  std::string text = render(ReportFormat::Markdown);
  EXPECT_TRUE(contains(text, "| fail |"));
  EXPECT_FALSE(contains(text, "<script"));
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  size_t rows = 0;
  for (StringRef line : lines)
    rows += line.starts_with("| fail |") || line.starts_with("| crash |");
  EXPECT_EQ(rows, 4u); // One each in the sum and in the table.
}

TEST(MarkdownReport, SaysWhatChangedSinceTheBaseline) {
  Report report;
  report.verdicts = {makeVerdict("a", State::Crash, "gfx900"),
                     makeVerdict("b", State::Oom, "gfx900"),
                     makeVerdict("c", State::Pass, "gfx900")};
  report.baseline = {
      makeVerdict("a", State::Pass, "gfx900"), makeVerdict("b", State::Oom, "gfx900"),
      makeVerdict("c", State::Crash, "gfx1100"), makeVerdict("c", State::Fail, "gfx900")};
  std::string text;
  raw_string_ostream os(text);
  writeMarkdownReport(os, report);
  EXPECT_TRUE(contains(text, "\n1 new, 0 changed, 1 fixed, 1 still there, 1 not run, 0 noise\n"))
      << text;
  EXPECT_TRUE(contains(text, "| new | crash |")) << text;
  EXPECT_TRUE(contains(text, "| fixed | fail |")) << text;
  EXPECT_FALSE(contains(text, "| still there |")) << text;
}

TEST(MarkdownReport, HasAtMostSixtyLines) {
  for (size_t bad : {0, 35, 36, 500}) {
    Report report = makeReport();
    for (size_t i = 0; i < bad; ++i)
      report.verdicts.push_back(makeVerdict("case", State::Oom, "gfx900"));
    std::string text;
    raw_string_ostream os(text);
    writeMarkdownReport(os, report);
    EXPECT_LE(StringRef(text).count('\n'), 60u) << bad;
    EXPECT_EQ(contains(text, " more\n"), bad > 35);
    report.baseline.emplace();
    for (size_t i = 0; i < bad; ++i)
      report.baseline->push_back(makeVerdict("gone" + std::to_string(i), State::Fail, "gfx900"));
    text.clear();
    writeMarkdownReport(os, report);
    EXPECT_LE(StringRef(text).count('\n'), 60u) << bad;
  }
}

TEST(Escape, EncodesWhatMeansSomethingInUrls) {
  EXPECT_EQ(escapeUrl("a/b c#%?\xff.html"), "a/b%20c%23%25%3F%FF.html");
}

TEST(Escape, KeepsOnlyWhatXmlAllows) {
  EXPECT_EQ(escapeMarkup("a\x01<\xff\xEF\xBF\xBF"), "a\xEF\xBF\xBD&lt;\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escapeLine("a\nb\x1b[0m"), "a\\nb\\x1b[0m");
}

TEST(CampaignJournal, ReadsWhatItWrites) {
  CampaignBatch batch;
  batch.timeMs = 1796000000000;
  batch.wallMicroseconds = 2000;
  batch.stages = {{"compile", 1500}, {"read", 10}};
  batch.cases = {{3, 900, 800}, {5, 610, 600}};
  batch.features = {"op OpLabel"};
  Expected<CampaignBatch> back = parseBatch(printBatch(batch));
  ASSERT_TRUE(static_cast<bool>(back)) << toString(back.takeError());
  EXPECT_EQ(printBatch(*back), printBatch(batch));
  EXPECT_EQ(back->cases[1].compileMicroseconds, 600u);
  for (StringRef wrong : {"", "{}", "[]", "{\"schema\":\"assay.batch/2\"}"}) {
    Expected<CampaignBatch> none = parseBatch(wrong);
    EXPECT_FALSE(static_cast<bool>(none)) << wrong.str();
    consumeError(none.takeError());
  }
  using Metrics = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(metricsOf({batch, batch}), (Metrics{{"cpu-microseconds compile", 3000},
                                                {"cpu-microseconds read", 20},
                                                {"cases compile", 4},
                                                {"cases read", 4}}));
}

TEST(Report, ShowsPicturesAndTheHistoryOfATexel) {
  Report report = makeReport();
  Finding &finding = report.verdicts[1].findings[0];
  std::string picture = makePictureUri("\x89PNG");
  EXPECT_TRUE(isPictureUri(picture));
  EXPECT_FALSE(isPictureUri("5"));
  finding.evidence.emplace_back(expectedPicture.str(), picture);
  finding.evidence.emplace_back(historyEvidence.str(), "line 3: clear: (R 1) -> (R <2>)");
  EXPECT_EQ(historyOf(finding).size(), 1u);
  auto write = [&](ReportFormat format) {
    std::string text;
    raw_string_ostream os(text);
    writeReport(os, report, format, {});
    return text;
  };
  std::string html = write(ReportFormat::Html), text = write(ReportFormat::Text);
  EXPECT_TRUE(
      contains(html, "<figcaption>expected image</figcaption><img src=\"" + picture + "\""));
  EXPECT_TRUE(contains(html, "<li><code>line 3: clear: (R 1) -&gt; (R &lt;2&gt;)</code></li>"));
  EXPECT_TRUE(contains(html, "&lt;5&gt;")); // Other evidence is there as before.
  EXPECT_TRUE(contains(text, "    history: line 3: clear: (R 1) -> (R <2>)\n"));
  EXPECT_FALSE(contains(text, "data:image"));
}
