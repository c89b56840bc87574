// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector operations on 32-bit operands by the kernels of their rows (gcn_alu/Kernel.h): all lanes
// of the wave at once, and of the results those of the active lanes are kept. Valu.cpp means the
// same.
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/alu/Valu.h"
#include "oracles/machine/gcn_alu/Kernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// No operand of this kind.
constexpr uint16_t NoRegister = 0xffff;

/// A source that is a row of lanes as it is: of the wave's registers, or of the plan's constants.
/// Its address is (that of the registers & inRegisters) + offset, without a branch.
struct LaneSource {
  uintptr_t inRegisters = 0;
  uintptr_t offset = 0;
};

/// A source of which a row has to be made.
struct MadeSource {
  uint16_t index = 0;
  bool isVector = false;
  uint32_t keep = ~0u; ///< The modifiers abs and neg: what is kept, and what is flipped.
  uint32_t flip = 0;
};

} // namespace

/// All that runs for an operation, in few lines of the cache.
struct gcn::KernelPlan {
  KernelModes kernels;
  std::array<LaneSource, 3> sources;
  const LaneHelpers *helpers = nullptr;
  uint8_t made = 0; ///< Bit per source: madeSources has it.
  bool clamp = false;
  bool writesExec = false;
  uint16_t row = NoRegister;     ///< The vector register of the result.
  uint16_t mask = NoRegister;    ///< The scalar register of a mask result.
  uint16_t carryIn = NoRegister; ///< The scalar register of a mask source.
  std::array<MadeSource, 3> madeSources;
  alignas(64) std::array<LaneArray, 3> constants;

  bool hasRow() const { return row != NoRegister; }
  bool readsMask() const { return carryIn != NoRegister; }
  bool writesMask() const { return mask != NoRegister || writesExec; }
};

/// Whether no bit of a modifier is set.
static bool isZeroed(ArrayRef<uint8_t> bits) {
  return all_of(bits, [](uint8_t bit) { return bit == 0; });
}

/// Kernels have lanes of registers and constants; neg and abs are applied before.
static bool isLaneSource(const Source &source) {
  return !source.operand.sext && (source.operand.isRegister() || isConstant(source.operand));
}

/// No modifier that works on lanes or on results. abs and neg are allowed.
static bool hasPlainModifiers(const Modifiers &mods, const AluOp &alu) {
  return !mods.sdwa && mods.dpp == DppControl::None && !mods.omod && !mods.byteSel &&
         !(mods.clamp && isFloatKind(alu.dst)) && isZeroed(mods.opSel) && !mods.hasOpSelHi &&
         isZeroed(mods.negLo) && isZeroed(mods.negHi);
}

/// Whether the operation has kernels, and operands that they can read and write.
static bool fitsKernel(const MicroOp &op) {
  if (!op.alu || !op.alu->kernels || !hasPlainModifiers(op.inst->mods, *op.alu))
    return false;
  bool isCompare = op.alu->flags & Compare;
  if (!isCompare && op.destination.type != OperandType::Vgpr)
    return false;
  return all_of(ArrayRef(op.sources).take_front(op.sourceCount), isLaneSource);
}

/// The register of a mask, or NoRegister.
static uint16_t scalarIndex(const Operand &operand) {
  return operand.type == OperandType::Sgpr ? operand.index : NoRegister;
}

/// Plans a source as constant lanes, as a register's row, or as a row to be made.
static void planSource(const Source &source, unsigned number, KernelPlan &plan) {
  const Operand &operand = source.operand;
  MadeSource made;
  made.index = operand.index;
  made.isVector = operand.type == OperandType::Vgpr;
  made.keep = operand.abs ? 0x7fffffff : 0xffffffff;
  made.flip = operand.neg ? 0x80000000 : 0;
  if (!operand.isRegister()) {
    LaneArray &lanes = plan.constants[number];
    lanes.fill((static_cast<uint32_t>(source.constant) & made.keep) ^ made.flip);
    plan.sources[number] = {0, reinterpret_cast<uintptr_t>(lanes.data())};
  } else if (made.isVector && !operand.abs && !operand.neg) {
    plan.sources[number] = {~uintptr_t(0), operand.index * sizeof(LaneArray)};
  } else {
    plan.madeSources[number] = made;
    plan.made |= uint8_t(1u << number);
  }
}

