// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each planted fault of the machine, its decoder and its launch makes a difference to a small
// program.
#include "oracles/machine/ir3_isa/Defect.h"

#include "oracles/machine/adreno/AdrenoMachine.h"
#include "oracles/machine/adreno/HazardChecker.h"
#include "oracles/machine/adreno/LateRun.h"
#include "oracles/machine/adreno/WaveTesting.h"
#include "oracles/machine/adreno/image/Images.h"
#include "oracles/turnip/TurnipShader.h"
#include "support/Fault.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

namespace {

constexpr uint64_t BufferAt = 0x1'0000'1000, TableAt = 0x1'0000'9000;

/// \p text as raw words, assembled at the first call, when nothing is planted yet.
std::string rawOf(StringRef text) {
  static std::map<std::string, std::string> known;
  std::string &raw = known[text.str()];
  if (!raw.empty())
    return raw;
  Expected<std::vector<uint64_t>> words = assemble(text, Chip::A630);
  if (!words) {
    ADD_FAILURE() << takeError(words.takeError()).message;
    return "";
  }
  for (uint64_t word : *words)
    raw += "raw 0x" + utohexstr(word, /*LowerCase=*/true, /*Width=*/16) + "\n";
  return raw;
}

/// What lane 5 of 64 has in r2.x, and lane 6. r0.x is the lane's number; c0.x to c3.w are 100, 101,
/// and so on.
struct Lanes {
  uint32_t five = 0, six = 0;
  bool operator==(const Lanes &) const = default;
};
Lanes lanesOf(StringRef text) {
  TestWave wave(rawOf(text));
  for (unsigned i = 0; i < 16; ++i)
    wave.wave().constants[i] = 100 + i;
  wave.run();
  return {wave("r2.x", 5), wave("r2.x", 6)};
}

/// A shader with a buffer of 256 dwords at descriptor 0 of base 0, a uniform buffer over the
/// same at descriptor 1. r48.xyz is the workgroup's id, r0.xyz the fiber's; c0.x is push
/// constant 0, c1.x is 9.
turnip::TurnipShader makeShader(StringRef text, std::array<uint32_t, 3> size) {
  turnip::TurnipShader shader;
  shader.driver = "a test";
  shader.target = "a630";
  Expected<std::vector<uint64_t>> words = assemble(rawOf((text + "\nend\n").str()), Chip::A630);
  if (words)
    shader.code = *words;
  else
    ADD_FAILURE() << takeError(words.takeError()).message;
  shader.launch.fullRegisters = 16;
  shader.launch.mergedRegisters = true;
  shader.launch.constantVec4s = 4;
  shader.launch.branchStack = 4;
  shader.launch.privateBytesPerFiber = 16;
  shader.launch.localSize = size;
  shader.launch.workgroupIdRegister = reg::Shared;
  shader.launch.localIdRegister = 0;
  shader.loads.push_back(
      {turnip::LoadSpace::Constants, 0, 0, {{turnip::DwordSource::PushConstant, 0}}});
  shader.loads.push_back({turnip::LoadSpace::Constants, 0, 4, {{turnip::DwordSource::Value, 9}}});
  shader.resources.push_back({BufferAt, 1024, {}});
  turnip::BindlessBase base;
  base.address = TableAt;
  base.bytes.resize(128);
  const uint32_t buffer[6] = {0x4bU << 22, 128, 4U << 29, 0, uint32_t(BufferAt), 1};
  const uint32_t uniform[2] = {uint32_t(BufferAt), 1 | 64U << 17};
  for (unsigned i = 0; i < 6; ++i)
    storeWord(&base.bytes[4 * i], 4, buffer[i]);
  for (unsigned i = 0; i < 2; ++i)
    storeWord(&base.bytes[64 + 4 * i], 4, uniform[i]);
  shader.bases.push_back(base);
  return shader;
}

/// The buffer, which begins as 0, 1, 2, ..., after a dispatch of \p groups; empty where the run
/// does not complete.
std::vector<uint32_t> dispatch(StringRef text, std::array<uint32_t, 3> size,
                               std::array<uint32_t, 3> groups = {1, 1, 1}) {
  Case input;
  input.buffers.resize(2);
  input.buffers[0].bytes.resize(1024);
  for (unsigned i = 0; i < 256; ++i)
    storeWord(&input.buffers[0].bytes[4 * i], 4, i);
  input.buffers[1].bytes = {77, 0, 0, 0, 88, 0, 0, 0};
  input.pipelines.emplace_back();
  BufferBinding push;
  push.kind = BindingKind::PushConstant;
  push.buffer = 1;
  input.pipelines[0].bindings.push_back(push);
  Dispatch command;
  std::copy(groups.begin(), groups.end(), command.groups);
  input.commands.push_back(command);
  Artifact artifact(turnip::writeTurnipShader(makeShader(text, size)));
  Expected<std::unique_ptr<Machine>> machine = createAdrenoMachine("a630");
  RunOptions options;
  options.sanitize = false;
  Expected<Outcome> outcome = cantFail(std::move(machine))->run(input, artifact, options);
  std::vector<uint32_t> words;
  if (!outcome) {
    consumeError(outcome.takeError());
    return words;
  }
  if (outcome->kind == OutcomeKind::Completed)
    for (unsigned i = 0; i < 256; ++i)
      words.push_back(loadWord(&outcome->checkpoints.back()[0].bytes[4 * i], 4));
  return words;
}

bool givesFive(StringRef text, uint32_t five) {
  return lanesOf(text).five == five;
}

uint32_t f(float value) {
  return bit_cast<uint32_t>(value);
}

/// Whether word \p index of the buffer is \p value after the dispatch.
bool stores(StringRef text, unsigned index, uint32_t value,
            std::array<uint32_t, 3> size = {64, 1, 1}, std::array<uint32_t, 3> groups = {1, 1, 1}) {
  std::vector<uint32_t> words = dispatch(text, size, groups);
  return index < words.size() && words[index] == value;
}

constexpr StringLiteral StoreR2 = "\nstib.b.untyped.1d.u32.1.imm.base0 r2.x, r0.x, 0";

bool stores2(StringRef text, unsigned index, uint32_t value) {
  return stores((text + StoreR2).str(), index, value);
}

} // namespace

