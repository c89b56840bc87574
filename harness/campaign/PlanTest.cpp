// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans as their engines read them: services' files by a YAML reader; what shells and Slurm make of
// theirs is tested by running them (harness/cli/test/test_campaign_plans.py, ci/slurm-test).
#include "harness/campaign/Plan.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

/// A YAML document as paths and values: "jobs/shard/needs" -> "x"; elements are "[]".
std::vector<std::pair<std::string, std::string>> flatten(StringRef text) {
  SourceMgr sources;
  yaml::Stream stream(text, sources);
  std::vector<std::pair<std::string, std::string>> result;
  auto walk = [&](auto &self, yaml::Node *node, const std::string &path) -> void {
    SmallString<64> storage;
    if (auto *map = dyn_cast_or_null<yaml::MappingNode>(node)) {
      for (yaml::KeyValueNode &entry : *map) {
        std::string key = cast<yaml::ScalarNode>(entry.getKey())->getValue(storage).str();
        self(self, entry.getValue(), path.empty() ? key : path + "/" + key);
      }
    } else if (auto *list = dyn_cast_or_null<yaml::SequenceNode>(node)) {
      for (yaml::Node &entry : *list)
        self(self, &entry, path + "[]");
    } else if (auto *scalar = dyn_cast_or_null<yaml::ScalarNode>(node)) {
      result.emplace_back(path, scalar->getValue(storage).str());
    } else if (auto *block = dyn_cast_or_null<yaml::BlockScalarNode>(node)) {
      result.emplace_back(path, block->getValue().str());
    } else {
      result.emplace_back(path, "");
    }
  };
  for (yaml::Document &document : stream)
    walk(walk, document.getRoot(), "");
  EXPECT_FALSE(stream.failed()) << text.str();
  return result;
}

CampaignPlan makePlan() {
  CampaignPlan plan;
  plan.arguments = {"--seed", "5", "--cases", "70", "--targets", "gfx1100,gfx900"};
  plan.folder = "/data/my campaign";
  plan.name = "nightly";
  plan.shards = 7;
  plan.minutes = 60;
  return plan;
}

std::string textOf(StringRef engine, StringRef name, const CampaignPlan &plan) {
  Expected<std::vector<PlanFile>> files = planFiles(engine, plan);
  if (!files) {
    ADD_FAILURE() << toString(files.takeError());
    return "";
  }
  auto found = find_if(*files, [&](const PlanFile &file) { return file.name == name; });
  EXPECT_NE(found, files->end());
  return found == files->end() ? "" : found->text;
}

std::vector<std::string> valuesAt(StringRef text, StringRef path) {
  std::vector<std::string> values;
  for (const auto &[where, value] : flatten(text))
    if (where == path)
      values.push_back(value);
  return values;
}

using Texts = std::vector<std::string>;

} // namespace

TEST(CampaignPlan, LeavesNoPlaceUnfilled) {
  for (StringRef engine : campaignEngines()) {
    Expected<std::vector<PlanFile>> files = planFiles(engine, makePlan());
    ASSERT_TRUE(static_cast<bool>(files)) << engine.str();
    for (const PlanFile &file : *files) {
      size_t at = 0;
      for (StringRef text = file.text; (at = text.find('@', at)) != StringRef::npos; ++at)
        EXPECT_FALSE(text.substr(at + 1).starts_with_insensitive("arguments") ||
                     (at + 1 < text.size() && isUpper(text[at + 1])))
            << engine.str() << " " << file.name << ": " << text.substr(at, 20).str();
      EXPECT_EQ(file.isProgram,
                StringRef(file.text).starts_with("#!") && StringRef(file.name).ends_with(".sh"));
    }
  }
}