/// Needs an operation that fitsKernel(). Kernels are chosen for this host.
static std::shared_ptr<const KernelPlan> makePlan(const MicroOp &op) {
  auto plan = std::make_shared<KernelPlan>();
  VectorWidth width = hostVectorWidth();
  plan->kernels = op.alu->kernels->at(width);
  plan->helpers = &laneHelpers(width);
  plan->clamp = op.inst->mods.clamp;
  plan->writesExec = op.alu->flags & WritesExec;
  plan->mask = scalarIndex(op.alu->flags & Compare ? op.destination : op.carryOut);
  plan->carryIn = scalarIndex(op.carryIn);
  if (op.destination.type == OperandType::Vgpr)
    plan->row = op.destination.index;
  for (unsigned i = 0; i < op.sourceCount; ++i)
    planSource(op.sources[i], i, *plan);
  return plan;
}

static Handler handlerOf(const KernelPlan &plan);
static void runValuKernels(Wave &wave, const MicroOp &op);

/// Replaces the handler of operations that fit; of dual ones, both halves must.
void gcn::bindKernels(MicroOp &op) {
  bool isPair = op.dual.size() == 1;
  if ((op.run != runValu && op.run != runFastValu) || !fitsKernel(op))
    return;
  if (!op.inst->dual.empty() && (!isPair || !fitsKernel(op.dual[0])))
    return;
  op.plan = makePlan(op);
  if (isPair)
    op.dual[0].plan = makePlan(op.dual[0]);
  op.run = isPair ? runValuKernels : handlerOf(*op.plan);
}

using LaneBlock = uint32_t[MaxLanes];

/// The row of a source that needs no preparation.
[[gnu::always_inline]] static inline const uint32_t *addressOf(const Wave &wave,
                                                               const LaneSource &source) {
  auto registers = reinterpret_cast<uintptr_t>(wave.v.data());
  return reinterpret_cast<const uint32_t *>((registers & source.inRegisters) + source.offset);
}

/// Writes the lanes of a source to \p block, with abs and neg applied.
static void makeRow(const Wave &wave, const KernelPlan &plan, const MadeSource &source,
                    uint32_t *block) {
  if (source.isVector)
    plan.helpers->sign(block, wave.v[source.index].data(), source.keep, source.flip, wave.waveSize);
  else
    plan.helpers->fill(block, (wave.s[source.index] & source.keep) ^ source.flip, wave.waveSize);
}

/// The rows of an operation's sources: those of registers and constants where they are, the others
/// made in \p blocks. \p to is the row of the result.
template <bool Makes, bool ReadsMask>
[[gnu::always_inline]] static inline LaneRows readRows(const Wave &wave, const KernelPlan &plan,
                                                       LaneBlock *blocks, uint32_t *to) {
  LaneRows rows{{addressOf(wave, plan.sources[0]), addressOf(wave, plan.sources[1]),
                 addressOf(wave, plan.sources[2])},
                to,
                0,
                wave.waveSize,
                plan.clamp};
  for (uint32_t left = Makes ? plan.made : 0; left; left &= left - 1) {
    auto i = static_cast<unsigned>(countr_zero(left));
    makeRow(wave, plan, plan.madeSources[i], blocks[i]);
    rows.src[i] = blocks[i];
  }
  if (ReadsMask)
    rows.carryIn = wave.readMask(plan.carryIn);
  return rows;
}

/// Runs the operation lane by lane, in modes without a kernel.
[[gnu::noinline]] static void runWithoutKernel(Wave &wave, const MicroOp &op) {
  if (isFastValu(op))
    runFastValu(wave, op);
  else
    runValu(wave, op);
}

