// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/ir3_variant/Ir3Variant.h"

#include "support/ByteCursor.h"
#include "support/Error.h"
#include "support/FileMagic.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

/// A variant file for a630 with const file of eight vectors, buffers at (0, 0) and two at (0, 2),
/// and a range of uniform data: \p range has set, binding, element, first byte, dwords, const
/// dword.
static std::vector<uint8_t> makeFile(std::array<uint32_t, 6> range,
                                     uint32_t workgroupIdConstant = ~0U) {
  ByteWriter file(CountSize::Word);
  file.raw(Ir3VariantMagic);
  file.word(3);
  // a420: the id of the workgroup is in the const file.
  bool isOld = workgroupIdConstant != ~0U;
  file.text(isOld ? "a420" : "a630");
  for (uint32_t value : {4U, 0U, 0U, isOld ? 32U : 64U, 8U, 1024U, 0U, 1U, 1U, 1U, 0U,
                         isOld ? 252U : 192U, workgroupIdConstant, 0U, 0U, 24U})
    file.word(value);
  file.count(0);
  file.count(1);
  for (uint32_t value : range)
    file.word(value);
  file.count(2);
  for (uint32_t value : {0, 0, 0, 1, 0, 0, 2, 1, 2, 0})
    file.word(value);
  file.count(1);
  file.wide(uint64_t(0x03000000) << 32); // end
  file.text("statistics");
  return file.take();
}

/// "slot first: dwords", those of the load that copies; "v" are values.
static std::string loadOf(std::array<uint32_t, 6> range, BufferBinding binding) {
  Expected<Ir3Variant> variant = readIr3Variant(makeFile(range));
  if (!variant)
    return takeError(variant.takeError()).message;
  Case input;
  input.buffers.resize(3);
  for (Buffer &buffer : input.buffers)
    buffer.bytes.resize(100);
  input.pipelines.emplace_back();
  input.pipelines[0].bindings = {binding};
  Expected<turnip::TurnipShader> shader = bindVariant(*variant, input, input.pipelines[0]);
  if (!shader)
    return takeError(shader.takeError()).message;
  const turnip::Load &load = shader->loads.back();
  std::string text = std::to_string(load.slot) + " " + std::to_string(load.first) + ":";
  for (const turnip::LoadedDword &dword : load.dwords)
    text +=
        (dword.source == turnip::DwordSource::Resource ? " " : " v") + std::to_string(dword.value);
  return text;
}

static BufferBinding bind(uint32_t binding, uint32_t element, uint64_t offset, uint64_t range) {
  BufferBinding bound;
  bound.kind = BindingKind::Uniform;
  bound.buffer = 1;
  bound.binding = binding;
  bound.arrayElement = element;
  bound.offset = offset;
  bound.range = range;
  return bound;
}

TEST(Ir3Variant, UniformDataComesFromWhatIsBound) {
  EXPECT_EQ(loadOf({0, 0, 0, 16, 4, 8}, bind(0, 0, 0, 100)), "1 8: 16 20 24 28");
  EXPECT_EQ(loadOf({0, 2, 1, 0, 2, 4}, bind(2, 1, 64, 36)), "1 4: 64 68");
}

TEST(Ir3Variant, UniformDataAfterTheEndIsZero) {
  EXPECT_EQ(loadOf({0, 0, 0, 16, 4, 8}, bind(0, 0, 0, 26)), "1 8: 16 20 v0 v0");
  EXPECT_EQ(loadOf({0, 0, 0, 0, 4, 8}, bind(0, 0, 92, ~0ull)), "1 8: 92 96 v0 v0");
  EXPECT_EQ(loadOf({0, 0, 0, 0, 2, 8}, bind(0, 0, 200, 8)), "0 8: v0 v0");
  EXPECT_EQ(loadOf({0, 2, 1, 0, 2, 8}, bind(2, 0, 0, 8)), "0 8: v0 v0") << "element 1 is unbound";
}

TEST(Ir3Variant, UniformDataIsInTheConstFile) {
  EXPECT_EQ(loadOf({0, 0, 0, 0, 4, 28}, bind(0, 0, 0, 8)), "1 28: 0 4 v0 v0");
  EXPECT_EQ(loadOf({0, 0, 0, 0, 4, 29}, bind(0, 0, 0, 8)),
            "an ir3 variant file with uniform data after the end of the const file");
  EXPECT_EQ(loadOf({0, 0, 0, 0, 4, 0xffffffff}, bind(0, 0, 0, 8)),
            "an ir3 variant file with uniform data after the end of the const file");
}

TEST(Ir3Variant, BuffersOfA4xxAreInSlots) {
  Expected<Ir3Variant> variant = readIr3Variant(makeFile({0, 0, 0, 0, 4, 8}, /*constant=*/4));
  ASSERT_TRUE(bool(variant)) << takeError(variant.takeError()).message;
  Case input;
  input.buffers.resize(3);
  for (Buffer &buffer : input.buffers)
    buffer.bytes.resize(100);
  input.pipelines.emplace_back();
  input.pipelines[0].bindings = {bind(2, 1, 64, ~0ULL)};
  Expected<turnip::TurnipShader> shader = bindVariant(*variant, input, input.pipelines[0]);
  ASSERT_TRUE(bool(shader)) << takeError(shader.takeError()).message;
  EXPECT_FALSE(shader->launch.mergedRegisters);
  EXPECT_TRUE(shader->bases.empty());
  ASSERT_EQ(shader->slots.size(), 3u);
  EXPECT_EQ(shader->slots[0].dwords, 0u) << "nothing is bound";
  EXPECT_EQ(shader->slots[2].dwords, 9u);
  EXPECT_EQ(shader->slots[2].address, shader->resources[1].address + 64);
  EXPECT_LT(shader->resources[2].address, 1ULL << 32);
}
