// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/ir3_variant/Ir3Variant.h"

#include "compiler/spirv/Module.h"
#include "oracles/ir3_variant/ImageDescriptors.h"
#include "support/ByteCursor.h"
#include "support/Error.h"
#include "support/FileMagic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>

using namespace llvm;
using namespace assay;

static constexpr uint32_t knownVersion = 3; ///< Of the file format.

/// Reads the words in front of the immediates. LDS is at least 1024 bytes. Their order is that of
/// the list. Errors are kept by \p file.
static void readLaunch(ByteReader &file, Ir3Variant &variant) {
  turnip::Launch &launch = variant.launch;
  for (uint32_t *value :
       {&launch.fullRegisters, &launch.halfRegisters, &launch.branchStack, &launch.fibersPerWave,
        &launch.constantVec4s, &launch.localBytes, &launch.privateBytesPerFiber,
        &launch.localSize[0], &launch.localSize[1], &launch.localSize[2], &launch.localIdRegister,
        &launch.workgroupIdRegister, &launch.workgroupIdConstant, &variant.pushConstantDwords,
        &variant.groupCountDword, &variant.immediateDword})
    *value = file.word();
  launch.mergedRegisters = !variant.usesSlots(); // From a6xx on.
  launch.localBytes = std::max(launch.localBytes, 1024U);
}

Expected<Ir3Variant> assay::readIr3Variant(ArrayRef<uint8_t> bytes) {
  if (!toStringRef(bytes).starts_with(Ir3VariantMagic))
    return invalidInput("no ir3 variant file");
  ByteReader file(bytes.drop_front(Ir3VariantMagic.size()), CountSize::Word);
  if (uint32_t version = file.word(); version != knownVersion)
    return invalidInput("an ir3 variant file of version " + Twine(version) +
                        "; this build reads version " + Twine(knownVersion));
  Ir3Variant variant;
  variant.target = file.text();
  readLaunch(file, variant);
  variant.immediates.resize(file.count(4));
  for (uint32_t &value : variant.immediates)
    value = file.word();
  variant.uniforms.resize(file.count(24));
  for (Ir3Uniforms &range : variant.uniforms)
    for (uint32_t *value : {&range.set, &range.binding, &range.element, &range.firstByte,
                            &range.dwords, &range.constDword})
      *value = file.word();
  variant.bindings.resize(file.count(20));
  for (Ir3Binding &binding : variant.bindings)
    for (uint32_t *value :
         {&binding.set, &binding.binding, &binding.first, &binding.count, &binding.kind})
      *value = file.word();
  variant.code.resize(file.count(8));
  for (uint64_t &word : variant.code)
    word = file.wide();
  variant.statistics = file.text();
  if (!file.isGood() || !file.atEnd())
    return invalidInput("a broken ir3 variant file");
  for (const Ir3Uniforms &range : variant.uniforms)
    if (uint64_t(range.constDword) + range.dwords > 4 * uint64_t(variant.launch.constantVec4s))
      return invalidInput("an ir3 variant file with uniform data after the end of the const file");
  return variant;
}

/// The address of buffer \p index of a case. Buffers are 4 GiB apart, the first at 4 GiB.
static uint64_t addressOf(unsigned index) {
  return uint64_t(index + 1) << 32;
}
/// The same where addresses have 32 bits: buffers follow each other, 64 KiB or more apart.
static void placeBelow4GiB(turnip::TurnipShader &shader) {
  constexpr uint64_t gap = 64 * 1024;
  uint64_t next = gap;
  for (turnip::ResourcePlace &place : shader.resources) {
    place.address = next;
    next = alignTo(next + place.bytes, gap) + gap;
  }
}
/// The address of the descriptors of set \p set; above all buffers.
static uint64_t addressOfSet(uint32_t set) {
  return uint64_t(0x1000 + set) << 32;
}

static constexpr unsigned descriptorBytes = 4 * ir3_variant::descriptorDwords;
/// The number of DescriptorKind::CombinedImageSampler, whose elements are two descriptors.
static constexpr uint32_t combinedKind = 4;

/// Descriptors of one array element. The image is the first of two, the sampler the second.
static uint32_t descriptorsOf(const Ir3Binding &binding) {
  return binding.kind == combinedKind ? 2 : 1;
}

