// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// WMMA and SWMMAC against plain matrix products. Elements are put into registers by the formulas
// that AMD's Matrix Instruction Calculator prints, which lead from matrix to register; the machine
// goes from register to matrix. Elements are small integers, so that every order of sums is exact.
#include "oracles/machine/gcn/WaveTesting.h"
#include "llvm/ADT/APFloat.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

enum class Number { F16, BF16, F32, I32, IU8, IU4, Fp8, Bf8 };

struct Operation {
  const char *name;
  Number a, b, c;
  unsigned depth;
  bool isSparse;
  unsigned minGfx;
};

/// Bits of a register of a lane.
struct Place {
  unsigned lane, reg, bit;
};

struct Setting {
  const Operation *operation;
  unsigned gfxMajor;
  unsigned waveSize;
};

struct TypeRow {
  unsigned bits;
  const fltSemantics &(*semantics)();
};

} // namespace

static constexpr Operation Operations[] = {
    {"v_wmma_f32_16x16x16_f16", Number::F16, Number::F16, Number::F32, 16, false, 11},
    {"v_wmma_f32_16x16x16_bf16", Number::BF16, Number::BF16, Number::F32, 16, false, 11},
    {"v_wmma_f16_16x16x16_f16", Number::F16, Number::F16, Number::F16, 16, false, 11},
    {"v_wmma_bf16_16x16x16_bf16", Number::BF16, Number::BF16, Number::BF16, 16, false, 11},
    {"v_wmma_i32_16x16x16_iu8", Number::IU8, Number::IU8, Number::I32, 16, false, 11},
    {"v_wmma_i32_16x16x16_iu4", Number::IU4, Number::IU4, Number::I32, 16, false, 11},
    {"v_wmma_i32_16x16x32_iu4", Number::IU4, Number::IU4, Number::I32, 32, false, 12},
    {"v_wmma_f32_16x16x16_fp8_fp8", Number::Fp8, Number::Fp8, Number::F32, 16, false, 12},
    {"v_wmma_f32_16x16x16_fp8_bf8", Number::Fp8, Number::Bf8, Number::F32, 16, false, 12},
    {"v_wmma_f32_16x16x16_bf8_fp8", Number::Bf8, Number::Fp8, Number::F32, 16, false, 12},
    {"v_wmma_f32_16x16x16_bf8_bf8", Number::Bf8, Number::Bf8, Number::F32, 16, false, 12},
    {"v_swmmac_f32_16x16x32_f16", Number::F16, Number::F16, Number::F32, 32, true, 12},
    {"v_swmmac_f32_16x16x32_bf16", Number::BF16, Number::BF16, Number::F32, 32, true, 12},
    {"v_swmmac_f16_16x16x32_f16", Number::F16, Number::F16, Number::F16, 32, true, 12},
    {"v_swmmac_bf16_16x16x32_bf16", Number::BF16, Number::BF16, Number::BF16, 32, true, 12},
    {"v_swmmac_i32_16x16x32_iu8", Number::IU8, Number::IU8, Number::I32, 32, true, 12},
    {"v_swmmac_i32_16x16x32_iu4", Number::IU4, Number::IU4, Number::I32, 32, true, 12},
    {"v_swmmac_i32_16x16x64_iu4", Number::IU4, Number::IU4, Number::I32, 64, true, 12},
    {"v_swmmac_f32_16x16x32_fp8_fp8", Number::Fp8, Number::Fp8, Number::F32, 32, true, 12},
    {"v_swmmac_f32_16x16x32_fp8_bf8", Number::Fp8, Number::Bf8, Number::F32, 32, true, 12},
    {"v_swmmac_f32_16x16x32_bf8_fp8", Number::Bf8, Number::Fp8, Number::F32, 32, true, 12},
    {"v_swmmac_f32_16x16x32_bf8_bf8", Number::Bf8, Number::Bf8, Number::F32, 32, true, 12},
};

