// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's constant folder computes each expression before and after the lowering.
#include "compiler/ir3/lower/ExpandOps.h"
#include "compiler/ir3/lower/Narrow.h"
#include "compiler/ir3/lower/PromoteNarrow.h"
#include "compiler/ir3/lower/SplitPointers.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

/// Whether \p inst is one that \p Pass should have replaced: what folds would not show it.
template <typename Pass> static bool isLeft(const Instruction &inst) {
  if (std::is_same_v<Pass, ir3::PromoteNarrow>)
    return inst.getType()->isIntOrIntVectorTy() && ir3::isNarrow(inst.getType()) &&
           !inst.getType()->isIntOrIntVectorTy(16);
  auto *call = dyn_cast<IntrinsicInst>(&inst);
  return call && (call->getType()->isIntegerTy(64) || call->getType()->isStructTy() ||
                  call->getIntrinsicID() == Intrinsic::ldexp);
}

namespace {
/// A function that returns i32 or i64, made of the text of its instructions.
struct Expression {
  LLVMContext context;
  DiagnosticCollector diagnostics;
  std::unique_ptr<Module> module;

  explicit Expression(const Twine &body, StringRef type = "i32") {
    diagnostics.attach(context);
    SMDiagnostic problem;
    module = parseAssemblyString(
        ("define " + type + " @main() {\n" + body + "\n ret " + type + " %r\n}").str(), problem,
        context);
    EXPECT_TRUE(module) << problem.getMessage().str() << " in " << body.str();
  }
  Function &function() { return *module->getFunction("main"); }

  template <typename Pass> void run() {
    FunctionAnalysisManager analyses;
    Pass().run(function(), analyses);
    EXPECT_FALSE(verifyModule(*module, &errs()));
    for (const Instruction &inst : instructions(function()))
      EXPECT_FALSE(isLeft<Pass>(inst)) << inst.getOpcodeName();
  }
  /// Nothing where an instruction does not fold.
  std::optional<uint64_t> fold() {
    for (Instruction &inst : make_early_inc_range(instructions(function())))
      if (Constant *value = ConstantFoldInstruction(&inst, module->getDataLayout()))
        inst.replaceAllUsesWith(value);
    auto *end = cast<ReturnInst>(function().getEntryBlock().getTerminator());
    auto *result = dyn_cast<ConstantInt>(end->getReturnValue());
    return result ? std::optional(result->getZExtValue()) : std::nullopt;
  }
};
} // namespace

static std::string withOperands(StringRef text, StringRef a, StringRef b) {
  std::string result;
  for (char letter : text)
    result += letter == '$' ? a.str() : letter == '#' ? b.str() : std::string(1, letter);
  return result;
}

/// \p text has $ and # for two operands.
template <typename Pass>
static void compare(StringRef text, ArrayRef<StringRef> values, StringRef type = "i32") {
  unsigned compared = 0;
  for (StringRef a : values)
    for (StringRef b : values) {
      std::string body = withOperands(text, a, b);
      Expression before(body, type), after(body, type);
      std::optional<uint64_t> expected = before.fold();
      if (!expected)
        continue; // Poison: a division by zero.
      after.run<Pass>();
      ASSERT_EQ(after.fold(), expected) << body;
      ++compared;
    }
  EXPECT_GE(compared, values.size()) << text.str();
}

static const StringRef bytes[] = {"0", "1", "2", "7", "100", "127", "-128", "-1", "-5"};
static const StringRef words[] = {"0",
                                  "1",
                                  "31",
                                  "64",
                                  "4294967295",
                                  "-1",
                                  "-4294967296",
                                  "9223372036854775807",
                                  "1311768467",
                                  "-500",
                                  "-9223372036854775808"};

TEST(Ir3Lower, BytesAreWhatLlvmComputes) {
  for (StringRef operation :
       {"add", "sub", "mul", "and", "or", "xor", "udiv", "urem", "sdiv", "srem"})
    for (StringRef extend : {"zext", "sext"})
      compare<ir3::PromoteNarrow>(
          ("%x = " + operation + " i8 $, #\n%r = " + extend + " i8 %x to i32").str(), bytes);
  for (StringRef shift : {"shl", "lshr", "ashr"})
    compare<ir3::PromoteNarrow>(
        ("%n = and i8 #, 7\n%x = " + shift + " i8 $, %n\n%r = sext i8 %x to i32").str(), bytes);
  for (StringRef predicate : {"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"})
    compare<ir3::PromoteNarrow>(
        ("%y = add i8 #, 3\n%x = icmp " + predicate + " i8 $, %y\n%r = zext i1 %x to i32").str(),
        bytes);
}

TEST(Ir3Lower, IntrinsicsOfBytesAreWhatLlvmComputes) {
  for (StringRef name :
       {"umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"})
    compare<ir3::PromoteNarrow>(("%y = add i8 #, 3\n%x = call i8 @llvm." + name +
                                 ".i8(i8 $, i8 %y)\n%r = sext i8 %x to i32")
                                    .str(),
                                bytes);
}

