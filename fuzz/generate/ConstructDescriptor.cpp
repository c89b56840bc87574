// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of buffers, with and without a declared length; the index is a constant, the same for the
// whole workgroup, or differs and is said to.
#include "fuzz/generate/Constructs.h"
#include "fuzz/generate/Descriptors.h"
#include "fuzz/generate/Resources.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// Capabilities for arrays of a descriptor kind: dynamic for indices that are the same in the whole
/// workgroup, nonUniform for all others.
struct DescriptorRow {
  GeneratedBinding kind;
  spv::Capability dynamic, nonUniform;
};
} // namespace

/// The capabilities for an index that is the same for a workgroup, and for one that differs.
static constexpr DescriptorRow descriptorRows[] = {
    {GeneratedBinding::Storage, spv::Capability::StorageBufferArrayDynamicIndexing,
     spv::Capability::StorageBufferArrayNonUniformIndexing},
    {GeneratedBinding::Uniform, spv::Capability::UniformBufferArrayDynamicIndexing,
     spv::Capability::UniformBufferArrayNonUniformIndexing},
    {GeneratedBinding::StorageImage, spv::Capability::StorageImageArrayDynamicIndexing,
     spv::Capability::StorageImageArrayNonUniformIndexing},
    {GeneratedBinding::SampledImage, spv::Capability::SampledImageArrayDynamicIndexing,
     spv::Capability::SampledImageArrayNonUniformIndexing},
    {GeneratedBinding::CombinedImageSampler, spv::Capability::SampledImageArrayDynamicIndexing,
     spv::Capability::SampledImageArrayNonUniformIndexing},
    {GeneratedBinding::UniformTexelBuffer, spv::Capability::UniformTexelBufferArrayDynamicIndexing,
     spv::Capability::UniformTexelBufferArrayNonUniformIndexing},
    {GeneratedBinding::StorageTexelBuffer, spv::Capability::StorageTexelBufferArrayDynamicIndexing,
     spv::Capability::StorageTexelBufferArrayNonUniformIndexing},
};

/// Half of the indices are decorated as non-uniform, even where they happen to be uniform.
DescriptorIndex takeDescriptorIndex(Writer &writer, GeneratedBinding kind, unsigned count) {
  Pool &pool = writer.pool();
  const DescriptorRow &row =
      *find_if(descriptorRows, [&](const DescriptorRow &each) { return each.kind == kind; });
  switch (writer.random().below(4)) {
  case 0:
    return {pool.number(static_cast<uint32_t>(writer.random().below(count))), false, true};
  case 1:
    pool.require(row.dynamic);
    return {writer.takeUniformIndex(count).id, false, true};
  default:
    pool.require(spv::Capability::ShaderNonUniform);
    pool.require(row.nonUniform);
    Value index = writer.takeIndex(count);
    return {index.id, true, index.isUniform};
  }
}

/// Decorates \p id where the index differs in a subgroup, and returns it.
Id markNonUniform(Writer &writer, const DescriptorIndex &index, Id id) {
  if (index.isNonUniform)
    writer.pool().decorate(id, spv::Decoration::NonUniform);
  return id;
}

/// One array in three has no declared length.
Writer::ArrayForm takeArrayForm(Writer &writer) {
  return writer.random().oneIn(3) ? Writer::ArrayForm::Runtime : Writer::ArrayForm::Sized;
}

/// Arrays of storage buffers of words, or of uniform buffers of four.
void writeDescriptorRead(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  bool isUniformBuffer = random.oneIn(2);
  auto kind = isUniformBuffer ? GeneratedBinding::Uniform : GeneratedBinding::Storage;
  auto count = static_cast<unsigned>(random.between(2, 3));
  constexpr unsigned words = 8, wordsOfUniform = 4;
  unsigned length = isUniformBuffer ? wordsOfUniform : words;
  Id u32 = pool.intType(32, false), element = isUniformBuffer ? pool.vectorType(u32, 4) : u32;
  Id block = 0;
  if (isUniformBuffer) {
    block = pool.structType({element});
    pool.decorate(block, spv::Decoration::Block);
    pool.decorateMember(block, 0, spv::Decoration::Offset, {0});
  } else {
    block = makeWordBlock(pool);
  }
  std::vector<GeneratedBuffer> elements;
  for (unsigned i = 0; i < count; ++i)
    elements.push_back(
        {"", isUniformBuffer ? "vec4<uint32>" : "uint32", kind, 0, randomWords(random, length)});
  Id variable = writer.newResource(block, std::move(elements), takeArrayForm(writer));
  auto storage = isUniformBuffer ? spv::StorageClass::Uniform : spv::StorageClass::StorageBuffer;
  for (uint64_t reads = random.between(1, 3); reads > 0; --reads) {
    DescriptorIndex index = takeDescriptorIndex(writer, kind, count);
    Value at = writer.takeIndex(length);
    Id pointer = markNonUniform(writer, index,
                                writer.emit(spv::Op::OpAccessChain, pool.pointerType(storage, u32),
                                            {fuzz::id(variable), fuzz::id(index.id),
                                             fuzz::id(pool.number(0)), fuzz::id(at.id)}));
    writer.add({writer.emit(spv::Op::OpLoad, u32, {fuzz::id(pointer)}), u32,
                index.isUniform && at.isUniform, 0});
  }
}

/// In each buffer of the array each invocation has a word of its own. The length of an element.
void writeDescriptorOwn(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  auto count = static_cast<unsigned>(random.between(2, 3));
  uint32_t total = totalInvocations(writer.generated(), writer.invocationsPerGroup());
  Id u32 = pool.intType(32, false), block = makeWordBlock(pool);
  constexpr auto storage = spv::StorageClass::StorageBuffer;
  std::vector<GeneratedBuffer> elements;
  for (unsigned i = 0; i < count; ++i)
    elements.push_back(
        {"", "uint32", GeneratedBinding::Storage, 0, randomWords(random, total + i)});
  Id variable = writer.newResource(block, std::move(elements), takeArrayForm(writer));
  for (uint64_t steps = random.between(2, 4); steps > 0; --steps) {
    DescriptorIndex index = takeDescriptorIndex(writer, GeneratedBinding::Storage, count);
    if (!index.isNonUniform && random.oneIn(4)) {
      Id buffer = writer.emit(spv::Op::OpAccessChain, pool.pointerType(storage, block),
                              {fuzz::id(variable), fuzz::id(index.id)});
      writer.add({writer.emit(spv::Op::OpArrayLength, u32, {fuzz::id(buffer), literal(0)}), u32,
                  index.isUniform, 0});
      continue;
    }
    Id pointer =
        markNonUniform(writer, index,
                       writer.emit(spv::Op::OpAccessChain, pool.pointerType(storage, u32),
                                   {fuzz::id(variable), fuzz::id(index.id),
                                    fuzz::id(pool.number(0)), fuzz::id(writer.globalIndex().id)}));
    if (random.oneIn(2))
      writer.emitVoid(spv::Op::OpStore, {fuzz::id(pointer), fuzz::id(writer.take(u32).id)});
    else
      writer.add({writer.emit(spv::Op::OpLoad, u32, {fuzz::id(pointer)}), u32, false, 0});
  }
}

} // namespace assay::fuzz
