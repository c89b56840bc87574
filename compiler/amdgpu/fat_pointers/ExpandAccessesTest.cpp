// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is left of copies, fills and masked accesses, and that small ones are straight lines. What
// they mean is judged by oracles/fat_pointer.
#include "compiler/lgc/fat_pointers/ExpandAccesses.h"
#include "compiler/amdgpu/fat_pointers/BufferAccessEmitter.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {
/// A function around some instructions, expanded.
struct Expanded {
  LLVMContext context;
  std::unique_ptr<Module> module;
  unsigned blocks = 0;
  std::vector<std::string> accesses; ///< "load <4 x i32> p7 align 4 volatile"
  std::string calls;

  explicit Expanded(StringRef body) {
    std::string source =
        "target datalayout = \"" + Triple("amdgcn--amdpal").computeDataLayout() +
        "\" define void @f(ptr addrspace(7) %p, ptr addrspace(7) %q, "
        "ptr addrspace(1) %g, ptr addrspace(3) %l, ptr addrspace(9) %s, "
        "<4 x ptr addrspace(7)> %v, <4 x i1> %m, <4 x i32> %x, i32 %n, i8 %b) {\n" +
        body.str() + "\nret void\n}\n!0 = !{i32 1}\n!1 = !{}";
    SMDiagnostic diagnostic;
    module = parseAssemblyString(source, diagnostic, context);
    EXPECT_TRUE(module) << diagnostic.getMessage().str() << source;
    if (!module)
      return;
    EXPECT_TRUE(expandFatPointerAccesses(*module, amdgpu::BufferAccessEmitter()));
    std::string problem;
    raw_string_ostream os(problem);
    EXPECT_FALSE(verifyModule(*module, &os)) << problem;
    Function &function = *module->getFunction("f");
    blocks = function.size();
    for (Instruction &instruction : instructions(function))
      describe(instruction);
  }

private:
  void describe(const Instruction &instruction) {
    if (auto *call = dyn_cast<CallInst>(&instruction))
      calls += call->getCalledFunction()->getName().str() + ";";
    Value *pointer = const_cast<Value *>(getLoadStorePointerOperand(&instruction));
    if (!pointer)
      return;
    std::string line;
    raw_string_ostream os(line);
    os << instruction.getOpcodeName() << " " << *getLoadStoreType(&instruction) << " p"
       << pointer->getType()->getPointerAddressSpace() << " align "
       << getLoadStoreAlignment(&instruction).value();
    if (instruction.isVolatile())
      os << " volatile";
    if (instruction.isAtomic())
      os << " atomic";
    if (instruction.hasMetadata(LLVMContext::MD_nontemporal))
      os << " nontemporal";
    if (instruction.hasMetadata(LLVMContext::MD_invariant_load))
      os << " invariant";
    accesses.push_back(line);
  }
};
} // namespace

TEST(ExpandAccesses, SmallCopiesAreStraight) {
  Expanded copy("call void @llvm.memcpy.p7.p1.i32(ptr addrspace(7) align 4 %p, "
                "ptr addrspace(1) align 8 %g, i32 23, i1 true)");
  EXPECT_EQ(copy.blocks, 1u);
  EXPECT_EQ(copy.calls, "");
  EXPECT_THAT(copy.accesses,
              ElementsAre("load <4 x i32> p1 align 8 volatile", "load i32 p1 align 8 volatile",
                          "load i16 p1 align 4 volatile", "load i8 p1 align 2 volatile",
                          "store <4 x i32> p7 align 4 volatile", "store i32 p7 align 4 volatile",
                          "store i16 p7 align 4 volatile", "store i8 p7 align 2 volatile"));
}

TEST(ExpandAccesses, UnalignedCopiesMoveTheUnitsOfBothSides) {
  Expanded copy("call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %p, "
                "ptr addrspace(7) align 1 %q, i32 18, i1 false)");
  EXPECT_THAT(copy.accesses,
              ElementsAre("load [16 x i8] p7 align 1", "load [2 x i8] p7 align 1",
                          "store [16 x i8] p7 align 4", "store [2 x i8] p7 align 4"));
}

