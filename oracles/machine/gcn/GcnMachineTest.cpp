// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole ELFs, assembled here, on the machine: results, and everything that must be noticed.
#include "oracles/machine/gcn/KernelTesting.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

TEST(GcnMachine, RunsSaxpyOnEveryChip) {
  std::vector<uint32_t> a;
  std::vector<uint32_t> b;
  for (unsigned i = 0; i < 128; ++i) {
    a.push_back(bits(float(i)));
    b.push_back(bits(0.5f));
  }
  for (const TestChip &chip : TestChips) {
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    Case input = makeCase({makeBuffer(a), makeBuffer(b)}, 2);
    Outcome outcome = runOrFail(options, saxpy(chip.target), input);
    ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << chip.target << " " << outcome.reason;
    std::vector<uint32_t> result = words(outcome, 1);
    for (unsigned i = 0; i < 128; ++i)
      ASSERT_EQ(result[i], bits(2.0f * float(i) + 0.5f)) << chip.target << " element " << i;
    EXPECT_GT(outcome.instructions, 0u);
  }
}

TEST(GcnMachine, FindsDroppedLoadWait) {
  for (const TestChip &chip : TestChips) {
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
    Outcome outcome = runOrFail(options, saxpy(chip.target, false), input);
    ASSERT_EQ(outcome.kind, OutcomeKind::Hazard) << chip.target;
    ASSERT_EQ(outcome.findings.size(), 1u);
    const Finding &finding = outcome.findings[0];
    EXPECT_EQ(finding.rule, "WAIT-RAW");
    EXPECT_NE(finding.message.find("reads v2"), std::string::npos) << finding.message;
    std::string counter = StringRef(chip.target) == "gfx1201" ? "loadcnt" : "vmcnt";
    EXPECT_NE(finding.message.find(counter), std::string::npos) << finding.message;
  }
}

TEST(GcnMachine, FindsDroppedScalarWait) {
  for (const TestChip &chip : TestChips) {
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    AsmText body = prologue(chip.target, false) + loadWord(chip.target) + " v2, v1, s[4:7], " +
                   offset(chip.target) + " offen\ns_endpgm\n";
    Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
    Outcome outcome = runOrFail(options, body, input);
    ASSERT_EQ(outcome.kind, OutcomeKind::Hazard) << chip.target;
    EXPECT_EQ(outcome.findings.at(0).rule, "WAIT-RAW");
    EXPECT_NE(outcome.findings.at(0).message.find("reads s4"), std::string::npos);
  }
}

TEST(GcnMachine, FindsOverwrittenLoad) {
  KernelOptions options;
  AsmText body =
      prologue("gfx1100") + "buffer_load_b32 v2, v1, s[4:7], 0 offen\nv_mov_b32 v2, 0\ns_endpgm\n";
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  Outcome outcome = runOrFail(options, body, input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Hazard);
  EXPECT_EQ(outcome.findings.at(0).rule, "WAIT-WAW");
}

/// Each lane writes its value to LDS; after the barrier it reads its mirror lane's.
static AsmText reverseThroughLds(StringRef target, StringRef barrier) {
  bool old = isOld(target);
  AsmText none = offset(target);
  return prologue(target) + loadWord(target) + " v2, v1, s[4:7], " + none + " offen\n" +
         waitLoads(target) + "v_lshlrev_b32 v5, 2, v0\n" +
         AsmText(old ? "ds_write_b32 v5, v2\n" : "ds_store_b32 v5, v2\n") + waitLds(target) +
         barrier.str() + "v_xor_b32 v6, 0xfc, v5\n" +
         AsmText(old ? "ds_read_b32 v7, v6\n" : "ds_load_b32 v7, v6\n") + waitLds(target) +
         storeWord(target) + " v7, v1, s[8:11], " + none + " offen\ns_endpgm\n";
}

