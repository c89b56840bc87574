// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of buffer accesses share: a function to emit into, and its instructions in short.
#pragma once

#include "compiler/amdgpu/fat_pointers/BufferAccess.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

namespace assay::amdgpu::testing {

/// Emits one access a call into a fresh function for \p chip, and describes what came out.
class AccessBench {
public:
  using Lines = std::vector<std::string>;

  explicit AccessBench(llvm::StringRef chip, llvm::StringRef features = "")
      : m_attributes(
            ("\"target-cpu\"=\"" + chip + "\" \"target-features\"=\"" + features + "\"").str()) {}

  bool isStrided = false;
  std::string attributes; ///< Further ones of the function.

  llvm::SyncScope::ID scope(llvm::StringRef name) {
    return name.empty() ? llvm::SyncScope::System : m_context.getOrInsertSyncScopeID(name);
  }

  Lines load(llvm::StringRef type, const AccessTraits &traits) {
    return emit(type, [&](llvm::IRBuilder<> &builder, const BufferAddress &at, llvm::Value *value) {
      keep(builder, emitBufferLoad(builder, at, value->getType(), traits));
    });
  }
  Lines store(llvm::StringRef type, const AccessTraits &traits) {
    return emit(type, [&](llvm::IRBuilder<> &builder, const BufferAddress &at, llvm::Value *value) {
      emitBufferStore(builder, at, value, traits);
    });
  }
  Lines atomic(llvm::AtomicRMWInst::BinOp operation, llvm::StringRef type,
               const AccessTraits &traits) {
    return emit(type, [&](llvm::IRBuilder<> &builder, const BufferAddress &at, llvm::Value *value) {
      keep(builder, emitBufferAtomic(builder, at, operation, value, traits));
    });
  }
  Lines exchange(llvm::StringRef type, const AccessTraits &traits) {
    return emit(type, [&](llvm::IRBuilder<> &builder, const BufferAddress &at, llvm::Value *value) {
      llvm::Value *zero = llvm::Constant::getNullValue(value->getType());
      keep(builder, emitBufferCompareExchange(builder, at, zero, value, traits));
    });
  }

  /// The message of verifyBufferAccess for \p instruction, "" for none.
  std::string verify(llvm::StringRef instruction) {
    parse(("define void @f(ptr addrspace(7) %p) {\n" + instruction + "\nret void\n}").str());
    return llvm::toString(verifyBufferAccess(m_module->getFunction("f")->getEntryBlock().front()));
  }

  /// The module of the last call, as text.
  std::string text() const {
    std::string result;
    llvm::raw_string_ostream(result) << *m_module;
    return result;
  }

private:
  void parse(llvm::StringRef source) {
    llvm::SMDiagnostic diagnostic;
    std::string layout = llvm::Triple("amdgcn--amdpal").computeDataLayout();
    std::string header =
        "target datalayout = \"" + layout + "\" target triple = \"amdgcn--amdpal\"";
    m_module = llvm::parseAssemblyString(header + source.str(), diagnostic, m_context);
    ASSERT_TRUE(m_module) << diagnostic.getMessage().str() << "\n" << source.str();
  }

  static void keep(llvm::IRBuilder<> &builder, llvm::Value *value) {
    builder.CreateStore(value, llvm::PoisonValue::get(builder.getPtrTy(1)));
  }

  template <typename Body> Lines emit(llvm::StringRef type, Body body) {
    parse(("define void @f(ptr addrspace(8) %r, i32 %i, i32 %o, " + type + " %value) " +
           m_attributes + attributes + " {\nret void\n}")
              .str());
    llvm::Function *function = m_module->getFunction("f");
    llvm::IRBuilder<> builder(function->getEntryBlock().getTerminator());
    BufferAddress address{function->getArg(0), isStrided ? function->getArg(1) : nullptr,
                          function->getArg(2)};
    body(builder, address, function->getArg(3));
    std::string problem;
    llvm::raw_string_ostream os(problem);
    EXPECT_FALSE(llvm::verifyModule(*m_module, &os)) << problem << text();
    Lines lines;
    for (llvm::BasicBlock &block : *function)
      for (llvm::Instruction &instruction : block)
        if (std::string line = describe(instruction); !line.empty())
          lines.push_back(line);
    return lines;
  }

  /// "load.i32 +4 align 4 aux 1 invariant" of an intrinsic, "fence agent release", "" of all else.
  static std::string describe(const llvm::Instruction &instruction) {
    if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(&instruction))
      return "fence " + instruction.getContext().getSyncScopeName(fence->getSyncScopeID())->str() +
             " " + llvm::toIRString(fence->getOrdering());
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call)
      return "";
    llvm::StringRef name = call->getCalledFunction()->getName();
    if (!name.consume_front("llvm.amdgcn."))
      return name.str();
    std::string kind = name.consume_front("struct.ptr.") ? "struct." : "";
    name.consume_front("raw.ptr.");
    if (name.consume_front("atomic.buffer."))
      kind += "atomic.";
    name.consume_front("buffer.");
    return kind + name.str() + describeOperands(*call);
  }

  static std::string describeOperands(const llvm::IntrinsicInst &call) {
    unsigned count = call.arg_size();
    const llvm::Value *offset = call.getArgOperand(count - 3);
    std::string result;
    if (auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(offset)) {
      auto *distance = llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1));
      result = distance && sum->getOpcode() == llvm::Instruction::Add
                   ? " +" + std::to_string(distance->getZExtValue())
                   : " at " + std::string(sum->getOpcodeName());
    } else {
      result = " +0";
    }
    for (unsigned i = 0; i < count; ++i)
      if (llvm::MaybeAlign align = call.getParamAlign(i))
        result += " align " + std::to_string(align->value());
    uint64_t policy = llvm::cast<llvm::ConstantInt>(call.getArgOperand(count - 1))->getZExtValue();
    if (policy)
      result += " aux " + std::to_string(policy);
    if (call.hasMetadata(llvm::LLVMContext::MD_invariant_load))
      result += " invariant";
    if (call.hasMetadata(llvm::LLVMContext::MD_nontemporal))
      result += " nontemporal";
    return result;
  }

  llvm::LLVMContext m_context;
  std::string m_attributes;
  std::unique_ptr<llvm::Module> m_module;
};

} // namespace assay::amdgpu::testing
