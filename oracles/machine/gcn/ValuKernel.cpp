// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector operations on 32-bit operands by the kernels of their rows (gcn_alu/Kernel.h): all lanes
// of the wave at once, and of the results those of the active lanes are kept. Valu.cpp means the
// same.
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/Valu.h"
#include "oracles/machine/gcn_alu/Kernel.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

constexpr uint16_t NoRegister = 0xffff;

/// Where a source comes from, found out when it is bound.
struct KernelSource {
  const uint32_t *constant = nullptr; ///< Lanes of a constant, its modifiers applied.
  uint16_t index = 0;
  bool isVector = false;
  bool isPlain = true; ///< keep and flip change nothing.
  uint32_t keep = ~0u; ///< The modifiers abs and neg: what is kept, and what is flipped.
  uint32_t flip = 0;
};

} // namespace

/// All that runs for an operation, in few lines of the cache.
struct gcn::KernelPlan {
  const KernelModes *kernels = nullptr;
  const LaneHelpers *helpers = nullptr;
  KernelSource sources[3];
  uint8_t sourceCount = 0;
  bool clamp = false;
  bool writesExec = false;
  uint16_t row = NoRegister;     ///< The vector register of the result.
  uint16_t mask = NoRegister;    ///< The scalar register of a mask result.
  uint16_t carryIn = NoRegister; ///< The scalar register of a mask source.
  alignas(64) std::array<LaneArray, 3> constants;
};

static bool isZeroed(ArrayRef<uint8_t> bits) {
  return all_of(bits, [](uint8_t bit) { return bit == 0; });
}

/// Kernels have lanes of registers and constants; neg and abs are applied before.
static bool isLaneSource(const Source &source) {
  return !source.operand.sext && (source.operand.isRegister() || isConstant(source.operand));
}

static bool hasPlainModifiers(const Modifiers &mods, const AluOp &alu) {
  return !mods.sdwa && mods.dpp == DppControl::None && !mods.omod && !mods.byteSel &&
         !(mods.clamp && isFloatKind(alu.dst)) && isZeroed(mods.opSel) && !mods.hasOpSelHi &&
         isZeroed(mods.negLo) && isZeroed(mods.negHi);
}

static bool fitsKernel(const MicroOp &op) {
  if (!op.alu || !op.alu->kernels || !hasPlainModifiers(op.inst->mods, *op.alu))
    return false;
  bool isCompare = op.alu->flags & Compare;
  if (!isCompare && op.destination.type != OperandType::Vgpr)
    return false;
  return all_of(ArrayRef(op.sources).take_front(op.sourceCount), isLaneSource);
}

static uint16_t scalarIndex(const Operand &operand) {
  return operand.type == OperandType::Sgpr ? operand.index : NoRegister;
}

static void planSource(const Source &source, KernelSource &plan, LaneArray &lanes) {
  const Operand &operand = source.operand;
  plan.index = operand.index;
  plan.isVector = operand.type == OperandType::Vgpr;
  plan.isPlain = !operand.abs && !operand.neg;
  plan.keep = operand.abs ? 0x7fffffff : 0xffffffff;
  plan.flip = operand.neg ? 0x80000000 : 0;
  if (operand.isRegister())
    return;
  lanes.fill((static_cast<uint32_t>(source.constant) & plan.keep) ^ plan.flip);
  plan.constant = lanes.data();
}

static std::shared_ptr<const KernelPlan> makePlan(const MicroOp &op) {
  auto plan = std::make_shared<KernelPlan>();
  VectorWidth width = hostVectorWidth();
  plan->kernels = &op.alu->kernels->at(width);
  plan->helpers = &laneHelpers(width);
  plan->sourceCount = op.sourceCount;
  plan->clamp = op.inst->mods.clamp;
  plan->writesExec = op.alu->flags & WritesExec;
  plan->mask = scalarIndex(op.alu->flags & Compare ? op.destination : op.carryOut);
  plan->carryIn = scalarIndex(op.carryIn);
  if (op.destination.type == OperandType::Vgpr)
    plan->row = op.destination.index;
  for (unsigned i = 0; i < op.sourceCount; ++i)
    planSource(op.sources[i], plan->sources[i], plan->constants[i]);
  return plan;
}