TEST(CampaignPlan, IsYamlThatGitlabReads) {
  std::string text = textOf("gitlab", "gitlab-ci.yml", makePlan());
  EXPECT_EQ(valuesAt(text, "nightly-shard/parallel"), Texts{"7"});
  EXPECT_EQ(valuesAt(text, "nightly-shard/timeout"), Texts{"60 minutes"});
  Texts script = valuesAt(text, "nightly-shard/script[]");
  ASSERT_EQ(script.size(), 1u);
  EXPECT_EQ(script[0],
            "assay fuzz --cases 70 --targets gfx1100,gfx900 --max-total-time 3360 --seed "
            "\"$((5 + $CI_PIPELINE_IID))\" --quiet --shard \"$CI_NODE_INDEX/$CI_NODE_TOTAL\" "
            "--output \"campaign/shard-$CI_NODE_INDEX\" || case $? in 1 | 4 | 77) ;; *) exit $? ;; "
            "esac\n");
  EXPECT_EQ(valuesAt(text, "nightly-merge/needs[]/job"), Texts{"nightly-shard"});
  EXPECT_EQ(valuesAt(text, "nightly-merge/script[]").size(), 2u);
}

TEST(CampaignPlan, IsYamlThatGithubReads) {
  CampaignPlan plan = makePlan();
  plan.atOnce = 3;
  std::string text = textOf("github", "workflow.yml", plan);
  EXPECT_EQ(valuesAt(text, "name"), Texts{"nightly"});
  EXPECT_EQ(valuesAt(text, "jobs/shard/strategy/matrix/shard[]"),
            (Texts{"1", "2", "3", "4", "5", "6", "7"}));
  EXPECT_EQ(valuesAt(text, "jobs/shard/strategy/max-parallel"), Texts{"3"});
  EXPECT_EQ(valuesAt(text, "jobs/shard/timeout-minutes"), Texts{"60"});
  Texts run = valuesAt(text, "jobs/shard/steps[]/run");
  ASSERT_EQ(run.size(), 1u);
  EXPECT_NE(run[0].find("--shard \"${{ matrix.shard }}/7\""), std::string::npos) << run[0];
  // Each night has cases of its own.
  EXPECT_NE(run[0].find("--seed \"$((5 + $GITHUB_RUN_NUMBER))\""), std::string::npos) << run[0];
  EXPECT_EQ(run[0].find("--seed 5"), std::string::npos) << run[0];
  EXPECT_EQ(valuesAt(text, "jobs/merge/needs"), Texts{"shard"});
}

TEST(CampaignPlan, LeavesAloneWhatTheArgumentsSay) {
  CampaignPlan plan = makePlan();
  plan.arguments = {"--seed=09", "--max-total-time=600", "--jobs=2", "--cases", "--seed"};
  std::string text = textOf("gitlab", "gitlab-ci.yml", plan);
  EXPECT_NE(text.find("fuzz --max-total-time=600 --jobs=2 --cases --seed --seed \"$((9 + "),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("--max-total-time 3360"), std::string::npos) << text;
  std::string shard = textOf("local", "shard.sh", plan);
  EXPECT_NE(shard.find("--seed=09 --max-total-time=600 --jobs=2 --cases --seed --quiet"),
            std::string::npos)
      << shard;
  // Else shards that share a machine have a worker each.
  for (const char *engine : {"local", "parallel", "slurm"})
    EXPECT_NE(textOf(engine, "shard.sh", makePlan()).find(" --jobs 1 --quiet"), std::string::npos);
  EXPECT_EQ(textOf("github", "workflow.yml", makePlan()).find("--jobs"), std::string::npos);
}

TEST(CampaignPlan, KeepsWhatSteersIt) {
  CampaignPlan plan = makePlan();
  plan.steering = "{}\n";
  EXPECT_EQ(textOf("slurm", "steering.json", plan), "{}\n");
  std::string shard = textOf("slurm", "shard.sh", plan);
  EXPECT_NE(shard.find(" --steer '/data/my campaign/steering.json' --quiet"), std::string::npos)
      << shard;
}

