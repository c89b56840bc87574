// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations: what they leave and return, by fat pointer and by buffer instruction alike.
#include "oracles/ir/TestRun.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

struct Row {
  const char *operation; ///< atomicrmw's.
  const char *intrinsic; ///< After raw.ptr.buffer.atomic; null: none.
  uint32_t old, operand, result;
  const char *type = "i32";
};

class Atomics : public testing::TestWithParam<Row> {};

uint32_t bits(float value) {
  return bit_cast<uint32_t>(value);
}

void check(const std::string &body, const Row &row) {
  TestRun test("define " + std::string(row.type) +
               " @f(ptr addrspace(7) %p, ptr addrspace(8) %r, " + row.type + " %x) {\n" + body +
               " ret " + row.type + " %v }");
  ASSERT_EQ(test.error, "") << body;
  test.addBuffer(16);
  support::endian::write32le(test.memory.buffers[0].bytes.data() + 4, row.old);
  test.addPointer(0, 0, 7, 4);
  test.addPointer(0, 0, 8, 0);
  test.add(0, 32, row.operand);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.value(), row.old) << body;
  EXPECT_EQ(test.dword(0, 4), row.result) << body;
  EXPECT_EQ(test.dword(0, 8), 0x0c0b0a09u) << body;
}

TEST_P(Atomics, LeaveAndReturn) {
  const Row &row = GetParam();
  std::string type = row.type;
  check("%v = atomicrmw " + std::string(row.operation) + " ptr addrspace(7) %p, " + type +
            " %x monotonic",
        row);
  std::string name = type == "i32" ? "i32" : "f32";
  if (row.intrinsic)
    check("%v = call " + type + " @llvm.amdgcn.raw.ptr.buffer.atomic." + row.intrinsic + "." +
              name + "(" + type + " %x, ptr addrspace(8) %r, i32 4, i32 0, i32 0)",
          row);
}

INSTANTIATE_TEST_SUITE_P(
    Interpreter, Atomics,
    testing::Values(Row{"xchg", "swap", 5, 9, 9}, Row{"add", "add", 5, ~0u, 4},
                    Row{"sub", "sub", 5, 9, ~3u}, Row{"and", "and", 12, 10, 8},
                    Row{"or", "or", 12, 10, 14}, Row{"xor", "xor", 12, 10, 6},
                    Row{"nand", nullptr, 12, 10, ~8u}, Row{"min", "smin", 5, ~0u, ~0u},
                    Row{"max", "smax", 5, ~0u, 5}, Row{"umin", "umin", 5, ~0u, 5},
                    Row{"umax", "umax", 5, ~0u, ~0u}, Row{"uinc_wrap", "inc", 5, 6, 6},
                    Row{"uinc_wrap", "inc", 6, 6, 0}, Row{"uinc_wrap", "inc", 9, 6, 0},
                    Row{"udec_wrap", "dec", 5, 6, 4}, Row{"udec_wrap", "dec", 0, 6, 6},
                    Row{"udec_wrap", "dec", 7, 6, 6}, Row{"usub_cond", "cond.sub.u32", 5, 6, 5},
                    Row{"usub_cond", "cond.sub.u32", 6, 6, 0},
                    Row{"usub_sat", "sub.clamp.u32", 5, 6, 0},
                    Row{"usub_sat", "sub.clamp.u32", 7, 6, 1},
                    Row{"fadd", "fadd", bits(1.5f), bits(2.0f), bits(3.5f), "float"},
                    Row{"fsub", nullptr, bits(1.5f), bits(2.0f), bits(-0.5f), "float"},
                    Row{"fmin", "fmin", bits(1.5f), bits(2.0f), bits(1.5f), "float"},
                    Row{"fmax", "fmax", bits(1.5f), bits(2.0f), bits(2.0f), "float"},
                    Row{"fmaximum", nullptr, bits(-0.0f), bits(0.0f), bits(0.0f), "float"},
                    Row{"fminimum", nullptr, bits(0.0f), bits(-0.0f), bits(-0.0f), "float"}));

TEST(Atomics, OfHalvesAddBoth) {
  TestRun test(R"(
    define i32 @f(ptr addrspace(7) %p) {
      store <2 x half> <half 1.0, half 2.0>, ptr addrspace(7) %p
      %old = atomicrmw fadd ptr addrspace(7) %p, <2 x half> <half 1.0, half 1.0> monotonic
      %v = load i32, ptr addrspace(7) %p
      ret i32 %v
    })");
  test.addBuffer(16);
  test.addPointer(0, 0, 7, 0);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  EXPECT_EQ(test.value(), 0x42004000u);
}

TEST(Atomics, OfLanesFollowEachOther) {
  TestRun test("define i32 @f(ptr addrspace(7) %p) { %v = atomicrmw add ptr addrspace(7) %p, i32 1 "
               "monotonic ret i32 %v }");
  test.addBuffer(16);
  for (unsigned lane = 0; lane < 4; ++lane)
    test.addPointer(lane, 0, 7, 0);
  ASSERT_EQ(test.run().state, RunState::Returned) << test.result.reason;
  for (unsigned lane = 0; lane < 4; ++lane)
    EXPECT_EQ(test.value(lane), 0x04030201u + lane);
}

} // namespace
} // namespace assay::ir
