// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/WeakWait.h"

#include "oracles/machine/gcn_isa/Cfg.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay::gcn;

/// A line of code: its instruction, and the registers that it names ("v1", "s4"), of which one that
/// brings a result brings the first.
static Inst makeInst(StringRef line, uint64_t pc) {
  auto [mnemonic, rest] = line.split(' ');
  Inst inst;
  inst.pc = pc;
  inst.size = 4;
  inst.valid = true;
  inst.mnemonic = mnemonic.str();
  SmallVector<StringRef, 4> words;
  rest.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    unsigned number = 0;
    if (word.drop_front().getAsInteger(10, number)) {
      ADD_FAILURE() << line.str();
      continue;
    }
    if (word.front() == '#') {
      inst.words[0] = number;
      continue;
    }
    Operand &operand = inst.operands.emplace_back();
    operand.type = word.front() == 'v' ? OperandType::Vgpr : OperandType::Sgpr;
    operand.index = static_cast<uint16_t>(number);
  }
  return inst;
}

namespace {

/// Lines of code as they are written; a branch has its distance as #N.
class Lines final : public WaitedCode {
public:
  explicit Lines(StringRef text) {
    SmallVector<StringRef, 16> lines;
    text.split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      m_insts.push_back(makeInst(line, 4 * m_insts.size()));
  }
  uint32_t size() const override { return static_cast<uint32_t>(m_insts.size()); }
  const Inst &inst(uint32_t index) const override { return m_insts[index]; }
  PendingRegisters result(uint32_t index) const override {
    const Inst &inst = m_insts[index];
    if (inst.operands.empty() || StringRef(inst.mnemonic).contains("store"))
      return {};
    return {inst.operands[0].type == OperandType::Vgpr, inst.operands[0].index, 1};
  }
  SmallVector<uint32_t, 2> next(uint32_t index) const override {
    SmallVector<uint32_t, 2> all = {index + 1};
    if (std::optional<uint64_t> target = branchTarget(m_insts[index]))
      all.push_back(static_cast<uint32_t>(*target / 4));
    return all;
  }

private:
  std::vector<Inst> m_insts;
};

struct Row {
  const char *name;
  unsigned gfxMajor;
  uint32_t producer, use;
  const char *wait; ///< "vmcnt(1) at 8, not 0", or "none".
  const char *code;
};

/// GFX12's waits have their limit as #N; s_waitcnt of GFX11 is vmcnt << 10 | lgkmcnt << 4 | expcnt.
constexpr Row rows[] = {
    {"NoWait", 12, 0, 1, "none", "buffer_load_b32 v1 v0\nv_mov_b32 v2 v1\n"},
    {"OneTooMany", 12, 0, 2, "loadcnt(1) at 4, not 0",
     "buffer_load_b32 v1 v0\ns_wait_loadcnt #1\nv_mov_b32 v2 v1\n"},
    // The first of two, then: one may be in flight, not two.
    {"OneTooManyOfTwo", 12, 0, 3, "loadcnt(2) at 8, not 1",
     "buffer_load_b32 v1 v0\nbuffer_load_b32 v2 v0\ns_wait_loadcnt #2\nv_mov_b32 v3 v1\n"},
    // All that the counter holds: no wait, however it is encoded.
    {"AsMuchAsThereIs", 12, 0, 2, "none",
     "buffer_load_b32 v1 v0\ns_wait_loadcnt #63\nv_mov_b32 v2 v1\n"},
    {"OtherCounter", 12, 0, 2, "none", "buffer_load_b32 v1 v0\ns_wait_kmcnt #0\nv_mov_b32 v2 v1\n"},
    // What it lets through is the older result's business, where somebody wants that one.
    {"ForAnOlderResult", 12, 1, 4, "none",
     "buffer_load_b32 v1 v0\nbuffer_load_b32 v2 v0\ns_wait_loadcnt #1\nv_mov_b32 v3 v1\n"
     "v_mov_b32 v4 v2\n"},
    {"NobodyWantsTheOlder", 12, 1, 3, "loadcnt(1) at 8, not 0",
     "buffer_load_b32 v1 v0\nbuffer_load_b32 v2 v0\ns_wait_loadcnt #1\nv_mov_b32 v4 v2\n"},
    // Who wants both had to wait for both.
    {"ForBothAtOnce", 12, 1, 3, "loadcnt(1) at 8, not 0",
     "buffer_load_b32 v1 v0\nbuffer_load_b32 v2 v0\ns_wait_loadcnt #1\nv_add_f32 v4 v1 v2\n"},
    {"ForAStoreToo", 9, 1, 3, "vmcnt(1) at 8, not 0",
     "buffer_store_dword v1 v0\nbuffer_load_dword v2 v0\ns_waitcnt_vmcnt #1\nv_mov_b32 v4 v2\n"},
    {"WaitedForOlderThenTooWeak", 12, 1, 5, "loadcnt(1) at 16, not 0",
     "buffer_load_b32 v1 v0\nbuffer_load_b32 v2 v0\ns_wait_loadcnt #1\nv_mov_b32 v3 v1\n"
     "s_wait_loadcnt #1\nv_mov_b32 v4 v2\n"},
    // What comes back in any order can be waited for by 0 alone.
    {"AnyOrder", 12, 0, 3, "kmcnt(1) at 8, not 0",
     "s_load_b32 s4 s2\ns_load_b32 s5 s2\ns_wait_kmcnt #1\ns_mov_b32 s6 s4\n"},
    {"PackedWait", 11, 0, 2, "vmcnt(1) at 4, not 0",
     "buffer_load_b32 v1 v0\ns_waitcnt #2039\nv_mov_b32 v2 v1\n"},
    // A flat load has two counters, of which one is not waited for.
    {"OneOfTwoCounters", 9, 0, 2, "none",
     "flat_load_dword v1 v2\ns_waitcnt_vmcnt #1\nv_mov_b32 v3 v1\n"},
    {"BothCounters", 9, 0, 3, "lgkmcnt(1) at 8, not 0",
     "flat_load_dword v1 v2\ns_waitcnt_vmcnt #1\ns_waitcnt_lgkmcnt #1\nv_mov_b32 v3 v1\n"},
    {"BeforeTheProducer", 12, 2, 3, "none",
     "buffer_load_b32 v1 v0\ns_wait_loadcnt #1\nbuffer_load_b32 v2 v0\nv_mov_b32 v3 v2\n"},
    // Back to the beginning of a loop, past the wait.
    {"AroundALoop", 12, 3, 1, "loadcnt(1) at 16, not 0",
     "s_nop\nv_mov_b32 v3 v2\ns_nop\nbuffer_load_b32 v2 v0\ns_wait_loadcnt #1\n"
     "s_cbranch_scc0 #65531\ns_endpgm\n"},
    // Its own result, a round later.
    {"ByItself", 12, 1, 1, "loadcnt(1) at 8, not 0",
     "s_nop\nbuffer_load_b32 v2 v2\ns_wait_loadcnt #1\ns_cbranch_scc0 #65533\ns_endpgm\n"},
    {"NoWay", 12, 1, 0, "none", "v_mov_b32 v2 v1\nbuffer_load_b32 v1 v0\n"},
};

} // namespace

static std::string describe(const std::optional<WeakWait> &wait, unsigned gfxMajor) {
  if (!wait)
    return "none";
  return printWait(wait->counter, wait->limit, gfxMajor) + " at " + utostr(wait->pc) + ", not " +
         utostr(wait->needed);
}

TEST(WeakWait, IsToldFromNone) {
  for (const Row &row : rows) {
    Lines code(row.code);
    EXPECT_EQ(describe(findWeakWait(code, row.producer, row.use, row.gfxMajor), row.gfxMajor),
              row.wait)
        << row.name;
  }
}