// The decoder.

static bool signsImmediates() {
  return givesFive("add.s r2.x, r0.x, -1", 4);
}
static bool readsSplitFields() {
  return stores("mov.u32u32 r2.x, 0\nldib.b.untyped.1d.u32.1.imm.base0 r2.x, r0.x+5, 0" +
                    StoreR2.str(),
                1, 6);
}
static bool repeats() {
  return givesFive("mov.u32u32 r2.x, 1\n(rpt1)mov.u32u32 r1.w, 7", 7);
}
static bool convertsResults() {
  return givesFive("mov.u32u32 r2.x, 0\ncov.u32f32 r1.x, r0.x\nadd.f hr4.x, r1.x, r1.x",
                   0x4900); // hr4.x is the lower half of r2.x: 10.0 as a half.
}
static bool takesAbsolutes() {
  return givesFive("mov.f32f32 r1.x, (-2.0)\nadd.f r2.x, (abs)r1.x, (0.0)", f(2));
}

// Arithmetic and registers.

static bool readsUpperHalves() {
  return givesFive("mov.u32u32 r1.x, 0x00070003\ncov.u16u32 r2.x, hr2.y", 7);
}
static bool negates() {
  return givesFive("mov.f32f32 r1.x, (2.0)\nadd.f r2.x, (neg)r1.x, (0.0)", f(-2));
}
static bool saturates() {
  return givesFive("mov.f32f32 r1.x, (2.0)\n(sat)add.f r2.x, r1.x, (0.0)", f(1));
}
static bool repeatsSources() {
  return givesFive("mov.u32u32 r1.x, 1\nmov.u32u32 r1.y, 2\n(rpt1)mov.u32u32 r1.w, (r)r1.x", 2);
}
static bool addsAddresses() {
  return givesFive("mova a0.x, 3\nmov.u32u32 r2.x, c<a0.x + 1>", 104);
}
static bool movesAtOnce() {
  return givesFive("mov.u32u32 r2.x, 1\nmov.u32u32 r2.y, 2\nswz.u32u32 r2.x, r2.y, r2.y, r2.x\n"
                   "shl.b r2.x, r2.x, 4\nor.b r2.x, r2.x, r2.y",
                   0x21);
}
static bool sharesFirst() {
  return givesFive("mov.u32u32 r48.x, r0.x\nmov.u32u32 r2.x, r48.x", 0);
}
static bool narrowsTowardZero() {
  return givesFive("mov.u32u32 r2.x, 0\nmov.u32u32 r1.x, 0x3f801fff\ncov.f32f16 hr4.x, r1.x",
                   0x3c00);
}