namespace {
/// Makes the descriptors of one pipeline.
class DescriptorWriter {
public:
  DescriptorWriter(const Ir3Variant &variant, const Case &input, turnip::TurnipShader &shader)
      : m_variant(variant), m_input(input), m_shader(shader) {}

  /// Finds the image types in the pipeline's modules. Does nothing for a pipeline without images.
  Error collectTypes(const CasePipeline &pipeline);
  /// Writes the descriptors of one binding. What the shader does not use is ignored.
  Error bind(const BufferBinding &binding);

private:
  using Descriptor = ir3_variant::Descriptor;

  /// Returns the descriptor for the kind of the binding; of a combined one, that of the image.
  Expected<Descriptor> describe(const BufferBinding &binding) const;
  Expected<Descriptor> describeBuffer(const BufferBinding &binding) const;
  /// Returns zeros for an image that no module declares. InvalidInput for a buffer without image
  /// and format.
  Expected<Descriptor> describeImage(const BufferBinding &binding) const;
  /// InvalidInput for the number of a sampler that the case does not have.
  Expected<Descriptor> describeSampler(const BufferBinding &binding) const;
  /// Writes descriptor \p number of \p place into the bytes of its set, which exist.
  void put(const Ir3Binding &place, uint32_t number, const Descriptor &descriptor);

  const Ir3Variant &m_variant;
  const Case &m_input;
  turnip::TurnipShader &m_shader;
  std::map<std::pair<uint32_t, uint32_t>, spirv::ImageType> m_types; ///< By set and binding.
};
} // namespace

/// Returns true for kinds that need an image view.
static bool isImage(BindingKind kind) {
  return kind == BindingKind::SampledImage || kind == BindingKind::StorageImage ||
         kind == BindingKind::CombinedImageSampler;
}

/// The image types of the shader's variables decide what views show.
/// Arrays count as their elements. Of two modules with the same binding, the last one decides.
Error DescriptorWriter::collectTypes(const CasePipeline &pipeline) {
  using spirv::TypeKind;
  if (none_of(pipeline.bindings, [](const BufferBinding &each) { return isImage(each.kind); }))
    return Error::success();
  for (const ShaderDescription &stage : pipeline.description.stages) {
    Expected<spirv::Module> module = spirv::decode(stage.spirv);
    if (!module)
      return module.takeError();
    for (const spirv::Instruction &global : module->globals) {
      if (global.opcode != spv::Op::OpVariable)
        continue;
      auto set = module->decorationValue(global.resultId, spv::Decoration::DescriptorSet);
      auto binding = module->decorationValue(global.resultId, spv::Decoration::Binding);
      const spirv::Type *type = module->findType(module->type(global.typeId).element);
      while (type && (type->kind == TypeKind::Array || type->kind == TypeKind::RuntimeArray ||
                      type->kind == TypeKind::SampledImage))
        type = module->findType(type->element);
      if (set && binding && type && type->kind == TypeKind::Image)
        m_types[{*set, *binding}] = type->image;
    }
  }
  return Error::success();
}

/// A6XX_TEX_CONST of a buffer of 32-bit elements (Mesa 25.0, tu_descriptor_set.cc), or of one of
/// texels. Offset and range are cut off at the end of the buffer.
Expected<ir3_variant::Descriptor>
DescriptorWriter::describeBuffer(const BufferBinding &binding) const {
  const Buffer &buffer = m_input.buffers[binding.buffer];
  uint64_t size = buffer.bytes.size(), offset = std::min(binding.offset, size);
  uint64_t address = addressOf(binding.buffer) + offset;
  uint64_t range = std::min(binding.range, size - offset);
  if (binding.kind != BindingKind::Storage && binding.kind != BindingKind::Uniform) {
    if (!buffer.texelFormat)
      return invalidInput("buffer '" + buffer.name + "' has no texel format");
    return ir3_variant::describeTexelBuffer(*buffer.texelFormat, address, range);
  }
  constexpr uint32_t formatUint32 = 0x4b, typeBuffer = 4;
  return Descriptor{formatUint32 << 22,
                    static_cast<uint32_t>(divideCeil(range, 4)),
                    typeBuffer << 29 | uint32_t(address % 64 / 4) << 16,
                    0,
                    static_cast<uint32_t>(address & ~uint64_t(63)),
                    static_cast<uint32_t>(address >> 32)};
}

