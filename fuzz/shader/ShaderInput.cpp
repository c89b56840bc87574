// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/shader/ShaderInput.h"

#include "compiler/spirv/Module.h"
#include "compiler/spirv/ResourceInterface.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// Of the header (SPIR-V, "Physical Layout of a Module").
static constexpr size_t ToolWord = 2;
/// Elements that a descriptor array gets; some of it stays unbound.
static constexpr uint32_t MostElements = 4;

std::optional<ShaderInput> fuzz::tryReadShader(ArrayRef<uint8_t> bytes) {
  Expected<std::vector<uint32_t>> words = spirv::wordsFromBytes(bytes);
  if (!words) {
    consumeError(words.takeError());
    return std::nullopt;
  }
  // The decoder must survive what the validator refuses.
  Expected<spirv::Module> module = spirv::decode(*words);
  if (!module) {
    consumeError(module.takeError());
    return std::nullopt;
  }
  auto entry = find_if(module->entryPoints, [](const spirv::EntryPoint &each) {
    return each.model == spv::ExecutionModel::GLCompute;
  });
  if (entry == module->entryPoints.end())
    return std::nullopt;
  if (Error error = spirv::validate(*words)) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  Expected<ResourceLayout> layout = spirv::layoutFor(*module);
  if (!layout) {
    consumeError(layout.takeError());
    return std::nullopt;
  }
  ShaderInput input;
  input.choice = (*words)[ToolWord];
  ShaderDescription &shader = input.pipeline.addShader(ShaderStage::Compute);
  shader.entryPoint = entry->name;
  shader.spirv = std::move(*words);
  input.pipeline.layout = std::move(*layout);
  return input;
}

/// Reads choice from bit 0 (target), 8 (level), 10 (wave size), 12 (builder) and 16 (robustness)
/// on.
CompileOptions fuzz::chooseOptions(ShaderInput &input) {
  ArrayRef<TargetInfo> targets = getTargets();
  CompileOptions options;
  options.target = &targets[input.choose(0, static_cast<unsigned>(targets.size()))];
  options.optLevel = input.choose(8, 4) ? 2 : 0;
  options.waveSize = options.target->supportsWave32 && input.choose(10, 2) ? 32 : 64;
  options.recordBuilder = input.choose(12, 4) != 0;
  options.validate = false; // Done.
  input.pipeline.robustness = static_cast<Robustness>(input.choose(16, 3));
  return options;
}

namespace {
/// Binds something to every descriptor of a case.
class CaseMaker {
public:
  CaseMaker(const spirv::Module &module, uint64_t bytes) : m_module(module), m_bytes(bytes) {}

  /// Returns the case, or nothing for a descriptor of an unknown kind. Call it once.
  std::optional<Case> make(const ShaderInput &input);

private:
  /// Binds each element of a descriptor; false for a kind that cannot be bound. Variables without a
  /// descriptor are ignored.
  bool bind(const spirv::Instruction &variable);
  /// Returns the kind for the type of one descriptor, or nothing for other types.
  std::optional<BindingKind> kindOf(const spirv::Type &type, spv::StorageClass storage) const;
  unsigned addBuffer(BindingKind kind, const spirv::ImageType &image);

  const spirv::Module &m_module;
  uint64_t m_bytes; ///< Of each buffer except images.
  Case m_case;
  CasePipeline m_pipeline;
};
} // namespace

static bool isImage(BindingKind kind) {
  return kind == BindingKind::SampledImage || kind == BindingKind::StorageImage ||
         kind == BindingKind::CombinedImageSampler;
}
static bool isTexelBuffer(BindingKind kind) {
  return kind == BindingKind::UniformTexelBuffer || kind == BindingKind::StorageTexelBuffer;
}

std::optional<BindingKind> CaseMaker::kindOf(const spirv::Type &type,
                                             spv::StorageClass storage) const {
  switch (type.kind) {
  case spirv::TypeKind::Struct:
    if (storage == spv::StorageClass::PushConstant)
      return BindingKind::PushConstant;
    return storage == spv::StorageClass::Uniform &&
                   !m_module.hasDecoration(type.id, spv::Decoration::BufferBlock)
               ? BindingKind::Uniform
               : BindingKind::Storage;
  case spirv::TypeKind::Image:
    if (type.image.dim == spv::Dim::Buffer)
      return type.image.sampled == 2 ? BindingKind::StorageTexelBuffer
                                     : BindingKind::UniformTexelBuffer;
    return type.image.sampled == 2 ? BindingKind::StorageImage : BindingKind::SampledImage;
  case spirv::TypeKind::Sampler:
    return BindingKind::Sampler;
  case spirv::TypeKind::SampledImage:
    return BindingKind::CombinedImageSampler;
  default:
    return std::nullopt;
  }
}