// Flow.

static bool inverts() {
  return lanesOf("mov.u32u32 r2.x, 0\ncmps.u.lt p0.x, r0.x, 6\nbr !p0.x, #done\n"
                 "mov.u32u32 r2.x, 1\ndone: (jp)nop") == Lanes{1, 0};
}
static bool knowsAny() {
  return givesFive("mov.u32u32 r2.x, 0\ncmps.u.lt p0.x, r0.x, 6\nbany p0.x, #done\n"
                   "mov.u32u32 r2.x, 1\ndone: (jp)nop",
                   0);
}
static bool keepsTheFirst() {
  TestWave wave("mov.u32u32 r2.x, 0\ngetone #done\nmov.u32u32 r2.x, 1\ndone: (jp)nop");
  wave.run();
  return wave("r2.x", 0) == 1;
}
static bool predicatesElse() {
  return lanesOf("mov.u32u32 r2.x, 0\ncmps.u.lt p0.x, r0.x, 6\npredf\nmov.u32u32 r2.x, 1\nprede") ==
         Lanes{0, 1};
}
/// The second wave stores, and the first one loads after the barrier.
static bool waitsAtBarriers() {
  return stores("mov.u32u32 r1.x, 0\ncmps.u.lt p0.x, r0.x, 64\nbr p0.x, #wait\n"
                "stl.u32 l[r1.x], r0.x, 1\nwait: (jp)bar.l\nldl.u32 r2.x, l[r1.x], 1" +
                    StoreR2.str(),
                5, 127, {128, 1, 1});
}

// Memory.

static bool checksBounds() {
  return stores2("add.u r1.x, r0.x, 126\nldib.b.untyped.1d.u32.1.imm.base0 r2.x, r1.x, 0", 3, 0);
}
static bool addsOffsets() {
  return stores2("ldib.b.untyped.1d.u32.1.imm.base0 r2.x, r0.x+1, 0", 3, 4);
}
static bool returnsOld() {
  return stores2("mov.u32u32 r2.y, 100\nmov.u32u32 r1.x, 5\n"
                 "atomic.b.max.untyped.1d.u32.1.imm.base0 r2.x, r1.x, 0",
                 0, 5);
}
static bool comparesMemory() {
  return stores("mov.u32u32 r2.y, 100\nmov.u32u32 r2.z, 70\nmov.u32u32 r1.x, 70\n"
                "atomic.b.cmpxchg.untyped.1d.u32.1.imm.base0 r2.x, r1.x, 0",
                70, 100);
}
static bool addsComponents() {
  return stores2("ldc.offset2.1.imm.base0 r2.x, 1, 1", 0, 6);
}
static bool separatesPrivateMemory() {
  return stores2("mov.u32u32 r1.x, 0\nstp.u32 p[r1.x], r0.x, 1\nldp.u32 r2.x, p[r1.x], 1", 3, 3);
}

// Images.

static ImageView makeView() {
  ImageView view;
  view.type = ImageType::TwoD;
  view.texel.row = findTexelRow(0x4b);
  view.width = view.height = 8;
  view.depth = 2;
  view.levels = 2;
  view.pitch = 64;
  view.layerPitch = 8192;
  return view;
}

static bool placesLevels() {
  return findTexel(makeView(), {0, 0, 0, 0, 1}) == std::optional<uint64_t>(512);
}

