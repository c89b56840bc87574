// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That every opcode of every chip has semantics, except for a list of those that have none, with
// reasons (docs/gcn-machine.md has the same list).
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

struct Exception {
  StringLiteral prefix; ///< Of mnemonics.
  StringLiteral reason;
  uint8_t chips = gcn::chips::All;
};
constexpr Exception Exceptions[] = {
    {"image_bvh8_",
     "how nodes of eight boxes and compressed triangles are tested is not documented"},
    {"image_bvh_dual_",
     "how nodes of eight boxes and compressed triangles are tested is not documented"},
    {"ds_bvh_stack", "the manual's pushes and pops disagree by one entry"},
    {"image_gather4h", "which four texels it takes is not documented"},
    {"global_load_tr_", "what it transposes is documented for GFX12.5 only"},
    {"v_screen_partition_4se_b32", "no public document says what it does"},
    {"image_msaa_load", "LLVM's mask and the manual's mean different things", chips::Gfx10},
};

/// Words of \p form with other fields as chance has them. Few of the nibbles are not 0, since many
/// bits must be; some formats want a register to be NULL (0x7c).
Words makeWords(const InstForm &form, std::mt19937 &random, unsigned attempt) {
  Words words;
  unsigned zeros = attempt % 5;
  for (unsigned i = 0; i < form.layout->size && attempt; ++i)
    for (unsigned shift = 0; shift < 32; shift += 4)
      if (!(random() & maskTrailingOnes<uint32_t>(zeros)))
        words.dwords[i] |= (random() & 15) << shift;
  static constexpr uint32_t NoRegister[] = {0x7c, 0x7d, 0x7f};
  if (random() % 4 == 0)
    words.dwords[0] = (words.dwords[0] & ~0xffu) | NoRegister[random() % 3];
  if (random() % 4 == 0)
    words.dwords[1] = (words.dwords[1] & ~0xff0000u) | NoRegister[random() % 3] << 16;
  auto impose = [&](unsigned dword, uint32_t mask, uint32_t value) {
    words.dwords[dword] = (words.dwords[dword] & ~mask) | value;
  };
  if (const FieldPlace *place = form.layout->find(Field::Op)) {
    words.set(place->lsb, place->width, form.opcode);
    if (place->highWidth)
      words.set(place->highLsb, place->highWidth, form.opcode >> place->width);
  }
  // Rays have one valid value in most fields.
  static constexpr std::pair<Field, uint64_t> RayFields[] = {
      {Field::Dmask, 15}, {Field::R128, 1}, {Field::Unorm, 1}, {Field::Dim, 0}, {Field::Glc, 0},
      {Field::Slc, 0},    {Field::Dlc, 0},  {Field::Tfe, 0},   {Field::Lwe, 0}, {Field::D16, 0},
      {Field::Ssamp, 0},  {Field::Th, 0},   {Field::Scope, 0}, {Field::Nv, 0}};
  for (auto [field, value] : RayFields)
    if (const FieldPlace *place = form.layout->find(field); place && form.name.contains("_bvh"))
      words.set(place->lsb, place->width, value);
  impose(0, form.layout->mask, form.layout->value);
  impose(1, form.layout->mask1, form.layout->value1);
  return words;
}

const Exception *findException(StringRef name, Chip chip) {
  for (const Exception &exception : Exceptions)
    if (name.starts_with(exception.prefix) && contains(exception.chips, chip))
      return &exception;
  return nullptr;
}

/// What became of the opcodes of one chip.
struct Coverage {
  std::set<std::string> bound, unbound, undecoded;
};

Coverage bindAll(Chip chip, unsigned waveSize) {
  ProgramOptions options;
  options.targetName = chipName(chip).str();
  options.gfxMajor = chip == Chip::Gfx900                             ? 9
                     : chip == Chip::Gfx1010 || chip == Chip::Gfx1030 ? 10
                     : chip == Chip::Gfx1201                          ? 12
                                                                      : 11;
  options.waveSize = waveSize;
  options.vgprCount = 256;
  options.sgprCount = 102;
  TableDecoder decoder(chip, waveSize);
  std::mt19937 random(1);
  Coverage coverage;
  for (const InstForm *form : IsaTable::get(chip).forms()) {
    if (form->layout->format == Format::VopdY) // A half of VopdX.
      continue;
    bool isDecoded = false, isBound = false;
    for (unsigned attempt = 0; attempt < 1000 && !isBound; ++attempt) {
      Words words = makeWords(*form, random, attempt);
      Inst inst = decoder.decode(
          ArrayRef(reinterpret_cast<const uint8_t *>(words.dwords.data()), 4 * MaxWords), 0);
      if (!inst.valid || inst.mnemonic != form->name)
        continue;
      isDecoded = true;
      isBound = bindInst(inst, options).run != runUnsupported;
    }
    std::string name = form->name.str();
    (isBound ? coverage.bound : isDecoded ? coverage.unbound : coverage.undecoded).insert(name);
  }
  return coverage;
}

} // namespace

class Semantics : public ::testing::TestWithParam<unsigned> {};

TEST_P(Semantics, EveryOpcodeHasThemOrAReason) {
  auto chip = static_cast<Chip>(GetParam());
  Coverage coverage = bindAll(chip, chip == Chip::Gfx900 ? 64 : 32);
  EXPECT_GT(coverage.bound.size(), 700u);
  for (const std::string &name : coverage.undecoded)
    EXPECT_TRUE(findException(name, chip))
        << name << " was not decoded on " << chipName(chip).str();
  for (const std::string &name : coverage.unbound)
    EXPECT_TRUE(findException(name, chip))
        << name << " has no semantics on " << chipName(chip).str();
  for (const std::string &name : coverage.bound)
    EXPECT_FALSE(findException(name, chip)) << name << " has semantics, and a reason to have none";
}

static std::string paramName(const ::testing::TestParamInfo<unsigned> &info) {
  return chipName(static_cast<Chip>(info.param)).str();
}
INSTANTIATE_TEST_SUITE_P(Chips, Semantics, ::testing::Range(0u, ChipCount), paramName);
