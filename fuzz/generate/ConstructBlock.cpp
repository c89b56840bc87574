// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uniform blocks, push constants and storage buffers with structures of odd layouts.
#include "fuzz/generate/Constructs.h"
#include "fuzz/generate/Layout.h"
#include "fuzz/generate/Resources.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// A case may have a single push constant block.
static bool hasPushConstants(const Writer &writer) {
  return any_of(writer.generated().buffers, [](const GeneratedBuffer &buffer) {
    return buffer.kind == GeneratedBinding::PushConstant;
  });
}

/// Emits the access chain to an object of a block: \p first, then the path. An index of an array is
/// constant or computed; \p isUniform becomes false where a computed one differs between
/// invocations; push constants get a constant one in its place (Vulkan, "Push Constant Interface":
/// arrays there are accessed with dynamically uniform indices only).
static Id pointerTo(Writer &writer, Id base, ArrayRef<Operand> first, const LaidObject &object,
                    spv::StorageClass storage, bool &isUniform) {
  Pool &pool = writer.pool();
  SmallVector<Operand, 8> operands{fuzz::id(base)};
  append_range(operands, first);
  for (auto [index, count] : object.path) {
    if (!count || writer.random().oneIn(3)) {
      operands.push_back(fuzz::id(pool.number(index)));
      continue;
    }
    Value at = writer.takeIndex(count);
    if (storage == spv::StorageClass::PushConstant && !at.isUniform) {
      operands.push_back(fuzz::id(pool.number(index)));
      continue;
    }
    isUniform &= at.isUniform;
    operands.push_back(fuzz::id(at.id));
  }
  return writer.emit(spv::Op::OpAccessChain, pool.pointerType(storage, object.type), operands);
}

/// Floats and what consists of them.
static bool isOfFloats(Writer &writer, Id type) {
  TypeInfo shape = writer.info(type);
  return shape.kind == TypeInfo::Float || (shape.element && isOfFloats(writer, shape.element));
}

/// What Vulkan promises of push constants.
static constexpr uint32_t pushConstantBytes = 128;

/// A block that is only read: several of its objects.
void writeBlockRead(Writer &writer) {
  static constexpr spv::StorageClass classes[] = {spv::StorageClass::StorageBuffer,
                                                  spv::StorageClass::Uniform,
                                                  spv::StorageClass::PushConstant};
  Random &random = writer.random();
  auto kind = static_cast<GeneratedBinding>(random.below(hasPushConstants(writer) ? 2 : 3));
  bool isUniformBlock = kind == GeneratedBinding::Uniform;
  Layout layout = makeStructure(writer, isUniformBlock ? LayoutRules::Extended : LayoutRules::Base,
                                static_cast<unsigned>(random.between(1, 5)),
                                kind == GeneratedBinding::PushConstant ? 1 : 2);
  if (kind == GeneratedBinding::PushConstant && layout.size > pushConstantBytes)
    kind = GeneratedBinding::Storage;
  requireStorage(writer, layout, kind);
  std::vector<uint8_t> bytes = fillLayout(writer, layout, 1);
  bytes.resize(alignTo(bytes.size(), 16));
  Id variable = writer.newBuffer(kind, layout.type, isUniformBlock ? "vec4<uint32>" : "uint32",
                                 wordsOf(bytes));
  for (uint64_t count = random.between(1, 4); count > 0; --count) {
    const LaidObject &object = random.pick(ArrayRef(layout.objects));
    bool isUniform = true;
    Id pointer = pointerTo(writer, variable, {}, object, classes[size_t(kind)], isUniform);
    Id loaded = writer.emit(spv::Op::OpLoad, object.type, {fuzz::id(pointer)});
    writer.add({loaded, object.type, isUniform, isOfFloats(writer, object.type) ? 16u : 0u});
  }
}

/// A runtime array with a structure for each invocation: parts are stored and loaded, all may be
/// loaded whole; and the array's length.
void writeBlockOwn(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  constexpr auto storage = spv::StorageClass::StorageBuffer;
  Layout layout =
      makeStructure(writer, LayoutRules::Base, static_cast<unsigned>(random.between(1, 4)), 1);
  // Whole words in all: the case's buffer has them.
  layout.size = static_cast<uint32_t>(alignTo(layout.size, std::max(layout.alignment, 4u)));
  requireStorage(writer, layout, GeneratedBinding::Storage);
  uint32_t count = totalInvocations(writer.generated(), writer.invocationsPerGroup());
  Id block = pool.structType({pool.runtimeArrayType(layout.type, layout.size)});
  pool.decorateMember(block, 0, spv::Decoration::Offset, {0});
  Id variable = writer.newBuffer(GeneratedBinding::Storage, block, "uint32",
                                 wordsOf(fillLayout(writer, layout, count)));
  Operand first[] = {fuzz::id(pool.number(0)), fuzz::id(writer.globalIndex().id)};
  for (uint64_t steps = random.between(1, 5); steps > 0; --steps) {
    const LaidObject &object = random.pick(ArrayRef(layout.objects));
    bool isUniform = false;
    Id pointer = pointerTo(writer, variable, first, object, storage, isUniform);
    if (random.oneIn(2)) {
      writer.emitVoid(spv::Op::OpStore, {fuzz::id(pointer), fuzz::id(writer.take(object.type).id)});
      continue;
    }
    writer.add(
        {writer.emit(spv::Op::OpLoad, object.type, {fuzz::id(pointer)}), object.type, false, 0});
  }
  Id u32 = pool.intType(32, false);
  if (random.oneIn(2))
    writer.add(
        {writer.emit(spv::Op::OpArrayLength, u32, {fuzz::id(variable), literal(0)}), u32, true, 0});
}

} // namespace assay::fuzz
