// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/alu/Matrix.h"

#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn_alu/ByteFloat.h"
#include "oracles/machine/gcn_alu/Numerics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <tuple>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace assay::gcn {
/// The types of elements. IU8 and IU4 are signed or not by the instruction.
enum class MatrixElement : uint8_t { F16, BF16, F32, I32, IU8, IU4, Fp8, Bf8 };

/// D (16 x 16) = A (16 x depth) * B (depth x 16) + C; C and D have one type.
struct MatrixShape {
  const char *name;
  MatrixElement a;
  MatrixElement b;
  MatrixElement c;
  uint8_t depth;
  bool isSparse = false; ///< Of four elements of a row of A, two are stored; C is D.
};
} // namespace assay::gcn

using Kind = MatrixElement;

static constexpr MatrixShape Shapes[] = {
    {"v_wmma_f32_16x16x16_f16", Kind::F16, Kind::F16, Kind::F32, 16},
    {"v_wmma_f32_16x16x16_bf16", Kind::BF16, Kind::BF16, Kind::F32, 16},
    {"v_wmma_f16_16x16x16_f16", Kind::F16, Kind::F16, Kind::F16, 16},
    {"v_wmma_bf16_16x16x16_bf16", Kind::BF16, Kind::BF16, Kind::BF16, 16},
    {"v_wmma_i32_16x16x16_iu8", Kind::IU8, Kind::IU8, Kind::I32, 16},
    {"v_wmma_i32_16x16x16_iu4", Kind::IU4, Kind::IU4, Kind::I32, 16},
    {"v_wmma_i32_16x16x32_iu4", Kind::IU4, Kind::IU4, Kind::I32, 32},
    {"v_wmma_f32_16x16x16_fp8_fp8", Kind::Fp8, Kind::Fp8, Kind::F32, 16},
    {"v_wmma_f32_16x16x16_fp8_bf8", Kind::Fp8, Kind::Bf8, Kind::F32, 16},
    {"v_wmma_f32_16x16x16_bf8_fp8", Kind::Bf8, Kind::Fp8, Kind::F32, 16},
    {"v_wmma_f32_16x16x16_bf8_bf8", Kind::Bf8, Kind::Bf8, Kind::F32, 16},
    {"v_swmmac_f32_16x16x32_f16", Kind::F16, Kind::F16, Kind::F32, 32, true},
    {"v_swmmac_f32_16x16x32_bf16", Kind::BF16, Kind::BF16, Kind::F32, 32, true},
    {"v_swmmac_f16_16x16x32_f16", Kind::F16, Kind::F16, Kind::F16, 32, true},
    {"v_swmmac_bf16_16x16x32_bf16", Kind::BF16, Kind::BF16, Kind::BF16, 32, true},
    {"v_swmmac_i32_16x16x32_iu8", Kind::IU8, Kind::IU8, Kind::I32, 32, true},
    {"v_swmmac_i32_16x16x32_iu4", Kind::IU4, Kind::IU4, Kind::I32, 32, true},
    {"v_swmmac_i32_16x16x64_iu4", Kind::IU4, Kind::IU4, Kind::I32, 64, true},
    {"v_swmmac_f32_16x16x32_fp8_fp8", Kind::Fp8, Kind::Fp8, Kind::F32, 32, true},
    {"v_swmmac_f32_16x16x32_fp8_bf8", Kind::Fp8, Kind::Bf8, Kind::F32, 32, true},
    {"v_swmmac_f32_16x16x32_bf8_fp8", Kind::Bf8, Kind::Fp8, Kind::F32, 32, true},
    {"v_swmmac_f32_16x16x32_bf8_bf8", Kind::Bf8, Kind::Bf8, Kind::F32, 32, true},
};

constexpr unsigned Side = 16;     ///< Rows and columns of D.
constexpr unsigned MaxDepth = 64; ///< Columns of A.

/// Bits of one element.
static unsigned bitsOf(Kind kind) {
  switch (kind) {
  case Kind::F32:
  case Kind::I32:
    return 32;
  case Kind::F16:
  case Kind::BF16:
    return 16;
  case Kind::IU4:
    return 4;
  default:
    return 8;
  }
}

namespace {
/// How a matrix lies in registers: lane L has row (column, of B and D) L % 16, and of that row, or
/// of that column, elements in runs; the lanes of one group of 16 take the runs in turn.
struct Fragment {
  unsigned bits = 0;      ///< Of an element.
  unsigned stride = 0;    ///< From element to element, within the registers of a lane.
  unsigned elements = 0;  ///< Of a lane.
  unsigned run = 0;       ///< Consecutive elements of a lane.
  unsigned lanes = 0;     ///< That hold elements; further ones are ignored.
  bool isSwapped = false; ///< Groups 1 and 2 of the four change places.