TEST(ExpandAccesses, LargeOrDynamicCopiesAreLoops) {
  Expanded constant("call void @llvm.memcpy.p7.p3.i32(ptr addrspace(7) align 4 %p, "
                    "ptr addrspace(3) align 4 %l, i32 1044, i1 false)");
  // 16 times 64 bytes, once 16, and 4.
  EXPECT_EQ(constant.blocks, 5u);
  EXPECT_EQ(constant.accesses.size(), 8u + 2u + 2u);
  EXPECT_THAT(constant.accesses.front(), HasSubstr("load <4 x i32> p3 align 4"));
  EXPECT_THAT(constant.accesses.back(), HasSubstr("store i32 p7 align 4"));
  Expanded dynamic("call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %p, "
                   "ptr addrspace(7) align 4 %q, i32 %n, i1 false)");
  // Two loops; 8, 4, 2 and 1.
  EXPECT_EQ(dynamic.blocks, 13u);
  EXPECT_EQ(dynamic.accesses.size(), 8u + 2u + 8u);
  EXPECT_THAT(ArrayRef(dynamic.accesses).take_back(6),
              ElementsAre("load i32 p7 align 4", "store i32 p7 align 4", "load i16 p7 align 2",
                          "store i16 p7 align 2", "load i8 p7 align 1", "store i8 p7 align 1"));
  Expanded bytes("call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 1 %p, "
                 "ptr addrspace(7) align 4 %q, i32 %n, i1 false)");
  EXPECT_EQ(bytes.accesses.size(), 2u + 8u) << "no 64 bytes one by one";
}

/// Else LLVM loses registers at -O0: bugs/README.md, "reloads registers before".
TEST(ExpandAccesses, LoopsCompareAfterTheirAccesses) {
  Expanded copy("call void @llvm.memcpy.p7.p7.i32(ptr addrspace(7) align 4 %p, "
                "ptr addrspace(7) align 4 %q, i32 %n, i1 false)");
  unsigned loops = 0;
  for (BasicBlock &block : *copy.module->getFunction("f")) {
    auto *branch = cast<Instruction>(block.getTerminator());
    if (!is_contained(successors(&block), &block))
      continue;
    ++loops;
    EXPECT_EQ(branch->getPrevNode(), cast<BranchInst>(branch)->getCondition());
  }
  EXPECT_EQ(loops, 2u);
}

TEST(ExpandAccesses, MovesLoadAllFirstOrChooseADirection) {
  Expanded small("call void @llvm.memmove.p7.p7.i32(ptr addrspace(7) align 4 %p, "
                 "ptr addrspace(7) align 4 %q, i32 128, i1 false)");
  EXPECT_EQ(small.blocks, 1u);
  ASSERT_EQ(small.accesses.size(), 16u);
  EXPECT_THAT(small.accesses[7], HasSubstr("load"));
  EXPECT_THAT(small.accesses[8], HasSubstr("store"));
  Expanded large("call void @llvm.memmove.p7.p9.i32(ptr addrspace(7) align 4 %p, "
                 "ptr addrspace(9) align 4 %s, i32 %n, i1 false)");
  EXPECT_EQ(large.accesses.size(), 2 * 18u);
  Expanded apart("call void @llvm.memmove.p7.p3.i32(ptr addrspace(7) align 4 %p, "
                 "ptr addrspace(3) align 4 %l, i32 %n, i1 false)");
  EXPECT_EQ(apart.accesses.size(), 18u) << "buffers and LDS never overlap";
}

TEST(ExpandAccesses, FillsStoreWide) {
  Expanded fill(
      "call void @llvm.memset.p7.i32(ptr addrspace(7) align 4 %p, i8 %b, i32 24, i1 false)");
  EXPECT_THAT(fill.accesses,
              ElementsAre("store <4 x i32> p7 align 4", "store <2 x i32> p7 align 4"));
  Expanded pattern("call void @llvm.experimental.memset.pattern.p7.i48.i32(ptr addrspace(7) "
                   "align 8 %p, i48 5, i32 %n, i1 false)");
  EXPECT_THAT(pattern.accesses, ElementsAre("store i48 p7 align 8"));
}

