// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated programs: what the code of all passes computes on machine adreno is what the IR means,
// and the sanitizer of the machine is silent.
#include "compiler/ir3/ir/Printer.h"
#include "compiler/ir3/passes/Variant.h"
#include "compiler/ir3/tgsi/Tgsi.h"
#include "oracles/ir3_compiler/Generator.h"
#include "oracles/ir3_compiler/Interpreter.h"
#include "oracles/machine/adreno/HazardChecker.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"

using namespace llvm;

namespace assay::ir3 {

static std::vector<uint32_t> testConstants(const ShaderVariant &variant) {
  std::vector<uint32_t> constants(64, 0);
  for (unsigned i = 0; i < 16; ++i)
    constants[i] = 0x9e3779b9u * (i + 1);
  for (auto [i, bits] : enumerate(variant.constImmediates))
    constants.resize(std::max(constants.size(), size_t(variant.constBase + i + 1))),
        constants[variant.constBase + i] = bits;
  return constants;
}

static uint32_t inputOf(unsigned number, unsigned lane) {
  return number == 0 ? lane : number == 1 ? lane * 2654435761u : lane / 3;
}

/// What the hardware puts into an input's register for a lane.
using InputOf = function_ref<uint32_t(const VariantRegister &input, unsigned lane)>;

/// What the code leaves in the registers of the outputs, by lane; \p findings of the sanitizer.
static std::vector<std::vector<uint32_t>> runCode(
    const ShaderVariant &variant, adreno::Chip chip, unsigned lanes, std::vector<Finding> &findings,
    InputOf valueOf = [](const VariantRegister &input, unsigned lane) {
      return inputOf(input.number, lane);
    }) {
  adreno::Program program(variant.words, chip);
  adreno::Arithmetic arithmetic;
  simt::AddressSpace memory;
  adreno::WaveEnvironment environment;
  environment.arithmetic = &arithmetic;
  environment.memory = &memory;
  std::vector<uint8_t> privateMemory(size_t(variant.privateBytes) * lanes, 0xee);
  environment.privateMemory = privateMemory;
  environment.privateBytes = variant.privateBytes;
  adreno::Wave wave(program, environment, lanes, lanes, 0, 0xdeadbeef);
  wave.constants = testConstants(variant);
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (const VariantRegister &input : variant.inputs)
      wave.write(lane, input.number, input.half, valueOf(input, lane));
  adreno::HazardLimits limits;
  limits.fullRegisters = variant.fullVectors;
  adreno::HazardChecker checker(program, limits);
  for (const VariantRegister &input : variant.inputs) {
    EXPECT_FALSE(input.half) << "define() names full registers";
    checker.define(input.number);
  }
  for (unsigned budget = 200'000; wave.status == simt::WaveStatus::Running; --budget) {
    const adreno::Op *op = budget ? wave.fetch() : nullptr;
    if (!op)
      break;
    checker.step(wave, *op);
    wave.execute(*op);
  }
  EXPECT_EQ(wave.failure(), "");
  EXPECT_EQ(int(wave.status), int(simt::WaveStatus::Done));
  findings = checker.findings().vec();
  std::vector<std::vector<uint32_t>> results(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (const VariantRegister &output : variant.outputs)
      for (unsigned i = 0; i < output.size; ++i)
        results[lane].push_back(wave.read(lane, output.number + i, output.half));
  return results;
}

struct Setup {
  StringLiteral chip;
  CompileOptions options;
  unsigned lanes = 8;
};

/// False after the first failure, so that one program is reported and not hundreds.
static bool checkProgram(uint64_t seed, const GeneratorOptions &shape, const Setup &setup) {
  const Compiler &compiler = *findCompiler(setup.chip);
  Program source(compiler), program(compiler);
  source.constDwords = program.constDwords = 16;
  Generator(source, shape, seed).run();
  Generator(program, shape, seed).run();
  std::string before = print(program);
  Expected<ShaderVariant> variant = compileProgram(program, setup.options);
  if (!variant) {
    ADD_FAILURE() << "seed " << seed << ": " << takeError(variant.takeError()).message << "\n"
                  << before;
    return false;
  }
  for (auto [output, number] : zip(variant->outputs, outputRegisters))
    EXPECT_TRUE(!shape.placesOutputs || output.number == number);
  std::vector<uint32_t> constants = testConstants(*variant);
  std::vector<Finding> findings;
  auto results = runCode(*variant, *adreno::findChip(setup.chip), setup.lanes, findings);
  for (const Finding &finding : findings)
    ADD_FAILURE() << finding.rule << " " << finding.message;
  for (unsigned lane = 0; lane < setup.lanes && !testing::Test::HasFailure(); ++lane) {
    Interpreter interpreter(
        source, {{0, inputOf(0, lane)}, {1, inputOf(1, lane)}, {2, inputOf(2, lane)}}, constants);
    auto expected = interpreter.run(100'000);
    if (expected)
      EXPECT_EQ(results[lane], *expected) << "lane " << lane;
  }
  if (!testing::Test::HasFailure())
    return true;
  ADD_FAILURE() << "seed " << seed << "\n"
                << before << "\n"
                << print(program)
                << adreno::disassemble(variant->words, *adreno::findChip(setup.chip));
  return false;
}

static uint64_t scaled(uint64_t sample, uint64_t full) {
  const char *scale = getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full" ? full : sample;
}

static void checkPrograms(uint64_t count, const GeneratorOptions &shape, const Setup &setup) {
  for (uint64_t seed = 1; seed <= count; ++seed)
    if (!checkProgram(seed, shape, setup))
      return;
}

TEST(Ir3Execute, Row06And53ComputesWhatTheIrMeans) {
  for (StringLiteral chip :
       {StringLiteral("a420"), StringLiteral("a630"), StringLiteral("a660"), StringLiteral("a740")})
    checkPrograms(scaled(60, 2500), {}, {chip, {}});
}

/// Branches and loops in which the fibers of a whole wave take ways of their own, with phis that
/// permute values.
TEST(Ir3Execute, Row12And21And24FibersMeetAgain) {
  GeneratorOptions shape;
  shape.statements = 30;
  shape.hasArrays = shape.hasHalves = false;
  checkPrograms(scaled(25, 1500), shape, {"a630", {}, /*lanes=*/64});
}

/// Inputs in fixed registers, and vectors with components in common.
TEST(Ir3Execute, Row18And22InputsAndVectors) {
  GeneratorOptions shape;
  shape.hasFlow = shape.hasArrays = shape.hasHalves = false;
  checkPrograms(scaled(60, 2500), shape, {"a740", {}});
}

/// Reads and writes of r<a0.x + n>, and reads of c<a0.x + n>.
TEST(Ir3Execute, Row27And28And29And35RelativeOperands) {
  GeneratorOptions shape;
  shape.statements = 40;
  shape.hasFlow = shape.hasHalves = false;
  for (StringLiteral chip : {StringLiteral("a420"), StringLiteral("a630")})
    checkPrograms(scaled(30, 1500), shape, {chip, {}});
}

/// The outputs end in registers that the caller has chosen, among them those of inputs.
TEST(Ir3Execute, Row19OutputsAreInChosenRegisters) {
  GeneratorOptions shape;
  shape.placesOutputs = true;
  for (StringLiteral chip : {StringLiteral("a420"), StringLiteral("a630")})
    checkPrograms(scaled(60, 2000), shape, {chip, {}});
  CompileOptions few;
  few.vectors = 8;
  checkPrograms(scaled(30, 1000), shape, {"a630", few});
}

/// Neighbour lists and merge sets, with each schedule and with few registers.
TEST(Ir3Execute, Row26GroupingsAreTheSame) {
  CompileOptions options;
  options.grouping = Grouping::Neighbors;
  for (StringLiteral chip :
       {StringLiteral("a420"), StringLiteral("a630"), StringLiteral("a660"), StringLiteral("a740")})
    checkPrograms(scaled(40, 1500), {}, {chip, options});
  options.schedule = Schedule::DeepestFirst;
  checkPrograms(scaled(40, 1500), {}, {"a630", options});
  options.vectors = 5;
  GeneratorOptions shape;
  shape.statements = 60;
  shape.values = 50;
  shape.hasArrays = false;
  checkPrograms(scaled(30, 1500), shape, {"a630", options});
}

/// The two instructions of the notes, of which the second needs the last result of the first one
/// at first: right in each schedule, and by default with no more nops than in the order of the
/// text.
TEST(Ir3Execute, Row02SwizzleHazardOfTheNotes) {
  constexpr StringLiteral text = "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\n"
                                 "DCL TEMP[0..2], LOCAL\n"
                                 "MOV TEMP[1], IN[0]\nMOV TEMP[2], IN[1]\n"
                                 "ADD TEMP[0], TEMP[1], TEMP[2]\n"
                                 "MUL TEMP[0], TEMP[1], TEMP[0].wzyx\n"
                                 "MOV OUT[0], TEMP[0]\nEND\n";
  auto inputs = [](const VariantRegister &input, unsigned lane) {
    return bit_cast<uint32_t>(1.5f * float(input.index + 1) + float(lane));
  };
  constexpr unsigned Lanes = 4;
  for (StringLiteral chip : {StringLiteral("a420"), StringLiteral("a630"), StringLiteral("a740")}) {
    unsigned naive = 0;
    for (Schedule schedule : {Schedule::None, Schedule::DeepestFirst, Schedule::Pressure}) {
      Expected<std::unique_ptr<Program>> program = readTgsi(text, *findCompiler(chip));
      ASSERT_TRUE(bool(program)) << takeError(program.takeError()).message;
      CompileOptions options;
      options.schedule = schedule;
      Expected<ShaderVariant> variant = compileProgram(**program, options);
      ASSERT_TRUE(bool(variant)) << takeError(variant.takeError()).message;
      if (schedule == Schedule::None)
        naive = variant->statistics.nops;
      if (schedule == Schedule::Pressure)
        EXPECT_LE(variant->statistics.nops, naive);
      std::vector<Finding> findings;
      auto results = runCode(*variant, *adreno::findChip(chip), Lanes, findings, inputs);
      EXPECT_TRUE(findings.empty());
      for (unsigned lane = 0; lane < Lanes; ++lane) {
        for (unsigned i = 0; i < 4; ++i) {
          auto in = [&](unsigned index) { return 1.5f * float(index + 1) + float(lane); };
          float expected = in(i) * (in(3 - i) + in(4 + 3 - i));
          EXPECT_EQ(bit_cast<float>(results[lane][i]), expected) << chip.str() << " " << i;
        }
      }
    }
  }
}

/// Arrays of vectors of one to four components: the index is scaled in 16 bits.
TEST(Ir3Execute, Row34AddressesOfVectorsOfEachWidth) {
  constexpr unsigned Elements = 4, Lanes = 8;
  for (unsigned width = 1; width <= 4; ++width) {
    Program program(*findCompiler("a630"));
    Builder builder(program, program.createBlock());
    Instruction *lane = builder.input(0);
    unsigned id = program.createArray(Elements * width);
    for (unsigned i = 0; i < Elements * width; ++i)
      builder.storeArray(id, i, nullptr, Register::immediate(100 + i));
    Instruction *index = builder.create(Opcode::AndB, {lane->value(), Register::immediate(3)});
    Instruction *narrow = builder.move(index->value(), U32, U16);
    bool isPower = isPowerOf2_32(width);
    Instruction *scaled = builder.create(
        isPower ? Opcode::ShlB : Opcode::MullU,
        {narrow->value(), Register::immediate(isPower ? Log2_32(width) : width, /*half=*/true)},
        /*half=*/true);
    Instruction *address = builder.moveAddress(scaled->value());
    std::vector<Register> outputs;
    for (unsigned i = 0; i < width; ++i) {
      Instruction *old = builder.loadArray(id, i, address);
      Instruction *sum = builder.create(Opcode::AddU, {old->value(), lane->value()});
      builder.storeArray(id, i, address, sum->value());
      outputs.push_back(builder.loadArray(id, i, address)->value());
    }
    builder.end(outputs);
    Expected<ShaderVariant> variant = compileProgram(program, {});
    ASSERT_TRUE(bool(variant)) << takeError(variant.takeError()).message;
    std::vector<Finding> findings;
    auto results = runCode(*variant, adreno::Chip::A630, Lanes, findings);
    EXPECT_TRUE(findings.empty()) << findings.front().message;
    for (unsigned i = 0; i < Lanes; ++i)
      for (unsigned k = 0; k < width; ++k)
        EXPECT_EQ(results[i][k], 100 + (i & 3) * width + k + i);
  }
}

TEST(Ir3Execute, UnoptimizedCodeIsTheSame) {
  CompileOptions options;
  options.optimize = false;
  checkPrograms(scaled(60, 2500), {}, {"a630", options});
}

TEST(Ir3Execute, Row40And42SpillsWhereRegistersDoNotSuffice) {
  CompileOptions options;
  options.vectors = 5;
  GeneratorOptions shape;
  shape.statements = 60;
  shape.values = 50;
  shape.hasArrays = false;
  checkPrograms(scaled(40, 2500), shape, {"a630", options});
}

TEST(Ir3Execute, Row42SpillAllIsTheSame) {
  CompileOptions options;
  options.spillAll = true;
  checkPrograms(scaled(40, 2500), {}, {"a630", options});
}

/// \p word with one slot less of nops, or without a flag; nothing: it has none.
static std::optional<uint64_t> weakened(uint64_t word, adreno::Chip chip, unsigned kind) {
  using adreno::Field;
  adreno::Inst inst = adreno::decode(word, chip);
  bool isNop = inst.name() == "nop";
  switch (kind) {
  case 0:
    return inst.get(Field::Short) && inst.set(Field::Short, 0) ? std::optional(inst.word())
                                                               : std::nullopt;
  case 1:
    return inst.get(Field::Sync) && inst.set(Field::Sync, 0) ? std::optional(inst.word())
                                                             : std::nullopt;
  case 2:
    return isNop && inst.repeat() && inst.set(Field::Repeat, inst.repeat() - 1)
               ? std::optional(inst.word())
               : std::nullopt;
  default:
    break;
  }
  unsigned nops = inst.nopCount();
  if (!nops)
    return std::nullopt;
  bool isSet =
      inst.set(Field::Repeat1, (nops - 1) & 1) && inst.set(Field::Repeat2, (nops - 1) >> 1);
  return isSet ? std::optional(inst.word()) : std::nullopt;
}

/// Row 51: in code without branches each wait and each slot is needed, as the sanitizer sees it.
TEST(Ir3Execute, Row51EachWaitAndNopIsNeeded) {
  GeneratorOptions shape;
  // An access by a0.x may touch any element, but one run touches one.
  shape.hasFlow = shape.hasArrays = false;
  unsigned tried = 0, needed = 0;
  for (uint64_t seed = 1; seed <= scaled(50, 1000); ++seed) {
    Program program(*findCompiler("a630"));
    program.constDwords = 16;
    Generator(program, shape, seed).run();
    CompileOptions options;
    options.vectors = 4;
    options.spillAll = seed % 2;
    Expected<ShaderVariant> variant = compileProgram(program, options);
    ASSERT_TRUE(bool(variant)) << takeError(variant.takeError()).message;
    for (uint64_t &word : variant->words) {
      for (unsigned kind = 0; kind < 4; ++kind) {
        uint64_t original = word;
        std::optional<uint64_t> weak = weakened(word, adreno::Chip::A630, kind);
        if (!weak)
          continue;
        word = *weak;
        std::vector<Finding> findings;
        runCode(*variant, adreno::Chip::A630, 2, findings);
        word = original;
        ++tried;
        needed += !findings.empty();
      }
    }
  }
  EXPECT_GT(tried, 200u);
  EXPECT_EQ(needed, tried);
}

TEST(Ir3Execute, Row38And50SchedulesAreTheSame) {
  CompileOptions none, deepest;
  none.schedule = Schedule::None;
  deepest.schedule = Schedule::DeepestFirst;
  checkPrograms(scaled(40, 2000), {}, {"a630", none});
  checkPrograms(scaled(40, 2000), {}, {"a630", deepest});
}

TEST(Ir3Execute, DebugModesAreTheSame) {
  CompileOptions fullSync, fullNop;
  fullSync.fullSync = true;
  fullNop.fullNop = true;
  checkPrograms(scaled(30, 1000), {}, {"a630", fullSync});
  checkPrograms(scaled(30, 1000), {}, {"a630", fullNop});
}

/// Alone, and all together.
TEST(Ir3Execute, SimpleWaysOfPassesAreTheSame) {
  for (StringRef simple : {"ir3-flatten", "ir3-optimize", "ir3-lower-operands", "ir3-schedule",
                           "ir3-allocate-registers", "ir3-schedule-physical", "ir3-lay-out-blocks",
                           "ir3-legalize", "ir3"}) {
    SCOPED_TRACE(simple.str());
    CompileOptions options;
    options.mayRun = [simple](StringRef pass) { return !pass.starts_with(simple); };
    checkPrograms(scaled(15, 1000), {}, {"a630", options});
  }
}

} // namespace assay::ir3
