// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The splitter with an emitter of no architecture: each access is a call with a resource and an
// offset. What AMD's makes is tested in compiler/amdgpu/fat_pointers.
#include "compiler/lgc/fat_pointers/SplitFatPointers.h"

#include "compiler/lgc/Builder.h"
#include "compiler/lgc/fat_pointers/SplitterIntrinsics.h"
#include "support/Error.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {
/// Refuses stores of i8.
class CallEmitter final : public AccessEmitter {
public:
  Error verify(const Instruction &access) const override {
    const auto *store = dyn_cast<StoreInst>(&access);
    bool isByte = store && store->getValueOperand()->getType()->isIntegerTy(8);
    return isByte ? unsupported("bytes") : Error::success();
  }
  Value *emitLoad(IRBuilder<> &builder, const BufferAddress &address,
                  const LoadInst &load) const override {
    return call(builder, "get", load.getType(), {address.resource, address.offset});
  }
  void emitStore(IRBuilder<> &builder, const BufferAddress &address,
                 const StoreInst &store) const override {
    call(builder, "put", builder.getVoidTy(),
         {address.resource, address.offset, const_cast<Value *>(store.getValueOperand())});
  }
  Value *emitAtomic(IRBuilder<> &builder, const BufferAddress &address,
                    const AtomicRMWInst &atomic) const override {
    return call(builder, "rmw", atomic.getType(),
                {address.resource, address.offset, const_cast<Value *>(atomic.getValOperand())});
  }
  Value *emitCompareExchange(IRBuilder<> &builder, const BufferAddress &address,
                             const AtomicCmpXchgInst &exchange) const override {
    return call(builder, "swap", exchange.getType(), {address.resource, address.offset});
  }
  Value *emitMachineAddress(IRBuilder<> &builder, Value *pointer) const override {
    return call(builder, "address", builder.getInt64Ty(), {pointer});
  }
  SplitHandler findIntrinsicHandler(Intrinsic::ID id) const override {
    return id == Intrinsic::vector_splice_left ? splitByParts : nullptr;
  }

private:
  static Value *call(IRBuilder<> &builder, StringRef name, Type *type,
                     ArrayRef<Value *> arguments) {
    SmallVector<Type *, 3> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    Module &module = *builder.GetInsertBlock()->getModule();
    return builder.CreateCall(
        module.getOrInsertFunction(name, FunctionType::get(type, types, false)), arguments);
  }
};

struct Split {
  std::string text, error;

  explicit Split(StringRef source) {
    LLVMContext context;
    SMDiagnostic problem;
    std::unique_ptr<Module> module = parseAssemblyString(source, problem, context);
    EXPECT_TRUE(module) << problem.getMessage().str();
    initializeModule(*module);
    if (Error failure = splitFatPointers(*module, CallEmitter()))
      error = takeError(std::move(failure)).message;
    EXPECT_FALSE(verifyModule(*module, &errs()));
    raw_string_ostream(text) << *module;
  }
};
} // namespace

TEST(SplitFatPointers, LeavesAccessesToTheEmitter) {
  Split split("define i32 @f(ptr addrspace(8) %r, i32 %i) {\n"
              "  %b = addrspacecast ptr addrspace(8) %r to ptr addrspace(7)\n"
              "  %p = getelementptr i32, ptr addrspace(7) %b, i32 %i\n"
              "  %x = load i32, ptr addrspace(7) %p\n"
              "  store i32 %x, ptr addrspace(7) %b\n"
              "  %y = atomicrmw add ptr addrspace(7) %p, i32 %x monotonic\n"
              "  %z = cmpxchg ptr addrspace(7) %p, i32 %x, i32 %y monotonic monotonic\n"
              "  %old = extractvalue {i32, i1} %z, 0\n"
              "  ret i32 %old\n}\n");
  EXPECT_EQ(split.error, "");
  for (const char *line :
       {"%p.idx = mul i32 %i, 4", "%x = call i32 @get(ptr addrspace(8) %r, i32 %p.idx)",
        "call void @put(ptr addrspace(8) %r, i32 0, i32 %x)",
        "%y = call i32 @rmw(ptr addrspace(8) %r, i32 %p.idx, i32 %x)",
        "%z = call { i32, i1 } @swap(ptr addrspace(8) %r, i32 %p.idx)"})
    EXPECT_THAT(split.text, HasSubstr(line));
  EXPECT_THAT(split.text, Not(HasSubstr("addrspace(7)")));
  EXPECT_THAT(split.text, Not(HasSubstr("llvm.amdgcn")));
}

TEST(SplitFatPointers, CopiesAreAccessesToo) {
  Split split("define void @f(ptr addrspace(7) %a, ptr addrspace(5) %b) {\n"
              "  call void @llvm.memcpy.p5.p7.i32(ptr addrspace(5) align 4 %b, ptr addrspace(7) "
              "align 4 %a, i32 4, i1 false)\n  ret void\n}\n");
  EXPECT_EQ(split.error, "");
  EXPECT_THAT(split.text, HasSubstr("call i32 @get(ptr addrspace(8)"));
}

TEST(SplitFatPointers, RefusesWhatTheEmitterDoes) {
  Split split("define void @f(ptr addrspace(7) %p) {\n"
              "  store i8 0, ptr addrspace(7) %p\n  ret void\n}\n");
  EXPECT_THAT(split.error, HasSubstr("bytes"));
  EXPECT_THAT(split.text, HasSubstr("store i8 0, ptr addrspace(7) %p"));
}

TEST(SplitFatPointers, AsksTheEmitterAboutIntrinsics) {
  Split split("define <2 x ptr addrspace(7)> @f(<2 x ptr addrspace(7)> %p, <2 x ptr addrspace(7)> "
              "%q) {\n"
              "  %r = call <2 x ptr addrspace(7)> @llvm.vector.splice.left.v2p7(<2 x ptr "
              "addrspace(7)> %p, <2 x ptr addrspace(7)> %q, i32 1)\n"
              "  ret <2 x ptr addrspace(7)> %r\n}\n");
  EXPECT_EQ(split.error, "");
  EXPECT_THAT(split.text, HasSubstr("call <2 x ptr addrspace(8)> @llvm.vector.splice.left.v2p8("));
  EXPECT_THAT(split.text, HasSubstr("call <2 x i32> @llvm.vector.splice.left.v2i32("));
  Split foreign("define ptr addrspace(7) @f(ptr addrspace(7) %p) {\n"
                "  %q = call ptr addrspace(7) @llvm.amdgcn.readfirstlane.p7(ptr addrspace(7) %p)\n"
                "  ret ptr addrspace(7) %q\n}\n");
  EXPECT_THAT(foreign.error, HasSubstr("a buffer fat pointer in this instruction"));
}