/// Bytes that count up, so that it shows where they end up; of an image, texels of 32 bits.
unsigned CaseMaker::addBuffer(BindingKind kind, const spirv::ImageType &image) {
  Buffer buffer;
  buffer.name = "buffer" + std::to_string(m_case.buffers.size());
  if (isImage(kind) || isTexelBuffer(kind)) {
    const spirv::Type *sampled = m_module.findType(image.sampledType);
    bool isFloat = !sampled || sampled->kind == spirv::TypeKind::Float;
    StringRef name = isFloat ? "R32_SFLOAT" : sampled->isSigned ? "R32_SINT" : "R32_UINT";
    std::optional<TexelFormat> named = findTexelFormat(image.format);
    buffer.texelFormat = named ? named : findTexelFormat(name);
  }
  uint64_t bytes = m_bytes;
  if (isImage(kind)) {
    ImageShape shape;
    bool isCube = image.dim == spv::Dim::Cube;
    shape.dimension = image.dim == spv::Dim::Dim1D   ? ImageDimension::Dim1D
                      : image.dim == spv::Dim::Dim3D ? ImageDimension::Dim3D
                                                     : ImageDimension::Dim2D;
    shape.width = 4;
    shape.height = image.dim == spv::Dim::Dim1D ? 1 : 4;
    shape.depth = image.dim == spv::Dim::Dim3D ? 4 : 1;
    shape.layers = isCube ? 6 : image.arrayed ? 3 : 1;
    shape.samples = image.multisampled ? 4 : 1;
    bytes = getImageBytes(shape, *buffer.texelFormat);
    buffer.image = shape;
  }
  for (uint64_t i = 0; i < bytes; ++i)
    buffer.bytes.push_back(static_cast<uint8_t>(i * 5 >> (i % 4 == 0 ? 0 : 4)));
  m_case.buffers.push_back(std::move(buffer));
  return static_cast<unsigned>(m_case.buffers.size() - 1);
}

bool CaseMaker::bind(const spirv::Instruction &variable) {
  const spirv::Type &pointer = m_module.type(variable.typeId);
  const spirv::Type *type = &m_module.type(pointer.element);
  bool isPushConstant = pointer.storageClass == spv::StorageClass::PushConstant;
  std::optional<uint32_t> set =
      m_module.decorationValue(variable.resultId, spv::Decoration::DescriptorSet);
  std::optional<uint32_t> number =
      m_module.decorationValue(variable.resultId, spv::Decoration::Binding);
  if (!isPushConstant && (!set || !number))
    return true; // No resource.
  uint32_t count = 1;
  if (!isPushConstant &&
      (type->kind == spirv::TypeKind::Array || type->kind == spirv::TypeKind::RuntimeArray)) {
    type = &m_module.type(type->element);
    count = MostElements;
  }
  std::optional<BindingKind> kind = kindOf(*type, pointer.storageClass);
  if (!kind)
    return false;
  const spirv::Type *image =
      type->kind == spirv::TypeKind::SampledImage ? &m_module.type(type->element) : type;
  for (uint32_t i = 0; i < count; ++i) {
    BufferBinding binding;
    binding.kind = *kind;
    binding.set = set.value_or(0);
    binding.binding = number.value_or(0);
    binding.arrayElement = i;
    if (*kind != BindingKind::Sampler)
      binding.buffer = addBuffer(*kind, image->image);
    m_pipeline.bindings.push_back(binding);
  }
  return true;
}

std::optional<Case> CaseMaker::make(const ShaderInput &input) {
  m_case.samplers.push_back({"sampler"});
  for (const spirv::Instruction &global : m_module.globals)
    if (global.opcode == spv::Op::OpVariable && !bind(global))
      return std::nullopt;
  m_pipeline.name = "pipeline";
  m_pipeline.description = input.pipeline;
  m_case.pipelines.push_back(std::move(m_pipeline));
  Dispatch dispatch;
  dispatch.groups[0] = 1 + input.choose(20, 3);
  m_case.commands.emplace_back(dispatch);
  return std::move(m_case);
}

std::optional<Case> fuzz::makeCase(const ShaderInput &input, uint64_t bytes) {
  Expected<spirv::Module> module =
      spirv::decode(input.pipeline.getShader(ShaderStage::Compute).spirv);
  if (!module) {
    consumeError(module.takeError()); // tryReadShader() has read it: it can't be.
    return std::nullopt;
  }
  return CaseMaker(*module, bytes).make(input);
}
