// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/triage/Findings.h"
#include "fuzz/transform/Transform.h"
#include "harness/campaign/CampaignFolder.h"
#include "harness/triage/Features.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

using Texts = std::vector<std::string>;

// A shader that stores BODY's %value; TYPES stands among the types.
static std::string makeModule(StringRef body, StringRef types = "") {
  return (
             R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%vec3 = OpTypeVector %uint 3
%in = OpTypePointer Input %vec3
%id = OpVariable %in Input
%block = OpTypeStruct %uint
%ptr = OpTypePointer StorageBuffer %block
%word = OpTypePointer StorageBuffer %uint
%buffer = OpVariable %ptr StorageBuffer
%zero = OpConstant %uint 0
)" + types + R"(
%main = OpFunction %void None %fn
%entry = OpLabel
%place = OpAccessChain %word %buffer %zero
)" + body + R"(
OpStore %place %value
OpReturn
OpFunctionEnd
)")
      .str();
}

static Texts featuresOfText(StringRef text) {
  std::vector<uint32_t> words = cantFail(spirv::assemble(text));
  std::set<std::string> features = featuresOf(cantFail(spirv::decode(words)));
  return {features.begin(), features.end()};
}

TEST(Features, AreWhatIsNotInEveryShader) {
  EXPECT_EQ(featuresOfText(makeModule("%a = OpLoad %uint %place\n%value = OpISub %uint %a %a")),
            (Texts{"GlobalInvocationId", "OpISub"}));
  EXPECT_EQ(
      featuresOfText(makeModule("%a = OpLoad %vec3 %id\n%value = OpCompositeExtract %uint %a 0\n"
                                "OpControlBarrier %zero %zero %zero",
                                "%shared = OpTypePointer Workgroup %uint")),
      (Texts{"GlobalInvocationId", "OpControlBarrier", "Workgroup"}));
  EXPECT_EQ(featuresOfText(makeModule("%a = OpUConvert %long %zero\n%value = OpUConvert %uint %a",
                                      "%long = OpTypeInt 64 0")),
            (Texts{"GlobalInvocationId", "OpUConvert", "i64"}));
}

TEST(Features, NameWhatImageOperandsAskFor) {
  StringRef types =
      "%int = OpTypeInt 32 1\n%none = OpConstant %int 0\n%second = OpConstant %int 1\n"
      "%v2 = OpTypeVector %int 2\n%corner = OpConstantNull %v2\n"
      "%v4 = OpTypeVector %uint 4\n"
      "%type = OpTypeImage %uint 2D 0 0 0 1 Unknown\n"
      "%pointer = OpTypePointer UniformConstant %type\n"
      "%image = OpVariable %pointer UniformConstant";
  auto fetch = [&](StringRef operands) {
    return featuresOfText(
        makeModule(("%a = OpLoad %type %image\n%texel = OpImageFetch %v4 %a %corner " + operands +
                    "\n%value = OpCompositeExtract %uint %texel 0")
                       .str(),
                   types));
  };
  Texts plain = {"GlobalInvocationId", "OpImageFetch", "UniformConstant"};
  EXPECT_EQ(fetch(""), plain);
  EXPECT_EQ(fetch("Lod %none"), plain);
  EXPECT_EQ(fetch("Lod %second"),
            (Texts{"GlobalInvocationId", "Lod", "OpImageFetch", "UniformConstant"}));
  EXPECT_EQ(fetch("Lod|ConstOffset %none %corner"), plain);
}

TEST(Features, OfACaseAreTheRareOnes) {
  auto featuresOfCase = [](StringRef body, StringRef types = "") {
    Case input;
    input.pipelines.emplace_back().description.addShader(ShaderStage::Compute).spirv =
        cantFail(spirv::assemble(makeModule(body, types)));
    return cantFail(featuresOf(input));
  };
  EXPECT_EQ(featuresOfCase("%a = OpLoad %uint %place\n%value = OpISub %uint %a %a"),
            Texts{"OpISub"});
  EXPECT_EQ(featuresOfCase("%value = OpLoad %uint %place"), Texts());
  EXPECT_EQ(featuresOfCase("", "%value = OpSpecConstantOp %uint ISub %zero %zero"),
            Texts{"OpISub"});
}