/// In the order of Number; integers have no semantics.
static const TypeRow &rowOf(Number type) {
  static constexpr TypeRow Rows[] = {{16, APFloat::IEEEhalf},
                                     {16, APFloat::BFloat},
                                     {32, APFloat::IEEEsingle},
                                     {32, nullptr},
                                     {8, nullptr},
                                     {4, nullptr},
                                     {8, APFloat::Float8E4M3FN},
                                     {8, APFloat::Float8E5M2}};
  return Rows[unsigned(type)];
}

static bool isFloat(Number type) {
  return rowOf(type).semantics;
}

/// The bits of whole number \p value.
static uint32_t encode(int64_t value, Number type) {
  const TypeRow &row = rowOf(type);
  if (!row.semantics)
    return static_cast<uint32_t>(value) & (row.bits == 32 ? ~0u : (1u << row.bits) - 1);
  APFloat number(static_cast<double>(value));
  bool lost = false;
  number.convert(row.semantics(), APFloat::rmNearestTiesToEven, &lost);
  EXPECT_FALSE(lost) << value;
  return static_cast<uint32_t>(number.bitcastToAPInt().getZExtValue());
}

/// Element (i, k) of dense A; of B, (j, k).
static Place denseInput(const Setting &s, unsigned bits, unsigned i, unsigned k) {
  unsigned perRegister = 32 / bits, bit = k % perRegister * bits;
  if (s.gfxMajor == 11)
    return {i, k / perRegister, bit};
  bool isWide = s.waveSize == 64;
  if (bits == 16)
    return isWide ? Place{32 * (k / 8 % 2) + 16 * (k / 4 % 2) + i, k / 2 % 2, bit}
                  : Place{16 * (k / 4 % 2) + i, 2 * (k / 8) + k / 2 % 2, bit};
  if (bits == 8)
    return isWide ? Place{32 * (k / 4 % 2) + 16 * (k / 8 % 2) + i, 0, bit}
                  : Place{16 * (k / 8) + i, k / 4 % 2, bit};
  if (s.operation->depth == 16)
    return {16 * (k / 8) + i, 0, bit};
  return isWide ? Place{32 * (k / 8 % 2) + 16 * (k / 16 % 2) + i, 0, bit}
                : Place{16 * (k / 16) + i, k / 8 % 2, bit};
}

/// Element (k, j) of the B of a sparse operation.
static Place sparseB(const Setting &s, unsigned bits, unsigned j, unsigned k) {
  unsigned bit = k % (32 / bits) * bits;
  bool isWide = s.waveSize == 64;
  if (bits == 16)
    return isWide ? Place{16 * (k / 8) + j, k / 2 % 4, bit}
                  : Place{16 * (k / 8 % 2) + j, 4 * (k / 16) + k / 2 % 4, bit};
  if (bits == 8)
    return isWide ? Place{32 * (k / 8 % 2) + 16 * (k / 16) + j, k / 4 % 2, bit}
                  : Place{16 * (k / 16) + j, k / 4 % 4, bit};
  if (s.operation->depth == 32)
    return isWide ? Place{32 * (k / 8 % 2) + 16 * (k / 16) + j, 0, bit}
                  : Place{16 * (k / 16) + j, k / 8 % 2, bit};
  return isWide ? Place{32 * (k / 16 % 2) + 16 * (k / 32) + j, k / 8 % 2, bit}
                : Place{16 * (k / 32) + j, k / 8 % 4, bit};
}

/// The first of the two elements stored for columns k to k + 3 of row i of sparse A.
static Place sparseA(const Setting &s, unsigned bits, unsigned i, unsigned k) {
  bool isWide = s.waveSize == 64;
  if (bits == 16)
    return isWide ? Place{16 * (k / 8) + i, k / 4 % 2, 0}
                  : Place{16 * (k / 8 % 2) + i, 2 * (k / 16) + k / 4 % 2, 0};
  if (bits == 8)
    return isWide ? Place{32 * (k / 8 % 2) + 16 * (k / 16) + i, 0, 16 * (k / 4 % 2)}
                  : Place{16 * (k / 16) + i, k / 8 % 2, 16 * (k / 4 % 2)};
  unsigned bit = 8 * (k / 4 % 4);
  if (s.operation->depth == 32)
    return {16 * (k / 16) + i, 0, bit};
  return isWide ? Place{32 * (k / 16 % 2) + 16 * (k / 32) + i, 0, bit}
                : Place{16 * (k / 32) + i, k / 16 % 2, bit};
}