TEST(ExpandAccesses, AtomicElementsGoOneByOne) {
  Expanded copy("call void @llvm.memcpy.element.unordered.atomic.p7.p1.i32(ptr addrspace(7) "
                "align 4 %p, ptr addrspace(1) align 4 %g, i32 64, i32 4)");
  EXPECT_THAT(copy.accesses,
              ElementsAre("load i32 p1 align 4 atomic", "store i32 p7 align 4 atomic"));
}

TEST(ExpandAccesses, MasksDecideByElement) {
  Expanded load("%r = call <4 x i32> @llvm.masked.load.v4i32.p7(ptr addrspace(7) align 8 %p, "
                "<4 x i1> %m, <4 x i32> %x)");
  EXPECT_EQ(load.blocks, 9u);
  EXPECT_THAT(load.accesses, ElementsAre("load i32 p7 align 8", "load i32 p7 align 4",
                                         "load i32 p7 align 8", "load i32 p7 align 4"));
  Expanded scatter("call void @llvm.masked.scatter.v4i32.v4p7(<4 x i32> %x, "
                   "<4 x ptr addrspace(7)> align 4 %v, <4 x i1> <i1 1, i1 0, i1 poison, i1 1>)");
  EXPECT_EQ(scatter.blocks, 1u);
  EXPECT_THAT(scatter.accesses, ElementsAre("store i32 p7 align 4", "store i32 p7 align 4"));
  Expanded all("call void @llvm.masked.store.v4i32.p7(<4 x i32> %x, ptr addrspace(7) align 4 %p, "
               "<4 x i1> splat (i1 true))");
  EXPECT_THAT(all.accesses, ElementsAre("store <4 x i32> p7 align 4"));
}

TEST(ExpandAccesses, PartsAreAsTemporalAsTheWhole) {
  Expanded copy("call void @llvm.memcpy.p7.p1.i32(ptr addrspace(7) align 4 %p, "
                "ptr addrspace(1) align 4 %g, i32 4, i1 false), !nontemporal !0");
  EXPECT_THAT(copy.accesses,
              ElementsAre("load i32 p1 align 4 nontemporal", "store i32 p7 align 4 nontemporal"));
  Expanded fill("call void @llvm.memset.p7.i32(ptr addrspace(7) align 4 %p, i8 %b, i32 4, "
                "i1 false), !nontemporal !0");
  EXPECT_THAT(fill.accesses, ElementsAre("store i32 p7 align 4 nontemporal"));
  Expanded load("%r = call <4 x i32> @llvm.masked.load.v4i32.p7(ptr addrspace(7) align 4 %p, "
                "<4 x i1> splat (i1 true), <4 x i32> %x), !nontemporal !0, !invariant.load !1");
  EXPECT_THAT(load.accesses, ElementsAre("load <4 x i32> p7 align 4 nontemporal invariant"));
  Expanded scatter("call void @llvm.masked.scatter.v4i32.v4p7(<4 x i32> %x, <4 x ptr "
                   "addrspace(7)> align 4 %v, <4 x i1> <i1 1, i1 0, i1 0, i1 0>), !nontemporal !0");
  EXPECT_THAT(scatter.accesses, ElementsAre("store i32 p7 align 4 nontemporal"));
}

TEST(ExpandAccesses, HintsGo) {
  Expanded prefetch("call void @llvm.prefetch.p7(ptr addrspace(7) %p, i32 0, i32 3, i32 1)");
  EXPECT_EQ(prefetch.calls, "");
  Expanded gone("call void @llvm.assume(i1 true) [\"align\"(ptr addrspace(7) %p, i32 16)]");
  EXPECT_EQ(gone.calls, "");
  Expanded kept("call void @llvm.assume(i1 true) [\"align\"(ptr addrspace(7) %p, i32 16), "
                "\"nonnull\"(ptr addrspace(1) %g)]");
  EXPECT_EQ(kept.calls, "llvm.assume;");
}
