// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Program.h"

#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/SharedRegisters.h"
#include "oracles/machine/gcn/sanitizer/HazardTable.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Decodes and binds all of \p ranges, which count bytes from the begin of \p code. \p base is its
/// address.
Program::Program(const ProgramOptions &options, Decoder &decoder, ArrayRef<uint8_t> code,
                 uint64_t base, ArrayRef<CodeRange> ranges)
    : m_options(options), m_base(base), m_opAtWord(code.size() / 4 + 1, NoTarget) {
  for (const CodeRange &range : ranges)
    addRange(decoder, code, range);
  linkBranches();
  for (const MicroOp &op : m_ops)
    m_facts.push_back(describeOp(op, m_options));
  markHazards(m_facts, m_ops, m_options);
}

/// Adds a range, up to its end or to an instruction that is known already.
void Program::addRange(Decoder &decoder, ArrayRef<uint8_t> code, const CodeRange &range) {
  size_t first = m_ops.size();
  for (Inst &inst : decoder.decodeRange(code, range.begin, range.end)) {
    // The range may run into one that is there already.
    if (uint32_t existing = m_opAtWord[inst.pc / 4]; existing != NoTarget) {
      if (m_ops.size() > first)
        m_ops.back().next = existing;
      return;
    }
    m_insts.push_back(std::move(inst));
    const Inst &kept = m_insts.back();
    MicroOp op = bindInst(kept, m_options);
    bindSharedRegisters(op, m_options);
    refuseIgnoredBits(op, m_options);
    m_hasBarrier |= StringRef(kept.mnemonic).starts_with("s_barrier");
    op.pc = m_base + kept.pc;
    op.size = kept.size;
    op.next = static_cast<uint32_t>(m_ops.size() + 1);
    m_opAtWord[kept.pc / 4] = static_cast<uint32_t>(m_ops.size());
    m_ops.push_back(std::move(op));
  }
  addEnd(range.end);
}

/// Running off the end of a function is an instruction of its own.
void Program::addEnd(uint64_t offset) {
  Inst inst;
  inst.pc = offset;
  inst.text = "(end of the code)";
  m_insts.push_back(std::move(inst));
  MicroOp op;
  op.run = runPastEnd;
  op.inst = &m_insts.back();
  op.pc = m_base + offset;
  op.next = static_cast<uint32_t>(m_ops.size());
  m_ops.push_back(std::move(op));
}

/// Branches with a target in the instruction.
static bool isDirectBranch(StringRef mnemonic) {
  return mnemonic.starts_with("s_branch") || mnemonic.starts_with("s_cbranch_") ||
         mnemonic == "s_call_b64";
}

/// Sets MicroOp::target; a branch to where no instruction is keeps NoTarget.
void Program::linkBranches() {
  for (MicroOp &op : m_ops) {
    if (!isDirectBranch(op.inst->mnemonic))
      continue;
    int64_t distance = int64_t(int16_t(op.inst->simm16())) * 4;
    op.target = findOp(op.pc + op.size + static_cast<uint64_t>(distance));
  }
}

/// Index of the instruction at \p address, or NoTarget.
uint32_t Program::findOp(uint64_t address) const {
  uint64_t offset = address - m_base;
  if (offset % 4 || offset / 4 >= m_opAtWord.size())
    return NoTarget;
  return m_opAtWord[offset / 4];
}
