// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted faults of the lowering of fat pointers: the instruction that each gets wrong is named.
#include "harness/worker/ExplainLowering.h"

#include "harness/worker/LowerFatPointers.h"
#include "support/Fault.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;

namespace {
struct Row {
  const char *fault;
  const char *body;        ///< Of @f, which has %p, %q: fat pointers; %i, %n: numbers; %c.
  const char *instruction; ///< How it begins.
  const char *wrong;
};
} // namespace

static constexpr Row rows[] = {
    {"fat-dropped-volatile",
     "store i32 %n, ptr addrspace(7) %q\n"
     "store volatile i32 1, ptr addrspace(7) %p",
     "store volatile i32 1", "access"},
    {"fat-missing-fence", "%o = atomicrmw add ptr addrspace(7) %p, i32 1 release",
     "%o = atomicrmw add", "order"},
    {"fat-widened-store", "store i32 %n, ptr addrspace(7) %q\nstore i16 1, ptr addrspace(7) %p",
     "store i16 1", "width"},
    {"fat-widened-store",
     "%last = getelementptr i8, ptr addrspace(7) %p, i32 %i\nstore i8 1, ptr addrspace(7) %last",
     "store i8 1", "width"},
    {"fat-signed-min", "%o = atomicrmw umin ptr addrspace(7) %p, i32 %n monotonic",
     "%o = atomicrmw umin", "lost"},
    {"fat-swapped-exchange", "%x = cmpxchg ptr addrspace(7) %p, i32 0, i32 %n monotonic monotonic",
     "%x = cmpxchg", "access by exchange"},
    {"fat-piece-offset",
     "%v = load <8 x i32>, ptr addrspace(7) %p\n"
     "store <8 x i32> %v, ptr addrspace(7) %q",
     "%v = load <8 x i32>", "part"},
    {"fat-lost-offset",
     "%e = getelementptr i8, ptr addrspace(7) %p, i32 4\n"
     "store i32 %n, ptr addrspace(7) %e",
     "%e = getelementptr", "value"},
    {"fat-select-swapped",
     "%s = select i1 %c, ptr addrspace(7) %p, ptr addrspace(7) %q\n"
     "store i32 %n, ptr addrspace(7) %s",
     "%s = select i1 %c", "value"},
    {"fat-number-parts-swapped",
     "%a = ptrtoint ptr addrspace(7) %p to i160\n"
     "%b = add i160 %a, 4\n"
     "%e = inttoptr i160 %b to ptr addrspace(7)\n"
     "store i32 %n, ptr addrspace(7) %e",
     "%e = inttoptr", "value"},
    {"fat-call-loses-offset",
     "%e = getelementptr i8, ptr addrspace(7) %p, i32 4\n"
     "call void @g(ptr addrspace(7) %e)",
     "call with a parameter", "value"},
};

static std::string printSource(const Row &row) {
  return std::string("define void @g(ptr addrspace(7) %p) noinline {\n"
                     "store i32 7, ptr addrspace(7) %p\nret void\n}\n"
                     "define void @f(ptr addrspace(7) %p, ptr addrspace(7) %q, i32 %i, i32 %n, i1 "
                     "%c) {\n") +
         row.body + "\nret void\n}\n";
}

/// Ends the process, which has the fault for ever; says "WRONG: INSTRUCTION".
[[noreturn]] static void explainAndExit(const Row &row) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<Module> before = parseAssemblyString(printSource(row), problem, context);
  if (!before)
    report_fatal_error(problem.getMessage());
  cantFail(completeModule(*before));
  std::string source;
  raw_string_ostream(source) << *before;
  Job job;
  job.target = "gfx1100";
  cantFail(plantFault(row.fault));
  std::unique_ptr<Module> after;
  if (lowerFatPointers(job, FatLowering::Own, *before, after))
    report_fatal_error("not lowered");
  MeaningOptions options;
  FunctionMeaning meaning =
      compareMeaning(*before->getFunction("f"), *after->getFunction("f"), options);
  explainLowering(job, FatLowering::Own, source, /*isShader=*/false, options, meaning.findings);
  for (const Finding &finding : meaning.findings)
    for (const auto &[name, text] : reverse(finding.evidence))
      if (name == instructionEvidence || name == wrongEvidence)
        errs() << name << " " << text << "\n";
  std::exit(0);
}

TEST(ExplainLowering, NamesTheInstructionThatAFaultIsIn) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "no faults in this build";
  for (const Row &row : rows)
    EXPECT_EXIT(
        explainAndExit(row), testing::ExitedWithCode(0),
        testing::StartsWith(std::string("wrong ") + row.wrong + "\ninstruction " + row.instruction))
        << row.fault;
}
