// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ACO's code draws cases of corpora/graphics on machine gcn. Without faults the pictures are the
// reference's and no rule reports anything; each fault changes a picture or is reported.
#include "harness/system/draw_faults/FaultTables.h"

#include "harness/peer/RadvPeer.h"
#include "oracles/execution/Judge.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/gcn/graphics/Draws.h"
#include "oracles/machine/gcn_isa/Decoder.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace assay;

namespace {

/// A case, what the reference draws, and ACO's code of its pipelines for one target.
struct DrawnCase {
  Case input;
  Outcome reference;
  std::vector<radv::RadvGraphics> pipelines;
};

/// Cases and peers of all tests, made once each. A test without a driver is skipped.
class DrawFaults : public testing::Test {
protected:
  /// Null: m_reason says why.
  const DrawnCase *find(StringRef name, StringRef target);
  std::string m_reason;

private:
  Expected<DrawnCase> make(StringRef name, StringRef target);
  static std::map<std::string, DrawnCase> m_cases;
  static std::map<std::string, std::unique_ptr<RadvPeer>> m_peers;
};

std::map<std::string, DrawnCase> DrawFaults::m_cases;
std::map<std::string, std::unique_ptr<RadvPeer>> DrawFaults::m_peers;

} // namespace

Expected<DrawnCase> DrawFaults::make(StringRef name, StringRef target) {
  std::unique_ptr<RadvPeer> &peer = m_peers[target.str()];
  if (!peer)
    if (Error error = RadvPeer::create({}, *cantFail(findTarget(target))).moveInto(peer))
      return std::move(error);
  DrawnCase drawn;
  std::string path = (Twine(ASSAY_SOURCE_DIR "/corpora/graphics/") + name + ".amber").str();
  if (Error error = readCase(path, name, {}).moveInto(drawn.input))
    return std::move(error);
  if (Error error = createSpirvMachine()->run(drawn.input, {}, {}).moveInto(drawn.reference))
    return std::move(error);
  if (drawn.reference.kind != OutcomeKind::Completed)
    return unsupported(drawn.reference.reason);
  Expected<std::string> missing = peer->device().findMissingFeature(drawn.input);
  if (!missing)
    return missing.takeError();
  if (!missing->empty())
    return unsupported("the driver lacks " + *missing);
  if (Error error = peer->device().checkFormats(drawn.input))
    return std::move(error);
  for (const CasePipeline &source : drawn.input.pipelines) {
    if (source.description.isCompute())
      return unsupported("a compute pipeline");
    Expected<RadvPipeline> pipeline = describeForRadv(source, 0);
    if (!pipeline)
      return pipeline.takeError();
    Expected<radv::RadvGraphics> shaders = peer->compileGraphics(*pipeline);
    if (!shaders)
      return shaders.takeError();
    drawn.pipelines.push_back(std::move(*shaders));
  }
  return drawn;
}

const DrawnCase *DrawFaults::find(StringRef name, StringRef target) {
  std::string key = (name + " " + target).str();
  if (auto found = m_cases.find(key); found != m_cases.end())
    return &found->second;
  Expected<DrawnCase> drawn = make(name, target);
  if (drawn)
    return &m_cases.emplace(key, std::move(*drawn)).first->second;
  ErrorParts parts = takeError(drawn.takeError());
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported) << key << ": " << parts.message;
  m_reason = parts.message;
  return nullptr;
}

/// What is seen of a fault: rules that report something, and what else is wrong. Empty: nothing.
static std::vector<std::string> observe(const DrawnCase &drawn,
                                        ArrayRef<radv::RadvGraphics> pipelines, StringRef target) {
  std::vector<Artifact> artifacts;
  for (const radv::RadvGraphics &pipeline : pipelines)
    artifacts.emplace_back(radv::writeRadvGraphics(pipeline));
  auto machine = createGcnMachine(*cantFail(findTarget(target)), gcn::loadDraws);
  Expected<Outcome> outcome = machine->run(drawn.input, artifacts, {});
  if (!outcome)
    return {"error: " + takeError(outcome.takeError()).message};
  std::vector<std::string> seen;
  for (const Finding &finding : outcome->findings)
    seen.push_back(finding.rule);
  if (outcome->kind != OutcomeKind::Completed) {
    seen.push_back("ends: " + outcome->reason);
    return seen;
  }
  for (const Finding &finding :
       cantFail(compareWithReference(drawn.input, drawn.reference, *outcome)).findings)
    seen.push_back(finding.rule);
  return seen;
}

