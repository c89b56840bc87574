// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler's table of register fields next to the validator's, which shares nothing with it:
// each field, written as a register's value and read back, is itself again.
#include "compiler/pal/GraphicsTable.h"
#include "compiler/pal/RegisterMetadata.h"
#include "harness/system/graphics_elf/ExamplePipeline.h"
#include "oracles/pal_elf/FieldMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::pal;

namespace {

/// A field and how it is set.
struct Setter {
  StringLiteral key;
  void (*set)(GraphicsRegisters &, uint32_t);
};

template <typename Type> struct MemberOf;
#define REGISTER(TYPE, MEMBER, KEY, PART, OFFSET)                                                  \
  template <> struct MemberOf<TYPE> {                                                              \
    static constexpr auto member = &GraphicsRegisters::MEMBER;                                     \
  };
#include "compiler/pal/GraphicsRegisters.def"

// In the order of getFieldRows().
constexpr Setter setters[] = {
#define FIELD(TYPE, MEMBER, KEY, LOW, WIDTH, SINCE, UNTIL)                                         \
  {KEY, [](GraphicsRegisters &all, uint32_t value) {                                               \
     (all.*MemberOf<TYPE>::member).MEMBER = static_cast<decltype(TYPE::MEMBER)>(value);            \
   }},
#define FLAG(TYPE, MEMBER, KEY, LOW, SINCE, UNTIL) FIELD(TYPE, MEMBER, KEY, LOW, 1, SINCE, UNTIL)
#define SINGLE_FIELD(MEMBER, KEY, PART, OFFSET, LOW, WIDTH, SINCE, UNTIL)                          \
  {KEY, [](GraphicsRegisters &all, uint32_t value) {                                               \
     all.MEMBER = static_cast<decltype(GraphicsRegisters::MEMBER)>(value);                         \
   }},
#define SINGLE_FLAG(MEMBER, KEY, PART, OFFSET, LOW, SINCE, UNTIL)                                  \
  SINGLE_FIELD(MEMBER, KEY, PART, OFFSET, LOW, 1, SINCE, UNTIL)
#include "compiler/pal/GraphicsRegisters.def"
};

} // namespace

/// `.registers` as the validator decodes them.
static MsgValue decode(const std::string &blob) {
  MsgValue root = cantFail(readMsgPack(arrayRefFromStringRef(blob)));
  const MsgValue *pipelines = root.find("amdpal.pipelines");
  return decodeGraphicsRegisters(*pipelines->items[0].find(".registers"));
}

TEST(RegisterTables, Agree) {
  ASSERT_EQ(std::size(setters), getFieldRows().size());
  for (StringRef name : {"gfx900", "gfx1030", "gfx1100"}) {
    const TargetInfo &target = *cantFail(findAmdTarget(name));
    bool isNgg = target.major >= 11;
    ExamplePipeline example{isNgg ? GraphicsPipelineType::Ngg : GraphicsPipelineType::VsPs};
    for (auto [row, setter] : zip(getFieldRows(), setters)) {
      ASSERT_EQ(row.key, setter.key);
      // GFX11 has no IA_MULTI_VGT_PARAM; PAL ignores the key.
      bool isGone = target.major >= 11 && row.map == ".ia_multi_vgt_param";
      if (isGone || !hasField(row, getGeneration(target)))
        continue;
      uint32_t value = maskTrailingOnes<uint32_t>(row.width);
      GraphicsMetadata metadata = makeExampleMetadata(example, target);
      metadata.registers = {};
      setter.set(metadata.registers, value);
      std::string blob = cantFail(convertToRegisters(writeMetadata(metadata, target), target));
      MsgValue decoded = decode(blob);
      FieldMap all(&decoded);
      EXPECT_EQ((row.map.empty() ? all : all.at(row.map)).number(row.key), value)
          << name.str() << " " << row.map.str() << row.key.str();
    }
  }
}