TEST(Ir3Lower, BitcastsOfPartsAreWhatLlvmComputes) {
  compare<ir3::PromoteNarrow>("%v = insertelement <4 x i8> <i8 1, i8 -2, i8 3, i8 4>, i8 $, i32 1\n"
                              "%w = insertelement <4 x i8> %v, i8 #, i32 3\n"
                              "%r = bitcast <4 x i8> %w to i32",
                              bytes);
  compare<ir3::PromoteNarrow>("%a = sext i8 $ to i32\n%b = shl i32 %a, 9\n%c = sext i8 # to i32\n"
                              "%d = xor i32 %b, %c\n%v = bitcast i32 %d to <2 x i16>\n"
                              "%x = extractelement <2 x i16> %v, i32 1\n%r = sext i16 %x to i32",
                              bytes);
}

TEST(Ir3Lower, HalvesAreRoundedAfterEachOperation) {
  const StringRef halves[] = {"0xH0000", "0xH8000", "0xH3C00", "0xH3C01", "0xH7BFF",
                              "0xH4248", "0xHC111", "0xH0400", "0xH7C00"};
  for (StringRef operation : {"fadd", "fsub", "fmul"})
    compare<ir3::PromoteNarrow>(
        ("%x = " + operation + " half $, #\n%b = bitcast half %x to i16\n%r = zext i16 %b to i32")
            .str(),
        halves);
  for (StringRef predicate : {"oeq", "olt", "ult", "une", "oge"})
    compare<ir3::PromoteNarrow>(
        ("%x = fcmp " + predicate + " half $, #\n%r = zext i1 %x to i32").str(), halves);
}

TEST(Ir3Lower, WideIntrinsicsAreWhatLlvmComputes) {
  for (StringRef name :
       {"umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"})
    compare<ir3::ExpandOps>(("%r = call i64 @llvm." + name + ".i64(i64 $, i64 #)").str(), words,
                            "i64");
  for (StringRef name : {"fshl", "fshr"})
    compare<ir3::ExpandOps>(("%r = call i64 @llvm." + name + ".i64(i64 $, i64 #, i64 $)").str(),
                            words, "i64");
  for (StringRef name : {"ctpop", "bitreverse", "bswap"})
    compare<ir3::ExpandOps>(
        ("%x = xor i64 $, #\n%r = call i64 @llvm." + name + ".i64(i64 %x)").str(), words, "i64");
  for (StringRef name : {"ctlz", "cttz", "abs"})
    compare<ir3::ExpandOps>(
        ("%x = xor i64 $, #\n%r = call i64 @llvm." + name + ".i64(i64 %x, i1 false)").str(), words,
        "i64");
}

TEST(Ir3Lower, WideConversionsAreWhatLlvmComputes) {
  for (StringRef conversion : {"uitofp", "sitofp"})
    compare<ir3::ExpandOps>(
        ("%x = add i64 $, #\n%f = " + conversion + " i64 %x to float\n%r = bitcast float %f to i32")
            .str(),
        words);
  const StringRef reals[] = {"0.0", "1.5", "4294967296.0", "0x43E0000020000000", "16777216.0"};
  for (StringRef conversion : {"fptoui", "fptosi"})
    compare<ir3::ExpandOps>(
        ("%x = fadd float $, #\n%y = fmul float %x, 0.25\n%r = " + conversion + " float %y to i64")
            .str(),
        reals, "i64");
}

TEST(Ir3Lower, ReductionsOfVectorsAreWhatLlvmComputes) {
  for (StringRef name : {"and", "or", "xor", "add"})
    compare<ir3::ExpandOps>(("%a = insertelement <3 x i64> splat (i64 -6), i64 $, i64 0\n"
                             "%b = insertelement <3 x i64> %a, i64 #, i64 2\n"
                             "%r = call i64 @llvm.vector.reduce." +
                             name + ".v3i64(<3 x i64> %b)")
                                .str(),
                            words, "i64");
}

TEST(Ir3Lower, ExponentsAreTakenOffAndPutBack) {
  const StringRef reals[] = {"0.0", "1.0", "-3.5", "0x47EFFFFFE0000000", "0x3810000000000000"};
  compare<ir3::ExpandOps>("%p = call { float, i32 } @llvm.frexp.f32.i32(float $)\n"
                          "%s = extractvalue { float, i32 } %p, 0\n"
                          "%e = extractvalue { float, i32 } %p, 1\n"
                          "%b = bitcast float %s to i32\n%r = xor i32 %b, %e",
                          reals);
  const StringRef powers[] = {"0", "1", "-5", "127", "-126"};
  compare<ir3::ExpandOps>("%x = call float @llvm.ldexp.f32.i32(float -1.5, i32 $)\n"
                          "%y = call float @llvm.ldexp.f32.i32(float %x, i32 #)\n"
                          "%r = bitcast float %y to i32",
                          {powers[0], powers[1], powers[2]});
}

