// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/transform/Pipeline.h"

#include "oracles/input/Shaders.h"
#include "support/Error.h"
#include "support/Overloaded.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace assay::fuzz {

/// Whether nothing but the shader, through the one binding there is, could write \p buffer.
static bool isBoundOnce(const Case &input, unsigned buffer) {
  size_t count = 0;
  for (const CasePipeline &pipeline : input.pipelines)
    count += static_cast<size_t>(count_if(
        pipeline.bindings, [&](const BufferBinding &each) { return each.buffer == buffer; }));
  auto writes = Overloaded{[](const Dispatch &) { return false; }, // Counted above.
                           [](const Draw &) { return true; }, [](const Clear &) { return true; },
                           [&](const BufferCopy &copy) { return copy.destination == buffer; },
                           [](const Expectation &) { return false; }};
  bool isWritten =
      any_of(input.commands, [&](const Command &command) { return std::visit(writes, command); });
  bool hasAddress = any_of(input.addresses, [&](const AddressPatch &patch) {
    return patch.target == buffer || patch.buffer == buffer;
  });
  return count == 1 && !isWritten && !hasAddress;
}

/// Returns the kind for buffers with contents that transformations may rely on; nothing for others.
static std::optional<GeneratedBinding> kindOf(const BufferBinding &binding) {
  switch (binding.kind) {
  case BindingKind::Storage:
    return GeneratedBinding::Storage;
  case BindingKind::Uniform:
    return GeneratedBinding::Uniform;
  case BindingKind::PushConstant:
    return GeneratedBinding::PushConstant;
  default:
    return std::nullopt;
  }
}

/// The pipeline as transformations know cases: its shader, and the buffers that can be relied on.
static Expected<GeneratedCase> describePipeline(const Case &input, unsigned pipeline) {
  const CasePipeline &source = input.pipelines[pipeline];
  Expected<const ShaderDescription *> shader = requireCompute(source.description);
  if (!shader)
    return shader.takeError();
  Expected<Program> program = decode((*shader)->spirv);
  if (!program)
    return program.takeError();
  GeneratedCase described;
  described.profile = input.id;
  described.program = std::move(*program);
  for (const BufferBinding &binding : source.bindings) {
    bool isConstant = binding.kind == BindingKind::PushConstant;
    if (!isConstant && binding.set == 0 && binding.binding >= firstHiddenBinding)
      return unsupported("binding " + Twine(binding.binding) + " of set 0 is taken");
    std::optional<GeneratedBinding> kind = kindOf(binding);
    if (!kind || (!isConstant && binding.set != 0) || binding.arrayElement || binding.offset ||
        !isBoundOnce(input, binding.buffer))
      continue;
    const Buffer &buffer = input.buffers[binding.buffer];
    uint64_t bytes = std::min<uint64_t>(buffer.bytes.size(), binding.range);
    std::vector<uint64_t> words;
    for (uint64_t at = 0; at + 4 <= bytes; at += 4)
      words.push_back(support::endian::read32le(buffer.bytes.data() + at));
    described.buffers.push_back({buffer.name, "uint32", *kind, binding.binding, std::move(words)});
  }
  return described;
}

/// Appends a buffer that transformations added, and binds it to set 0.
static void addBuffer(Case &input, unsigned pipeline, const GeneratedBuffer &added) {
  Buffer buffer{added.name, {}, std::vector<uint8_t>(added.words.size() * 4)};
  for (auto [index, word] : enumerate(added.words))
    support::endian::write32le(buffer.bytes.data() + index * 4, static_cast<uint32_t>(word));
  BufferBinding binding;
  binding.kind =
      added.kind == GeneratedBinding::Uniform ? BindingKind::Uniform : BindingKind::Storage;
  binding.buffer = static_cast<unsigned>(input.buffers.size());
  binding.binding = added.binding;
  input.buffers.push_back(std::move(buffer));
  input.pipelines[pipeline].bindings.push_back(binding);
}

/// \p original with what became of its pipeline, which had \p known buffers.
static Expected<TransformedInput> rebuild(const Case &original, unsigned pipeline, size_t known,
                                          TransformedCase transformed) {
  TransformedInput rebuilt{original, std::move(transformed.log)};
  rebuilt.log.original = original.id;
  for (const GeneratedBuffer &each : drop_begin(transformed.result.buffers, known))
    addBuffer(rebuilt.result, pipeline, each);
  for (const std::string &feature : transformed.result.features)
    if (!is_contained(rebuilt.result.features, feature))
      rebuilt.result.features.push_back(feature);
  PipelineDescription &description = rebuilt.result.pipelines[pipeline].description;
  for (const GeneratedSpecialization &each : transformed.result.specialization)
    description.getShader(ShaderStage::Compute).specialization.push_back({each.id, each.bits});
  Expected<input::Shader> shader = input::inspectShader(encode(transformed.result.program));
  if (shader && !transformed.result.optimizations.empty())
    shader = input::optimizeShader(*shader, transformed.result.optimizations);
  if (!shader)
    return shader.takeError();
  description.addShader(ShaderStage::Compute).spirv = std::move(shader->words);
  if (Error error = input::updateLayout(description))
    return std::move(error);
  return rebuilt;
}

/// Expectations, other pipelines and buffers of the case stay as they are.
Expected<TransformedInput> transformPipeline(const Case &original, unsigned pipeline,
                                             const TransformOptions &options) {
  Expected<GeneratedCase> described = describePipeline(original, pipeline);
  if (!described)
    return described.takeError();
  Expected<TransformedCase> transformed = transformCase(*described, options);
  if (!transformed)
    return transformed.takeError();
  return rebuild(original, pipeline, described->buffers.size(), std::move(*transformed));
}

Expected<TransformedInput> replayPipeline(const Case &original, unsigned pipeline,
                                          const TransformationLog &log) {
  Expected<GeneratedCase> described = describePipeline(original, pipeline);
  if (!described)
    return described.takeError();
  Expected<TransformedCase> transformed = replay(*described, log);
  if (!transformed)
    return transformed.takeError();
  return rebuild(original, pipeline, described->buffers.size(), std::move(*transformed));
}

} // namespace assay::fuzz
