// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/DirectedRun.h"

#include "oracles/machine/gcn/KernelTesting.h"
#include "oracles/machine/gcn_isa/Decoder.h"
#include "oracles/pal_elf/ElfView.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// A kernel with the pcs of its instructions, and a case for it.
struct Kernel {
  explicit Kernel(AsmText body) {
    artifact = Artifact(cantFail(assembleElf(wrapKernel({}, body), "gfx1100", 32)));
    ElfView view = cantFail(ElfView::read(artifact.bytes()));
    const ElfSection *text = view.findSection(".text");
    auto decoder = cantFail(Decoder::create("gfx1100", 32));
    insts = decoder->decodeRange(text->bytes, 0, text->bytes.size());
  }

  uint64_t pcOf(StringRef mnemonic, unsigned number = 0) const {
    for (const Inst &inst : insts)
      if (inst.mnemonic == mnemonic && number-- == 0)
        return inst.pc;
    ADD_FAILURE() << mnemonic.str();
    return 0;
  }
  /// All instructions, but not those from \p first to the one before \p end.
  std::vector<uint64_t> pathWithout(uint64_t first, uint64_t end) const {
    std::vector<uint64_t> path;
    for (const Inst &inst : insts)
      if (inst.pc < first || inst.pc >= end)
        path.push_back(inst.pc);
    return path;
  }
  DirectedRun run(ArrayRef<uint64_t> path, bool sanitize = true) const {
    Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
    auto result = runDirected(input, artifact, **findTarget("gfx1100"), path, sanitize);
    if (result)
      return *result;
    ADD_FAILURE() << takeError(result.takeError()).message;
    return {};
  }

  Artifact artifact;
  std::vector<Inst> insts;
};

/// The load's result is read before it is there, on the path that no input takes.
AsmText neverTaken() {
  return prologue("gfx1100") + "s_cmp_eq_u32 s4, s4\nbuffer_load_b32 v2, v1, s[4:7], 0 offen\n"
                               "s_cbranch_scc1 .Lwait\nv_mov_b32 v3, v2\ns_branch .Lnext\n"
                               ".Lwait:\ns_waitcnt vmcnt(0)\n.Lnext:\ns_endpgm\n";
}

} // namespace

TEST(DirectedRun, LeadsWhereTheInputDoesNot) {
  Kernel kernel(neverTaken());
  uint64_t wait = kernel.pcOf("s_waitcnt", 1); // The prologue has the other one.
  std::vector<uint64_t> path = kernel.pathWithout(wait, wait + 4);
  DirectedRun run = kernel.run(path);
  ASSERT_EQ(run.steps.size(), path.size());
  ASSERT_EQ(run.reports.size(), 1u);
  EXPECT_EQ(run.reports[0].rule, "WAIT-RAW");
  EXPECT_TRUE(kernel.run(path, /*sanitize=*/false).reports.empty());
}

TEST(DirectedRun, IsSilentOnTheOtherSide) {
  Kernel kernel(neverTaken());
  uint64_t read = kernel.pcOf("v_mov_b32");
  std::vector<uint64_t> path = kernel.pathWithout(read, kernel.pcOf("s_waitcnt", 1));
  DirectedRun run = kernel.run(path);
  EXPECT_EQ(run.steps.size(), path.size());
  EXPECT_TRUE(run.reports.empty());
}

TEST(DirectedRun, StopsWhereThePathIsNone) {
  Kernel kernel(neverTaken());
  uint64_t load = kernel.pcOf("buffer_load_b32");
  std::vector<uint64_t> path = kernel.pathWithout(load, load + 8);
  EXPECT_LT(kernel.run(path).steps.size(), path.size());
}

/// Only instructions of one unit write in their order: memory, sampler. Nothing is at what the
/// descriptors say, which is passed over.
TEST(DirectedRun, SeesResultsOfTwoUnitsOverwriteEachOther) {
  const char *sample = "image_sample v2, v[3:4], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D\n";
  const char *load = "buffer_load_b32 v2, v1, s[4:7], 0 offen\n";
  auto rules = [](AsmText first, AsmText second) {
    Kernel kernel(prologue("gfx1100") + first + second + "s_endpgm\n");
    std::vector<std::string> found;
    for (const Finding &finding :
         kernel.run(kernel.pathWithout(~uint64_t(0), ~uint64_t(0))).reports)
      found.push_back(finding.rule);
    return found;
  };
  std::vector<std::string> overwritten = {"WAIT-WAW"};
  EXPECT_EQ(rules(load, sample), overwritten);
  EXPECT_EQ(rules(sample, load), overwritten);
  EXPECT_TRUE(rules(load, load).empty());
  EXPECT_TRUE(rules(sample, sample).empty());
}

TEST(DirectedRun, KeepsLanesActiveAndPassesOverTraps) {
  Kernel kernel(prologue("gfx1100") + "v_cmp_gt_u32 vcc_lo, 0, v0\ns_and_saveexec_b32 s12, vcc_lo\n"
                                      "s_cbranch_execz .Lnext\nv_mov_b32 v2, 0\n"
                                      "global_load_b32 v4, v[2:3], off\nv_mov_b32 v5, v4\n.Lnext:\n"
                                      "s_endpgm\n");
  std::vector<uint64_t> path = kernel.pathWithout(~uint64_t(0), ~uint64_t(0));
  DirectedRun run = kernel.run(path);
  ASSERT_EQ(run.steps.size(), path.size());
  EXPECT_EQ(run.steps.back().exec, 0xffffffffu);
  ASSERT_EQ(run.reports.size(), 1u) << "the load at a wild address is in flight";
  EXPECT_EQ(run.reports[0].rule, "WAIT-RAW");
}
