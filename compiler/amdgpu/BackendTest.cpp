// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/Backend.h"

#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
/// A module of text with a collector of its context's diagnostics.
struct Input {
  DiagnosticCollector diagnostics;
  LLVMContext context;
  std::unique_ptr<Module> module;

  explicit Input(StringRef text) {
    diagnostics.attach(context);
    SMDiagnostic diagnostic;
    module = parseAssemblyString(text, diagnostic, context);
    EXPECT_TRUE(module) << diagnostic.getMessage().str();
    initializeModule(*module);
  }
};
} // namespace

static std::unique_ptr<Backend> makeBackend(StringRef target, unsigned level = 2,
                                            unsigned wave = 0) {
  CompileOptions options;
  options.target = cantFail(findTarget(target));
  options.optLevel = level;
  options.waveSize = wave;
  return cantFail(amdgpu::createBackend(options));
}

static ErrorParts emitError(StringRef text) {
  Input input(text);
  auto backend = makeBackend("gfx1030");
  auto bytes = backend->emit(*input.module, EmitPhase::Elf, input.diagnostics);
  if (bytes) {
    ADD_FAILURE() << "was compiled";
    return {ErrorKind::Environment, ""};
  }
  return takeError(bytes.takeError());
}

static constexpr StringLiteral emptyShader =
    "define amdgpu_cs void @_amdgpu_cs_main(i32 inreg %a, i32 %b) {\n  ret void\n}\n";

TEST(Backend, EmitsElfAndAssemblyForEveryTarget) {
  for (const TargetInfo &target : getTargets()) {
    for (unsigned level : {0, 2}) {
      auto backend = makeBackend(target.name, level);
      Input first(emptyShader);
      auto elf = backend->emit(*first.module, EmitPhase::Elf, first.diagnostics);
      ASSERT_TRUE(static_cast<bool>(elf));
      EXPECT_EQ(toStringRef(*elf).substr(0, 4), "\x7f"
                                                "ELF");
      EXPECT_EQ((*elf)[7], 65) << "EI_OSABI must be ELFOSABI_AMDGPU_PAL";
      Input second(emptyShader);
      auto text = backend->emit(*second.module, EmitPhase::Assembly, second.diagnostics);
      ASSERT_TRUE(static_cast<bool>(text));
      EXPECT_THAT(toStringRef(*text).str(), HasSubstr("s_endpgm"));
      EXPECT_THAT(toStringRef(*text).str(), HasSubstr(target.name.str()));
    }
  }
}

TEST(Backend, LeavesAtomicsOfBuffersAsTheyAre) {
  Input input("define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(8) inreg %r, i32 %x) {\n"
              "  call i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32 %x, ptr addrspace(8) %r, "
              "i32 4, i32 0, i32 0)\n  ret void\n}\n"
              "declare i32 @llvm.amdgcn.raw.ptr.buffer.atomic.add.i32(i32, ptr addrspace(8), i32, "
              "i32, i32 immarg)\n");
  auto backend = makeBackend("gfx1100");
  auto text = backend->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  ASSERT_TRUE(static_cast<bool>(text));
  EXPECT_FALSE(toStringRef(*text).contains("v_readlane_b32")) << toStringRef(*text).str();
}

/// Expects that the assembler text of \p module begins registers with lanes of scalars, all of them
/// in front of the first loop.
static void expectLanesBeginBeforeLoop(StringRef module, StringRef target, unsigned level) {
  Input input(module);
  auto backend = makeBackend(target, level);
  backend->getTargetMachine()->Options.MCOptions.AsmVerbose = true;
  auto bytes = backend->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  ASSERT_TRUE(static_cast<bool>(bytes)) << takeError(bytes.takeError()).message;
  StringRef text = toStringRef(*bytes);
  size_t begin = text.rfind("SGPR spill to VGPR lane"), loop = text.find(".LBB0_1:");
  ASSERT_NE(begin, StringRef::npos) << text.str();
  ASSERT_NE(loop, StringRef::npos) << text.str();
  EXPECT_LT(begin, loop) << text.str();
}