/// The draw of \p drawn without faults, which must be right: a test of the others.
static void expectClean(const DrawnCase &drawn, StringRef target) {
  std::vector<std::string> seen = observe(drawn, drawn.pipelines, target);
  EXPECT_TRUE(seen.empty()) << drawn.input.id << " on " << target.str() << ": " << join(seen, ", ");
}

TEST_F(DrawFaults, OfTheHardwareAreSeen) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build has no planted faults";
  for (const HardwareFault &fault : hardwareFaults()) {
    const DrawnCase *drawn = find(fault.input, fault.target);
    if (!drawn)
      GTEST_SKIP() << m_reason;
    expectClean(*drawn, fault.target);
    gcn::plantedLaunchFault = fault.fault;
    std::vector<std::string> seen = observe(*drawn, drawn->pipelines, fault.target);
    gcn::plantedLaunchFault = gcn::LaunchFault::None;
    EXPECT_FALSE(seen.empty()) << fault.name.str();
  }
}

TEST_F(DrawFaults, OfRegistersAreSeen) {
  for (const RegisterFault &fault : registerFaults()) {
    const DrawnCase *drawn = find(fault.input, fault.target);
    if (!drawn)
      GTEST_SKIP() << m_reason;
    expectClean(*drawn, fault.target);
    std::vector<radv::RadvGraphics> changed = drawn->pipelines;
    for (radv::RadvGraphics &pipeline : changed)
      fault.edit(pipeline);
    EXPECT_FALSE(observe(*drawn, changed, fault.target).empty()) << fault.name.str();
  }
}

/// Changes the instructions that begin with the fault's text; false: there is none.
static bool editCode(radv::RadvShader &shader, const CodeFault &fault) {
  bool isFound = false;
  auto decoder = cantFail(gcn::Decoder::create(shader.target, shader.waveSize));
  for (const gcn::Inst &inst : decoder->decodeRange(shader.code, 0, shader.execBytes)) {
    if (!StringRef(inst.text).starts_with(fault.text))
      continue;
    std::vector<uint32_t> words(inst.size / 4);
    for (auto [i, word] : enumerate(words))
      word = support::endian::read32le(&shader.code[inst.pc + 4 * i]);
    constexpr uint32_t nop = 0xbf800000;
    if (fault.edit)
      fault.edit(words);
    else
      fill(words, nop);
    for (auto [i, word] : enumerate(words))
      support::endian::write32le(&shader.code[inst.pc + 4 * i], word);
    isFound = true;
  }
  return isFound;
}

TEST_F(DrawFaults, OfCodeAreSeen) {
  for (const CodeFault &fault : codeFaults()) {
    const DrawnCase *drawn = find(fault.input, fault.target);
    if (!drawn)
      GTEST_SKIP() << m_reason;
    expectClean(*drawn, fault.target);
    std::vector<radv::RadvGraphics> changed = drawn->pipelines;
    bool isVertex = fault.stage == radv::Stage::Vertex;
    EXPECT_TRUE(editCode(isVertex ? changed[0].vertex : *changed[0].pixel, fault))
        << fault.name.str() << ": there is no '" << fault.text.str() << "'";
    std::vector<std::string> seen = observe(*drawn, changed, fault.target);
    EXPECT_FALSE(seen.empty()) << fault.name.str();
    if (!fault.rule.empty())
      EXPECT_TRUE(is_contained(seen, fault.rule)) << fault.name.str() << ": " << join(seen, ", ");
  }
}

TEST(DrawFaultTables, HaveFortyFaults) {
  EXPECT_GE(hardwareFaults().size() + registerFaults().size() + codeFaults().size(), 40u);
}
