// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Bind.h"

#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/alu/Matrix.h"
#include "oracles/machine/gcn/alu/Valu.h"
#include "oracles/machine/gcn/memory/LdsDirect.h"
#include "oracles/machine/gcn_isa/IgnoredBits.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// All rows that are bound by their names alone, one entry for each name.
static StringMap<const OpRow *> makeRowMap() {
  StringMap<const OpRow *> map;
  for (ArrayRef<OpRow> rows : {controlRows(), execMaskRows(), crossLaneRows(), messageRows(),
                               scalarStateRows(), hardwareRegisterRows()}) {
    for (const OpRow &row : rows) {
      SmallVector<StringRef, 4> names;
      StringRef(row.names).split(names, '|');
      for (StringRef name : names)
        map[name] = &row;
    }
  }
  return map;
}

/// Adds a source; the bits of a constant depend on \p kind.
void gcn::addSource(MicroOp &op, const Operand &operand, OperandKind kind) {
  assert(op.sourceCount < op.sources.size() && "too many sources");
  Source &source = op.sources[op.sourceCount++];
  source.operand = operand;
  source.kind = kind;
  if (isConstant(operand))
    source.constant = constantBits(operand, kind);
}

/// True as well for the null register and for what is no register.
bool gcn::hasDwords(const Operand &operand, unsigned dwords) {
  return !operand.isRegister() || operand.dwords >= dwords || operand.index == sreg::Null;
}

/// Binds by a table row: destinations first, then sources of the row's kind.
BindResult gcn::bindRow(const Inst &inst, const ProgramOptions &, MicroOp &op) {
  static const StringMap<const OpRow *> rows = makeRowMap();
  const OpRow *row = rows.lookup(inst.mnemonic);
  if (!row)
    return BindResult::NotMine;
  size_t count = inst.operands.size();
  if (count < row->destinations || count - row->destinations > op.sources.size())
    return BindResult::Unsupported;
  op.run = row->run;
  op.mask = row->mask;
  op.destinationCount = row->destinations;
  if (row->destinations)
    op.destination = inst.operands[0];
  for (const Operand &operand : drop_begin(inst.operands, row->destinations))
    addSource(op, operand, row->kind);
  return BindResult::Bound;
}

/// The registers of an operand; none for the null register.
static std::optional<PendingRegisters> registersOf(const Operand &operand) {
  if (!operand.isRegister() || (operand.type == OperandType::Sgpr && operand.index == sreg::Null))
    return std::nullopt;
  return PendingRegisters{operand.type == OperandType::Vgpr, operand.index, operand.dwords};
}

/// Which registers \p op touches, for the wait check.
static void collectRegisters(MicroOp &op) {
  auto add = [](auto &list, const Operand &operand) {
    if (auto registers = registersOf(operand))
      list.push_back(*registers);
  };
  for (const Source &source : ArrayRef(op.sources).take_front(op.sourceCount))
    add(op.reads, source.operand);
  add(op.reads, op.carryIn);
  if (op.destinationCount)
    add(op.writes, op.destination);
  add(op.writes, op.carryOut);
}

/// Whether the code has declared the registers. Special scalars are always there.
static bool isInRange(const PendingRegisters &registers, const ProgramOptions &options) {
  unsigned end = registers.first + registers.count;
  if (registers.vector)
    return end <= options.vgprCount;
  return registers.first >= sreg::FlatScratchLo || end <= options.sgprCount;
}

/// Whether all registers of \p op are declared.
static bool allInRange(const MicroOp &op, const ProgramOptions &options) {
  auto inRange = [&](const PendingRegisters &each) { return isInRange(each, options); };
  return all_of(op.reads, inRange) && all_of(op.writes, inRange);
}

/// Scalar instructions print words that their handlers read from the encoding.
static bool printsFreely(StringRef mnemonic) {
  return mnemonic.starts_with("s_") && !mnemonic.starts_with("s_load_") &&
         !mnemonic.starts_with("s_buffer_load_");
}

/// An operand that is no register and no constant has a meaning only to some scalar instructions.
static bool hasText(const Inst &inst) {
  return any_of(inst.operands, [](const Operand &operand) {
    return operand.type == OperandType::Text && !isExitingWave(operand);
  });
}

using Binder = BindResult (*)(const Inst &, const ProgramOptions &, MicroOp &);

/// True when a binder of \p binders takes the instruction for its own, bound or not.
static bool tryBinders(ArrayRef<Binder> binders, const Inst &inst, const ProgramOptions &options,
                       MicroOp &op) {
  for (Binder bind : binders) {
    MicroOp attempt;
    attempt.inst = &inst;
    BindResult result = bind(inst, options, attempt);
    if (result == BindResult::NotMine)
      continue;
    if (result == BindResult::Bound)
      op = std::move(attempt);
    return true;
  }
  return false;
}