  /// Which element of its row lane \p lane has as number \p element.
  unsigned place(unsigned lane, unsigned element) const {
    unsigned group = lane / Side, groups = lanes / Side;
    if (isSwapped)
      group = group % 2 * 2 + group / 2;
    return element / run * run * groups + group * run + element % run;
  }
  /// Registers of the operand in each lane.
  unsigned registers() const { return std::max(elements * stride, 32u) / 32; }
};
} // namespace

/// A or B of \p kind. The elements of a sparse A are counted as if it were dense.
static Fragment makeInput(const MatrixShape &shape, Kind kind, const ProgramOptions &options,
                          bool isStoredByHalf) {
  Fragment fragment;
  fragment.bits = fragment.stride = bitsOf(kind);
  if (options.gfxMajor == 11) {
    fragment.elements = fragment.run = fragment.lanes = Side; // The other lanes have copies.
    return fragment;
  }
  fragment.lanes = options.waveSize;
  fragment.elements = Side * shape.depth / fragment.lanes;
  unsigned stored = fragment.elements * fragment.bits / (isStoredByHalf ? 2 : 1);
  if (stored < 32) {
    fragment.lanes = 32;
    fragment.elements = Side * shape.depth / fragment.lanes;
  }
  bool isShort = fragment.bits == 16;
  fragment.run = isShort ? (shape.isSparse ? 8 : 4) : fragment.elements;
  fragment.isSwapped = !isShort && fragment.lanes == 64;
  return fragment;
}

/// C and D, whose places are rows.
static Fragment makeResult(const MatrixShape &shape, const ProgramOptions &options) {
  Fragment fragment;
  fragment.bits = fragment.stride = bitsOf(shape.c);
  fragment.lanes = options.waveSize;
  fragment.elements = Side * Side / options.waveSize;
  if (options.gfxMajor == 11) {
    fragment.stride = 32;
    fragment.run = 1;
    return fragment;
  }
  fragment.run = fragment.elements;
  fragment.isSwapped = options.waveSize == 64;
  return fragment;
}

namespace {
/// An element of A: the column it is in, and its bits.
struct Entry {
  uint8_t column;
  uint32_t bits;
};

/// The matrices of one operation, as raw bits with NEG applied.
struct Matrices {
  std::array<SmallVector<Entry, MaxDepth>, Side> a; ///< Rows, without elements that are not stored.
  std::array<std::array<uint32_t, Side>, MaxDepth> b{};
  std::array<std::array<uint32_t, Side>, Side> c{};
};

/// The registers of one operand.
class RegisterBits {
public:
  RegisterBits(const Wave &wave, unsigned first) : m_wave(wave), m_first(first) {}
  /// \p count bits of a lane from bit \p bit on, which counts through all registers. They lie in
  /// one register.
  uint32_t read(unsigned lane, unsigned bit, unsigned count) const {
    uint32_t word = m_wave.v[m_first + bit / 32][lane] >> (bit % 32);
    return count == 32 ? word : word & ((1u << count) - 1);
  }

private:
  const Wave &m_wave;
  unsigned m_first;
};
} // namespace

/// NEG of A and B: of 16-bit floats the low halves by neg_lo, the high ones by neg_hi.
static uint32_t negated(uint32_t bits, Kind kind, const Modifiers &mods, unsigned source,
                        unsigned element) {
  bool isShort = kind == Kind::F16 || kind == Kind::BF16;
  bool negates = element % 2 ? mods.negHi[source] : mods.negLo[source];
  return isShort && negates ? bits ^ 0x8000 : bits;
}

/// Two indices of two bits for each four columns of A, in the lane that holds these elements.
static uint32_t sparseIndices(const Wave &wave, const MicroOp &op, unsigned lane, unsigned quads) {
  unsigned key = op.inst->mods.indexKey;
  unsigned width = 4 * quads;
  return RegisterBits(wave, op.sources[2].operand.index).read(lane, key * width % 32, width);
}

