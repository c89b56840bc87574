// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// add-hidden-buffer: one more buffer, which the shader only reads, with chosen words.
// Precondition: the case has fewer than 12 buffers. Effect: none but the variable. Numbers: how it
// is bound (GeneratedBinding: storage or uniform), then its words.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// Buffers of a case at which no more are added.
static constexpr size_t maxBuffers = 12;
/// Words of the new buffer, at most.
static constexpr size_t maxWords = 64;

/// Proposes 4 to 24 words, most of them numbers that the program has as constants.
std::optional<Step> AddHiddenBuffer::propose(const Context &context, Random &random) {
  Step step;
  step.numbers.push_back(
      uint64_t(random.oneIn(2) ? GeneratedBinding::Uniform : GeneratedBinding::Storage));
  // What the program has as constants can then be hidden.
  std::vector<uint64_t> words;
  for (const Instruction &each : context.program().globals)
    if (each.opcode == spv::Op::OpConstant && each.operands.size() == 1)
      words.push_back(each.word(0));
  for (uint64_t count = random.between(4, 24); count > 0; --count)
    step.numbers.push_back(words.empty() || random.oneIn(8) ? random.next() >> 32
                                                            : random.pick(ArrayRef(words)));
  return step;
}

/// Accepts Storage and Uniform, the first two of GeneratedBinding.
bool AddHiddenBuffer::isApplicable(const Context &context, const Step &step) {
  return context.generated().buffers.size() < maxBuffers && step.numbers.size() > 1 &&
         step.numbers.size() <= maxWords + 1 &&
         step.number(0) <= uint64_t(GeneratedBinding::Uniform);
}

/// Broken: it is the first buffer of the case and not the last.
void AddHiddenBuffer::apply(Context &context, const Step &step) {
  auto kind = static_cast<GeneratedBinding>(step.number(0));
  bool isUniform = kind == GeneratedBinding::Uniform;
  Pool pool(context.edit().program);
  auto storage = isUniform ? spv::StorageClass::Uniform : spv::StorageClass::StorageBuffer;
  auto count = static_cast<uint32_t>(step.numbers.size() - 1);
  uint32_t stride = isUniform ? 16 : 4; // Vulkan, "Offset and Stride Assignment".
  Id array = pool.arrayType(pool.intType(32, false), pool.number(count), stride);
  Id block = pool.structType({array});
  pool.decorate(block, spv::Decoration::Block);
  pool.decorateMember(block, 0, spv::Decoration::Offset, {0});
  Id variable = pool.variable(pool.pointerType(storage, block), storage);
  GeneratedCase &generated = context.edit();
  uint32_t binding = firstHiddenBinding + static_cast<uint32_t>(generated.buffers.size());
  pool.decorate(variable, spv::Decoration::DescriptorSet, {0});
  pool.decorate(variable, spv::Decoration::Binding, {binding});
  std::vector<uint64_t> words(size_t(count) * stride / 4);
  for (uint32_t i = 0; i < count; ++i)
    words[size_t(i) * stride / 4] = static_cast<uint32_t>(step.number(i + 1));
  auto at = context.isBroken() ? generated.buffers.begin() : generated.buffers.end();
  generated.buffers.insert(
      at, {"hidden" + std::to_string(binding), "uint32", kind, binding, std::move(words)});
}

} // namespace assay::fuzz