/// bugs/README.md, "-O0 loses what a loop hands to its next turn in a lane of a register".
TEST(Backend, KeepsLanesOfScalarsOverTheTurnsOfALoop) {
  expectLanesBeginBeforeLoop(R"(
define amdgpu_cs void @_amdgpu_cs_main(<8 x i32> inreg %a, <13 x i32> inreg %b, ptr addrspace(1) inreg %o, i32 inreg %n, i32 %x) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %latch ]
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %body, label %exit
body:
  %leaves = icmp eq i32 %x, %i
  br i1 %leaves, label %exit, label %latch
latch:
  %j = add i32 %i, 1
  br label %loop
exit:
  %found = phi i1 [ false, %loop ], [ true, %body ]
  %r = select i1 %found, i32 1, i32 2
  store i32 %r, ptr addrspace(1) %o
  store <8 x i32> %a, ptr addrspace(1) %o
  store <13 x i32> %b, ptr addrspace(1) %o
  ret void
})",
                             "gfx900", 0);
}

/// Here register allocation has live ranges, which change with it.
TEST(Backend, KeepsLanesOfScalarsWhereItOptimises) {
  expectLanesBeginBeforeLoop(R"(
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(4) inreg %p, ptr addrspace(1) inreg %o, i32 inreg %n) "amdgpu-num-sgpr"="32" {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %q = getelementptr <16 x i32>, ptr addrspace(4) %p, i32 %i
  %a = load <16 x i32>, ptr addrspace(4) %q, align 64
  call void asm sideeffect "", "~{s8},~{s9},~{s10},~{s11},~{s12},~{s13},~{s14},~{s15},~{s16},~{s17},~{s18},~{s19},~{s20},~{s21},~{s22},~{s23}"()
  call void asm sideeffect "", "s"(<16 x i32> %a)
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %exit
exit:
  store i32 1, ptr addrspace(1) %o
  ret void
})",
                             "gfx900", 2);
}

/// bugs/README.md, "what a loop leaves is copied before its lanes are back".
TEST(Backend, RestoresLanesBeforeUniformFloats) {
  Input input(R"(
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(1) inreg %o, float inreg %f, i32 %x) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %x
  br i1 %more, label %loop, label %exit
exit:
  %e = fmul float %f, %f
  %g = call float @llvm.sqrt.f32(float %e)
  store float %g, ptr addrspace(1) %o
  store i32 %i, ptr addrspace(1) %o
  ret void
})");
  auto backend = makeBackend("gfx1201", 0);
  auto bytes = backend->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  ASSERT_TRUE(static_cast<bool>(bytes)) << takeError(bytes.takeError()).message;
  StringRef text = toStringRef(*bytes);
  size_t lanes = text.find("s_or_b32 exec_lo, exec_lo"), multiply = text.find("s_mul_f32");
  ASSERT_NE(lanes, StringRef::npos) << text.str();
  ASSERT_NE(multiply, StringRef::npos) << text.str();
  EXPECT_LT(lanes, multiply) << text.str();
}

/// bugs/README.md, "-O0 reloads registers before EXEC is restored after a waterfall loop".
TEST(Backend, RestoresLanesAfterAWaterfallBeforeItReloads) {
  Input input(R"(
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(8) %r, ptr addrspace(8) %s, i32 inreg %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %j = add i32 %i, 4
  %last = icmp eq i32 %j, %n
  %v = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %r, i32 %i, i32 0, i32 0)
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %v, ptr addrspace(8) %s, i32 %i, i32 0, i32 0)
  br i1 %last, label %exit, label %loop
exit:
  ret void
}
declare i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8), i32, i32, i32 immarg)
declare void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32, ptr addrspace(8), i32, i32, i32 immarg)
)");
  auto backend = makeBackend("gfx1100", 0);
  auto bytes = backend->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  ASSERT_TRUE(static_cast<bool>(bytes)) << takeError(bytes.takeError()).message;
  // The resource of the store is reloaded after the loop around the load, when all lanes are back.
  StringRef after = toStringRef(*bytes).split("s_cbranch_execnz").second;
  StringRef reload = after.substr(after.find("scratch_load_b64")).split("s_or_saveexec").first;
  EXPECT_FALSE(reload.empty()) << after.str();
  EXPECT_FALSE(reload.contains("s_mov_b32 exec_lo")) << after.str();
}

/// bugs/README.md, "loads of workgroup memory sink below barriers".
TEST(Backend, KeepsLoadsOfWorkgroupMemoryBeforeBarriers) {
  Input input(R"(
@lds = internal addrspace(3) global [64 x i32] poison
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(1) inreg %o, i32 inreg %n, i32 %i) {
  %v = load i32, ptr addrspace(3) @lds
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %c = icmp eq i32 %n, 2
  br i1 %c, label %done, label %write
write:
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %i
  store i32 0, ptr addrspace(3) %p
  store i32 %v, ptr addrspace(1) %o
  br label %done
done:
  ret void
}
declare void @llvm.amdgcn.s.barrier()
)");
  auto backend = makeBackend("gfx1030");
  auto bytes = backend->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  ASSERT_TRUE(static_cast<bool>(bytes)) << takeError(bytes.takeError()).message;
  StringRef text = toStringRef(*bytes);
  size_t read = text.find("ds_read_b32"), barrier = text.find("s_barrier");
  ASSERT_NE(barrier, StringRef::npos) << text.str();
  EXPECT_LT(read, barrier) << text.str();
  EXPECT_FALSE(text.contains("no load moves on")) << text.str();
}