TEST(Ir3Lower, NarrowAccessesAreAccessesOfDwords) {
  Expression expression("%p = alloca [8 x i8], align 4\n%q = getelementptr i8, ptr %p, i32 5\n"
                        "store i8 9, ptr %q, align 1\n%x = load i16, ptr %p, align 2\n"
                        "%r = sext i16 %x to i32");
  expression.run<ir3::PromoteNarrow>();
  for (Instruction &inst : instructions(expression.function())) {
    EXPECT_FALSE(ir3::isNarrow(inst.getType()));
    if (auto *load = dyn_cast<LoadInst>(&inst))
      EXPECT_GE(load->getAlign(), Align(4));
    if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst))
      EXPECT_TRUE(atomic->getType()->isIntegerTy(32));
  }
}

TEST(Ir3Lower, ExpressionsOfNarrowConstantsAreFolded) {
  const StringRef numbers[] = {"-249747977", "0", "-2147483648"};
  for (StringRef extension : {"sext", "zext"})
    compare<ir3::PromoteNarrow>(("%v = " + extension +
                                 " <4 x i8> bitcast (i32 $ to <4 x i8>) to <4 x i32>\n"
                                 "%a = extractelement <4 x i32> %v, i32 3\n"
                                 "%b = extractelement <4 x i32> %v, i32 1\n%r = sub i32 %a, %b")
                                    .str(),
                                numbers);
}

TEST(Ir3Lower, ReportsWhatItDoesNotKnow) {
  // What was reported may stay.
  Expression expression("%p = alloca i16\nbr label %loop\n"
                        "loop:\n%n = phi i16 [ 3, %0 ], [ %x, %loop ]\n"
                        "%x = atomicrmw add ptr %p, i16 1 monotonic, align 2\n"
                        "%c = icmp eq i16 %n, 7\nbr i1 %c, label %end, label %loop\n"
                        "end:\n%r = zext i16 %x to i32");
  FunctionAnalysisManager analyses;
  ir3::PromoteNarrow().run(expression.function(), analyses);
  std::string message = toString(expression.diagnostics.takeFirstError());
  EXPECT_NE(message.find("atomicrmw"), std::string::npos) << message;
  EXPECT_FALSE(verifyModule(*expression.module, &errs()));
}

static const char *const pointerText = R"(
target datalayout = "e-p:64:64-p5:32:32-p7:160:256:256:32-p8:128:128-i64:64-n32-A5"
declare ptr addrspace(7) @lgc.load.buffer.desc(i32, i32, i32)
declare i32 @lgc.buffer.ptr.difference(ptr addrspace(7), ptr addrspace(7))
define i32 @main(i1 %c, i32 %o) {
entry:
  %slot = alloca [20 x i8], align 4, addrspace(5)
  %a = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0)
  %b = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 1, i32 0)
  store ptr addrspace(7) %a, ptr addrspace(5) %slot, align 4
  %kept = load ptr addrspace(7), ptr addrspace(5) %slot, align 4
  br label %loop
loop:
  %p = phi ptr addrspace(7) [ %a, %entry ], [ %next, %loop ]
  %q = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) %b
  %next = getelementptr i8, ptr addrspace(7) %q, i32 %o
  %v = load i32, ptr addrspace(7) %next, align 4
  store i32 %v, ptr addrspace(7) %kept, align 4
  %d = call i32 @lgc.buffer.ptr.difference(ptr addrspace(7) %q, ptr addrspace(7) %a)
  %end = icmp eq i32 %d, %v
  br i1 %end, label %exit, label %loop
exit:
  ret i32 %v
}
)";

TEST(Ir3Lower, AccessesKnowTheirBuffers) {
  LLVMContext context;
  DiagnosticCollector diagnostics;
  diagnostics.attach(context);
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(pointerText, problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  FunctionAnalysisManager analyses;
  Function &function = *module->getFunction("main");
  ir3::SplitPointers().run(function, analyses);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  EXPECT_FALSE(bool(diagnostics.takeFirstError()));
  unsigned accesses = 0;
  for (const Instruction &inst : instructions(function)) {
    const Value *pointer = getLoadStorePointerOperand(&inst);
    bool isFat = pointer && pointer->getType()->getPointerAddressSpace() == 7;
    accesses += isFat;
    if (isFat)
      EXPECT_TRUE(isa<CallInst>(cast<GetElementPtrInst>(pointer)->getPointerOperand()));
    bool makesPointer = isa<PHINode, SelectInst, LoadInst>(inst) && inst.getType()->isPointerTy();
    EXPECT_FALSE(makesPointer) << inst.getOpcodeName();
  }
  EXPECT_EQ(accesses, 4u) << "a load and a store, of two buffers each";
}