/// The bits in its lane's index register, for index_key 0.
static unsigned indexBit(const Setting &s, unsigned bits, unsigned k) {
  bool isWide = s.waveSize == 64;
  if (bits == 16)
    return isWide ? 4 * (k / 4 % 2) : 8 * (k / 16) + 4 * (k / 4 % 2);
  if (bits == 8)
    return isWide ? 4 * (k / 4 % 2) : 4 * (k / 4 % 4);
  return 4 * (k / 4 % (s.operation->depth == 64 && !isWide ? 8 : 4));
}

/// How far index_key 1 is from 0; 32 where there is but one set of indices.
static unsigned indexStep(const Setting &s, unsigned bits) {
  bool isWide = s.waveSize == 64;
  if (bits == 4)
    return s.operation->depth == 64 && !isWide ? 32 : 16;
  return isWide ? 8 : 16;
}

/// Element (i, j) of C and D. \p high: GFX11's upper halves.
static Place result(const Setting &s, unsigned bits, unsigned i, unsigned j, bool high) {
  if (s.gfxMajor == 11)
    return {16 * i % s.waveSize + j, i / (s.waveSize / 16), high ? 16u : 0u};
  unsigned perLane = 256 / s.waveSize;
  unsigned lane = s.waveSize == 64 ? 32 * (i / 4 % 2) + 16 * (i / 8) + j : 16 * (i / 8) + j;
  if (bits == 16)
    return {lane, i / 2 % (perLane / 2), 16 * (i % 2)};
  return {lane, i % perLane, 0};
}

static void put(LaneArray *registers, const Place &place, unsigned bits, uint32_t value) {
  uint32_t mask = (bits == 32 ? ~0u : (1u << bits) - 1) << place.bit;
  uint32_t &word = registers[place.reg][place.lane];
  word = (word & ~mask) | (value << place.bit & mask);
}

namespace {

/// Modifiers of one run, and what they are called.
struct Variant {
  std::string text;
  bool aSigned = false, bSigned = false;                                          ///< Integers.
  bool negatesA = false, negatesB = false, negatesC = false, isAbsoluteC = false; ///< Floats.
  bool isHigh = false;
  unsigned indexKey = 0;
  bool clamps = false;
};

/// One operation on one chip, with random matrices.
class MatrixRun {
public:
  MatrixRun(const Setting &setting, const Variant &variant, unsigned seed)
      : m_setting(setting), m_operation(*setting.operation), m_variant(variant), m_random(seed) {
    for (auto &row : m_a)
      row.fill(0);
    makeA();
    for (auto &row : m_b)
      for (int64_t &value : row)
        value = randomElement(m_operation.b, variant.bSigned);
    for (auto &row : m_c)
      for (int64_t &value : row)
        value = int64_t(m_random() % 40) - 20 + (variant.clamps ? INT32_MAX - 30 : 0);
  }

  void check(StringRef target) {
    EXPECT_TRUE(isRightBy(target, m_operation))
        << target.str() << " wave" << m_setting.waveSize << " " << text(m_operation);
  }

  /// True when instruction \p other gives what this run's operation should.
  bool isRightBy(StringRef target, const Operation &other) {
    WaveBench bench(target, m_setting.waveSize, text(other));
    if (!bench.wave)
      return false;
    Wave &wave = *bench.wave;
    fill(wave);
    std::vector<LaneArray> expected = wave.v;
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned j = 0; j < 16; ++j)
        put(&expected[firstD], place(i, j), bits(m_operation.c),
            encode(product(i, j), m_operation.c));
    return bench.run() && wave.v == expected;
  }

