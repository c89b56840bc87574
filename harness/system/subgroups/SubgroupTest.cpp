// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every subgroup operation on random masks and values, compiled for every target and executed on
// the machines, against the definition. A fixed sample by default; all operations under all shapes
// of control flow with ASSAY_SCALE=full.
#include "compiler/driver/Compiler.h"
#include "compiler/spirv/ResourceInterface.h"
#include "harness/system/subgroups/Inputs.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::subgroups;

static constexpr unsigned groupCount = 4;
static constexpr unsigned invocations = groupCount * invocationsPerGroup;
static constexpr uint32_t untouched = 0xcdcdcdcd;

static bool isFullScale() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full";
}

namespace {
/// One shader with its operands, and what must come of them.
class Experiment {
public:
  Experiment(Shape shape, ArrayRef<Operation> operations, unsigned size, uint64_t seed);
  Expected<Case> makeCase() const;
  /// Compares what is in \p bytes; counts what was compared: an operation in a subgroup in a turn.
  void check(ArrayRef<uint8_t> bytes, uint64_t &checks) const;
  /// True when SPIR-V says nothing of some result: a shuffle from a lane that is not there.
  bool leavesUndefined() const;

private:
  struct Subgroup {
    unsigned first; ///< Invocation.
    std::vector<uint32_t> selectors;
    std::vector<std::vector<LaneInput>> inputs; ///< By operation.
  };
  void checkLane(ArrayRef<uint8_t> bytes, const Subgroup &subgroup, unsigned operation,
                 unsigned turn, unsigned lane, uint64_t &checks) const;
  Buffer makeBuffer(const char *name, ArrayRef<uint32_t> words) const;

  Shape m_shape;
  std::vector<Operation> m_operations;
  unsigned m_size;
  std::vector<Subgroup> m_subgroups;
};
} // namespace

Experiment::Experiment(Shape shape, ArrayRef<Operation> operations, unsigned size, uint64_t seed)
    : m_shape(shape), m_operations(operations.vec()), m_size(size) {
  std::mt19937_64 random(seed);
  for (unsigned group = 0; group < groupCount; ++group)
    for (unsigned first = 0; first < invocationsPerGroup; first += size) {
      Subgroup subgroup{group * invocationsPerGroup + first, {}, {}};
      unsigned rare = random() % 4; // Some subgroups have hardly any lane in some turns.
      for (unsigned i = 0; i < size && first + i < invocationsPerGroup; ++i)
        subgroup.selectors.push_back(rare && random() % 8 ? rare : random() % 4);
      for (const Operation &operation : m_operations)
        subgroup.inputs.push_back(makeInputs(operation, shape, subgroup.selectors, size, random));
      m_subgroups.push_back(std::move(subgroup));
    }
}

Buffer Experiment::makeBuffer(const char *name, ArrayRef<uint32_t> words) const {
  Buffer buffer{name, makeDataFormat(ScalarKind::Uint32, 1, 1, BlockLayout::Std430), {}};
  buffer.bytes.resize(words.size() * 4);
  for (size_t i = 0; i < words.size(); ++i)
    support::endian::write32le(&buffer.bytes[i * 4], words[i]);
  return buffer;
}

Expected<Case> Experiment::makeCase() const {
  std::string text = makeShader(m_shape, m_operations);
  Expected<std::vector<uint32_t>> words = spirv::assemble(text);
  if (!words)
    return addContext(words.takeError(), text);
  Expected<spirv::Module> module = spirv::decode(*words);
  if (!module)
    return module.takeError();
  Expected<ResourceLayout> layout = spirv::layoutFor(*module);
  if (!layout)
    return layout.takeError();

  std::vector<uint32_t> selectors(invocations);
  std::vector<uint32_t> inputs(size_t(invocations) * m_operations.size() * inputDwords);
  for (const Subgroup &subgroup : m_subgroups)
    for (unsigned lane = 0; lane < subgroup.selectors.size(); ++lane) {
      size_t invocation = subgroup.first + lane;
      selectors[invocation] = subgroup.selectors[lane];
      for (size_t i = 0; i < m_operations.size(); ++i) {
        uint32_t *place = &inputs[(invocation * m_operations.size() + i) * inputDwords];
        place[0] = static_cast<uint32_t>(subgroup.inputs[i][lane].value);
        place[1] = static_cast<uint32_t>(subgroup.inputs[i][lane].value >> 32);
        place[2] = subgroup.inputs[i][lane].parameter;
      }
    }
  std::vector<uint32_t> outputs(size_t(invocations) * m_operations.size() * maxTurns * outputDwords,
                                untouched);

  Case result;
  result.id = "subgroups";
  result.buffers = {makeBuffer("selectors", selectors), makeBuffer("inputs", inputs),
                    makeBuffer("outputs", outputs)};
  CasePipeline pipeline;
  pipeline.name = "pipeline";
  pipeline.description.addShader(ShaderStage::Compute).spirv = std::move(*words);
  pipeline.description.addShader(ShaderStage::Compute).requiredSubgroupSize = m_size;
  pipeline.description.layout = std::move(*layout);
  for (unsigned i = 0; i < 3; ++i) {
    BufferBinding binding;
    binding.buffer = i;
    binding.binding = i;
    pipeline.bindings.push_back(binding);
  }
  result.pipelines.push_back(std::move(pipeline));
  Dispatch dispatch;
  dispatch.groups[0] = groupCount;
  result.commands.emplace_back(dispatch);
  return result;
}

