// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/Backend.h"

#include "support/Error.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
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

static std::unique_ptr<amdgpu::Backend> makeBackend(StringRef target, unsigned level = 2) {
  CompileOptions options;
  options.target = cantFail(findTarget(target));
  options.optLevel = level;
  return cantFail(amdgpu::Backend::create(options));
}

static ErrorParts emitError(StringRef text) {
  Input input(text);
  auto backend = makeBackend("gfx1030");
  auto bytes = backend->emit(*input.module, CodeGenFileType::ObjectFile, input.diagnostics);
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
      auto elf = backend->emit(*first.module, CodeGenFileType::ObjectFile, first.diagnostics);
      ASSERT_TRUE(static_cast<bool>(elf));
      EXPECT_EQ(toStringRef(*elf).substr(0, 4), "\x7f"
                                                "ELF");
      EXPECT_EQ((*elf)[7], 65) << "EI_OSABI must be ELFOSABI_AMDGPU_PAL";
      Input second(emptyShader);
      auto text = backend->emit(*second.module, CodeGenFileType::AssemblyFile, second.diagnostics);
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
  auto text = backend->emit(*input.module, CodeGenFileType::AssemblyFile, input.diagnostics);
  ASSERT_TRUE(static_cast<bool>(text));
  EXPECT_FALSE(toStringRef(*text).contains("v_readlane_b32")) << toStringRef(*text).str();
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
