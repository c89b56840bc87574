// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/TypeMap.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {
struct Types : ::testing::Test {
  LLVMContext context;
  Module module{"types", context};
  DataLayout layout{Triple("amdgcn--amdpal").computeDataLayout()};
  TypeMap types{layout};

  Type *parse(StringRef text) {
    SMDiagnostic diagnostic;
    Type *type = parseType(text, diagnostic, module);
    EXPECT_TRUE(type) << text.str();
    return type;
  }
  static std::string print(Type *type) {
    std::string text;
    raw_string_ostream os(text);
    type->print(os);
    return text;
  }
};
} // namespace

TEST_F(Types, ValuesBecomeStructsOfParts) {
  constexpr struct {
    const char *before, *after;
  } rows[] = {
      {"i32", "i32"},
      {"ptr addrspace(8)", "ptr addrspace(8)"},
      {"ptr addrspace(7)", "{ ptr addrspace(8), i32 }"},
      {"ptr addrspace(9)", "{ ptr addrspace(8), i32, i32 }"},
      {"<3 x ptr addrspace(7)>", "{ <3 x ptr addrspace(8)>, <3 x i32> }"},
      {"[2 x ptr addrspace(7)]", "[2 x { ptr addrspace(8), i32 }]"},
      {"<{ i8, [1 x { ptr addrspace(9) }] }>",
       "<{ i8, [1 x { { ptr addrspace(8), i32, i32 } }] }>"},
  };
  for (const auto &row : rows)
    EXPECT_EQ(print(types.remap(parse(row.before))), row.after);
}

TEST_F(Types, NamedStructHasOneCounterpart) {
  StructType *type = StructType::create(context, {parse("ptr addrspace(7)")}, "Pair");
  EXPECT_EQ(types.remap(type), types.remap(type));
  EXPECT_NE(types.remap(type), type);
  StructType *plain = StructType::create(context, {parse("i32")}, "Plain");
  EXPECT_EQ(types.remap(plain), plain);
}

/// Where every leaf stands that is no padding.
static void listLeaves(Type *type, const DataLayout &layout, uint64_t offset,
                       std::vector<std::pair<uint64_t, uint64_t>> &leaves) {
  if (auto *array = dyn_cast<ArrayType>(type)) {
    bool isPadding = array->getElementType()->isIntegerTy(8);
    for (uint64_t i = 0; i < array->getNumElements() && !isPadding; ++i)
      listLeaves(array->getElementType(), layout,
                 offset + i * layout.getTypeAllocSize(array->getElementType()), leaves);
  } else if (auto *structType = dyn_cast<StructType>(type)) {
    for (unsigned i = 0; i < structType->getNumElements(); ++i)
      listLeaves(structType->getElementType(i), layout,
                 offset + layout.getStructLayout(structType)->getElementOffset(i), leaves);
  } else {
    leaves.push_back({offset, layout.getTypeStoreSize(type)});
  }
}

TEST_F(Types, MemoryKeepsPlacesAndSizes) {
  for (const char *text :
       {"ptr addrspace(7)", "ptr addrspace(9)", "<2 x ptr addrspace(7)>", "[3 x ptr addrspace(7)]",
        "{ i8, ptr addrspace(7), i8 }", "<{ i8, ptr addrspace(7) }>",
        "{ i16, [2 x { ptr addrspace(9), i64 }], half }", "{ [0 x i64], ptr addrspace(7) }",
        "{ i32, [0 x i64], ptr addrspace(7), {} }"}) {
    Type *before = parse(text);
    Type *after = types.getMemoryType(before);
    EXPECT_EQ(layout.getTypeAllocSize(after), layout.getTypeAllocSize(before)) << text;
    EXPECT_FALSE(types.holdsFatPointer(after)) << text;
    std::vector<std::pair<uint64_t, uint64_t>> leavesBefore, leavesAfter;
    listLeaves(before, layout, 0, leavesBefore);
    listLeaves(after, layout, 0, leavesAfter);
    EXPECT_EQ(leavesAfter, leavesBefore) << text << " " << print(after);
  }
}

TEST_F(Types, AttributesGoThatOnlyPointersHave) {
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> parsed = parseAssemblyString(
      "declare noundef nonnull ptr addrspace(7) @f(ptr addrspace(7) noalias noundef inreg %p, "
      "ptr addrspace(5) sret({ i32, ptr addrspace(7) }) align 32 %r, ptr addrspace(1) noalias %q) "
      "memory(argmem: read)",
      diagnostic, context);
  ASSERT_TRUE(parsed) << diagnostic.getMessage().str();
  Function &function = *parsed->getFunction("f");
  AttributeList after = types.remap(function.getAttributes(), function.getFunctionType());
  EXPECT_EQ(after.getRetAttrs().getAsString(), "noundef");
  EXPECT_EQ(after.getParamAttrs(0).getAsString(), "inreg noundef");
  EXPECT_FALSE(types.holdsFatPointer(after.getParamStructRetType(1)));
  EXPECT_EQ(after.getParamAlignment(1), Align(32));
  EXPECT_TRUE(after.hasParamAttr(2, Attribute::NoAlias));
  EXPECT_EQ(after.getMemoryEffects().getModRef(IRMemLocation::Other), ModRefInfo::Ref);
}