Expected<ir3_variant::Descriptor>
DescriptorWriter::describeImage(const BufferBinding &binding) const {
  const Buffer &buffer = m_input.buffers[binding.buffer];
  auto type = m_types.find({binding.set, binding.binding});
  if (type == m_types.end())
    return Descriptor{}; // The shader has no such image.
  if (!buffer.image || !buffer.texelFormat)
    return invalidInput("'" + buffer.name + "' is no image");
  return ir3_variant::describeImage(
      buffer, m_shader.resources[binding.buffer],
      {type->second, binding.baseMipLevel, binding.kind == BindingKind::StorageImage});
}

Expected<ir3_variant::Descriptor>
DescriptorWriter::describeSampler(const BufferBinding &binding) const {
  if (binding.sampler >= m_input.samplers.size())
    return invalidInput("a binding names sampler " + Twine(binding.sampler));
  return ir3_variant::describeSampler(m_input.samplers[binding.sampler]);
}

Expected<ir3_variant::Descriptor> DescriptorWriter::describe(const BufferBinding &binding) const {
  if (isImage(binding.kind))
    return describeImage(binding);
  return binding.kind == BindingKind::Sampler ? describeSampler(binding) : describeBuffer(binding);
}

void DescriptorWriter::put(const Ir3Binding &place, uint32_t number, const Descriptor &descriptor) {
  auto base = find_if(m_shader.bases,
                      [&](const turnip::BindlessBase &each) { return each.base == place.set; });
  uint8_t *at = &base->bytes[size_t(place.first + number) * descriptorBytes];
  for (unsigned i = 0; i < descriptor.size(); ++i)
    support::endian::write32le(at + 4 * i, descriptor[i]);
}

Error DescriptorWriter::bind(const BufferBinding &binding) {
  if (binding.kind == BindingKind::PushConstant)
    return Error::success();
  auto place = find_if(m_variant.bindings, [&](const Ir3Binding &each) {
    return each.set == binding.set && each.binding == binding.binding;
  });
  if (place == m_variant.bindings.end() || binding.arrayElement >= place->count)
    return Error::success(); // The shader does not use it.
  uint32_t number = binding.arrayElement * descriptorsOf(*place);
  Expected<Descriptor> descriptor = describe(binding);
  if (!descriptor)
    return descriptor.takeError();
  put(*place, number, *descriptor);
  if (place->kind != combinedKind)
    return Error::success();
  Expected<Descriptor> sampler = describeSampler(binding);
  if (!sampler)
    return sampler.takeError();
  put(*place, number + 1, *sampler);
  return Error::success();
}

/// The dwords of \p range that the launch copies from the buffer that \p pipeline binds there.
/// Those after the end of the buffer are 0, and all are where no buffer is bound.
static turnip::Load loadUniforms(const Ir3Uniforms &range, const Case &input,
                                 const CasePipeline &pipeline) {
  turnip::Load load;
  load.first = range.constDword;
  load.dwords.resize(range.dwords);
  auto binding = find_if(pipeline.bindings, [&](const BufferBinding &each) {
    return each.kind != BindingKind::PushConstant && each.set == range.set &&
           each.binding == range.binding && each.arrayElement == range.element;
  });
  if (binding == pipeline.bindings.end())
    return load;
  uint64_t size = input.buffers[binding->buffer].bytes.size();
  uint64_t offset = std::min(binding->offset, size);
  uint64_t bound = std::min(binding->range, size - offset);
  for (auto [index, dword] : enumerate(load.dwords)) {
    uint64_t byte = uint64_t(range.firstByte) + 4 * index;
    if (byte + 4 > bound || offset + byte > UINT32_MAX)
      break;
    load.slot = binding->buffer;
    dword = {turnip::DwordSource::Resource, static_cast<uint32_t>(offset + byte)};
  }
  return load;
}