void Experiment::checkLane(ArrayRef<uint8_t> bytes, const Subgroup &subgroup, unsigned operation,
                           unsigned turn, unsigned lane, uint64_t &checks) const {
  size_t slot = (size_t(subgroup.first) + lane) * m_operations.size() + operation;
  const uint8_t *place = &bytes[(slot * maxTurns + turn) * outputDwords * 4];
  auto found = [&](size_t word) { return support::endian::read32le(place + word * 4); };
  std::string where = m_operations[operation].name() + " " + shapeName(m_shape) + " turn " +
                      std::to_string(turn) + " lane " + std::to_string(lane) + " of invocation " +
                      std::to_string(subgroup.first) + "+" +
                      std::to_string(subgroup.selectors.size());
  uint64_t active = activeLanes(m_shape, subgroup.selectors, turn, lane);
  if (!active || (turn != 0 && m_shape <= Shape::IfElse)) {
    EXPECT_EQ(found(0), untouched) << where;
    return;
  }
  auto wanted = define(m_operations[operation], subgroup.inputs[operation], active, m_size, lane);
  if (!wanted)
    return;
  ++checks;
  for (size_t word = 0; word < wanted->size(); ++word)
    EXPECT_EQ(utohexstr(found(word)), utohexstr((*wanted)[word]))
        << where << " word " << word << " active " << utohexstr(active) << " value "
        << utohexstr(subgroup.inputs[operation][lane].value) << " parameter "
        << subgroup.inputs[operation][lane].parameter;
}

void Experiment::check(ArrayRef<uint8_t> bytes, uint64_t &checks) const {
  for (const Subgroup &subgroup : m_subgroups)
    for (unsigned operation = 0; operation < m_operations.size(); ++operation)
      for (unsigned turn = 0; turn < maxTurns; ++turn) {
        uint64_t lanes = 0;
        for (unsigned lane = 0; lane < subgroup.selectors.size(); ++lane)
          checkLane(bytes, subgroup, operation, turn, lane, lanes);
        checks += lanes != 0;
      }
}

bool Experiment::leavesUndefined() const {
  for (const Subgroup &subgroup : m_subgroups)
    for (unsigned operation = 0; operation < m_operations.size(); ++operation)
      for (unsigned turn = 0; turn < maxTurns; ++turn)
        for (unsigned lane = 0; lane < subgroup.selectors.size(); ++lane) {
          uint64_t active = activeLanes(m_shape, subgroup.selectors, turn, lane);
          if (active &&
              !define(m_operations[operation], subgroup.inputs[operation], active, m_size, lane))
            return true;
        }
  return false;
}

/// True when all that sanitizers report is that undefined values are stored.
static bool onlyStoresUndefined(const Outcome &outcome) {
  return outcome.kind == OutcomeKind::Hazard &&
         all_of(outcome.findings,
                [](const Finding &finding) { return finding.rule == "UNDEF-STORE"; });
}

/// The outcome's buffer of results. Undefined ones, if \p hasUndefined, may be stored.
static Expected<std::vector<uint8_t>> takeOutputs(Expected<Outcome> outcome,
                                                  bool hasUndefined = false) {
  if (!outcome)
    return outcome.takeError();
  if (outcome->kind == OutcomeKind::Unsupported)
    return unsupported(outcome->reason);
  if (outcome->kind != OutcomeKind::Completed && !(hasUndefined && onlyStoresUndefined(*outcome)))
    return invalidInput(outcome->reason);
  return outcome->checkpoints.back()[2].bytes;
}

static Expected<std::vector<uint8_t>> runCompiled(Compiler &compiler, const Case &input,
                                                  const CompileOptions &options,
                                                  bool hasUndefined) {
  auto result = compiler.compile(input.pipelines[0].description, options, EmitPhase::Elf);
  if (!result)
    return result.takeError();
  Artifact artifact(std::move(result->output));
  return takeOutputs(createGcnMachine(*options.target)->run(input, artifact, {}), hasUndefined);
}

namespace {
struct Setting {
  const char *target; ///< Null: the reference interpreter.
  unsigned size;
  unsigned level;
};
void PrintTo(const Setting &setting, std::ostream *os) {
  *os << (setting.target ? setting.target : "spirv") << " wave" << setting.size << " O"
      << setting.level;
}

class Subgroups : public testing::TestWithParam<Setting> {
protected:
  /// Runs \p operations under \p shape; returns how much was checked.
  uint64_t runExperiment(Shape shape, ArrayRef<Operation> operations, uint64_t seed);

