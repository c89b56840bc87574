// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function with probes and what a pass may make of it, as a change of its text: what is as good
// as before stays silent, what is not is named.
#include "oracles/divergence/FindDivergence.h"

#include "oracles/ir/Machine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

/// %g: 64 bytes 1, 2, 3, ...; %x: 5.
constexpr StringLiteral source = R"(
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn--amdpal"
define void @f(ptr addrspace(1) %g, i32 %x) {
entry:
  %a = load i32, ptr addrspace(1) %g, align 4
  %b = add i32 %a, %x
  %c = sub i32 %b, 7
  %q = getelementptr i8, ptr addrspace(1) %g, i64 16
  store i32 %c, ptr addrspace(1) %q, align 4
  %r = getelementptr i8, ptr addrspace(1) %g, i64 32
  store i16 77, ptr addrspace(1) %r, align 4
  store volatile i32 9, ptr addrspace(1) %g, align 4
  %old = atomicrmw umin ptr addrspace(1) %q, i32 3 acquire
  %v = insertelement <2 x i32> <i32 1, i32 2>, i32 %a, i32 1
  %t = icmp ult i32 %x, 6
  br i1 %t, label %less, label %end
less:
  %s = getelementptr i8, ptr addrspace(1) %g, i64 48
  store i32 %x, ptr addrspace(1) %s, align 4
  br label %end
end:
  %p = phi i32 [ %x, %entry ], [ %c, %less ]
  ret void
}
)";

/// Lanes and a log.
class Logged final : public ir::Environment {
public:
  ir::Handler findCall(const Function &) const override { return nullptr; }
  void didWrite(const ir::Inst &, const ir::Lane &, uint64_t, uint64_t) const override {}
  unsigned waveSize() const override { return 2; }
  ir::ExecutionLog *log() const override { return &m_log; }

private:
  mutable ir::ExecutionLog m_log;
};

std::unique_ptr<Module> parse(StringRef text, LLVMContext &context) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  return module;
}

/// Two lanes with 64 bytes each.
ir::RunResult run(Module &module, const Logged &environment) {
  ir::Memory memory;
  std::vector<std::vector<ir::Value>> arguments;
  for (unsigned lane = 0; lane < 2; ++lane) {
    ir::BufferMemory buffer;
    for (unsigned i = 0; i < 64; ++i)
      buffer.bytes.push_back(static_cast<uint8_t>(i + 1));
    buffer.address = 0x10000 * (lane + 1);
    arguments.push_back({{{APInt(64, buffer.address)}}, {{APInt(32, 5)}}});
    memory.buffers.push_back(std::move(buffer));
  }
  environment.log()->begin(memory);
  environment.log()->addBarrier(ir::noThread); // As a launch does.
  ir::RunLimits limits;
  return ir::Machine(*module.getFunction("f"), memory, limits, &environment).run(arguments);
}

/// "WRONG: TEXT", or "" where the runs don't part.
std::string compareWith(ProbeKind kind, ArrayRef<std::pair<StringRef, StringRef>> changes) {
  LLVMContext context;
  std::unique_ptr<Module> before = parse(source, context);
  std::vector<ProbedInstruction> probed = addProbes(*before, kind);
  std::string text;
  raw_string_ostream(text) << *before;
  for (const auto &[from, to] : changes) {
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from.str();
    if (at != std::string::npos)
      text.replace(at, from.size(), to.str());
  }
  std::unique_ptr<Module> after = parse(text, context);
  if (!before || !after)
    return "no module";
  Logged old, now;
  EXPECT_EQ(run(*before, old).reason, "");
  run(*after, now);
  std::optional<Divergence> divergence = findDivergence(*old.log(), *now.log(), probed);
  if (!divergence)
    return "";
  return (describeDivergence(*divergence) + ": " +
          StringRef(probed[divergence->number].text).split(',').first)
      .str();
}

struct Row {
  const char *name;
  std::vector<std::pair<StringRef, StringRef>> changes;
  const char *expected;
};

} // namespace