void gcn::bindKernels(MicroOp &op) {
  bool isPair = op.dual.size() == 1;
  if ((op.run != runValu && op.run != runFastValu) || !fitsKernel(op))
    return;
  if (!op.inst->dual.empty() && (!isPair || !fitsKernel(op.dual[0])))
    return;
  op.plan = makePlan(op);
  if (isPair)
    op.dual[0].plan = makePlan(op.dual[0]);
  op.run = isPair ? runValuKernels : runValuKernel;
}

using LaneBlock = uint32_t[MaxLanes];

/// The lanes of \p source; \p block holds those that no register and no constant has as they are.
[[gnu::always_inline]] static inline const uint32_t *
findLanes(const Wave &wave, const KernelPlan &plan, const KernelSource &source, uint32_t *block) {
  if (source.constant)
    return source.constant;
  if (!source.isVector) {
    uint32_t value = (wave.s[source.index] & source.keep) ^ source.flip;
    plan.helpers->fill(block, value, wave.waveSize);
    return block;
  }
  const uint32_t *lanes = wave.v[source.index].data();
  if (source.isPlain)
    return lanes;
  plan.helpers->sign(block, lanes, source.keep, source.flip, wave.waveSize);
  return block;
}

/// Lanes of a mode, or by register numbers, that no kernel knows.
static bool isKernelMode(const Wave &wave) {
  return kernelModeOf(wave.mode) != KernelMode::Other && !wave.gprIndexMode;
}

/// Computes all lanes into \p to; the mask of the active ones' bits.
[[gnu::always_inline]] static inline uint64_t runRows(const Wave &wave, const KernelPlan &plan,
                                                      uint32_t *to) {
  alignas(64) LaneBlock blocks[3];
  LaneRows rows{{blocks[0], blocks[0], blocks[0]}, to, 0, wave.waveSize, plan.clamp};
  for (unsigned i = 0; i < plan.sourceCount; ++i)
    rows.src[i] = findLanes(wave, plan, plan.sources[i], blocks[i]);
  if (plan.carryIn != NoRegister)
    rows.carryIn = wave.readMask(plan.carryIn);
  AluKernel kernel = (*plan.kernels)[unsigned(kernelModeOf(wave.mode))];
  return kernel(rows, wave.mode) & wave.exec();
}

void gcn::runValuKernel(Wave &wave, const MicroOp &op) {
  if (!isKernelMode(wave))
    return isFastValu(op) ? runFastValu(wave, op) : runValu(wave, op);
  const KernelPlan &plan = *op.plan;
  alignas(64) LaneBlock result;
  uint64_t exec = wave.exec();
  uint32_t *row = plan.row == NoRegister ? nullptr : wave.v[plan.row].data();
  bool isWhole = row && exec == wave.laneMask();
  uint64_t bits = runRows(wave, plan, isWhole ? row : result);
  if (row && !isWhole)
    plan.helpers->blend(row, result, exec, wave.waveSize);
  if (plan.mask != NoRegister)
    wave.writeMask(plan.mask, bits);
  if (plan.writesExec)
    wave.setExec(bits);
}

/// Both halves of a VOPD pair read before either writes.
void gcn::runValuKernels(Wave &wave, const MicroOp &op) {
  if (!isKernelMode(wave))
    return runValu(wave, op);
  const KernelPlan *halves[] = {op.plan.get(), op.dual[0].plan.get()};
  alignas(64) LaneBlock results[2];
  for (unsigned i = 0; i < 2; ++i)
    runRows(wave, *halves[i], results[i]);
  for (unsigned i = 0; i < 2; ++i)
    halves[i]->helpers->blend(wave.v[halves[i]->row].data(), results[i], wave.exec(),
                              wave.waveSize);
}