/// \p rows into \p row, in the lanes that are active. Returns the kernel's mask.
[[gnu::noinline]] static uint64_t runInActiveLanes(const Wave &wave, const KernelPlan &plan,
                                                   KernelMode mode, LaneRows rows, uint32_t *row) {
  alignas(64) LaneBlock result;
  rows.dst = result;
  uint64_t bits = plan.kernels[unsigned(mode)](rows, wave.mode);
  plan.helpers->blend(row, result, wave.exec(), wave.waveSize);
  return bits;
}

/// The result of a compare, or carries. Bits of lanes that are not active are 0.
[[gnu::always_inline]] static inline void writeMaskResult(Wave &wave, const KernelPlan &plan,
                                                          uint64_t bits) {
  if (plan.mask != NoRegister && wave.waveSize == 32 && plan.mask != sreg::Null)
    wave.s[plan.mask] = static_cast<uint32_t>(bits);
  else if (plan.mask != NoRegister)
    wave.writeMask(plan.mask, bits);
  if (plan.writesExec)
    wave.setExec(bits);
}

/// Runs an operation by its kernel. What the plan's operands need is chosen once for all runs:
/// rows that are made of scalars or with neg and abs, a mask that is read, a mask that is written.
template <bool Makes, bool ReadsMask, bool WritesMask>
static void runKernel(Wave &wave, const MicroOp &op) {
  KernelMode mode = wave.kernelMode();
  if (mode == KernelMode::Other) [[unlikely]]
    return runWithoutKernel(wave, op);
  const KernelPlan &plan = *op.plan;
  alignas(64) LaneBlock blocks[Makes ? 3 : 1];
  uint32_t *row = !WritesMask || plan.hasRow() ? wave.v[plan.row].data() : nullptr;
  LaneRows rows = readRows<Makes, ReadsMask>(wave, plan, blocks, row);
  uint64_t exec = wave.exec();
  uint64_t bits = row && exec != wave.laneMask() ? runInActiveLanes(wave, plan, mode, rows, row)
                                                 : plan.kernels[unsigned(mode)](rows, wave.mode);
  if (WritesMask)
    writeMaskResult(wave, plan, bits & exec);
}

/// The instance of runKernel() for the plan.
static Handler handlerOf(const KernelPlan &plan) {
  static constexpr Handler handlers[] = {
      runKernel<false, false, false>, runKernel<false, false, true>, runKernel<false, true, false>,
      runKernel<false, true, true>,   runKernel<true, false, false>, runKernel<true, false, true>,
      runKernel<true, true, false>,   runKernel<true, true, true>};
  return handlers[(plan.made ? 4 : 0) + (plan.readsMask() ? 2 : 0) + (plan.writesMask() ? 1 : 0)];
}

/// Computes all lanes of one half of a pair into \p to.
static void runHalf(const Wave &wave, const KernelPlan &plan, KernelMode mode, uint32_t *to) {
  alignas(64) LaneBlock blocks[3];
  LaneRows rows = readRows<true, false>(wave, plan, blocks, to);
  if (plan.readsMask())
    rows.carryIn = wave.readMask(plan.carryIn);
  plan.kernels[unsigned(mode)](rows, wave.mode);
}

/// Both halves of a VOPD pair read before either writes.
static void runValuKernels(Wave &wave, const MicroOp &op) {
  KernelMode mode = wave.kernelMode();
  if (mode == KernelMode::Other)
    return runValu(wave, op);
  const KernelPlan *halves[] = {op.plan.get(), op.dual[0].plan.get()};
  alignas(64) LaneBlock results[2];
  for (unsigned i = 0; i < 2; ++i)
    runHalf(wave, *halves[i], mode, results[i]);
  for (unsigned i = 0; i < 2; ++i)
    halves[i]->helpers->blend(wave.v[halves[i]->row].data(), results[i], wave.exec(),
                              wave.waveSize);
}
