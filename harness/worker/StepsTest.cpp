// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Steps.h"

#include "compiler/driver/Compiler.h"
#include "harness/run/OutcomeFile.h"
#include "harness/run/References.h"
#include "harness/worker/Command.h"
#include "harness/worker/Worker.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static constexpr StringRef addOne = R"(#!amber
SHADER compute s GLSL
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { int data[]; } b;
void main() { b.data[gl_GlobalInvocationID.x] += 1; }
END
BUFFER buf DATA_TYPE int32 DATA 1 2 3 4 END
PIPELINE compute p
  ATTACH s
  BIND BUFFER buf AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
)";

namespace {

class Steps : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-steps", m_folder));
    m_job.folder = m_folder.str().str();
    m_job.caseId = "case.amber";
    m_job.machine = "spirv";
  }
  void TearDown() override { sys::fs::remove_directories(m_folder); }

  Verdict execute(StringRef text, StringRef name = "case.amber") {
    m_job.casePath = (m_folder + "/" + name).str();
    cantFail(writeFile(m_job.casePath, text));
    return executeJob(m_job, m_compiler);
  }

  SmallString<128> m_folder;
  Job m_job;
  Compiler m_compiler;
};

} // namespace

TEST_F(Steps, JudgeTheReferenceByTheScript) {
  EXPECT_EQ(execute((addOne + "EXPECT buf IDX 0 EQ 2 3 4 5\n").str()).state, State::Pass);
  Verdict wrong = execute((addOne + "EXPECT buf IDX 0 EQ 2 3 4 6\n").str());
  EXPECT_EQ(wrong.state, State::Fail);
  ASSERT_TRUE(wrong.firstDifference);
  EXPECT_EQ(wrong.firstDifference->element, 3u);
}

TEST_F(Steps, TellInputsThatAreBrokenFromThoseThatAreBeyondUs) {
  EXPECT_EQ(execute("#!amber\nWALK\n").state, State::Invalid);
  EXPECT_EQ(execute("OpWalk\n", "x.spvasm").state, State::Unsupported);
  EXPECT_EQ(execute("#!amber\nBUFFER b DATA_TYPE int32 DATA 1 END\n").state, State::Unsupported);
  m_job.casePath = (m_folder + "/not-there").str();
  EXPECT_EQ(executeJob(m_job, m_compiler).state, State::ToolError);
}

TEST_F(Steps, NeedSomethingToCompareInADiff) {
  m_job.machine = "gcn";
  m_job.compiler = "assay";
  m_job.target = "gfx1100";
  m_job.optLevel = 2;
  EXPECT_EQ(execute(addOne).state, State::Pass); // Of a mere run.
  m_job.compare = true;
  m_job.referenceNote = "the reference was not chosen";
  EXPECT_EQ(execute(addOne).state, State::Unsupported);
  Verdict verdict = execute((addOne + "EXPECT buf IDX 0 EQ 2 3 4 5\n").str());
  EXPECT_EQ(verdict.state, State::Pass);
  EXPECT_EQ(verdict.reason, "judged by EXPECT alone: the reference was not chosen");
}

TEST_F(Steps, CompareWithTheOutcomeOfTheReference) {
  m_job.keepOutcome = true;
  ASSERT_EQ(execute(addOne).state, State::Pass);
  Expected<std::vector<uint8_t>> bytes = readFileBytes(m_job.outcomeFile());
  ASSERT_TRUE(static_cast<bool>(bytes));
  Expected<Outcome> outcome = readOutcome(*bytes);
  ASSERT_TRUE(static_cast<bool>(outcome));

  m_job.keepOutcome = false;
  m_job.machine = "gcn";
  m_job.compiler = "assay";
  m_job.target = "gfx900";
  m_job.optLevel = 2;
  m_job.compare = true;
  m_job.referenceFile = (m_folder + "/reference").str();
  cantFail(writeFile(m_job.referenceFile, *bytes));
  EXPECT_EQ(execute(addOne).state, State::Pass);

  outcome->checkpoints[0][0].bytes[8] = 9;
  cantFail(writeFile(m_job.referenceFile, writeOutcome(*outcome)));
  Verdict other = execute(addOne);
  EXPECT_EQ(other.state, State::Fail);
  EXPECT_EQ(other.findings.at(0).rule, "REF-DIFF");

  outcome->checkpoints[0][0].indeterminate[0] = 16;
  cantFail(writeFile(m_job.referenceFile, writeOutcome(*outcome)));
  Verdict open = execute(addOne);
  EXPECT_EQ(open.state, State::Invalid);
  EXPECT_EQ(open.reason.rfind("nothing left to compare", 0), 0u);

  cantFail(writeFile(m_job.referenceFile, StringRef("garbage")));
  EXPECT_EQ(execute(addOne).state, State::ToolError);
}