  Compiler m_compiler;
};
} // namespace

uint64_t Subgroups::runExperiment(Shape shape, ArrayRef<Operation> operations, uint64_t seed) {
  const Setting &setting = GetParam();
  Experiment experiment(shape, operations, setting.size, seed);
  Expected<Case> input = experiment.makeCase();
  if (!input) {
    ADD_FAILURE() << takeError(input.takeError()).message;
    return 0;
  }
  CompileOptions options;
  Expected<std::vector<uint8_t>> bytes = std::vector<uint8_t>();
  if (setting.target) {
    options.target = cantFail(findTarget(setting.target));
    options.optLevel = setting.level;
    bytes = runCompiled(m_compiler, *input, options, experiment.leavesUndefined());
  } else {
    bytes = takeOutputs(createSpirvMachine()->run(*input, {}, {}));
  }
  if (!bytes) {
    ADD_FAILURE() << shapeName(shape) << ": " << takeError(bytes.takeError()).message;
    return 0;
  }
  uint64_t checks = 0;
  experiment.check(*bytes, checks);
  return checks;
}

static constexpr Scalar scalars[] = {Scalar::Bool,    Scalar::Int8,   Scalar::Int16,
                                     Scalar::Int32,   Scalar::Int64,  Scalar::Float16,
                                     Scalar::Float32, Scalar::Float64};

TEST_P(Subgroups, AreAsDefined) {
  std::vector<Operation> operations = listOperations(scalars);
  erase_if(operations, [](const Operation &operation) { // It would be undefined.
    return operation.cluster > GetParam().size;
  });
  std::mt19937_64 random(GetParam().size * 100 + GetParam().level);
  constexpr size_t perShader = 12;
  uint64_t checks = 0;
  for (Shape shape : allShapes) {
    std::shuffle(operations.begin(), operations.end(), random);
    size_t count = isFullScale() ? operations.size() : perShader;
    for (size_t first = 0; first < count && !HasFailure(); first += perShader) {
      ArrayRef<Operation> chosen(operations);
      checks +=
          runExperiment(shape, chosen.slice(first, std::min(perShader, count - first)), random());
    }
  }
  RecordProperty("checks", std::to_string(checks));
  EXPECT_GE(checks, isFullScale() ? 20000u : 500u);
}

static std::string settingName(const testing::TestParamInfo<Setting> &info) {
  std::string machine = info.param.target ? info.param.target : "spirv";
  return machine + "wave" + std::to_string(info.param.size) + "O" +
         std::to_string(info.param.level);
}

static constexpr Setting settings[] = {
    {"gfx900", 64, 0},  {"gfx900", 64, 2},  {"gfx1030", 32, 0}, {"gfx1030", 32, 2},
    {"gfx1030", 64, 0}, {"gfx1030", 64, 2}, {"gfx1010", 32, 2}, {"gfx1010", 64, 2},
    {"gfx1150", 32, 2}, {"gfx1150", 64, 2}, {"gfx1100", 32, 0}, {"gfx1100", 32, 2},
    {"gfx1100", 64, 0}, {"gfx1100", 64, 2}, {"gfx1201", 32, 0}, {"gfx1201", 32, 2},
    {"gfx1201", 64, 0}, {"gfx1201", 64, 2}, {nullptr, 32, 0},   {nullptr, 64, 0},
};
INSTANTIATE_TEST_SUITE_P(All, Subgroups, testing::ValuesIn(settings), settingName);

/// One wrong bit of one lane, and one write by a lane that was not there.
TEST(SubgroupCheck, NoticesWhatIsWrong) {
  static const Operation add = {Kind::Arithmetic, "IAdd"};
  static const Experiment experiment(Shape::If, add, 32, 1);
  Expected<Case> input = experiment.makeCase();
  ASSERT_TRUE(bool(input)) << takeError(input.takeError()).message;
  auto bytes = takeOutputs(createSpirvMachine()->run(*input, {}, {}));
  ASSERT_TRUE(bool(bytes)) << takeError(bytes.takeError()).message;
  static std::vector<uint8_t> outputs;
  outputs = *bytes;
  static uint64_t checks = 0;
  experiment.check(outputs, checks);
  EXPECT_GT(checks, 0u);
  for (bool isWritten : {true, false}) {
    size_t at = 0;
    constexpr size_t slot = size_t(maxTurns) * outputDwords * 4;
    while ((support::endian::read32le(&outputs[at]) != untouched) != isWritten)
      at += slot;
    outputs[at] ^= 1;
    EXPECT_NONFATAL_FAILURE(experiment.check(outputs, checks), "IAdd.i32.reduce if turn 0");
    outputs[at] ^= 1;
  }
}