/// Reads A by rows, sorted by column, which is the order of the sums.
static void readA(const Wave &wave, const MicroOp &op, Matrices &matrices) {
  const MatrixShape &shape = *op.matrix;
  Fragment fragment = makeInput(shape, shape.a, wave.group->program->options(), shape.isSparse);
  RegisterBits registers(wave, op.sources[0].operand.index);
  for (unsigned lane = 0; lane < fragment.lanes; ++lane) {
    uint32_t indices = shape.isSparse ? sparseIndices(wave, op, lane, fragment.elements / 4) : 0;
    unsigned stored = shape.isSparse ? fragment.elements / 2 : fragment.elements;
    for (unsigned element = 0; element < stored; ++element) {
      uint32_t bits = registers.read(lane, element * fragment.stride, fragment.bits);
      bits = negated(bits, shape.a, op.inst->mods, 0, element);
      unsigned column =
          shape.isSparse ? fragment.place(lane, element / 2 * 4) + ((indices >> (2 * element)) & 3)
                         : fragment.place(lane, element);
      matrices.a[lane % Side].push_back({static_cast<uint8_t>(column), bits});
    }
  }
  for (auto &row : matrices.a)
    sort(row, [](const Entry &x, const Entry &y) {
      return std::tie(x.column, x.bits) < std::tie(y.column, y.bits);
    });
}

/// Reads B, row by row.
static void readB(const Wave &wave, const MicroOp &op, Matrices &matrices) {
  const MatrixShape &shape = *op.matrix;
  Fragment fragment = makeInput(shape, shape.b, wave.group->program->options(), false);
  RegisterBits registers(wave, op.sources[1].operand.index);
  for (unsigned lane = 0; lane < fragment.lanes; ++lane)
    for (unsigned element = 0; element < fragment.elements; ++element) {
      uint32_t bits = registers.read(lane, element * fragment.stride, fragment.bits);
      matrices.b[fragment.place(lane, element)][lane % Side] =
          negated(bits, shape.b, op.inst->mods, 1, element);
    }
}

/// GFX11: which half of each register the 16-bit elements of C and D take.
static unsigned resultShift(const Wave &wave, const MicroOp &op) {
  bool isShort = bitsOf(op.matrix->c) == 16;
  return wave.gfxMajor == 11 && isShort && op.inst->mods.opSel[2] ? 16 : 0;
}

/// NEG of C: neg_hi takes the absolute value, then neg_lo negates.
static uint32_t signedC(uint32_t bits, Kind kind, const Modifiers &mods) {
  if (kind == Kind::I32)
    return bits;
  uint32_t sign = 1u << (bitsOf(kind) - 1);
  if (mods.negHi[2])
    bits &= ~sign;
  return mods.negLo[2] ? bits ^ sign : bits;
}

/// Reads C from registers, or a constant for all elements. Only dense operations have NEG for C.
static void readC(const Wave &wave, const MicroOp &op, Matrices &matrices) {
  const MatrixShape &shape = *op.matrix;
  Fragment fragment = makeResult(shape, wave.group->program->options());
  const Source &source = op.sources[shape.isSparse ? 3 : 2];
  bool isRegister = source.operand.type == OperandType::Vgpr;
  auto constant = static_cast<uint32_t>(isRegister ? 0 : readUniform(wave, source));
  RegisterBits registers(wave, isRegister ? source.operand.index : 0);
  unsigned shift = resultShift(wave, op);
  for (unsigned lane = 0; lane < fragment.lanes; ++lane)
    for (unsigned element = 0; element < fragment.elements; ++element) {
      uint32_t bits = constant;
      if (isRegister)
        bits = registers.read(lane, element * fragment.stride + shift, fragment.bits);
      if (!shape.isSparse)
        bits = signedC(bits, shape.c, op.inst->mods);
      matrices.c[fragment.place(lane, element)][lane % Side] = bits;
    }
}

/// The value of an element. 16-bit and 8-bit floats convert exactly.
static float floatOf(uint32_t bits, Kind kind) {
  switch (kind) {
  case Kind::F16:
    return static_cast<float>(widen(Half{static_cast<uint16_t>(bits)}));
  case Kind::BF16:
    return static_cast<float>(widen(Brain{static_cast<uint16_t>(bits)}));
  case Kind::Fp8:
    return decodeByte(static_cast<uint8_t>(bits), fp8Format);
  case Kind::Bf8:
    return decodeByte(static_cast<uint8_t>(bits), bf8Format);
  default:
    return bit_cast<float>(bits);
  }
}

/// The reverse of floatOf() for the types of D, rounded to the nearest even.
static uint32_t bitsOfFloat(float value, Kind kind) {
  if (kind == Kind::F16)
    return roundTo<Half>(widen(value), RoundEven).bits;
  if (kind == Kind::BF16)
    return roundTo<Brain>(widen(value), RoundEven).bits;
  return bit_cast<uint32_t>(value);
}

/// One element of D: C plus the products in the order of A's columns, each fused in f32, rounded
/// once more at the end.
static uint32_t dotFloats(const Matrices &matrices, const MatrixShape &shape, unsigned row,
                          unsigned column) {
  AluMode mode; // To nearest even, whatever MODE says.
  mode.f32DenormIn = mode.f32DenormOut = true;
  float sum = floatOf(matrices.c[row][column], shape.c);
  for (const Entry &entry : matrices.a[row])
    sum = floatFma(floatOf(entry.bits, shape.a), floatOf(matrices.b[entry.column][column], shape.b),
                   sum, mode);
  return bitsOfFloat(sum, shape.c);
}