TEST(GcnMachine, SynchronisesWavesThroughLds) {
  for (const TestChip &chip : TestChips) {
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    options.lds = 256;
    StringRef barrier = StringRef(chip.target) == "gfx1201"
                            ? "s_barrier_signal -1\ns_barrier_wait 0xffff\n"
                            : "s_barrier\n";
    for (uint64_t seed : {0, 1, 2}) {
      RunOptions run;
      run.seed = seed;
      Case input = makeCase({makeBuffer(iota(128, 7)), makeBuffer(iota(128, 0))}, 2);
      Outcome outcome = runOrFail(options, reverseThroughLds(chip.target, barrier), input, run);
      ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << chip.target << " " << outcome.reason;
      std::vector<uint32_t> result = words(outcome, 1);
      for (unsigned i = 0; i < 128; ++i)
        ASSERT_EQ(result[i], 7 + (i ^ 63)) << chip.target << " element " << i;
    }
  }
}

TEST(GcnMachine, FindsLdsWriteThatNobodyWaitedFor) {
  for (const TestChip &chip : TestChips) {
    if (chip.waveSize == 64)
      continue; // One wave: it needs no wait.
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    options.lds = 256;
    StringRef barrier = StringRef(chip.target) == "gfx1201"
                            ? "s_barrier_signal -1\ns_barrier_wait 0xffff\n"
                            : "s_barrier\n";
    AsmText body = reverseThroughLds(chip.target, barrier);
    AsmText wait = waitLds(chip.target);
    auto [before, after] = StringRef(body).split((wait + barrier.str()).str());
    ASSERT_FALSE(after.empty());
    AsmText unwaited = AsmText(before.str()) + barrier.str() + after.str();
    Case input = makeCase({makeBuffer(iota(64, 7)), makeBuffer(iota(64, 0))}, 1);
    Outcome outcome = runOrFail(options, unwaited, input);
    ASSERT_EQ(outcome.kind, OutcomeKind::Hazard) << chip.target;
    EXPECT_EQ(outcome.findings.at(0).rule, "WAIT-LDS");
  }
}

TEST(GcnMachine, FindsStoreThatNobodyWaitedFor) {
  for (const TestChip &chip : TestChips) {
    if (chip.waveSize == 64)
      continue;
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    bool gfx12 = StringRef(chip.target) == "gfx1201";
    AsmText none = offset(chip.target);
    AsmText wait = gfx12 ? "s_wait_storecnt 0x0\n" : "s_waitcnt_vscnt null, 0x0\n";
    AsmText barrier = gfx12 ? "s_barrier_signal -1\ns_barrier_wait 0xffff\n" : "s_barrier\n";
    auto body = [&](bool waits, bool waitsLate) {
      return prologue(chip.target) + "v_xor_b32 v5, 0x80, v1\n" + storeWord(chip.target) +
             " v0, v1, s[4:7], " + none + " offen\n" + (waits ? wait : "") + barrier +
             (waitsLate ? wait : "") + loadWord(chip.target) + " v2, v5, s[4:7], " + none +
             " offen\n" + waitLoads(chip.target) + storeWord(chip.target) + " v2, v1, s[8:11], " +
             none + " offen\ns_endpgm\n";
    };
    Case input = makeCase({makeBuffer(iota(64, 7)), makeBuffer(iota(64, 0))}, 1);
    Outcome good = runOrFail(options, body(true, false), input);
    EXPECT_EQ(good.kind, OutcomeKind::Completed) << chip.target << " " << good.reason;
    for (bool waitsLate : {false, true}) { // A wait after the barrier comes too late.
      Outcome outcome = runOrFail(options, body(false, waitsLate), input);
      ASSERT_EQ(outcome.kind, OutcomeKind::Hazard) << chip.target << waitsLate;
      EXPECT_EQ(outcome.findings.at(0).rule, "WAIT-STORE");
    }
  }
}

TEST(GcnMachine, LdsBeyondDeclaredSizeTraps) {
  KernelOptions options;
  options.lds = 128; // the kernel needs 256
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  Outcome outcome = runOrFail(options, reverseThroughLds("gfx1100", "s_barrier\n"), input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_EQ(outcome.findings.at(0).rule, "LDS-RANGE");
}

TEST(GcnMachine, BarrierThatNotAllWavesReachTraps) {
  KernelOptions options; // two waves of 32: only the first comes to the barrier
  AsmText body = R"(
  v_readfirstlane_b32 s4, v0
  s_cmp_eq_u32 s4, 0
  s_cbranch_scc0 .Lskip
  s_barrier
.Lskip:
  s_endpgm
)";
  Outcome outcome = runOrFail(options, body, makeCase({makeBuffer({0})}, 1));
  ASSERT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_EQ(outcome.findings.at(0).rule, "BARRIER");
}