/// bugs/README.md, "one condition serves two comparisons of a masked bit".
TEST(Backend, ComparesAMaskedBitForEachSelection) {
  Input input(R"(
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(8) inreg %r, <4 x i32> inreg %q) {
  %y = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %q, i32 16, i32 0)
  %a = alloca <2 x i64>, align 16, addrspace(5)
  store <2 x i64> <i64 3, i64 2>, ptr addrspace(5) %a
  %b = and i32 %y, 1
  %p = getelementptr i64, ptr addrspace(5) %a, i32 %b
  store i64 0, ptr addrspace(5) %p
  %v = load <4 x i32>, ptr addrspace(5) %a
  %h = extractelement <4 x i32> %v, i64 0
  %l = extractelement <4 x i32> %v, i64 2
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %h, ptr addrspace(8) %r, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %l, ptr addrspace(8) %r, i32 0, i32 0, i32 0)
  ret void
}
declare i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32>, i32, i32)
declare void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32, ptr addrspace(8), i32, i32, i32)
)");
  auto backend = makeBackend("gfx1100");
  auto bytes = backend->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  ASSERT_TRUE(static_cast<bool>(bytes)) << takeError(bytes.takeError()).message;
  StringRef text = toStringRef(*bytes);
  auto [before, after] = text.split("s_cselect_b32");
  ASSERT_TRUE(after.contains("s_cselect_b32")) << text.str();
  StringRef between = after.split("s_cselect_b32").first;
  EXPECT_TRUE(between.contains("s_cmp_") || between.contains("s_bitcmp")) << text.str();
}

/// bugs/README.md, "a ballot of true is read where all lanes run".
TEST(Backend, ReadsBallotsOfTrueOutsideOfWholeWaveCode) {
  Input input(R"(
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(8) inreg %r) {
  %b = call i32 @llvm.amdgcn.ballot.i32(i1 true)
  %s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %b, i32 0)
  %d = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s, i32 177, i32 15, i32 15, i1 true)
  %o = or i32 %d, %s
  %w = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %o)
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %w, ptr addrspace(8) %r, i32 0, i32 0, i32 0)
  ret void
}
declare i32 @llvm.amdgcn.ballot.i32(i1)
declare i32 @llvm.amdgcn.set.inactive.i32(i32, i32)
declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32 immarg, i32 immarg, i32 immarg, i1 immarg)
declare i32 @llvm.amdgcn.strict.wwm.i32(i32)
declare void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32, ptr addrspace(8), i32, i32, i32 immarg)
)");
  auto backend = makeBackend("gfx1100");
  auto bytes = backend->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  ASSERT_TRUE(static_cast<bool>(bytes)) << takeError(bytes.takeError()).message;
  StringRef text = toStringRef(*bytes);
  auto [exact, whole] = text.split("s_or_saveexec_b32");
  ASSERT_TRUE(whole.contains("v_cndmask_b32")) << text.str();
  EXPECT_TRUE(exact.contains(", exec_lo")) << text.str();
  EXPECT_FALSE(whole.contains(", exec_lo")) << text.str();
}

/// The waits for counters of the ALU in the assembler text of \p module, in waves of 64.
static std::vector<std::string> findAluWaits(StringRef module, StringRef target) {
  Input input(module);
  auto backend = makeBackend(target, 2, 64);
  auto bytes = backend->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  EXPECT_TRUE(static_cast<bool>(bytes));
  std::vector<std::string> waits;
  for (StringRef line : split(toStringRef(*bytes), '\n'))
    if (line.contains("s_waitcnt_depctr"))
      waits.push_back(line.trim().split(' ').second.str());
  return waits;
}

