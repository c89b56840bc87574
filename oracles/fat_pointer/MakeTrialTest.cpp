// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/fat_pointer/FatPointerOracle.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>
#include <set>

using namespace assay;

namespace {
class MakeTrial : public testing::Test {
protected:
  /// The function @f of \p text.
  const llvm::Function &parse(llvm::StringRef text) {
    llvm::SMDiagnostic problem;
    m_module = llvm::parseAssemblyString(("target triple = \"amdgcn--amdpal\"\n" + text).str(),
                                         problem, m_context);
    EXPECT_TRUE(m_module) << problem.getMessage().str();
    return *m_module->getFunction("f");
  }

  llvm::LLVMContext m_context;
  std::unique_ptr<llvm::Module> m_module;
};

/// Resource and offset of a fat pointer.
struct Parts {
  llvm::APInt resource;
  uint64_t offset;
};
} // namespace

static Parts takeApart(const ir::Scalar &pointer) {
  return {pointer.bits.extractBits(128, 32), pointer.bits.extractBitsAsZExtValue(32, 0)};
}

TEST_F(MakeTrial, DependsOnSeedAndNumberAlone) {
  const llvm::Function &function =
      parse("define void @f(ptr addrspace(7) %p, i64 %v) { ret void }");
  Trial one = makeTrial(function, {}, 3), again = makeTrial(function, {}, 3);
  ASSERT_EQ(one.memory.buffers.size(), again.memory.buffers.size());
  EXPECT_EQ(one.memory.buffers[0].bytes, again.memory.buffers[0].bytes);
  EXPECT_EQ(one.arguments[0][0][0].bits, again.arguments[0][0][0].bits);
  MeaningOptions other;
  other.seed = 1;
  EXPECT_NE(one.memory.buffers[0].bytes, makeTrial(function, other, 3).memory.buffers[0].bytes);
}

TEST_F(MakeTrial, HalfHaveBounds) {
  const llvm::Function &function = parse("define void @f(ptr addrspace(7) %p) { ret void }");
  unsigned raw = 0;
  for (unsigned i = 0; i < 32; ++i) {
    Trial trial = makeTrial(function, {}, i);
    bool isRaw = trial.memory.buffers[0].numRecords == ~0u;
    raw += isRaw;
    for (const ir::BufferMemory &buffer : trial.memory.buffers) {
      EXPECT_EQ(isRaw, buffer.numRecords == ~0u);
      if (!isRaw)
        EXPECT_LE(buffer.numRecords, buffer.bytes.size());
    }
  }
  EXPECT_EQ(raw, 16u);
}

TEST_F(MakeTrial, CoversInsideEndsAndOutside) {
  const llvm::Function &function =
      parse("define i32 @f(ptr addrspace(7) %p) { %v = load i32, ptr addrspace(7) %p, align 4 ret "
            "i32 %v }");
  std::set<std::string> seen;
  for (unsigned i = 0; i < 256; ++i) {
    Trial trial = makeTrial(function, {}, i);
    for (const auto &arguments : trial.arguments) {
      Parts parts = takeApart(arguments[0][0]);
      EXPECT_EQ(parts.offset % 4, 0u);
      uint64_t records = parts.resource.extractBitsAsZExtValue(32, 64);
      seen.insert(parts.offset + 4 == records ? "last"
                  : parts.offset == records   ? "end"
                  : parts.offset > 0xffffff00 ? "wraps"
                  : parts.offset > records    ? "outside"
                  : records == 0              ? "empty"
                                              : "inside");
    }
  }
  for (const char *place : {"inside", "last", "end", "outside", "wraps"})
    EXPECT_TRUE(seen.count(place)) << place;
}

TEST_F(MakeTrial, ParametersSteerIt) {
  const llvm::Function &function = parse(
      "define void @f(ptr addrspace(7) inreg %p, i32 %index, ptr addrspace(7) noalias %a, ptr "
      "addrspace(7) noalias %b, <2 x i16> %n) { ret void }");
  bool differs = false;
  for (unsigned i = 0; i < 64; ++i) {
    Trial trial = makeTrial(function, {}, i);
    for (const auto &lane : trial.arguments) {
      EXPECT_EQ(lane[0][0].bits, trial.arguments[0][0][0].bits);
      EXPECT_LT(lane[1][0].bits.getZExtValue(), 64u);
      ASSERT_EQ(lane[4].size(), 2u);
      EXPECT_LT(lane[4][1].bits.getZExtValue(), 64u);
      for (size_t other : {0, 3})
        EXPECT_NE(takeApart(lane[2][0]).resource, takeApart(lane[other][0]).resource);
      differs |= takeApart(lane[3][0]).offset != takeApart(trial.arguments[0][3][0]).offset;
    }
  }
  EXPECT_TRUE(differs);
}

/// Pointers in buffers are ones that lead somewhere, for a function that reads some.
TEST_F(MakeTrial, PutsPointersIntoMemory) {
  const llvm::Function &function =
      parse("define ptr addrspace(7) @f(ptr addrspace(7) %p) { %q = load ptr addrspace(7), ptr "
            "addrspace(7) %p, align 32 ret ptr addrspace(7) %q }");
  unsigned pointers = 0, slots = 0;
  for (unsigned i = 0; i < 8; ++i) {
    Trial trial = makeTrial(function, {}, i);
    std::set<uint64_t> bases;
    for (const ir::BufferMemory &buffer : trial.memory.buffers)
      bases.insert(buffer.address);
    for (const ir::BufferMemory &buffer : trial.memory.buffers)
      for (size_t at = 0; at + 32 <= buffer.bytes.size(); at += 32) {
        uint64_t base = 0;
        memcpy(&base, &buffer.bytes[at + 4], 6);
        pointers += bases.count(base);
        ++slots;
      }
  }
  EXPECT_GT(pointers * 2, slots);
}

TEST_F(MakeTrial, StridedPointersHaveStridedBuffers) {
  const llvm::Function &function =
      parse("define i32 @f(ptr addrspace(9) %p) { %v = load i32, ptr addrspace(9) %p, align 4 ret "
            "i32 %v }");
  for (unsigned i = 0; i < 16; ++i)
    for (const auto &lane : makeTrial(function, {}, i).arguments) {
      const llvm::APInt &bits = lane[0][0].bits;
      ASSERT_EQ(bits.getBitWidth(), 192u);
      EXPECT_NE(bits.extractBitsAsZExtValue(14, 64 + 48), 0u) << "stride";
    }
}