namespace {

/// A wave with an image of 4 x 4 texels at descriptor 0, a sampler at descriptor 1. Texel
/// (x, y) of layer n is 100 * n + 10 * y + x.
class ImageWave : public TestWave {
public:
  ImageWave(StringRef text, uint32_t word0, uint32_t sampler = 0) : TestWave(rawOf(text)) {
    for (unsigned layer = 0; layer < 2; ++layer)
      for (unsigned y = 0; y < 4; ++y)
        for (unsigned x = 0; x < 4; ++x)
          storeWord(&bytes[8192 * layer + 64 * y + 4 * x], 4, f(float(100 * layer + 10 * y + x)));
    memory.map(BufferAt & ~0xfffULL, bytes, "image", true);
    MutableArrayRef<uint8_t> table = memory.allocate(TableAt, 128, "descriptors", false);
    const uint32_t words[6] = {
        word0, 4 | 4 << 15, 64 << 7 | 1 << 29, 2, uint32_t(BufferAt & ~0xfffULL), 1 | 2 << 17};
    for (unsigned i = 0; i < 6; ++i)
      storeWord(&table[4 * i], 4, words[i]);
    storeWord(&table[64], 4, sampler);
    storeWord(&table[72], 4, 1 << 4);
    environment().bindlessBases = bases;
    environment().descriptorBytes = sizes;
  }
  std::vector<uint8_t> bytes = std::vector<uint8_t>(1 << 14);
  uint64_t bases[1] = {TableAt};
  uint32_t sizes[1] = {64};
};

constexpr uint32_t PlainFloat = 0x0688'0 | 0x4aU << 22;

} // namespace

static bool placesLayers() {
  ImageWave wave("mov.u32u32 r1.x, 1\nmov.u32u32 r1.y, 0\nmov.u32u32 r1.z, 1\n"
                 "isam.a.base0 (f32)(x)r2.x, r1.x, s#0, t#0",
                 PlainFloat);
  return wave.run().empty() && wave("r2.x") == f(101);
}
static bool swizzles() {
  uint32_t zeroFirst = (PlainFloat & ~(7U << 4)) | 4U << 4;
  ImageWave wave("mov.u32u32 r1.x, 1\nmov.u32u32 r1.y, 0\nisam.base0 (f32)(x)r2.x, r1.x, s#0, t#0",
                 zeroFirst);
  return wave.run().empty() && wave("r2.x") == f(0);
}
static bool swapsComponents() {
  TexelCode code{findTexelRow(0x33), /*swap=*/1};
  const uint8_t texel[4] = {1, 2, 3, 4};
  return decodeTexel(code, texel) == TexelWords{3, 2, 1, 4};
}
static bool filtersAtCenters() {
  ImageWave wave("mov.f32f32 r1.x, (0.5)\nmov.f32f32 r1.y, (0.5)\nmov.u32u32 r1.z, 0\n"
                 "saml.base0 (f32)(x)r2.x, r1.x, r1.z, s#1, t#0",
                 PlainFloat, 1 << 1 | 1 << 3);
  return wave.run().empty() && wave("r2.x") == f(16.5);
}
static bool wraps() {
  ImageWave wave("mov.f32f32 r1.x, (1.125)\nmov.f32f32 r1.y, (0.125)\nmov.u32u32 r1.z, 0\n"
                 "saml.base0 (f32)(x)r2.x, r1.x, r1.z, s#1, t#0",
                 PlainFloat);
  return wave.run().empty() && wave("r2.x") == f(0);
}

// Launch.

static bool ordersGroupIds() {
  return stores("mul.u24 r2.x, r48.x, 10\nadd.u r2.x, r2.x, r48.y\nmul.u24 r1.x, r48.y, 3\n"
                "add.u r1.x, r1.x, r48.x\nstib.b.untyped.1d.u32.1.imm.base0 r2.x, r1.x, 0",
                5, 21, {1, 1, 1}, {3, 2, 1});
}
static bool ordersLocalIds() {
  return stores("mul.u24 r2.x, r0.x, 10\nadd.u r2.x, r2.x, r0.y\nmul.u24 r1.x, r0.y, 4\n"
                "add.u r1.x, r1.x, r0.x\nstib.b.untyped.1d.u32.1.imm.base0 r2.x, r1.x, 0",
                7, 31, {4, 2, 1});
}
static bool loadsPushConstants() {
  return stores2("mov.u32u32 r2.x, c0.x", 0, 77);
}
static bool loadsConstantsInPlace() {
  return stores2("mov.u32u32 r2.x, c1.x", 0, 9);
}
static bool startsUsedFibers() {
  return stores("mov.u32u32 r2.y, 1\nmov.u32u32 r1.x, 0\n"
                "atomic.b.add.untyped.1d.u32.1.imm.base0 r2.x, r1.x, 0",
                0, 70, {70, 1, 1});
}

// Sanitizer and late results.