TEST(Features, NameInstructionsOfGlsl) {
  StringRef body = "%value = OpExtInst %uint %glsl FindUMsb %zero";
  std::string text = "OpCapability Shader\n%glsl = OpExtInstImport \"GLSL.std.450\"\n" +
                     makeModule(body).substr(StringRef("OpCapability Shader\n").size());
  EXPECT_EQ(featuresOfText(text), (Texts{"FindUMsb", "GlobalInvocationId"}));
  spirv::Module module = cantFail(spirv::decode(cantFail(spirv::assemble(text))));
  std::set<std::string> operations = operationsOf(module);
  for (const char *name : {"FindUMsb", "OpExtInst", "OpAccessChain", "OpStore"})
    EXPECT_TRUE(operations.count(name)) << name;
  EXPECT_FALSE(operations.count("OpLoad"));
}

TEST(Facts, ReadBackAsTheyWere) {
  Facts facts = {"lower-x", "OpISub", {"OpISub", "i64"}, {"wrap-in-loop"}, {"aco"}};
  EXPECT_EQ(cantFail(parseFacts(printFacts(facts))), facts);
  for (StringRef text : {"", "{}",
                         "{\"schema\":\"assay.facts/2\",\"pass\":\"\",\"features\":[],"
                         "\"transformations\":[]}"}) {
    Expected<Facts> none = parseFacts(text);
    ASSERT_FALSE(static_cast<bool>(none)) << text.str();
    EXPECT_EQ(takeError(none.takeError()).kind, ErrorKind::InvalidInput);
  }
}

TEST(Findings, TellWhatIsKnownOfACampaign) {
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-findings", path));
  std::string root = path.str().str() + "/campaign";
  CampaignFolder folder = cantFail(CampaignFolder::open(root, CampaignOptions()));
  std::vector<CampaignResult> results(3);
  for (unsigned i = 0; i < 3; ++i) {
    results[i].number = i;
    results[i].id = "7-" + std::to_string(i);
    Verdict verdict;
    verdict.caseId = results[i].id;
    verdict.state = i == 2 ? State::Pass : State::Fail;
    results[i].verdicts.push_back(verdict);
  }
  ASSERT_FALSE(folder.add(results, {{"a"}, {"b"}, {"c"}}));
  std::string amber = "#!amber\nSHADER compute s SPIRV-ASM\n" +
                      makeModule("%value = OpISub %uint %zero %zero") +
                      "END\nBUFFER b DATA_TYPE uint32 DATA 0 END\nPIPELINE compute p\n  ATTACH s\n"
                      "  BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\nRUN p 1 1 1\n";
  ASSERT_FALSE(writeFile(root + "/findings/7-0/minimal/minimal.amber", StringRef(amber)));
  ASSERT_FALSE(writeFile(root + "/findings/7-0/facts.json",
                         StringRef(printFacts({"front-end", "", {}, {"wrap-in-loop"}}))));
  Expected<Findings> findings = readFindings(root);
  ASSERT_TRUE(static_cast<bool>(findings)) << toString(findings.takeError());
  EXPECT_EQ(findings->report.verdicts.size(), 3u);
  ASSERT_EQ(findings->facts.count({"7-0"}), 1u);
  EXPECT_EQ(findings->facts.count({"7-1"}), 0u);
  EXPECT_FALSE(sys::fs::exists(root + "/findings/7-0/transform.jsonl"));
  EXPECT_EQ(findings->facts[{"7-0"}], (Facts{"front-end", "", {"OpISub"}, {"wrap-in-loop"}}));
  // Enabling steps are not named.
  fuzz::TransformationLog log;
  for (const char *name : {"wrap-in-loop", "split-block", "hide-constant", "wrap-in-loop"})
    log.steps.push_back({name, 100, {}, ""});
  ASSERT_FALSE(
      writeFile(root + "/findings/7-1/minimal/transform.jsonl", StringRef(fuzz::printLog(log))));
  EXPECT_EQ(cantFail(readFindings(root)).facts[{"7-1"}],
            (Facts{"", "", {}, {"hide-constant", "wrap-in-loop"}}));
  ASSERT_FALSE(writeFile(root + "/findings/7-1/facts.json", StringRef("{}")));
  Expected<Findings> broken = readFindings(root);
  ASSERT_FALSE(static_cast<bool>(broken));
  EXPECT_NE(takeError(broken.takeError()).message.find("7-1/facts.json"), std::string::npos);
  sys::fs::remove_directories(path);
}