/// Leaves \p op unsupported when no binder takes it, or when it has modifiers or operands that the
/// handlers would ignore.
static void bindFamily(const Inst &inst, const ProgramOptions &options, MicroOp &op) {
  // These take from the encoding what their text says in words of its own.
  if (tryBinders({bindExport, bindInterpolation, bindMatrix}, inst, options, op))
    return;
  // RDNA 3 has that source no more, though its number is decoded.
  if (options.gfxMajor >= 11 && any_of(inst.operands, isExitingWave))
    return;
  bool isFree = printsFreely(inst.mnemonic);
  if (!isFree && !inst.mods.onlyHints())
    return;
  if (!isFree && hasText(inst)) {
    if (any_of(inst.operands, isLdsDirect))
      tryBinders(bindAlu, inst, options, op);
    return;
  }
  if (tryBinders(bindRow, inst, options, op) || hasText(inst))
    return;
  tryBinders({bindAlu, bindScalarMemory, bindBufferMemory, bindFlatMemory, bindLaneExchange,
              bindGlobalShare, bindLds, bindRay, bindImage},
             inst, options, op);
}

/// Never fails: what cannot run gets a handler that ends the run. \p inst outlives the result.
MicroOp gcn::bindInst(const Inst &inst, const ProgramOptions &options) {
  MicroOp op;
  op.inst = &inst;
  // v_illegal is LLVM's name for the encodings that GFX10 and later trap on.
  bool isIllegal = !inst.valid || inst.mnemonic == "v_illegal";
  op.run = isIllegal ? runIllegal : runUnsupported;
  if (isIllegal)
    return op;
  bindFamily(inst, options, op);
  op.simm16 = inst.simm16();
  if (auto event = classifyWaitEvent(inst, options.gfxMajor)) {
    op.raisesCounter = true;
    op.event = *event;
  }
  if (auto limits = decodeWait(inst, options.gfxMajor))
    op.limits = *limits;
  collectRegisters(op);
  for (const Inst &half : inst.dual) {
    MicroOp second = bindInst(half, options);
    if (second.run == runUnsupported)
      op.run = runUnsupported;
    op.reads.append(second.reads.begin(), second.reads.end());
    op.writes.append(second.writes.begin(), second.writes.end());
    op.dual.push_back(std::move(second));
  }
  bindKernels(op);
  if (op.run != runUnsupported && !allInRange(op, options))
    op.run = runOutOfRange;
  return op;
}

/// The names of the fields of \p op whose bits nothing is known of; empty for most.
static std::string ignoredBitsOf(const MicroOp &op, const ProgramOptions &options) {
  std::optional<Chip> chip = findChip(options.targetName);
  if (!chip || !op.inst->valid)
    return "";
  return describeIgnoredModifiers(*op.inst, findIgnoredBits(*op.inst, *chip, options.waveSize));
}

/// Ends the run as unsupported, with the names of the bits.
static void runIgnoredBits(Wave &wave, const MicroOp &op) {
  const ProgramOptions &options = wave.group->program->options();
  wave.failUnsupported("OPCODE " + op.inst->mnemonic + " on " + options.targetName + " (" +
                       op.inst->text + ") with " + ignoredBitsOf(op, options) +
                       ": what these bits do there is not documented");
}

/// Makes \p op unsupported if it has bits set that the chip's documentation does not explain.
void gcn::refuseIgnoredBits(MicroOp &op, const ProgramOptions &options) {
  if (!ignoredBitsOf(op, options).empty())
    op.run = runIgnoredBits;
}

void gcn::runUnsupported(Wave &wave, const MicroOp &op) {
  wave.failUnsupported("OPCODE " + op.inst->mnemonic + " on " +
                       wave.group->program->options().targetName + " (" + op.inst->text + ")");
}

void gcn::runIllegal(Wave &wave, const MicroOp &op) {
  wave.fail(OutcomeKind::Trap, "ILLEGAL", op, "this is no instruction of the chip");
}

void gcn::runOutOfRange(Wave &wave, const MicroOp &op) {
  const ProgramOptions &options = wave.group->program->options();
  wave.fail(OutcomeKind::Trap, "REG-RANGE", op,
            "a register beyond .vgpr_count " + Twine(options.vgprCount) + " or .sgpr_count " +
                Twine(options.sgprCount));
}

void gcn::runPastEnd(Wave &wave, const MicroOp &op) {
  wave.fail(OutcomeKind::Trap, "PAST-END", op, "execution ran past the end of the code");
}