TEST(CampaignPlan, TakesOptionsOutInBothForms) {
  std::vector<std::string> words = {"--a", "1", "--ab=2", "--a=3", "--b", "--a"};
  EXPECT_EQ(takeOption(words, "--a"), (Texts{"1", "3"}));
  EXPECT_EQ(words, (Texts{"--ab=2", "--b", "--a"}));
}

TEST(CampaignPlan, TellsSlurmWhatItIsAsked) {
  CampaignPlan plan = makePlan();
  plan.atOnce = 3;
  std::string text = textOf("slurm", "shards.sbatch", plan);
  for (const char *line :
       {"#SBATCH --array=1-7%3\n", "#SBATCH --requeue\n", "#SBATCH --signal=B:TERM@120\n",
        "#SBATCH --time=60\n", "#SBATCH --output=\"/data/my campaign/%x-%a.log\"\n",
        "'/data/my campaign'/shard.sh \"$SLURM_ARRAY_TASK_ID\" &\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(CampaignPlan, QuotesTheFolderForSbatch) {
  CampaignPlan plan = makePlan();
  plan.folder = "/data/#1 \"50%\"";
  for (const auto &[file, line] :
       {std::pair("shards.sbatch", "#SBATCH --output=\"/data/#1 \\\"50%%\\\"/%x-%a.log\"\n"),
        {"merge.sbatch", "#SBATCH --output=\"/data/#1 \\\"50%%\\\"/%x.log\"\n"}}) {
    std::string text = textOf("slurm", file, plan);
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

TEST(CampaignPlan, ReportsFindingsWithoutFailing) {
  const std::string command = "'my assay' report campaign/merged/result.json --quiet --html "
                              "campaign/html || case $? in 1 | 4) ;; *) exit $? ;; esac\n";
  CampaignPlan plan = makePlan();
  plan.program = "my assay"; // Starts with a quote, as a YAML scalar would.
  Texts gitlab = valuesAt(textOf("gitlab", "gitlab-ci.yml", plan), "nightly-merge/script[]");
  ASSERT_EQ(gitlab.size(), 2u);
  EXPECT_EQ(gitlab[0], "'my assay' merge campaign/shard-* --output campaign/merged\n");
  EXPECT_EQ(gitlab[1], command);
  Texts github = valuesAt(textOf("github", "workflow.yml", plan), "jobs/merge/steps[]/run");
  ASSERT_EQ(github.size(), 1u);
  EXPECT_NE(github[0].find(command), std::string::npos) << github[0];
}

TEST(CampaignPlan, RefusesWhatNoEngineCanRead) {
  auto refuses = [](StringRef engine, const CampaignPlan &plan) {
    Expected<std::vector<PlanFile>> files = planFiles(engine, plan);
    if (files)
      return false;
    return takeError(files.takeError()).kind == ErrorKind::InvalidInput;
  };
  EXPECT_TRUE(refuses("condor", makePlan()));
  CampaignPlan plan = makePlan();
  plan.shards = 0;
  EXPECT_TRUE(refuses("local", plan));
  plan = makePlan();
  plan.name = "a b";
  EXPECT_TRUE(refuses("local", plan));
  plan = makePlan();
  plan.arguments.push_back("a\nb");
  EXPECT_TRUE(refuses("local", plan));
  for (const auto &[engine, most] : {std::pair("gitlab", 200u), {"github", 256u}}) {
    plan = makePlan();
    plan.shards = most;
    EXPECT_FALSE(refuses(engine, plan)) << engine;
    ++plan.shards;
    EXPECT_TRUE(refuses(engine, plan)) << engine;
  }
  plan = makePlan();
  plan.atOnce = 3;
  EXPECT_TRUE(refuses("gitlab", plan));
  EXPECT_FALSE(refuses("github", plan));
  plan = makePlan();
  plan.arguments = {"--seed=4294967296"}; // Nothing can be added to it.
  EXPECT_TRUE(refuses("github", plan));
  EXPECT_FALSE(refuses("local", plan));
}