/// The value of an element of A or B.
static int64_t integerOf(uint32_t bits, Kind kind, bool isSigned) {
  unsigned width = bitsOf(kind);
  bool isNegative = isSigned && bits >> (width - 1);
  return int64_t(bits) - (isNegative ? int64_t(1) << width : 0);
}

/// neg_lo says which of A and B are signed.
static uint32_t dotIntegers(const Matrices &matrices, const MicroOp &op, unsigned row,
                            unsigned column) {
  const MatrixShape &shape = *op.matrix;
  const Modifiers &mods = op.inst->mods;
  int64_t sum = static_cast<int32_t>(matrices.c[row][column]);
  for (const Entry &entry : matrices.a[row])
    sum += integerOf(entry.bits, shape.a, mods.negLo[0]) *
           integerOf(matrices.b[entry.column][column], shape.b, mods.negLo[1]);
  if (mods.clamp)
    sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<uint32_t>(sum);
}

/// Computes all of D from copies, whatever EXEC is. Bits between narrow elements of D stay.
static void runMatrix(Wave &wave, const MicroOp &op) {
  const MatrixShape &shape = *op.matrix;
  auto matrices = std::make_unique<Matrices>();
  readA(wave, op, *matrices);
  readB(wave, op, *matrices);
  readC(wave, op, *matrices);
  Fragment fragment = makeResult(shape, wave.group->program->options());
  unsigned shift = resultShift(wave, op);
  for (unsigned lane = 0; lane < fragment.lanes; ++lane)
    for (unsigned element = 0; element < fragment.elements; ++element) {
      unsigned row = fragment.place(lane, element), column = lane % Side;
      uint32_t bits = shape.c == Kind::I32 ? dotIntegers(*matrices, op, row, column)
                                           : dotFloats(*matrices, shape, row, column);
      unsigned bit = element * fragment.stride + shift;
      uint32_t &word = wave.v[op.destination.index + bit / 32][lane];
      uint32_t mask = (fragment.bits == 32 ? ~0u : (1u << fragment.bits) - 1) << (bit % 32);
      word = (word & ~mask) | (bits << (bit % 32) & mask);
    }
}

/// The kind that an inline constant in C's place has.
static OperandKind constantKind(Kind kind) {
  switch (kind) {
  case Kind::F16:
    return OperandKind::F16;
  case Kind::BF16:
    return OperandKind::BF16;
  case Kind::F32:
    return OperandKind::F32;
  default:
    return OperandKind::I32;
  }
}

/// A vector operand with at least so many registers.
static bool isVector(const Operand &operand, unsigned registers) {
  return operand.type == OperandType::Vgpr && operand.dwords >= registers;
}

/// By mnemonic; null when it is not a matrix operation.
static const MatrixShape *findShape(StringRef name) {
  static const StringMap<const MatrixShape *> *shapes = [] {
    auto *map = new StringMap<const MatrixShape *>;
    for (const MatrixShape &shape : Shapes)
      (*map)[shape.name] = &shape;
    return map;
  }();
  return shapes->lookup(name);
}

BindResult gcn::bindMatrix(const Inst &inst, const ProgramOptions &options, MicroOp &op) {
  const MatrixShape *shape = findShape(inst.mnemonic);
  if (!shape)
    return BindResult::NotMine;
  unsigned result = makeResult(*shape, options).registers();
  unsigned a = makeInput(*shape, shape->a, options, shape->isSparse).registers();
  unsigned b = makeInput(*shape, shape->b, options, false).registers();
  bool isClampedFloat = inst.mods.clamp && shape->c != Kind::I32;
  if (inst.operands.size() != 4 || isClampedFloat || !isVector(inst.operands[0], result) ||
      !isVector(inst.operands[1], shape->isSparse ? a / 2 : a) || !isVector(inst.operands[2], b))
    return BindResult::Unsupported;
  const Operand &last = inst.operands[3];
  if (!isVector(last, shape->isSparse ? 1 : result) && !(isConstant(last) && !shape->isSparse))
    return BindResult::Unsupported;
  op.run = runMatrix;
  op.matrix = shape;
  op.destinationCount = 1;
  op.destination = inst.operands[0];
  for (const Operand &operand : drop_begin(inst.operands))
    addSource(op, operand, constantKind(shape->c));
  if (shape->isSparse)
    addSource(op, inst.operands[0], OperandKind::U32);
  return BindResult::Bound;
}
