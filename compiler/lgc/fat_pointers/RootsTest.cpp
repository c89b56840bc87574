// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/Roots.h"

#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace assay;

using RootNames = std::map<std::string, std::string>;

/// The names of all joins of fat pointers in a function of \p body, and of their roots; "" for
/// none.
static RootNames findRoots(StringRef body) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::string source = "define void @f(ptr addrspace(7) %p, ptr addrspace(7) %q, "
                       "ptr addrspace(8) %r, i1 %c, i32 %n) {\n" +
                       body.str() + "}\ndeclare ptr addrspace(7) @make()";
  std::unique_ptr<Module> module = parseAssemblyString(source, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str() << source;
  RootNames names;
  if (!module)
    return names;
  Function &function = *module->getFunction("f");
  DominatorTree dominators(function);
  Roots roots(function, dominators);
  for (Instruction &instruction : instructions(function))
    if (isFatPointer(instruction.getType()) && isa<PHINode, SelectInst>(instruction)) {
      Value *root = roots.find(instruction);
      names[instruction.getName().str()] = root ? root->getName().str() : "";
    }
  return names;
}

TEST(Roots, SelectOfOnePointersSteps) {
  EXPECT_EQ(findRoots(R"(
    %a = getelementptr i8, ptr addrspace(7) %p, i32 4
    %b = getelementptr i8, ptr addrspace(7) %a, i32 %n
    %s = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) %b
    %t = select i1 %c, ptr addrspace(7) %s, ptr addrspace(7) %q
    %u = select i1 %c, ptr addrspace(7) %t, ptr addrspace(7) %t
    ret void)"),
            (RootNames{{"s", "p"}, {"t", ""}, {"u", "t"}}));
}

TEST(Roots, TwoCastsOfOneResource) {
  EXPECT_EQ(findRoots(R"(
    %a = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
    %b = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)
    %s = select i1 %c, ptr addrspace(7) %a, ptr addrspace(7) %b
    ret void)"),
            (RootNames{{"s", "r"}}));
}

TEST(Roots, NestedLoops) {
  EXPECT_EQ(findRoots(R"(
    br label %outer
  outer:
    %o = phi ptr addrspace(7) [%p, %0], [%i, %latch]
    br label %inner
  inner:
    %i = phi ptr addrspace(7) [%o, %outer], [%next, %inner]
    %next = getelementptr i8, ptr addrspace(7) %i, i32 4
    br i1 %c, label %inner, label %latch
  latch:
    br i1 %c, label %outer, label %exit
  exit:
    ret void)"),
            (RootNames{{"o", "p"}, {"i", "p"}}));
}

TEST(Roots, LoopThatSwapsHasNone) {
  EXPECT_EQ(findRoots(R"(
    br label %loop
  loop:
    %a = phi ptr addrspace(7) [%p, %0], [%b, %loop]
    %b = phi ptr addrspace(7) [%q, %0], [%a, %loop]
    br i1 %c, label %loop, label %exit
  exit:
    ret void)"),
            (RootNames{{"a", ""}, {"b", ""}}));
}

/// What an inner loop steps on is the outer one's choice.
TEST(Roots, JoinIsTheRootOfWhatFollows) {
  EXPECT_EQ(findRoots(R"(
    br label %outer
  outer:
    %o = phi ptr addrspace(7) [%p, %0], [%made, %latch]
    br label %inner
  inner:
    %i = phi ptr addrspace(7) [%o, %outer], [%next, %inner]
    %next = getelementptr i8, ptr addrspace(7) %i, i32 4
    br i1 %c, label %inner, label %latch
  latch:
    %made = call ptr addrspace(7) @make()
    br i1 %c, label %outer, label %exit
  exit:
    ret void)"),
            (RootNames{{"o", ""}, {"i", "o"}}));
}

TEST(Roots, PoisonTakesARootOnlyWhereItDominates) {
  EXPECT_EQ(findRoots(R"(
    br i1 %c, label %loop, label %exit
  loop:
    %a = phi ptr addrspace(7) [poison, %0], [%made, %loop]
    %b = phi ptr addrspace(7) [poison, %0], [%p, %loop]
    %made = call ptr addrspace(7) @make()
    br i1 %c, label %loop, label %exit
  exit:
    %d = phi ptr addrspace(7) [undef, %0], [undef, %loop]
    ret void)"),
            (RootNames{{"a", ""}, {"b", "p"}, {"d", ""}}));
}

/// The first conflict must not make its neighbours roots of their own.
TEST(Roots, ConflictFoundLateLeavesTheOthersPrecise) {
  EXPECT_EQ(findRoots(R"(
    br label %loop
  loop:
    %a = phi ptr addrspace(7) [%p, %0], [%d, %latch]
    %s = select i1 %c, ptr addrspace(7) %a, ptr addrspace(7) %a
    br i1 %c, label %then, label %latch
  then:
    br label %latch
  latch:
    %t = phi ptr addrspace(7) [%s, %loop], [%a, %then]
    %d = select i1 %c, ptr addrspace(7) %t, ptr addrspace(7) %q
    br i1 %c, label %loop, label %exit
  exit:
    ret void)"),
            (RootNames{{"a", ""}, {"s", "a"}, {"t", "a"}, {"d", ""}}));
}