/// Findings of the sanitizer.
static size_t findingsOf(StringRef text, Chip chip = Chip::A630) {
  TestWave wave(text, chip);
  HazardChecker checker(wave.wave().program(), {});
  checker.define(0);
  while (wave.wave().status == simt::WaveStatus::Running) {
    const Op *op = wave.wave().fetch();
    checker.step(wave.wave(), *op);
    wave.wave().execute(*op);
  }
  return checker.findings().size();
}
static bool countsSlots() {
  return findingsOf("add.f r1.x, r0.x, r0.x\n(rpt1)nop\nadd.f r2.x, r1.x, r0.x") == 1;
}
/// Of the scalar ALU; a vector instruction overwrites its source.
static bool holdsScalarSources() {
  return findingsOf("mov.u32u32 r48.x, 5\nadd.u r48.y, r48.x, 1\nmovmsk.w32 r48.x", Chip::A660) ==
         2;
}
static bool readsSourcesLate() {
  TestWave wave("mov.f32f32 r1.x, (2.0)\n(rpt5)nop\nrcp r2.x, r1.x\nmov.f32f32 r1.x, (4.0)\n"
                "(rpt5)nop\n(ss)nop");
  simt::Choices choices(0);
  LateRun late(wave.wave().program(), choices);
  while (wave.wave().status == simt::WaveStatus::Running)
    if (const Op *op = wave.wave().fetch())
      late.execute(wave.wave(), *op);
  return wave("r2.x", 5) == f(0.25);
}

TEST(Defects, AreAllSeen) {
#ifdef ASSAY_FAULTS
  struct Row {
    Defect defect;
    bool (*isRight)();
  };
  static constexpr Row Rows[] = {
      {Defect::ImmediateUnsigned, signsImmediates},
      {Defect::SplitFieldSwapped, readsSplitFields},
      {Defect::RepeatIgnored, repeats},
      {Defect::HalfResultIgnored, convertsResults},
      {Defect::AbsoluteIgnored, takesAbsolutes},
      {Defect::UpperHalf, readsUpperHalves},
      {Defect::NegateIgnored, negates},
      {Defect::SaturateIgnored, saturates},
      {Defect::RepeatsNoSource, repeatsSources},
      {Defect::AddressIgnored, addsAddresses},
      {Defect::MovesOneByOne, movesAtOnce},
      {Defect::SharedByLast, sharesFirst},
      {Defect::NarrowNearest, narrowsTowardZero},
      {Defect::InvertIgnored, inverts},
      {Defect::AnyIsAll, knowsAny},
      {Defect::GetOneLast, keepsTheFirst},
      {Defect::ElseIsThen, predicatesElse},
      {Defect::BarrierPasses, waitsAtBarriers},
      {Defect::BoundsIgnored, checksBounds},
      {Defect::OffsetIgnored, addsOffsets},
      {Defect::AtomicGivesNew, returnsOld},
      {Defect::ComparesData, comparesMemory},
      {Defect::UniformOffset, addsComponents},
      {Defect::PrivateShared, separatesPrivateMemory},
      {Defect::LevelZero, placesLevels},
      {Defect::LayerPitch, placesLayers},
      {Defect::SwizzleIgnored, swizzles},
      {Defect::SwapIgnored, swapsComponents},
      {Defect::FilterShift, filtersAtCenters},
      {Defect::WrapClamps, wraps},
      {Defect::GroupSwapped, ordersGroupIds},
      {Defect::LocalSwapped, ordersLocalIds},
      {Defect::PushShifted, loadsPushConstants},
      {Defect::LoadAtStart, loadsConstantsInPlace},
      {Defect::FullWaves, startsUsedFibers},
      {Defect::SlotsShort, countsSlots},
      {Defect::ReadsAtOnce, readsSourcesLate},
      {Defect::ScalarReadsAtOnce, holdsScalarSources},
  };
  EXPECT_EQ(std::size(Rows), defectNames().size());
  for (const Row &row : Rows) {
    StringRef name = defectNames()[unsigned(row.defect)];
    EXPECT_TRUE(row.isRight()) << name.str();
    plantedDefect = row.defect;
    EXPECT_FALSE(row.isRight()) << name.str();
    plantedDefect = Defect::Count;
  }
#else
  GTEST_SKIP() << "this build has no planted faults";
#endif
}