TEST_F(Steps, JudgeTheBufferOfAProbeAlone) {
  static constexpr StringRef two = R"(#!amber
SHADER compute s GLSL
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { int data[]; } b;
layout(set = 0, binding = 1) buffer C { int data[]; } c;
void main() {
  b.data[gl_LocalInvocationIndex] += 1;
  c.data[gl_LocalInvocationIndex] = 7;
}
END
BUFFER buf DATA_TYPE int32 DATA 1 2 3 4 END
BUFFER other DATA_TYPE int32 SIZE 4 FILL 0
PIPELINE compute p
  ATTACH s
  BIND BUFFER buf AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER other AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 1 1 1
)";
  m_job.keepOutcome = true;
  ASSERT_EQ(execute(two).state, State::Pass);
  Outcome outcome = cantFail(readOutcome(cantFail(readFileBytes(m_job.outcomeFile()))));
  outcome.checkpoints[0][1].bytes[0] = 9;
  m_job.keepOutcome = false;
  m_job.machine = "gcn";
  m_job.compiler = "assay";
  m_job.target = "gfx900";
  m_job.optLevel = 2;
  m_job.compare = true;
  m_job.referenceFile = (m_folder + "/reference").str();
  cantFail(writeFile(m_job.referenceFile, writeOutcome(outcome)));

  EXPECT_EQ(execute(two).state, State::Fail);
  m_job.judgedBuffer = "buf";
  EXPECT_EQ(execute(two).state, State::Pass) << "the other one is of no account";
  m_job.judgedBuffer = "other";
  Verdict wrong = execute(two);
  EXPECT_EQ(wrong.state, State::Fail);
  ASSERT_TRUE(wrong.firstDifference);
  EXPECT_EQ(wrong.firstDifference->buffer, "other");
  outcome.checkpoints[0][1].indeterminate[0] = 4;
  cantFail(writeFile(m_job.referenceFile, writeOutcome(outcome)));
  EXPECT_EQ(execute(two).state, State::Invalid) << "a word of it is open";
  m_job.judgedBuffer = "neither";
  EXPECT_EQ(execute(two).state, State::ToolError);
}

TEST_F(Steps, JudgeNoProbeThatDidNotRun) {
  m_job.machine = "gcn";
  m_job.judgedBuffer = "probe";
  m_job.referenceFile = "/no-such-file";
  Outcome outcome;
  outcome.kind = OutcomeKind::Unsupported;
  outcome.reason = "an opcode";
  Verdict verdict;
  judgeRun(m_job, Case(), outcome, verdict);
  EXPECT_EQ(verdict.state, State::Unsupported);
  EXPECT_EQ(verdict.reason, "an opcode");
}