/// Adds what the launch puts into the const file: push constants, counts of workgroups, immediates.
/// All are cut off at its end. Loads without dwords are left out.
static void addLoads(const Ir3Variant &variant, turnip::TurnipShader &shader) {
  using turnip::DwordSource;
  turnip::Load push, counts, immediates;
  for (uint32_t i = 0; i < variant.pushConstantDwords; ++i)
    push.dwords.push_back({DwordSource::PushConstant, i});
  counts.first = variant.groupCountDword;
  for (uint32_t i = 0; i < 3; ++i)
    counts.dwords.push_back({DwordSource::GroupCount, i});
  immediates.first = variant.immediateDword;
  for (uint32_t value : variant.immediates)
    immediates.dwords.push_back({DwordSource::Value, value});
  // What the shader does not name may lie after the end of its const file.
  for (turnip::Load *load : {&push, &counts, &immediates}) {
    uint64_t room = uint64_t(variant.launch.constantVec4s) * 4;
    load->dwords.resize(
        std::min<uint64_t>(load->dwords.size(), room > load->first ? room - load->first : 0));
    if (!load->dwords.empty())
      shader.loads.push_back(std::move(*load));
  }
}

/// The slots of a4xx: address, and size in dwords. What the shader does not use is ignored.
static void bindSlots(const Ir3Variant &variant, const Case &input, const CasePipeline &pipeline,
                      turnip::TurnipShader &shader) {
  for (const BufferBinding &binding : pipeline.bindings) {
    if (binding.kind != BindingKind::Storage && binding.kind != BindingKind::Uniform)
      continue;
    auto place = find_if(variant.bindings, [&](const Ir3Binding &each) {
      return each.set == binding.set && each.binding == binding.binding;
    });
    if (place == variant.bindings.end() || binding.arrayElement >= place->count)
      continue;
    constexpr size_t slotCount = 64;
    size_t slot = size_t(place->first) + binding.arrayElement;
    if (slot >= slotCount)
      continue; // No code names it.
    shader.slots.resize(std::max(shader.slots.size(), slot + 1));
    uint64_t size = input.buffers[binding.buffer].bytes.size();
    uint64_t offset = std::min(binding.offset, size);
    uint64_t range = std::min(binding.range, size - offset);
    shader.slots[slot] = {static_cast<uint32_t>(shader.resources[binding.buffer].address + offset),
                          static_cast<uint32_t>(divideCeil(range, 4))};
  }
}

/// Memory for the descriptors of all sets.
static void addBases(const Ir3Variant &variant, turnip::TurnipShader &shader) {
  for (const Ir3Binding &binding : variant.bindings) {
    auto base = find_if(shader.bases,
                        [&](const turnip::BindlessBase &each) { return each.base == binding.set; });
    if (base == shader.bases.end()) {
      shader.bases.push_back({binding.set, descriptorBytes, addressOfSet(binding.set), {}});
      base = std::prev(shader.bases.end());
    }
    size_t end = size_t(binding.first + binding.count * descriptorsOf(binding)) * descriptorBytes;
    base->bytes.resize(std::max(base->bytes.size(), end));
  }
}

/// Bindless descriptors of all that \p pipeline binds.
static Error bindDescriptors(const Ir3Variant &variant, const Case &input,
                             const CasePipeline &pipeline, turnip::TurnipShader &shader) {
  DescriptorWriter writer(variant, input, shader);
  if (Error error = writer.collectTypes(pipeline))
    return error;
  for (const BufferBinding &binding : pipeline.bindings)
    if (Error error = writer.bind(binding))
      return error;
  return Error::success();
}

Expected<turnip::TurnipShader> assay::bindVariant(const Ir3Variant &variant, const Case &input,
                                                  const CasePipeline &pipeline) {
  turnip::TurnipShader shader;
  shader.driver = "assay";
  shader.target = variant.target;
  shader.launch = variant.launch;
  shader.code = variant.code;
  if (!variant.usesSlots())
    addBases(variant, shader);
  for (auto [index, buffer] : enumerate(input.buffers)) {
    turnip::ResourcePlace place;
    place.bytes = buffer.bytes.size();
    if (buffer.image && buffer.texelFormat)
      place = ir3_variant::layOutImage(*buffer.image, *buffer.texelFormat);
    place.address = addressOf(static_cast<unsigned>(index));
    shader.resources.push_back(std::move(place));
  }
  if (variant.usesSlots()) {
    placeBelow4GiB(shader);
    bindSlots(variant, input, pipeline, shader);
  } else if (Error error = bindDescriptors(variant, input, pipeline, shader)) {
    return std::move(error);
  }
  addLoads(variant, shader);
  for (const Ir3Uniforms &range : variant.uniforms)
    shader.loads.push_back(loadUniforms(range, input, pipeline));
  if (Error error = turnip::verifyTurnipShader(shader))
    return std::move(error);
  return shader;
}