TEST(GcnMachine, WrongUserDataMapTraps) {
  KernelOptions options;
  options.userData = "[ 0x10000000, 5 ]"; // there is no entry 5
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  Outcome outcome = runOrFail(options, saxpy("gfx1100"), input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_EQ(outcome.findings.at(0).rule, "MEM-FAULT");
}

TEST(GcnMachine, GoesOnBehindFaultsWhereItIsAskedTo) {
  KernelOptions options;
  options.userData = "[ 0x10000000, 5 ]"; // there is no entry 5
  RunOptions run;
  run.survivesFaults = true;
  run.sanitize = false;
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  Outcome outcome = runOrFail(options, saxpy("gfx1100"), input, run);
  EXPECT_EQ(outcome.kind, OutcomeKind::Hazard);
  EXPECT_EQ(outcome.findings.at(0).rule, "MEM-FAULT");
  EXPECT_EQ(outcome.checkpoints.size(), 1u) << outcome.reason;
  options = KernelOptions();
  options.lds = 128; // the kernel needs 256
  outcome = runOrFail(options, reverseThroughLds("gfx1100", "s_barrier\n"), input, run);
  EXPECT_EQ(outcome.findings.at(0).rule, "LDS-RANGE");
  EXPECT_EQ(outcome.checkpoints.size(), 1u) << outcome.reason;
  run.maxInstructions = 100;
  outcome = runOrFail(KernelOptions(), "1:\ns_branch 1b\n", input, run);
  EXPECT_EQ(outcome.kind, OutcomeKind::Timeout) << "an endless loop is no fault";
  EXPECT_EQ(outcome.atEnd.size(), 2u);
}

TEST(GcnMachine, MissingMetadataIsInvalid) {
  KernelOptions options;
  options.threads = 0;
  Expected<Outcome> outcome = runKernel(options, "s_endpgm\n", makeCase({makeBuffer({0})}, 1));
  ASSERT_FALSE(bool(outcome));
  EXPECT_EQ(takeError(outcome.takeError()).kind, ErrorKind::InvalidInput);
}

TEST(GcnMachine, ElfOfAnotherChipIsInvalid) {
  KernelOptions options;
  auto elf = assembleElf(wrapKernel(options, "s_endpgm\n"), "gfx1100", 32);
  ASSERT_TRUE(bool(elf));
  auto target = findTarget("gfx1030");
  ASSERT_TRUE(bool(target));
  Artifact artifact(*elf);
  Case input = makeCase({makeBuffer({0})}, 1);
  auto outcome = createGcnMachine(**target)->run(input, artifact, {});
  ASSERT_FALSE(bool(outcome));
  EXPECT_EQ(takeError(outcome.takeError()).kind, ErrorKind::InvalidInput);
}

/// Sets value and size of the entry point's symbol in \p elf.
static void moveEntry(std::vector<uint8_t> &elf, uint64_t value, uint64_t size) {
  StringRef bytes(reinterpret_cast<const char *>(elf.data()), elf.size());
  auto file = cantFail(object::ELF64LEFile::create(bytes));
  for (const auto &section : cantFail(file.sections()))
    for (const auto &symbol :
         cantFail(file.symbols(section.sh_type == ELF::SHT_SYMTAB ? &section : nullptr)))
      if (symbol.getType() == ELF::STT_FUNC) {
        size_t offset = reinterpret_cast<const uint8_t *>(&symbol) - elf.data();
        support::endian::write64le(elf.data() + offset + 8, value);
        support::endian::write64le(elf.data() + offset + 16, size);
      }
}

/// Also where the end of the symbol is beyond 64 bits.
TEST(GcnMachine, EntryPointOutsideOfItsSectionIsInvalid) {
  auto elf = assembleElf(wrapKernel(KernelOptions(), "s_endpgm\n"), "gfx1100", 32);
  ASSERT_TRUE(bool(elf));
  auto target = findTarget("gfx1100");
  ASSERT_TRUE(bool(target));
  for (uint64_t value : {uint64_t(0x10000), ~uint64_t(3)}) {
    moveEntry(*elf, value, 4);
    Case input = makeCase({makeBuffer({0})}, 1);
    auto outcome = createGcnMachine(**target)->run(input, Artifact(*elf), {});
    ASSERT_FALSE(bool(outcome));
    EXPECT_NE(takeError(outcome.takeError()).message.find("not inside a loaded section"),
              std::string::npos);
  }
}

TEST(GcnMachine, RegisterBeyondDeclaredCountTraps) {
  KernelOptions options;
  options.vgprs = 4; // v4 is the fifth
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  Outcome outcome = runOrFail(options, saxpy("gfx1100"), input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_EQ(outcome.findings.at(0).rule, "REG-RANGE");
}

TEST(GcnMachine, OpcodeWithoutSemanticsIsUnsupported) {
  KernelOptions options;
  options.vgprs = 64;
  AsmText body = "ds_bvh_stack_rtn_b32 v0, v1, v2, v[4:7]\ns_endpgm\n";
  Outcome outcome = runOrFail(options, body, makeCase({makeBuffer({0})}, 1));
  ASSERT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_NE(outcome.reason.find("OPCODE ds_bvh_stack_rtn_b32"), std::string::npos)
      << outcome.reason;
}

TEST(GcnMachine, UnsupportedOpcodeThatIsNotReachedIsNoMatter) {
  KernelOptions options;
  options.vgprs = 64;
  AsmText body = "s_endpgm\nds_bvh_stack_rtn_b32 v0, v1, v2, v[4:7]\n";
  Outcome outcome = runOrFail(options, body, makeCase({makeBuffer({0})}, 1));
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed);
}

/// v_dot4_i32_iu8 v0, 2.0, v0, 0 as ACO encodes it, with op_sel:[1,0,0]: no manual says that it
/// chooses a half there, and without it 2.0 would be another number.
TEST(GcnMachine, BitsThatAnInstructionHasNoUseForAreUnsupported) {
  KernelOptions options;
  Case input = makeCase({makeBuffer({0})}, 1);
  Outcome outcome = runOrFail(options, ".long 0xcc164800, 0x320200f4\ns_endpgm\n", input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Unsupported);
  EXPECT_NE(outcome.reason.find("v_dot4_i32_iu8"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("with op_sel"), std::string::npos) << outcome.reason;
  Outcome plain = runOrFail(options, ".long 0xcc164000, 0x3a0200f4\ns_endpgm\n", input);
  EXPECT_EQ(plain.kind, OutcomeKind::Completed) << plain.reason;
}

TEST(GcnMachine, EndlessLoopTimesOut) {
  KernelOptions options;
  RunOptions run;
  run.maxInstructions = 10000;
  Outcome outcome =
      runOrFail(options, ".Lself:\ns_branch .Lself\n", makeCase({makeBuffer({0})}, 1), run);
  EXPECT_EQ(outcome.kind, OutcomeKind::Timeout);
  EXPECT_NE(outcome.reason.find("at pc 0x0: s_branch"), std::string::npos) << outcome.reason;
}

TEST(GcnMachine, RunningPastTheEndTraps) {
  KernelOptions options;
  Outcome outcome = runOrFail(options, "s_nop 0\n", makeCase({makeBuffer({0})}, 1));
  ASSERT_EQ(outcome.kind, OutcomeKind::Trap);
  EXPECT_EQ(outcome.findings.at(0).rule, "PAST-END");
}

TEST(GcnMachine, OutOfRangeBufferAccessReadsZeroAndStoresNothing) {
  KernelOptions options;
  // Only 40 of 64 elements are there.
  Case input = makeCase({makeBuffer(iota(40, 100)), makeBuffer(iota(64, 0))}, 1);
  AsmText body = prologue("gfx1100") + R"(
  buffer_load_b32 v2, v1, s[4:7], 0 offen
  s_waitcnt vmcnt(0)
  buffer_store_b32 v2, v1, s[8:11], 0 offen
  buffer_store_b32 v2, v1, s[8:11], 0 offen offset:256
  s_endpgm
)";
  Outcome outcome = runOrFail(options, body, input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  std::vector<uint32_t> result = words(outcome, 1);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(result[i], i < 40 ? 100 + i : 0) << i;
}

/// Loads two dwords at byte \p at and stores them there; stores each for itself into the second
/// buffer.
static AsmText copyPair(StringRef target, StringRef at) {
  AsmText pair = isOld(target) ? "dwordx2" : "b64";
  AsmText end = offset(target);
  return prologue(target) + ("v_mov_b32 v4, " + at.str() + "\n") + "buffer_load_" + pair +
         " v[2:3], v4, s[4:7], " + end + " offen\n" + waitLoads(target) + storeWord(target) +
         " v2, off, s[8:11], " + end + "\n" + storeWord(target) + " v3, off, s[8:11], " + end +
         " offset:4\nv_mov_b32 v5, 5\nv_mov_b32 v6, 6\nbuffer_store_" + pair +
         " v[5:6], v4, s[4:7], " + end + " offen\ns_endpgm\n";
}

TEST(GcnMachine, DwordsOfAnAccessAreInRangeOrNotByThemselves) {
  struct Row {
    const char *at;
    std::vector<uint32_t> loaded, memory;
  };
  // The buffer has three dwords; the access does not come round to its begin.
  const Row rows[] = {{"4", {101, 102}, {100, 5, 6}},
                      {"8", {102, 0}, {100, 101, 5}},
                      {"12", {0, 0}, {100, 101, 102}},
                      {"-4", {0, 0}, {100, 101, 102}}};
  for (const TestChip &chip : TestChips)
    for (const Row &row : rows) {
      KernelOptions options;
      options.target = chip.target;
      options.waveSize = chip.waveSize;
      options.threads = 1;
      Case input = makeCase({makeBuffer(iota(3, 100)), makeBuffer(iota(2, 0))}, 1);
      Outcome outcome = runOrFail(options, copyPair(chip.target, row.at), input);
      ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << chip.target << " " << outcome.reason;
      EXPECT_EQ(words(outcome, 1), row.loaded) << chip.target << " " << row.at;
      EXPECT_EQ(words(outcome, 0), row.memory) << chip.target << " " << row.at;
    }
}

TEST(GcnMachine, AtomicsReturnTheOldValue) {
  for (const TestChip &chip : TestChips) {
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    bool old = isOld(chip.target);
    bool gfx12 = StringRef(chip.target) == "gfx1201";
    AsmText body = prologue(chip.target) + "v_mov_b32 v2, 3\nv_mov_b32 v3, 0\n" +
                   AsmText(old ? "buffer_atomic_add" : "buffer_atomic_add_u32") +
                   " v2, v3, s[4:7], " + offset(chip.target) + " offen" +
                   (gfx12 ? " th:TH_ATOMIC_RETURN\n" : " glc\n") + waitLoads(chip.target) +
                   storeWord(chip.target) + " v2, v1, s[8:11], " + offset(chip.target) +
                   " offen\ns_endpgm\n";
    Case input = makeCase({makeBuffer({5}), makeBuffer(iota(64, 0))}, 1);
    Outcome outcome = runOrFail(options, body, input);
    ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << chip.target << " " << outcome.reason;
    EXPECT_EQ(words(outcome, 0)[0], 5u + 64 * 3);
    std::vector<uint32_t> result = words(outcome, 1);
    std::sort(result.begin(), result.end());
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(result[i], 5 + 3 * i) << chip.target;
  }
}

TEST(GcnMachine, DivergentLanesFollowExec) {
  for (const TestChip &chip : TestChips) {
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    bool wide = chip.waveSize == 64;
    AsmText saved = wide ? "s[16:17]" : "s16";
    AsmText exec = wide ? "exec" : "exec_lo";
    AsmText vcc = wide ? "vcc" : "vcc_lo";
    AsmText width = wide ? "b64" : "b32";
    AsmText body = prologue(chip.target) + "v_mov_b32 v2, 1\nv_cmp_gt_u32 " + vcc +
                   ", 10, v0\ns_and_saveexec_" + width + " " + saved + ", " + vcc +
                   "\nv_mov_b32 v2, 2\ns_mov_" + width + " " + exec + ", " + saved + "\n" +
                   storeWord(chip.target) + " v2, v1, s[8:11], " + offset(chip.target) +
                   " offen\ns_endpgm\n";
    Case input = makeCase({makeBuffer({5}), makeBuffer(iota(64, 0))}, 1);
    Outcome outcome = runOrFail(options, body, input);
    ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << chip.target << " " << outcome.reason;
    std::vector<uint32_t> result = words(outcome, 1);
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(result[i], i < 10 ? 2u : 1u) << chip.target << " " << i;
  }
}

TEST(GcnMachine, WholeWaveConstantsReachTheUpperLanes) {
  KernelOptions options;
  options.target = "gfx900";
  options.waveSize = 64;
  // Lanes beyond the workgroup's last thread are inactive until EXEC is all ones.
  options.threads = 16;
  AsmText body = prologue("gfx900") + R"(
  v_mov_b32 v3, 0
  s_or_saveexec_b64 s[16:17], -1
  v_mov_b32 v3, 7
  s_mov_b64 exec, s[16:17]
  v_readlane_b32 s18, v3, 50
  v_mov_b32 v4, s18
  buffer_store_dword v4, v1, s[8:11], 0 offen
  s_endpgm
)";
  Outcome outcome = runOrFail(options, body, makeCase({makeBuffer({5}), makeBuffer({0})}, 1));
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  EXPECT_EQ(words(outcome, 1)[0], 7u);
}

TEST(GcnMachine, AtomicsOfSeveralWavesNeedNoWaitBetweenThem) {
  for (const TestChip &chip : TestChips) {
    KernelOptions options;
    options.target = chip.target;
    options.waveSize = chip.waveSize;
    options.lds = 4;
    bool old = isOld(chip.target);
    AsmText barrier = StringRef(chip.target) == "gfx1201"
                          ? "s_barrier_signal -1\ns_barrier_wait 0xffff\n"
                          : "s_barrier\n";
    AsmText read = AsmText(old ? "ds_read_b32" : "ds_load_b32") + " v4, v2\n";
    AsmText body = prologue(chip.target) + "v_mov_b32 v2, 0\nv_mov_b32 v3, 1\nv_mov_b32 v5, 0\n" +
                   "v_readfirstlane_b32 s16, v0\ns_cmp_eq_u32 s16, 0\ns_cbranch_scc0 .Lcount\n" +
                   AsmText(old ? "ds_write_b32 v2, v5\n" : "ds_store_b32 v2, v5\n") + ".Lcount:\n" +
                   waitLds(chip.target) + barrier + "ds_add_u32 v2, v3\nds_add_u32 v2, v3\n" +
                   waitLds(chip.target) + barrier + read + waitLds(chip.target) +
                   storeWord(chip.target) + " v4, v1, s[8:11], " + offset(chip.target) +
                   " offen\ns_endpgm\n";
    Case input = makeCase({makeBuffer({0}), makeBuffer(iota(64, 0))}, 1);
    Outcome outcome = runOrFail(options, body, input);
    ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << chip.target << " " << outcome.reason;
    EXPECT_EQ(words(outcome, 1), std::vector<uint32_t>(64, 128)) << chip.target;
  }
}

/// On GFX11 LLVM's decoder is known to survive all bytes; elsewhere only a worker may try.
TEST(GcnMachine, SurvivesDamagedCode) {
  KernelOptions options;
  options.lds = 256;
  auto elf =
      assembleElf(wrapKernel(options, reverseThroughLds("gfx1100", "s_barrier\n")), "gfx1100", 32);
  ASSERT_TRUE(bool(elf));
  auto target = findTarget("gfx1100");
  ASSERT_TRUE(bool(target));
  auto machine = createGcnMachine(**target);
  Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
  RunOptions run;
  run.maxInstructions = 10000;
  constexpr size_t TextOffset = 256; // .text is the first section, 256-byte aligned
  unsigned completed = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::vector<uint8_t> bytes = *elf;
    uint32_t state = seed * 2654435761u + 1;
    for (unsigned flips = 0; flips < 3; ++flips) {
      state = state * 1664525u + 1013904223u;
      bytes[TextOffset + (state >> 8) % 160] ^= uint8_t(1u << (state >> 29));
    }
    Expected<Outcome> outcome = machine->run(input, {Artifact(bytes)}, run);
    if (outcome)
      completed += outcome->kind == OutcomeKind::Completed;
    else
      consumeError(outcome.takeError());
  }
  EXPECT_LT(completed, 300u) << "the damage must have hit the code";
}
