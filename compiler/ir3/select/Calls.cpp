// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the lgc dialect and LLVM's intrinsics.
#include "compiler/dialect/Lgc.h"
#include "compiler/ir3/select/Places.h"
#include "compiler/lgc/Builder.h"
#include "support/Ir3Fault.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {
/// An operation on each component of the operands.
struct ComponentRow {
  unsigned id;       ///< Of an intrinsic, or a number of LgcOp.
  unsigned operands; ///< How many arguments are read.
  /// Emits the instructions for one component.
  Register (*emit)(Selector &selector, ArrayRef<Register> operands);
};
} // namespace

/// One scalar of each operand of a call.
using Operands = ArrayRef<Register>;

/// One instruction with the operands as its sources.
template <Opcode Code> static Register direct(Selector &selector, Operands operands) {
  return selector.emit(Code, operands);
}

/// The bits of an f32 as an immediate.
static Register realNumber(float value) {
  return Selector::number(bit_cast<uint32_t>(value));
}

/// \p value with the modifier toggled on; it must not be negated already.
static Register negated(Register value) {
  return value.with(registerflag::Negate);
}

/// The magnitude of a float.
static Register absolute(Selector &selector, Operands operands) {
  return selector.emit(Opcode::AbsnegF, {operands[0].with(registerflag::Absolute)});
}

/// A product with the reciprocal: not correctly rounded.
static Register divide(Selector &selector, Operands operands) {
  return selector.emit(Opcode::MulF, {operands[0], selector.emit(Opcode::Rcp, {operands[1]})});
}

/// x - floor(x), at most the largest float below 1.
static Register fract(Selector &selector, Operands operands) {
  Register floor = selector.emit(Opcode::FloorF, {operands[0]});
  Register result = selector.emit(Opcode::AddF, {operands[0], negated(floor)});
  // Below 1, whatever the difference rounds to.
  return selector.emit(Opcode::MinF, {result, realNumber(0x1.fffffep-1f)});
}

/// x - y * floor(x / y): the result has the sign of the divisor.
static Register modulo(Selector &selector, Operands operands) {
  Register quotient = divide(selector, operands);
  Register whole = selector.emit(Opcode::FloorF, {quotient});
  return selector.emit(Opcode::MadF32, {negated(operands[1]), whole, operands[0]});
}

/// min(max(x, low), high).
static Register clamp(Selector &selector, Operands operands) {
  return selector.emit(Opcode::MinF,
                       {selector.emit(Opcode::MaxF, {operands[0], operands[1]}), operands[2]});
}

/// The hardware's functions are exact between -pi and pi (Mesa 25.0, ir3_nir.py).
template <Opcode Code> static Register trigonometric(Selector &selector, Operands operands) {
  constexpr float turn = 6.283185307179586f, inverse = 0.15915494309189535f;
  Register turns =
      selector.emit(Opcode::MadF32, {operands[0], realNumber(inverse), realNumber(0.5f)});
  Register floor = selector.emit(Opcode::FloorF, {turns});
  Register part = selector.emit(Opcode::AddF, {turns, negated(floor)});
  float offset = faultPlanted(Ir3Fault::AngleRange) ? 0.0f : -turn / 2;
  Register angle = selector.emit(Opcode::MadF32, {part, realNumber(turn), realNumber(offset)});
  return selector.emit(Code, {angle});
}

/// cbits.b counts 16 bits.
static Register countBits(Selector &selector, Operands operands) {
  Register low = selector.emit(Opcode::AndB, {operands[0], Selector::number(0xffff)});
  Register high = selector.emit(Opcode::ShrB, {operands[0], Selector::number(16)});
  return selector.emit(
      Opcode::AddU, {selector.emit(Opcode::CbitsB, {low}), selector.emit(Opcode::CbitsB, {high})});
}

/// clz.b gives the number of zeros above the highest bit, and -1 for 0.
static Register leadingZeros(Selector &selector, Operands operands) {
  Register count = selector.emit(Opcode::ClzB, {operands[0]});
  return selector.emit(Opcode::SelB32, {count, operands[0], Selector::number(32)});
}

/// The leading zeros of the reversed bits; 32 for 0.
static Register trailingZeros(Selector &selector, Operands operands) {
  Register reversed = selector.emit(Opcode::BfrevB, {operands[0]});
  return leadingZeros(selector, {reversed});
}

/// The magnitude of a signed integer.
static Register absoluteInteger(Selector &selector, Operands operands) {
  return selector.emit(Opcode::AbsnegS, {operands[0].with(registerflag::Absolute)});
}

/// The four bytes in the opposite order: the outer ones by shifts alone, the inner ones with masks.
static Register swapBytes(Selector &selector, Operands operands) {
  auto emit = [&](Opcode code, Register a, uint32_t b) {
    return selector.emit(code, {a, Selector::number(b)});
  };
  Register x = operands[0];
  Register outer =
      selector.emit(Opcode::OrB, {emit(Opcode::ShlB, x, 24), emit(Opcode::ShrB, x, 24)});
  Register second = emit(Opcode::AndB, emit(Opcode::ShlB, x, 8), 0xff0000);
  Register third = emit(Opcode::AndB, emit(Opcode::ShrB, x, 8), 0xff00);
  return selector.emit(Opcode::OrB, {outer, selector.emit(Opcode::OrB, {second, third})});
}

