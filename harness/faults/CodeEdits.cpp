// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code, wrong in one instruction, or in its waits. Nothing moves: what is changed keeps its
// size.
#include "harness/faults/CompiledElf.h"
#include "harness/waits/WaitModel.h"
#include "oracles/machine/gcn_isa/Codec.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// A copy of the file in which \p words are at \p pc.
static ElfBytes withWords(const CompiledElf &file, uint64_t pc, ArrayRef<uint32_t> words) {
  ElfBytes bytes = file.view.bytes().vec();
  uint64_t offset = file.codeOffset() + pc;
  for (uint32_t word : words) {
    support::endian::write32le(&bytes[offset], word);
    offset += sizeof(word);
  }
  return bytes;
}

/// The first instruction that \p change changes, and that can be encoded like that.
template <typename ChangeT>
static std::optional<ElfBytes> changeFirst(const CompiledElf &file, ChangeT change) {
  for (const Inst &inst : file.insts) {
    Inst changed = inst;
    if (!inst.form || !inst.dual.empty() || !change(changed))
      continue;
    Expected<std::vector<uint32_t>> words = encodeInst(changed, file.chip, file.waveSize);
    if (words && words->size() * sizeof(uint32_t) == inst.size)
      return withWords(file, inst.pc, *words);
    if (!words)
      consumeError(words.takeError()); // Not this one, then.
  }
  return std::nullopt;
}

namespace {
/// A part of the names of opcodes, and what stands there in those of their opposites.
struct Renaming {
  StringLiteral part, other;
};
} // namespace

/// Gives \p inst the opcode that is called so, in the same format.
static bool rename(const CompiledElf &file, ArrayRef<Renaming> renamings, Inst &inst) {
  for (const Renaming &renaming : renamings) {
    auto [before, after] = StringRef(inst.mnemonic).split(renaming.part);
    if (before.size() == inst.mnemonic.size())
      continue;
    std::string name = (before + renaming.other + after).str();
    for (const InstForm *form : IsaTable::get(file.chip).forms())
      if (form->name == name && form->layout == inst.form->layout) {
        inst.form = form;
        return true;
      }
  }
  return false;
}

/// The first part that occurs in a name is replaced.
static constexpr Renaming additions[] = {{"v_add_", "v_sub_"}};
/// Comparisons that differ for equal operands only.
static constexpr Renaming comparisons[] = {{"cmp_lt_", "cmp_le_"},
                                           {"cmp_gt_", "cmp_ge_"},
                                           {"cmp_nle_", "cmp_nlt_"},
                                           {"cmp_nge_", "cmp_ngt_"}};
/// Each condition and its opposite.
static constexpr Renaming branches[] = {
    {"cbranch_scc0", "cbranch_scc1"},    {"cbranch_scc1", "cbranch_scc0"},
    {"cbranch_vccz", "cbranch_vccnz"},   {"cbranch_vccnz", "cbranch_vccz"},
    {"cbranch_execz", "cbranch_execnz"}, {"cbranch_execnz", "cbranch_execz"}};

/// The first instruction that one of the renamings fits.
template <const auto &Renamings>
static std::optional<ElfBytes> renameFirst(const CompiledElf &file) {
  return changeFirst(file, [&](Inst &inst) { return rename(file, Renamings, inst); });
}

/// Adds 4 bytes to the offset of the first buffer access.
static std::optional<ElfBytes> moveAccess(const CompiledElf &file) {
  return changeFirst(file, [](Inst &inst) {
    StringRef name = inst.mnemonic;
    bool isLoad = name.contains("buffer_load") || name.contains("buffer_store");
    inst.mods.offset += isLoad ? 4 : 0;
    return isLoad;
  });
}

/// Moves the last operand of the first vector multiplication by one register.
static std::optional<ElfBytes> readNextRegister(const CompiledElf &file) {
  constexpr unsigned LastVgpr = 255;
  return changeFirst(file, [](Inst &inst) {
    if (!StringRef(inst.mnemonic).starts_with("v_mul_") || inst.operands.size() < 2)
      return false;
    Operand &source = inst.operands.back();
    bool canMove = source.type == OperandType::Vgpr && source.index < LastVgpr;
    source.index += canMove;
    return canMove;
  });
}

/// Adds one to the first constant from 1 to 30 in a shift.
static std::optional<ElfBytes> shiftFurther(const CompiledElf &file) {
  constexpr int64_t LastBit = 31;
  static constexpr StringLiteral shifts[] = {"lshl", "lshr", "ashr"};
  return changeFirst(file, [](Inst &inst) {
    StringRef name = inst.mnemonic;
    if (none_of(shifts, [&](StringRef part) { return name.contains(part); }))
      return false;
    for (Operand &operand : inst.operands)
      if (operand.type == OperandType::Integer && operand.value > 0 && operand.value < LastBit) {
        ++operand.value;
        return true;
      }
    return false;
  });
}

/// All waits for one of \p counters, dropped or weakened by one.
static std::optional<ElfBytes> changeWaits(const CompiledElf &file,
                                           ArrayRef<waits::Counter> counters, bool drops) {
  std::vector<Inst> insts = file.insts;
  bool hasChanged = false;
  for (const waits::Mutation &mutation : waits::listMutations(file.insts, file.machine->major)) {
    if (mutation.isDrop() != drops || !is_contained(counters, mutation.counter))
      continue;
    Inst &inst = insts[mutation.inst];
    inst.words[0] = waits::mutatedWord(inst, mutation, file.machine->major);
    hasChanged = true;
  }
  if (!hasChanged)
    return std::nullopt;
  ElfBytes bytes = file.view.bytes().vec();
  for (const Inst &inst : insts)
    support::endian::write32le(&bytes[file.codeOffset() + inst.pc], inst.words[0]);
  return bytes;
}

/// GFX12 counts samples apart from loads.
static constexpr waits::Counter loads[] = {waits::Counter::Load, waits::Counter::Sample};
/// GFX12 counts scalar loads apart from LDS.
static constexpr waits::Counter scalars[] = {waits::Counter::Lgkm, waits::Counter::Km};

/// changeWaits() as a function of ElfEdit.
template <const auto &Counters, bool Drops>
static std::optional<ElfBytes> changeWaitsFor(const CompiledElf &file) {
  return changeWaits(file, Counters, Drops);
}

ArrayRef<ElfEdit> assay::codeEdits() {
  static constexpr ElfEdit edits[] = {{Fault::InstSubtracts, renameFirst<additions>},
                                      {Fault::InstOffset, moveAccess},
                                      {Fault::InstCompare, renameFirst<comparisons>},
                                      {Fault::InstRegister, readNextRegister},
                                      {Fault::InstConstant, shiftFurther},
                                      {Fault::InstBranch, renameFirst<branches>},
                                      {Fault::WaitLoads, changeWaitsFor<loads, true>},
                                      {Fault::WaitScalar, changeWaitsFor<scalars, true>},
                                      {Fault::WaitWeakened, changeWaitsFor<loads, false>}};
  return edits;
}