TEST_F(Steps, FailWhereAnErrorWasFoundBeforeAnUnsupportedEnd) {
  m_job.machine = "gcn";
  Outcome outcome;
  outcome.kind = OutcomeKind::Unsupported;
  outcome.reason = "an opcode";
  Finding finding;
  finding.rule = "WAIT-RAW";
  finding.severity = Severity::Warning;
  finding.message = "m";
  outcome.findings.push_back(finding);
  auto judge = [&] {
    Verdict verdict;
    judgeRun(m_job, Case(), outcome, verdict);
    return verdict;
  };
  EXPECT_EQ(judge().state, State::Unsupported) << "a warning is no error";
  outcome.findings.front().severity = Severity::Error;
  Verdict verdict = judge();
  EXPECT_EQ(verdict.state, State::Fail);
  EXPECT_EQ(verdict.reason, "WAIT-RAW: m; later the machine ended: unsupported: an opcode");
  EXPECT_EQ(verdict.findings.size(), 1u);
  m_job.machine = "spirv";
  EXPECT_EQ(judge().state, State::Unsupported) << "of a reference";
}

TEST_F(Steps, CountWhatTheReferenceLeavesOpen) {
  auto openBytes = [](const Verdict &verdict) -> std::optional<uint64_t> {
    return verdict.facts.openBytes;
  };
  EXPECT_EQ(openBytes(execute(addOne)), std::nullopt);
  std::string unset = addOne.str();
  constexpr StringRef Sum = "b.data[gl_GlobalInvocationID.x] += 1;";
  unset.replace(unset.find(Sum.str()), Sum.size(), "int x; b.data[gl_GlobalInvocationID.x] = x;");
  EXPECT_EQ(openBytes(execute(unset)), 16u);
}

TEST_F(Steps, RefuseWhatATargetLacks) {
  m_job.machine = "gcn";
  m_job.compiler = "assay";
  m_job.target = "gfx900";
  m_job.waveSize = 32;
  EXPECT_EQ(execute(addOne).state, State::Unsupported);
  m_job.waveSize = 0;
  m_job.target = "gfx1";
  EXPECT_EQ(execute(addOne).state, State::Unsupported);
}

TEST_F(Steps, ListBuffersByTheirTypes) {
  Case input;
  input.buffers.push_back({"v", makeDataFormat(ScalarKind::Int32, 3, 1, BlockLayout::Std430),
                           std::vector<uint8_t>(32)});
  Outcome outcome;
  BufferState state{std::vector<uint8_t>(32), {}, {{4, 4}}};
  state.bytes[16] = 7;
  outcome.checkpoints.push_back({state});
  Expected<json::Value> value = json::parse(listBuffers(input, outcome));
  ASSERT_TRUE(static_cast<bool>(value));
  Expected<std::vector<BufferListing>> buffers = readBuffers(*value);
  ASSERT_TRUE(static_cast<bool>(buffers));
  EXPECT_EQ(buffers->at(0).type, "vec3<int32>");
  EXPECT_EQ(buffers->at(0).values,
            (std::vector<std::string>{"0", "undefined", "0", "7", "0", "0"}));
}

TEST(Command, FillsPlaceholdersOnce) {
  EXPECT_EQ(fillCommand({"cc", "-I{in}{out}", "{x}"}, {{"{in}", "{out}"}, {"{out}", "b"}}),
            (std::vector<std::string>{"cc", "-I{out}b", "{x}"}));
}

TEST_F(Steps, RunTheElfThatIsThere) {
  m_job.compiler = "assay";
  m_job.machine = "gcn";
  m_job.target = "gfx1100";
  Job run = m_job;
  m_job = makeCompileJob(run, "elf");
  ASSERT_EQ(execute(addOne).state, State::Pass);
  run.elfFile = m_job.outputFile();
  m_job = run;
  std::string addTwo = addOne.str();
  addTwo.replace(addTwo.find("+= 1"), 4, "+= 2");
  EXPECT_EQ(execute(addTwo + "EXPECT buf IDX 0 EQ 2 3 4 5\n").state, State::Pass);
  m_job.elfFile = m_job.folder + "/none";
  EXPECT_EQ(execute(addTwo).state, State::ToolError);
  m_job.elfFile.clear();
  EXPECT_EQ(execute(addTwo + "EXPECT buf IDX 0 EQ 3 4 5 6\n").state, State::Pass);
}