/// (a << s) | (b >> (32 - s)), where s of 0 gives a.
static Register funnelLeft(Selector &selector, Operands operands) {
  Register amount = selector.emit(Opcode::AndB, {operands[2], Selector::number(31)});
  Register back = selector.emit(Opcode::SubU, {Selector::number(31), amount});
  Register low = selector.emit(Opcode::ShrB, {operands[1], Selector::number(1)});
  return selector.emit(Opcode::OrB, {selector.emit(Opcode::ShlB, {operands[0], amount}),
                                     selector.emit(Opcode::ShrB, {low, back})});
}

/// (b >> s) | (a << (32 - s)), where s of 0 gives b.
static Register funnelRight(Selector &selector, Operands operands) {
  Register amount = selector.emit(Opcode::AndB, {operands[2], Selector::number(31)});
  Register back = selector.emit(Opcode::SubU, {Selector::number(31), amount});
  Register high = selector.emit(Opcode::ShlB, {operands[0], Selector::number(1)});
  return selector.emit(Opcode::OrB, {selector.emit(Opcode::ShrB, {operands[1], amount}),
                                     selector.emit(Opcode::ShlB, {high, back})});
}

/// Intrinsics of scalars of 32 bits; ExpandOps has replaced those of 64.
static constexpr ComponentRow intrinsicRows[] = {
    {Intrinsic::fabs, 1, absolute},
    {Intrinsic::fma, 3, direct<Opcode::MadF32>},
    {Intrinsic::fmuladd, 3, direct<Opcode::MadF32>},
    {Intrinsic::sqrt, 1, direct<Opcode::Sqrt>},
    {Intrinsic::floor, 1, direct<Opcode::FloorF>},
    {Intrinsic::ceil, 1, direct<Opcode::CeilF>},
    {Intrinsic::trunc, 1, direct<Opcode::TruncF>},
    {Intrinsic::rint, 1, direct<Opcode::RndneF>},
    {Intrinsic::nearbyint, 1, direct<Opcode::RndneF>},
    {Intrinsic::roundeven, 1, direct<Opcode::RndneF>},
    {Intrinsic::minnum, 2, direct<Opcode::MinF>},
    {Intrinsic::maxnum, 2, direct<Opcode::MaxF>},
    {Intrinsic::minimumnum, 2, direct<Opcode::MinF>},
    {Intrinsic::maximumnum, 2, direct<Opcode::MaxF>},
    {Intrinsic::sin, 1, trigonometric<Opcode::Sin>},
    {Intrinsic::cos, 1, trigonometric<Opcode::Cos>},
    {Intrinsic::exp2, 1, direct<Opcode::Exp2>},
    {Intrinsic::log2, 1, direct<Opcode::Log2>},
    {Intrinsic::umin, 2, direct<Opcode::MinU>},
    {Intrinsic::umax, 2, direct<Opcode::MaxU>},
    {Intrinsic::smin, 2, direct<Opcode::MinS>},
    {Intrinsic::smax, 2, direct<Opcode::MaxS>},
    {Intrinsic::abs, 1, absoluteInteger},
    {Intrinsic::ctpop, 1, countBits},
    {Intrinsic::ctlz, 1, leadingZeros},
    {Intrinsic::cttz, 1, trailingZeros},
    {Intrinsic::bitreverse, 1, direct<Opcode::BfrevB>},
    {Intrinsic::bswap, 1, swapBytes},
    {Intrinsic::fshl, 3, funnelLeft},
    {Intrinsic::fshr, 3, funnelRight},
};

/// Ops of the lgc dialect that work on components.
static constexpr ComponentRow opRows[] = {
    {unsigned(LgcOp::FDivOp), 2, divide},  {unsigned(LgcOp::InverseSqrtOp), 1, direct<Opcode::Rsq>},
    {unsigned(LgcOp::FModOp), 2, modulo},  {unsigned(LgcOp::FractOp), 1, fract},
    {unsigned(LgcOp::FClampOp), 3, clamp},
};

/// Nothing for an operation without a row.
static bool selectComponents(Selector &selector, CallInst &call, ArrayRef<ComponentRow> rows,
                             unsigned id) {
  const auto *row = find_if(rows, [&](const ComponentRow &each) { return each.id == id; });
  if (row == rows.end() || countScalars(call.getType()->getScalarType()) != 1)
    return false;
  SmallVector<Scalars, 3> operands;
  for (unsigned i = 0; i < row->operands; ++i)
    operands.push_back(selector.get(call.getArgOperand(i)));
  Scalars result;
  for (unsigned i = 0; i < countScalars(call.getType()); ++i) {
    SmallVector<Register, 3> components;
    for (const Scalars &operand : operands)
      components.push_back(operand[i]);
    result.push_back(row->emit(selector, components));
  }
  selector.set(&call, std::move(result));
  return true;
}