static Verdict makeWrong(StringRef compiler, StringRef machine, StringRef rule) {
  Verdict verdict;
  verdict.caseId = "7-0";
  verdict.compiler = compiler.str();
  verdict.machine = machine.str();
  verdict.state = machine == "spirv" ? State::Invalid : State::Fail;
  verdict.findings.push_back({rule.str(), Severity::Error, "m", "", rule.str(), {}});
  return verdict;
}

TEST(Findings, GiveEachSymptomAFolder) {
  std::vector<Verdict> verdicts = {
      makeWrong("", "spirv", "UB-X"), makeWrong("aco", "gcn", "REF-DIFF"),
      makeWrong("aco", "gcn", "WAIT-RAW"), makeWrong("", "vulkan:lavapipe", "REF-DIFF")};
  std::vector<PlacedSymptom> placed = listSymptoms(verdicts, "f");
  Texts folders, producers;
  for (const PlacedSymptom &each : placed) {
    folders.push_back(each.folder);
    producers.push_back(producerOf(each.symptom));
  }
  EXPECT_EQ(folders, (Texts{"f", "f/by-aco-2", "f/by-lavapipe", "f/by-reference"}));
  EXPECT_EQ(producers, (Texts{"aco", "aco", "lavapipe", ""}));
}

TEST(Findings, KeepFactsOfEachCompilerApart) {
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-findings", path));
  std::string root = path.str().str() + "/campaign";
  CampaignFolder folder = cantFail(CampaignFolder::open(root, CampaignOptions()));
  std::vector<CampaignResult> results(1);
  results[0].id = "7-0";
  results[0].verdicts = {makeWrong("aco", "gcn", "REF-DIFF"),
                         makeWrong("", "vulkan:lavapipe", "REF-DIFF")};
  ASSERT_FALSE(folder.add(results, {{"a"}}));
  Facts first = {"", "OpISub", {}, {}, {"lavapipe"}};
  Facts second = {"", "OpUMod", {}, {}};
  ASSERT_FALSE(writeFile(root + "/findings/7-0/facts.json", StringRef(printFacts(first))));
  ASSERT_FALSE(
      writeFile(root + "/findings/7-0/by-lavapipe/facts.json", StringRef(printFacts(second))));
  Findings findings = cantFail(readFindings(root));
  std::vector<Symptom> symptoms = collectSymptoms(findings.report.verdicts);
  addFacts(symptoms, findings.facts);
  ASSERT_EQ(symptoms.size(), 2u);
  EXPECT_EQ(symptoms[0].facts, first);
  EXPECT_EQ(symptoms[1].facts, second);
  // What is still being minimized says nothing yet.
  ASSERT_FALSE(writeFile(root + "/findings/7-0/minimal/minimal.amber", StringRef("no case")));
  ASSERT_FALSE(
      writeFile(root + "/findings/7-0/investigation.json", StringRef("{\"minimize\":\"open\"}")));
  EXPECT_TRUE(cantFail(readFindings(root)).operations.empty());
  ASSERT_FALSE(
      writeFile(root + "/findings/7-0/investigation.json", StringRef("{\"minimize\":\"done\"}")));
  EXPECT_NE(takeError(readFindings(root).takeError()).message.find("minimal.amber"),
            std::string::npos);
  sys::fs::remove_directories(path);
}
