// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/select/Uniforms.h"

#include "compiler/ir3/ir/Printer.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {

/// A function with loads, the interface of a layout with buffers (0, 0), (0, 1) and two at (1, 3),
/// and what promoteUniforms() makes of them.
struct Promotion {
  LLVMContext context;
  std::unique_ptr<Module> module;
  Interface interface;
  const Compiler &compiler = *findCompiler("a630");

  explicit Promotion(const Twine &body, uint32_t constDwords = 4) {
    SMDiagnostic problem;
    module = parseAssemblyString((R"(
target datalayout = "e-p:64:64-p5:32:32-p7:160:256:256:32-p8:128:128-i64:64-n32-A5"
declare ptr addrspace(7) @lgc.load.buffer.desc(i32, i32, i32)
define void @main(i32 %i) {
  %a = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0, i32 0)
  %b = call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 1, i32 0)
  %d = call ptr addrspace(7) @lgc.load.buffer.desc(i32 1, i32 3, i32 1)
)" + body + "  ret void\n}\n!0 = !{}\n")
                                     .str(),
                                 problem, context);
    EXPECT_TRUE(module) << problem.getMessage().str();
    interface.bindings = {{0, 0, 0, 1, DescriptorKind::Buffer},
                          {0, 1, 1, 1, DescriptorKind::Buffer},
                          {1, 3, 0, 2, DescriptorKind::Buffer}};
    interface.constDwords = constDwords;
    promoteUniforms(function(), compiler, interface);
  }
  Function &function() { return *module->getFunction("main"); }
  /// "set.binding[element] first+dwords>const dword", a range each.
  std::string ranges() const {
    std::string text;
    raw_string_ostream os(text);
    for (const UniformRange &range : interface.uniforms)
      os << range.set << "." << range.binding << "[" << range.element << "] " << range.firstByte
         << "+" << range.dwords << ">" << range.constDword << " ";
    return text;
  }
  std::optional<uint32_t> placeOf(StringRef name) {
    for (const llvm::Instruction &inst : instructions(function()))
      if (inst.getName() == name)
        return findPromoted(interface, cast<LoadInst>(inst));
    ADD_FAILURE() << "no load " << name.str();
    return std::nullopt;
  }
};

} // namespace

/// A load of \p type named \p name, \p bytes after \p base.
static std::string load(StringRef name, StringRef base, unsigned bytes, StringRef type = "i32") {
  return ("  %p" + name + " = getelementptr i8, ptr addrspace(7) %" + base + ", i32 " +
          Twine(bytes) + "\n  %" + name + " = load " + type + ", ptr addrspace(7) %p" + name +
          ", align 4, !invariant.load !0\n")
      .str();
}

TEST(Uniforms, RangesAreOfUploadUnitsAndMerged) {
  Promotion promotion(load("x", "a", 20) + load("y", "b", 0, "<4 x i32>") + load("z", "a", 60) +
                      load("w", "a", 64) + load("v", "d", 260));
  EXPECT_EQ(promotion.ranges(), "0.1[0] 0+16>16 0.0[0] 0+32>32 1.3[1] 256+16>64 ");
  EXPECT_EQ(promotion.placeOf("x"), 32u + 5);
  EXPECT_EQ(promotion.placeOf("y"), 16u);
  EXPECT_EQ(promotion.placeOf("z"), 32u + 15);
  EXPECT_EQ(promotion.placeOf("w"), 32u + 16);
  EXPECT_EQ(promotion.placeOf("v"), 64u + 1);
  EXPECT_EQ(promotion.interface.constDwords, 80u);
}

TEST(Uniforms, ALoadOverTheEndOfAUnitTakesBoth) {
  Promotion promotion(load("x", "a", 60, "<2 x i32>"));
  EXPECT_EQ(promotion.ranges(), "0.0[0] 0+32>16 ");
  EXPECT_EQ(promotion.placeOf("x"), 16u + 15);
}

TEST(Uniforms, WhatMayChangeOrIsNotConstantStaysALoad) {
  Promotion promotion("  %x = load i32, ptr addrspace(7) %a, align 4\n"
                      "  %y = load volatile i32, ptr addrspace(7) %a, align 4, !invariant.load !0\n"
                      "  %p = getelementptr i32, ptr addrspace(7) %a, i32 %i\n"
                      "  %z = load i32, ptr addrspace(7) %p, align 4, !invariant.load !0\n"
                      "  %e = call ptr addrspace(7) @lgc.load.buffer.desc(i32 1, i32 3, i32 %i)\n"
                      "  %w = load i32, ptr addrspace(7) %e, align 4, !invariant.load !0\n"
                      "  %f = call ptr addrspace(7) @lgc.load.buffer.desc(i32 1, i32 3, i32 2)\n"
                      "  %v = load i32, ptr addrspace(7) %f, align 4, !invariant.load !0\n" +
                      load("u", "a", 2) + load("t", "a", 65536) + load("s", "a", 4294967292));
  EXPECT_EQ(promotion.ranges(), "");
  for (StringRef name : {"x", "y", "z", "w", "v", "u", "t", "s"})
    EXPECT_EQ(promotion.placeOf(name), std::nullopt) << name.str();
  EXPECT_EQ(promotion.interface.constDwords, 4u);
}

TEST(Uniforms, ImmediatesKeepRoom) {
  // 256 vectors less 64 leave 192, of which the ranges begin at the fourth: 47 units.
  std::string body;
  for (unsigned i = 0; i < 60; ++i)
    body += load("x" + std::to_string(i), "a", 64 * i);
  Promotion promotion(body);
  EXPECT_EQ(promotion.ranges(), "0.0[0] 0+752>16 ");
  EXPECT_EQ(promotion.placeOf("x46"), 16u + 46 * 16);
  EXPECT_EQ(promotion.placeOf("x47"), std::nullopt);
  EXPECT_EQ(Promotion(body, 192 * 4).ranges(), "");
}

TEST(Uniforms, AtMostThirtyTwoRanges) {
  std::string body;
  for (unsigned i = 0; i < 40; ++i)
    body += load("x" + std::to_string(i), "b", 128 * i);
  Promotion promotion(body);
  EXPECT_EQ(promotion.interface.uniforms.size(), 32u);
  EXPECT_EQ(promotion.placeOf("x32"), std::nullopt);
}

TEST(Uniforms, LoadsBecomeConstants) {
  Promotion promotion(load("x", "b", 8) + "  %q = getelementptr i32, ptr addrspace(7) %a, i32 %x\n"
                                          "  store i32 %x, ptr addrspace(7) %q, align 4\n");
  Program program(promotion.compiler);
  program.constDwords = promotion.interface.constDwords;
  ASSERT_FALSE(errorToBool(select(promotion.function(), promotion.interface, program)));
  std::string text = print(program);
  EXPECT_NE(text.find("c4.z"), std::string::npos) << text;
  EXPECT_EQ(text.find("ldib"), std::string::npos) << text;
}