TEST(FindDivergence, IsSilentWhereNothingIsLost) {
  const Row rows[] = {{"the same", {}, ""},
                      {"a store in pieces",
                       {{"store i32 %c, ptr addrspace(1) %q, align 4",
                         "%lo = trunc i32 %c to i16\n"
                         "%up = lshr i32 %c, 16\n"
                         "%hi = trunc i32 %up to i16\n"
                         "%q2 = getelementptr i8, ptr addrspace(1) %q, i64 2\n"
                         "store i16 %hi, ptr addrspace(1) %q2, align 2\n"
                         "store i16 %lo, ptr addrspace(1) %q, align 2"}},
                       ""},
                      {"a store that moved past another",
                       {{"store i32 %c, ptr addrspace(1) %q, align 4", ""},
                        {"store i16 77, ptr addrspace(1) %r, align 4",
                         "store i16 77, ptr addrspace(1) %r, align 4\n"
                         "store i32 %c, ptr addrspace(1) %q, align 4"}},
                       ""},
                      {"adjacent bytes written as they were",
                       {{"store i16 77, ptr addrspace(1) %r, align 4",
                         "%w = load i32, ptr addrspace(1) %r\n"
                         "%m = and i32 %w, -65536\n"
                         "%n = or i32 %m, 77\n"
                         "store i32 %n, ptr addrspace(1) %r, align 4"}},
                       ""},
                      {"nothing of what is overwritten",
                       {{"%q = getelementptr i8, ptr addrspace(1) %g, i64 16",
                         "%q = getelementptr i8, ptr addrspace(1) %g, i64 16\n"
                         "store i32 1, ptr addrspace(1) %q"}},
                       ""},
                      {"another way to a value", {{"sub i32 %b, 7", "add i32 %b, -7"}}, ""},
                      {"a stronger order", {{"acquire", "acq_rel"}}, ""},
                      {"an exchange that succeeds",
                       {{"%old = atomicrmw umin ptr addrspace(1) %q, i32 3 acquire, align 4",
                         "%pair = cmpxchg ptr addrspace(1) %q, i32 %c, i32 3 acquire monotonic\n"
                         "%old = extractvalue {i32, i1} %pair, 0"}},
                       ""}};
  for (const Row &row : rows)
    for (ProbeKind kind : {ProbeKind::Values, ProbeKind::Marks})
      EXPECT_EQ(compareWith(kind, row.changes), row.expected) << row.name;
}

TEST(FindDivergence, NamesTheFirstInstructionThatIsWrong) {
  const Row rows[] = {
      {"value", {{"sub i32 %b, 7", "sub i32 7, %b"}}, "value: %c = sub i32 %b"},
      {"pointer", {{"%g, i64 16", "%g, i64 20"}}, "value: %q = getelementptr i8"},
      {"loaded",
       {{"load i32, ptr addrspace(1) %g", "load i32, ptr addrspace(1) getelementptr (i8, "
                                          "ptr addrspace(1) null, i64 65540)"}},
       "value: %a = load i32"},
      {"no way through a load",
       {{"load i32, ptr addrspace(1) %g", "load i32, ptr addrspace(1) null"}},
       "stop: %a = load i32"},
      {"no way through a store",
       {{"store i16 77, ptr addrspace(1) %r", "store i16 77, ptr addrspace(1) null"}},
       "stop: store i16 77"},
      {"elsewhere",
       {{"store i32 %c, ptr addrspace(1) %q", "store i32 %c, ptr addrspace(1) %g"}},
       "address: store i32 %c"},
      {"something else",
       {{"store i32 %c, ptr addrspace(1) %q", "store i32 %b, ptr addrspace(1) %q"}},
       "stored: store i32 %c"},
      {"wider", {{"store i16 77", "store i32 77"}}, "width: store i16 77"},
      {"lost", {{"store i32 %c, ptr addrspace(1) %q, align 4", ""}}, "lost: store i32 %c"},
      {"no longer volatile", {{"store volatile", "store"}}, "access: store volatile i32 9"},
      {"another operation",
       {{"atomicrmw umin", "atomicrmw add"}},
       "stored: %old = atomicrmw umin ptr addrspace(1) %q"},
      {"first element",
       {{"<i32 1, i32 2>", "<i32 3, i32 2>"}},
       "value: %v = insertelement <2 x i32> <i32 1"},
      {"another element",
       {{"i32 %a, i32 1", "i32 %b, i32 1"}},
       "part: %v = insertelement <2 x i32> <i32 1"},
      {"weaker order",
       {{"acquire", "monotonic"}},
       "order: %old = atomicrmw umin ptr addrspace(1) %q"},
      {"an exchange that fails",
       {{"%old = atomicrmw umin ptr addrspace(1) %q, i32 3 acquire, align 4",
         "%pair = cmpxchg ptr addrspace(1) %q, i32 %x, i32 3 acquire monotonic\n"
         "%old = extractvalue {i32, i1} %pair, 0"}},
       "lost by exchange: %old = atomicrmw umin ptr addrspace(1) %q"},
      {"an exchange with something else",
       {{"%old = atomicrmw umin ptr addrspace(1) %q, i32 3 acquire, align 4",
         "%pair = cmpxchg ptr addrspace(1) %q, i32 %c, i32 4 acquire monotonic\n"
         "%old = extractvalue {i32, i1} %pair, 0"}},
       "stored by exchange: %old = atomicrmw umin ptr addrspace(1) %q"},
      {"something next to an exchange",
       {{"store i16 77", "store i16 78"},
        {"%old = atomicrmw umin ptr addrspace(1) %q, i32 3 acquire, align 4",
         "%pair = cmpxchg ptr addrspace(1) %q, i32 %c, i32 3 acquire monotonic\n"
         "%old = extractvalue {i32, i1} %pair, 0"}},
       "stored: store i16 77"},
      {"another way", {{"label %less, label %end", "label %end, label %less"}}, "stop: br i1 %t"},
      {"the other operand of a phi",
       {{"[ %x, %entry ], [ %c, %less ]", "[ %c, %entry ], [ %x, %less ]"}},
       "value: %p = phi i32 [ %x"}};
  for (const Row &row : rows)
    EXPECT_EQ(compareWith(ProbeKind::Values, row.changes), row.expected) << row.name;
}