  /// The operands of \p operation, as text.
  std::string operands(const Operation &operation) const {
    return text(operation).substr(std::string(operation.name).size());
  }

private:
  static constexpr unsigned firstA = 0, firstB = 16, firstC = 32, firstIndex = 48, firstD = 64;

  static unsigned bits(Number type) { return rowOf(type).bits; }

  Place place(unsigned i, unsigned j) const {
    return result(m_setting, bits(m_operation.c), i, j, m_variant.isHigh);
  }

  int64_t randomElement(Number type, bool isSigned) {
    if (isFloat(type))
      return int64_t(m_random() % 9) - 4;
    int64_t range = int64_t(1) << bits(type);
    return int64_t(m_random() % uint64_t(range)) - (isSigned ? range / 2 : 0);
  }

  /// Sparse: two columns of each four.
  void makeA() {
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned k = 0; k < m_operation.depth; k += 4) {
        unsigned first = m_random() % 3, second = first + 1 + m_random() % (3 - first);
        m_chosen[i][k / 4] = {uint8_t(first), uint8_t(second)};
        for (unsigned column = 0; column < 4; ++column)
          if (!m_operation.isSparse || column == first || column == second)
            m_a[i][k + column] = randomElement(m_operation.a, m_variant.aSigned);
      }
  }

  int64_t product(unsigned i, unsigned j) const {
    int64_t sum = m_c[i][j];
    if (m_variant.isAbsoluteC)
      sum = std::abs(sum);
    if (m_variant.negatesC)
      sum = -sum;
    int64_t sign = m_variant.negatesA != m_variant.negatesB ? -1 : 1;
    for (unsigned k = 0; k < m_operation.depth; ++k)
      sum += sign * m_a[i][k] * m_b[k][j];
    if (m_variant.clamps)
      return std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX);
    return isFloat(m_operation.c) ? sum : static_cast<int32_t>(sum);
  }

  void fill(Wave &wave) const {
    unsigned copies = m_setting.gfxMajor == 11 ? m_setting.waveSize / 16 : 1;
    for (unsigned side = 0; side < 16; ++side)
      for (unsigned k = 0; k < m_operation.depth; ++k)
        for (unsigned copy = 0; copy < copies; ++copy) {
          if (!m_operation.isSparse)
            putCopy(wave, firstA, denseInput(m_setting, bits(m_operation.a), side, k), copy,
                    m_operation.a, m_a[side][k]);
          Place b = m_operation.isSparse ? sparseB(m_setting, bits(m_operation.b), side, k)
                                         : denseInput(m_setting, bits(m_operation.b), side, k);
          putCopy(wave, firstB, b, copy, m_operation.b, m_b[k][side]);
        }
    if (m_operation.isSparse)
      fillSparse(wave);
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned j = 0; j < 16; ++j)
        put(&wave.v[m_operation.isSparse ? firstD : firstC], place(i, j), bits(m_operation.c),
            encode(m_c[i][j], m_operation.c));
  }

  void putCopy(Wave &wave, unsigned first, Place place, unsigned copy, Number type,
               int64_t value) const {
    place.lane += 16 * copy;
    put(&wave.v[first], place, bits(type), encode(value, type));
  }

  void fillSparse(Wave &wave) const {
    unsigned width = bits(m_operation.a);
    for (unsigned i = 0; i < 16; ++i)
      for (unsigned k = 0; k < m_operation.depth; k += 4) {
        Place first = sparseA(m_setting, width, i, k), second = first;
        second.bit += width;
        auto [low, high] = m_chosen[i][k / 4];
        put(&wave.v[firstA], first, width, encode(m_a[i][k + low], m_operation.a));
        put(&wave.v[firstA], second, width, encode(m_a[i][k + high], m_operation.a));
        unsigned bit =
            indexBit(m_setting, width, k) + m_variant.indexKey * indexStep(m_setting, width);
        put(&wave.v[firstIndex], {first.lane, 0, bit}, 4, low | unsigned(high) << 2);
      }
  }

  static std::string range(unsigned first, unsigned count) {
    if (count == 1)
      return "v" + std::to_string(first);
    return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
  }

  std::string text(const Operation &operation) const {
    unsigned perRow = m_setting.gfxMajor == 11 ? 16 * m_setting.waveSize : 16 * operation.depth;
    auto inputs = [&](Number type, unsigned divisor) {
      return std::max(perRow * bits(type) / divisor / m_setting.waveSize, 32u) / 32;
    };
    unsigned results = 256 / m_setting.waveSize;
    if (m_setting.gfxMajor == 12)
      results = results * bits(operation.c) / 32;
    std::string a = range(firstA, inputs(operation.a, operation.isSparse ? 2 : 1));
    std::string last = operation.isSparse ? range(firstIndex, 1) : range(firstC, results);
    return std::string(operation.name) + " " + range(firstD, results) + ", " + a + ", " +
           range(firstB, inputs(operation.b, 1)) + ", " + last + m_variant.text;
  }

  Setting m_setting;
  const Operation &m_operation;
  const Variant &m_variant;
  std::mt19937 m_random;
  std::array<std::array<int64_t, 64>, 16> m_a;
  std::array<std::array<int64_t, 16>, 64> m_b;
  std::array<std::array<int64_t, 16>, 16> m_c;
  std::array<std::array<std::pair<uint8_t, uint8_t>, 16>, 16> m_chosen;
};

} // namespace

