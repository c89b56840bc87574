// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/divergence/Probes.h"

#include "oracles/ir/ExecutionLog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

/// %part and %table are addresses of no interest, %all, %sum and %q need the whole wave.
constexpr StringLiteral source = R"(
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"
declare i32 @llvm.amdgcn.set.inactive.i32(i32, i32)
declare i32 @llvm.amdgcn.strict.wwm.i32(i32)
define void @f(ptr addrspace(1) %g, ptr addrspace(7) %fat, i32 %x) {
entry:
  %own = alloca i32, align 4, addrspace(5)
  %part = getelementptr i8, ptr addrspace(5) %own, i32 0
  %wide = zext i32 %x to i64
  %table = getelementptr i8, ptr addrspace(4) null, i64 %wide
  %0 = load i32, ptr addrspace(1) %g, align 4
  %t = icmp ult i32 %0, 6
  br i1 %t, label %less, label %end
less:
  store i32 %x, ptr addrspace(5) %part, align 4
  br label %end
end:
  %p = phi i32 [ %x, %entry ], [ 7, %less ]
  %q = phi i32 [ 1, %entry ], [ 2, %less ]
  %all = call i32 @llvm.amdgcn.set.inactive.i32(i32 %p, i32 0)
  %sum = add i32 %all, %q
  %kept = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %sum)
  ret void
}
)";

std::unique_ptr<Module> parse(StringRef text, LLVMContext &context) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  return module;
}

/// What f does: opcodes; of a mark its number, of a probe of %x "NUMBER:x".
std::string list(Module &module) {
  EXPECT_FALSE(verifyModule(module, &errs()));
  std::string text;
  for (const Instruction &each : instructions(*module.getFunction("f"))) {
    text += text.empty() ? "" : " ";
    const auto *call = dyn_cast<CallInst>(&each);
    if (!call || !call->getCalledFunction()->getName().starts_with(ir::probeName)) {
      text += each.getOpcodeName();
      continue;
    }
    text += std::to_string(cast<ConstantInt>(call->getArgOperand(0))->getZExtValue());
    if (call->arg_size() > 1)
      text += ":" + call->getArgOperand(1)->getName().str();
  }
  return text;
}

std::vector<std::string> textsOf(ArrayRef<ProbedInstruction> probed) {
  std::vector<std::string> texts;
  for (const ProbedInstruction &each : probed) {
    EXPECT_EQ(each.function, "f");
    texts.push_back(each.text);
  }
  return texts;
}

/// f with probes of values, and what \p changes make of its text, without unused probes: list() of
/// both.
std::pair<std::string, std::string> removeFrom(ArrayRef<std::pair<StringRef, StringRef>> changes) {
  LLVMContext context;
  std::unique_ptr<Module> before = parse(source, context);
  addProbes(*before, ProbeKind::Values);
  std::string text;
  raw_string_ostream(text) << *before;
  for (const auto &[from, to] : changes) {
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from.str();
    if (at != std::string::npos)
      text.replace(at, from.size(), to.str());
  }
  std::unique_ptr<Module> after = parse(text, context);
  if (!after)
    return {};
  removeUnusedProbes(*before, *after);
  return {list(*before), list(*after)};
}

} // namespace

TEST(Probes, MarkMemoryAndBranches) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(source, context);
  std::vector<ProbedInstruction> probed = addProbes(*module, ProbeKind::Marks);
  EXPECT_EQ(textsOf(probed),
            (std::vector<std::string>{"%0 = load i32, ptr addrspace(1) %g, align 4",
                                      "br i1 %t, label %less, label %end",
                                      "store i32 %x, ptr addrspace(5) %part, align 4"}));
  EXPECT_TRUE(all_of(probed, [](const ProbedInstruction &each) { return !each.type; }));
  EXPECT_EQ(list(*module), "alloca getelementptr zext getelementptr 0 load icmp 1 br 2 store br "
                           "phi phi call add call ret");
}

TEST(Probes, TellValuesButForThoseOfNoInterest) {
  LLVMContext context;
  std::unique_ptr<Module> module = parse(source, context);
  std::vector<ProbedInstruction> probed = addProbes(*module, ProbeKind::Values);
  EXPECT_EQ(list(*module),
            "0:fat alloca getelementptr zext 1:wide getelementptr 2 load 2: icmp 3:t "
            "4 br 5 store br phi phi 6:p call add call 7:kept ret");
  ASSERT_EQ(probed.size(), 8u);
  EXPECT_EQ(probed[0].text, "call with a parameter");
  EXPECT_EQ(probed[6].text, "%p = phi i32 [ %x, %entry ], [ 7, %less ]");
  Type *word = Type::getInt32Ty(context);
  Type *const types[] = {PointerType::get(context, 7),
                         Type::getInt64Ty(context),
                         word,
                         Type::getInt1Ty(context),
                         nullptr,
                         nullptr,
                         word,
                         word};
  for (auto [number, each, type] : enumerate(probed, types))
    EXPECT_EQ(each.type, type) << number;
}

TEST(Probes, GoWithWhatNothingElseNeeds) {
  constexpr StringRef rest = "0:fat alloca getelementptr 2 load 2: icmp 3:t 4 br 5 store br ret";
  auto [before, after] = removeFrom({{"zext i32 %x", "sext i32 %x"}});
  EXPECT_EQ(before, rest);
  EXPECT_EQ(after, rest) << "whatever the pass has made of it";
}

TEST(Probes, StayWhereSomethingNeedsTheValue) {
  auto [before, after] =
      removeFrom({{"  ret void", "  store i32 %p, ptr addrspace(1) %g\n  ret void"},
                  {"br i1 %t, label %less, label %end", "br label %end"}});
  EXPECT_EQ(before, "0:fat alloca getelementptr 2 load 2: icmp 3:t 4 br 5 store br ret");
  // 3 is of a value that was needed before: whether it is right must still be seen.
  EXPECT_EQ(after,
            "0:fat alloca getelementptr 2 load 2: icmp 3:t 4 br 5 store br phi 6:p store ret");
}