TEST(FindDivergence, NamesStoresByMarksAlone) {
  EXPECT_EQ(compareWith(ProbeKind::Marks, {{"getelementptr i8, ptr addrspace(1) %g, i64 48",
                                            "getelementptr i8, ptr addrspace(1) %g, i64 52"}}),
            "address: store i32 %x");
  EXPECT_EQ(compareWith(ProbeKind::Marks, {{"store i16 77", "store i32 77"}}),
            "width: store i16 77");
}

namespace {

/// One thread that comes to the first of two loads and reads \p bytes from \p address; and no
/// further where \p end says how it ended.
ir::ExecutionLog logLoad(uint64_t address, uint64_t bytes, ir::RunState end) {
  ir::ExecutionLog log;
  log.begin(ir::Memory());
  log.addMark(0, 0);
  log.addRead(0, address, bytes);
  if (end == ir::RunState::Returned)
    log.addMark(0, 1);
  else
    log.addEnd(0, end);
  return log;
}

std::string compareLogs(const ir::ExecutionLog &before, const ir::ExecutionLog &after) {
  std::vector<ProbedInstruction> probed(2);
  std::optional<Divergence> divergence = findDivergence(before, after, probed);
  return divergence ? std::to_string(divergence->number) + " " + describeDivergence(*divergence)
                    : "";
}

} // namespace

TEST(FindDivergence, ALoadThatLeavesItsBufferIsWiderOrHasLaterPiecesElsewhere) {
  using ir::RunState;
  ir::ExecutionLog before = logLoad(64, 24, RunState::Returned);
  EXPECT_EQ(compareLogs(before, before), "");
  EXPECT_EQ(compareLogs(before, logLoad(64, 16, RunState::PartialBounds)), "0 part");
  EXPECT_EQ(compareLogs(before, logLoad(64, 24, RunState::PartialBounds)), "0 width");
  EXPECT_EQ(compareLogs(before, logLoad(68, 16, RunState::PartialBounds)), "0 width");
  EXPECT_EQ(compareLogs(before, logLoad(64, 16, RunState::Trapped)), "0 stop");
}

TEST(FindDivergence, OfALogThatIsCutProbesAreComparedUpToThere) {
  ir::ExecutionLog before, right, wrong;
  for (ir::ExecutionLog *log : {&before, &right, &wrong}) {
    log->begin(ir::Memory());
    ir::Value value;
    value.push_back({APInt(32, log == &wrong ? 8 : 7)});
    log->addMark(0, 0);
    log->addValue(0, 1, value);
  }
  before.addMark(0, 1);
  for (ir::ExecutionLog *log : {&right, &wrong})
    while (!log->isCut())
      log->addBarrier(0);
  EXPECT_EQ(compareLogs(before, wrong), "1 value");
  EXPECT_EQ(compareLogs(before, right), "") << "nobody knows whether it came to the mark";
  EXPECT_EQ(compareLogs(right, before), "");
}