/// The three that LowerBuiltIns leaves.
static bool selectBuiltIn(Selector &selector, ReadBuiltInOp &op) {
  ir3::Builder &builder = selector.builder();
  Scalars result;
  switch (static_cast<BuiltIn>(op.getBuiltIn())) {
  case BuiltIn::NumWorkgroups:
    for (unsigned i = 0; i < 3; ++i)
      result.push_back(Register::constant(selector.interface().groupCountDword + i));
    break;
  case BuiltIn::WorkgroupId:
    if (std::optional<uint32_t> dword = selector.interface().workgroupIdDword) {
      for (unsigned i = 0; i < 3; ++i)
        result.push_back(Register::constant(*dword + i));
      break;
    }
    for (ir3::Instruction *part : builder.splitAll(builder.input(WorkgroupIdRegister, 3)))
      result.push_back(builder.move(part->value())->value());
    break;
  case BuiltIn::LocalInvocationId:
    for (auto [index, part] : enumerate(builder.splitAll(builder.input(LocalIdRegister, 3)))) {
      bool isOne = selector.interface().localSize[index] == 1;
      result.push_back(isOne ? Selector::number(0) : part->value());
    }
    break;
  default:
    return false;
  }
  selector.set(&op, std::move(result));
  return true;
}

/// bar, which waits for the workgroup and orders global accesses.
static bool selectBarrier(Selector &selector) {
  ir3::Builder &builder = selector.builder();
  ir3::Instruction *bar = builder.create(Opcode::Bar, {});
  bar->fields.fenceGlobal = 1;
  // Mesa 25.0, ir3_compiler_nir.c, emit_control_barrier: before a6xx.
  bar->fields.fenceLocal = selector.program().compiler().hasSlots();
  return true;
}

/// resinfo of a4xx: the lower 16 bits of the number of elements of four bytes, and the upper ones
/// (Mesa 25.0, ir3_compiler_nir.c, emit_intrinsic_ssbo_size; fd4_emit.c, emit_ssbos).
static Register emitSlotLength(Selector &selector, const BoundPlace &place) {
  ir3::Instruction *info = selector.builder().create(Opcode::Resinfo, {place.slot}, false, 3);
  info->fields.dimensions = 2;
  info->fields.type = U32;
  auto parts = selector.builder().splitAll(info);
  Register upper = selector.emit(Opcode::ShlB, {parts[1]->value(), Selector::number(16)});
  return selector.emit(Opcode::AddU, {upper, parts[0]->value()});
}

/// resinfo.b: elements of four bytes, as the laboratory's and turnip's descriptors have them.
static bool selectLength(Selector &selector, BufferLengthOp &op) {
  std::optional<BoundPlace> place =
      findPlace(selector, op, {op.getSet(), op.getBinding(), op.getArrayIndex()});
  if (!place)
    return true;
  if (selector.program().compiler().hasSlots()) {
    Register elements = emitSlotLength(selector, *place);
    selector.set(&op, {selector.emit(Opcode::ShlB, {elements, Selector::number(2)})});
    return true;
  }
  ir3::Instruction *info = selector.builder().create(Opcode::ResinfoB, {place->slot}, false, 3);
  applyPlace(info, *place);
  info->fields.size = 1;
  Register elements = selector.builder().split(info, 0)->value();
  if (!faultPlanted(Ir3Fault::LengthElements))
    elements = selector.emit(Opcode::ShlB, {elements, Selector::number(2)});
  selector.set(&op, {elements});
  return true;
}

/// Calls without a meaning for code - assumptions, lifetimes, debug intrinsics, anchors - are done
/// without an instruction. Returns false for a call that nothing here knows.
bool ir3::selectCall(Selector &selector, CallInst &call) {
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    Intrinsic::ID id = intrinsic->getIntrinsicID();
    if (id == Intrinsic::assume || id == Intrinsic::lifetime_start ||
        id == Intrinsic::lifetime_end || intrinsic->isDebugOrPseudoInst())
      return true;
    return selectComponents(selector, call, intrinsicRows, id);
  }
  if (selectWaveFunction(selector, call))
    return true;
  LgcOp op = getLgcOp(call);
  switch (op) {
  case LgcOp::DescriptorPtrOp:
  case LgcOp::LoadBufferDescOp:
  case LgcOp::PushConstantsPtrOp:
    selector.set(&call, {Selector::number(0)}); // A byte offset.
    return true;
  case LgcOp::BufferLengthOp:
    return selectLength(selector, cast<BufferLengthOp>(call));
  case LgcOp::ReadBuiltInOp:
    return selectBuiltIn(selector, cast<ReadBuiltInOp>(call));
  case LgcOp::BarrierOp:
    return selectBarrier(selector);
  case LgcOp::AnchorOp:
    return true;
  case LgcOp::OpaqueTrueOp:
    selector.set(&call, {Selector::number(1)});
    return true;
  default:
    return selectImage(selector, call) || selectTexture(selector, call) ||
           selectComponents(selector, call, opRows, unsigned(op));
  }
}