/// bugs/README.md, "what s_waitcnt_depctr waits for depends on the first target". Whichever of
/// the two is the first, the other one shows it.
TEST(Backend, WaitsForCountersOfTheOwnTarget) {
  // A scalar load writes what the store in front of it has still to read.
  EXPECT_THAT(findAluWaits(R"(
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(4) inreg %t, i32 %x, i32 inreg %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %a = getelementptr ptr addrspace(8), ptr addrspace(4) %t, i32 %i
  %r = load ptr addrspace(8), ptr addrspace(4) %a
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %x, ptr addrspace(8) %r, i32 0, i32 0, i32 0)
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
declare void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32, ptr addrspace(8), i32, i32, i32 immarg)
)",
                           "gfx1010"),
              ElementsAre("depctr_vm_vsrc(0)"));
  // Scalar arithmetic writes the mask that a v_cndmask has read.
  EXPECT_THAT(findAluWaits(R"(
define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(8) inreg %r, i32 %x, i32 %y, i32 inreg %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %less = icmp ult i32 %x, %i
  %v = select i1 %less, i32 %x, i32 %y
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %v, ptr addrspace(8) %r, i32 0, i32 0, i32 0)
  %b = call i64 @llvm.amdgcn.ballot.i64(i1 %less)
  %low = trunc i64 %b to i32
  %j = add i32 %i, 1
  %sum = add i32 %low, %j
  %more = icmp ult i32 %sum, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32, ptr addrspace(8), i32, i32, i32 immarg)
)",
                           "gfx1100"),
              ElementsAre("depctr_va_sdst(0)", "depctr_sa_sdst(0)"));
}

/// bugs/README.md, "atomic minima and maxima of floats in strictfp functions cannot be
/// selected".
// bugs/llvm-interpolated-halves-m0-gfx9
TEST(Backend, WaitsForM0BeforeInterpolatingHalves) {
  Input input(R"(
define amdgpu_ps <2 x half> @_amdgpu_ps_main(i32 inreg %mask, i32 inreg %other, float %i, float %j) {
  %a1 = call float @llvm.amdgcn.interp.p1.f16(float %i, i32 0, i32 0, i1 false, i32 %mask)
  %a2 = call half @llvm.amdgcn.interp.p2.f16(float %a1, float %j, i32 0, i32 0, i1 false, i32 %mask)
  %b1 = call float @llvm.amdgcn.interp.p1.f16(float %i, i32 0, i32 0, i1 true, i32 %other)
  %b2 = call half @llvm.amdgcn.interp.p2.f16(float %b1, float %j, i32 0, i32 0, i1 true, i32 %other)
  %a = insertelement <2 x half> poison, half %a2, i32 0
  %b = insertelement <2 x half> %a, half %b2, i32 1
  ret <2 x half> %b
}
)");
  auto bytes = makeBackend("gfx900")->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  ASSERT_TRUE(static_cast<bool>(bytes)) << takeError(bytes.takeError()).message;
  EXPECT_TRUE(toStringRef(*bytes).contains("s_mov_b32 m0, s1\n\ts_nop 0\n\tv_interp_p1ll_f16"))
      << toStringRef(*bytes).str();
}

/// A hardware GS that exports where the number of the lane is below the bits of \p mask from bit 8
/// of SGPR 3 on. In a wave of 64, \p wave, v_mbcnt_lo alone is not that number.
static std::string compileLanesBelow(unsigned mask, unsigned wave = 32) {
  std::string text = R"(
define amdgpu_gs void @_amdgpu_gs_main(i32 inreg %a, i32 inreg %b, i32 inreg %c, i32 inreg %info, i32 %data) {
  %lane = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %shifted = lshr i32 %info, 8
  %number = and i32 %shifted, )" +
                     std::to_string(mask) + R"(
  %has = icmp ult i32 %lane, %number
  br i1 %has, label %primitive, label %end
primitive:
  call void @llvm.amdgcn.exp.i32(i32 20, i32 1, i32 %data, i32 poison, i32 poison, i32 poison, i1 true, i1 false)
  br label %end
end:
  ret void
}
)";
  Input input(text);
  auto bytes = makeBackend("gfx1100", /*level=*/2, wave)
                   ->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  return bytes ? toStringRef(*bytes).str() : takeError(bytes.takeError()).message;
}

TEST(Backend, MasksTheFirstLanes) {
  std::string text = compileLanesBelow(127);
  EXPECT_TRUE(StringRef(text).contains("s_bfe_u32 s0, -1, s0")) << text;
  EXPECT_FALSE(StringRef(text).contains("v_cmp")) << text;
  text = compileLanesBelow(255);
  EXPECT_FALSE(StringRef(text).contains("-1, s0"))
      << "8 bits can say more lanes than a wave has: " << text;
  text = compileLanesBelow(127, /*wave=*/64);
  EXPECT_TRUE(StringRef(text).contains("v_cmp")) << text;
}