/// What modifiers mean for floats of 16 bits, and for C.
static void addFloatVariants(const Operation &operation, std::vector<Variant> &variants) {
  bool isShort = rowOf(operation.a).bits == 16;
  if (isShort) {
    Variant &a = variants.emplace_back();
    a.text = " neg_lo:[1,0,0] neg_hi:[1,0,0]";
    a.negatesA = true;
    Variant &b = variants.emplace_back();
    b.text = " neg_lo:[0,1,0] neg_hi:[0,1,0]";
    b.negatesB = true;
  }
  if (operation.isSparse)
    return;
  for (unsigned bits = 1; bits < 4; ++bits) {
    Variant &c = variants.emplace_back();
    c.negatesC = bits & 1;
    c.isAbsoluteC = bits & 2;
    c.text = std::string(c.negatesC ? " neg_lo:[0,0,1]" : "") + (bits & 2 ? " neg_hi:[0,0,1]" : "");
  }
}

static std::vector<Variant> variantsOf(const Setting &setting) {
  const Operation &operation = *setting.operation;
  std::vector<Variant> variants(1);
  if (isFloat(operation.a))
    addFloatVariants(operation, variants);
  for (unsigned bits = 1; bits < 4 && !isFloat(operation.a); ++bits) {
    Variant &variant = variants.emplace_back();
    variant.aSigned = bits & 1;
    variant.bSigned = bits & 2;
    variant.text =
        std::string(" neg_lo:[") + (bits & 1 ? "1" : "0") + (bits & 2 ? ",1,0]" : ",0,0]");
    if (bits == 3) {
      variant.clamps = true;
      variant.text += " clamp";
    }
  }
  if (setting.gfxMajor == 11 && rowOf(operation.c).bits == 16) {
    variants.emplace_back().isHigh = true;
    variants.back().text = " op_sel:[0,0,1]";
  }
  unsigned keys = operation.isSparse ? 32 / indexStep(setting, rowOf(operation.a).bits) : 1;
  for (unsigned key = 1; key < keys; ++key) {
    variants.emplace_back().indexKey = key;
    variants.back().text = " index_key:" + std::to_string(key);
  }
  return variants;
}

TEST(Matrix, ProductsAreThoseOfTheMatrices) {
  for (const Operation &operation : Operations)
    for (const char *target : {"gfx1100", "gfx1150", "gfx1201"})
      for (unsigned waveSize : {32u, 64u}) {
        Setting setting{&operation, StringRef(target).starts_with("gfx12") ? 12u : 11u, waveSize};
        if (setting.gfxMajor < operation.minGfx)
          continue;
        unsigned seed = 0;
        for (const Variant &variant : variantsOf(setting))
          MatrixRun(setting, variant, ++seed).check(target);
      }
}

TEST(Matrix, ExchangedOperationsAreNoticed) {
  const Variant plain;
  for (unsigned waveSize : {32u, 64u})
    for (const char *target : {"gfx1100", "gfx1201"})
      for (const Operation &first : Operations)
        for (const Operation &second : Operations) {
          Setting setting{&first, StringRef(target).starts_with("gfx12") ? 12u : 11u, waveSize};
          unsigned needed = std::max(first.minGfx, second.minGfx);
          MatrixRun run(setting, plain, 5);
          if (&first == &second || setting.gfxMajor < needed ||
              run.operands(first) != run.operands(second))
            continue;
          EXPECT_FALSE(run.isRightBy(target, second)) << first.name << " by " << second.name;
        }
}

static float inFloat(uint32_t bits) {
  return bit_cast<float>(bits);
}

TEST(Matrix, SumsAreRoundedTermByTerm) {
  // 2^24 + 1 + 1 ... : each term is half of the last place, and falls to the even side.
  WaveBench bench("gfx1201", 32, "v_wmma_f32_16x16x16_f16 v[8:15], v[0:3], v[4:7], v[16:23]");
  Wave &wave = *bench.wave;
  for (unsigned index = 0; index < 8; ++index)
    wave.v[index].fill(0x3c003c00);
  for (unsigned index = 16; index < 24; ++index)
    wave.v[index].fill(bit_cast<uint32_t>(0x1p24f));
  ASSERT_TRUE(bench.run());
  EXPECT_EQ(inFloat(wave.v[8][0]), 0x1p24f);
}

TEST(Matrix, ShortResultsAreRoundedOnce) {
  // 2048 + 16 * 0.5: in f16 no term alone would count.
  WaveBench bench("gfx1201", 32, "v_wmma_f16_16x16x16_f16 v[8:11], v[0:3], v[4:7], v[16:19]");
  Wave &wave = *bench.wave;
  for (unsigned index = 0; index < 4; ++index)
    wave.v[index].fill(0x38003800);
  for (unsigned index = 4; index < 8; ++index)
    wave.v[index].fill(0x3c003c00);
  for (unsigned index = 16; index < 20; ++index)
    wave.v[index].fill(0x68006800);
  ASSERT_TRUE(bench.run());
  EXPECT_EQ(wave.v[8][0], 0x68046804u);
}

TEST(Matrix, ConstantsStandForEveryElementOfC) {
  WaveBench bench("gfx1100", 32, "v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], 2.0");
  Wave &wave = *bench.wave;
  for (unsigned index = 0; index < 16; ++index)
    wave.v[index].fill(0x3c003c00);
  wave.setExec(0); // It is ignored.
  ASSERT_TRUE(bench.run());
  for (unsigned index = 16; index < 24; ++index)
    for (unsigned lane = 0; lane < 32; ++lane)
      ASSERT_EQ(inFloat(wave.v[index][lane]), 18.0f);
}

TEST(Matrix, SparseColumnsThatAreNotStoredDoNotCount) {
  // Infinities in B's columns 2 and 3 of each four, while A stores columns 0 and 1.
  WaveBench bench("gfx1201", 32, "v_swmmac_f32_16x16x32_f16 v[16:23], v[0:3], v[4:11], v12");
  Wave &wave = *bench.wave;
  for (unsigned index = 0; index < 4; ++index)
    wave.v[index].fill(0x3c003c00);
  for (unsigned index = 4; index < 12; ++index)
    wave.v[index].fill(index % 2 ? 0x7c007c00 : 0x3c003c00);
  wave.v[12].fill(0x44444444);
  for (unsigned index = 16; index < 24; ++index)
    wave.v[index].fill(0);
  ASSERT_TRUE(bench.run());
  EXPECT_EQ(inFloat(wave.v[16][0]), 16.0f);
}