TEST(Backend, IndexesArraysByTheirOwnElements) {
  Input input(R"(
define amdgpu_cs void @_amdgpu_cs_main(i32 inreg %a, i32 %i) {
  %table = alloca [4 x i32], align 4, addrspace(5)
  store <4 x i32> <i32 3, i32 2, i32 1, i32 0>, ptr addrspace(5) %table, align 4
  %p = getelementptr i32, ptr addrspace(5) %table, i32 %i
  %v = load i32, ptr addrspace(5) %p, align 4
  %q = getelementptr i32, ptr addrspace(5) %table, i32 %v
  %w = load i32, ptr addrspace(5) %q, align 4
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %w, ptr addrspace(8) null, i32 0, i32 0, i32 0)
  ret void
}
)");
  auto bytes = makeBackend("gfx1100")->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
  ASSERT_TRUE(bool(bytes)) << takeError(bytes.takeError()).message;
  EXPECT_FALSE(toStringRef(*bytes).contains("scratch_load")) << "the array is in registers";
}

TEST(Backend, ExpandsAtomicMinimaAndMaximaOfStrictFunctions) {
  for (const char *target : {"gfx900", "gfx1030", "gfx1100", "gfx1201"})
    for (const char *type : {"half", "float", "double"})
      for (const char *operation : {"fmin", "fmax", "fminimum", "fmaximum"}) {
        Input input(
            ("define amdgpu_cs void @_amdgpu_cs_main(ptr addrspace(1) inreg %p) strictfp {\n"
             "  %v = atomicrmw " +
             Twine(operation) + " ptr addrspace(1) %p, " + type +
             " 3.0 syncscope(\"agent\") monotonic, align 8\n  ret void\n}\n")
                .str());
        auto backend = makeBackend(target);
        auto bytes = backend->emit(*input.module, EmitPhase::Assembly, input.diagnostics);
        ASSERT_TRUE(static_cast<bool>(bytes)) << takeError(bytes.takeError()).message;
        StringRef text = toStringRef(*bytes);
        StringRef name = StringRef(operation).take_front(4).drop_front(); // "min", "max".
        EXPECT_TRUE(text.contains("_" + name.str())) << target << " " << type << text.str();
      }
}

TEST(Backend, RejectsAnOpThatNoPassLowered) {
  ErrorParts parts = emitError("declare i32 @lgc.read.built.in.i32(i32)\n"
                               "define amdgpu_cs void @main(ptr addrspace(1) inreg %p) {\n"
                               "  %v = call i32 @lgc.read.built.in.i32(i32 4)\n"
                               "  store i32 %v, ptr addrspace(1) %p\n  ret void\n}\n");
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
  EXPECT_THAT(parts.message, HasSubstr("lgc.read.built.in.i32"));
}

TEST(Backend, RejectsUndefinedGlobals) {
  ErrorParts parts = emitError("@there = external addrspace(4) global i32\n"
                               "define amdgpu_cs void @main(ptr addrspace(1) inreg %p) {\n"
                               "  %v = load i32, ptr addrspace(4) @there\n"
                               "  store i32 %v, ptr addrspace(1) %p\n  ret void\n}\n");
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
  EXPECT_THAT(parts.message, HasSubstr("there"));
}

TEST(Backend, ReportsTooMuchSharedMemoryAsLimit) {
  ErrorParts parts = emitError("@big = internal addrspace(3) global [65537 x i8] poison\n"
                               "define amdgpu_cs void @main(i32 %i) {\n"
                               "  %p = getelementptr i8, ptr addrspace(3) @big, i32 %i\n"
                               "  store volatile i8 1, ptr addrspace(3) %p\n  ret void\n}\n");
  EXPECT_EQ(parts.kind, ErrorKind::Limit) << parts.message;
}

TEST(Backend, FindsUndefinedSymbolsInElf) {
  // This intrinsic makes a relocation of a symbol that the module does not show.
  ErrorParts parts = emitError("declare i32 @llvm.amdgcn.reloc.constant(metadata)\n"
                               "define amdgpu_cs void @main(ptr addrspace(1) inreg %p) {\n"
                               "  %v = call i32 @llvm.amdgcn.reloc.constant(metadata !0)\n"
                               "  store i32 %v, ptr addrspace(1) %p\n  ret void\n}\n"
                               "!0 = !{!\"elsewhere\"}\n");
  EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
  EXPECT_THAT(parts.message, HasSubstr("undefined symbols in the ELF: elsewhere"));
  EXPECT_TRUE(errorToBool(amdgpu::verifyNoUndefinedSymbols({1, 2, 3})));
}
