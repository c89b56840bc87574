// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BIND of AmberScript.
#include "oracles/input/Limits.h"
#include "oracles/input/amber/AmberNames.h"
#include "oracles/input/amber/AmberPipelines.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {
/// What a descriptor of a kind refers to.
enum class Object { Memory, Texels, Image };
} // namespace

struct input::BindingKindRow {
  StringRef name; ///< After AS.
  BindingKind kind;
  Object object;
  bool dynamic; ///< Needs OFFSET, in bytes.
};

/// The kinds of BIND BUFFER ... AS, apart from attachments. The first row of a kind has the name
/// that is written.
static constexpr BindingKindRow kindRows[] = {
    {"storage", BindingKind::Storage, Object::Memory, false},
    {"uniform", BindingKind::Uniform, Object::Memory, false},
    {"push_constant", BindingKind::PushConstant, Object::Memory, false},
    {"storage_dynamic", BindingKind::Storage, Object::Memory, true},
    {"uniform_dynamic", BindingKind::Uniform, Object::Memory, true},
    {"uniform_texel_buffer", BindingKind::UniformTexelBuffer, Object::Texels, false},
    {"storage_texel_buffer", BindingKind::StorageTexelBuffer, Object::Texels, false},
    {"storage_image", BindingKind::StorageImage, Object::Image, false},
    {"sampled_image", BindingKind::SampledImage, Object::Image, false},
    {"combined_image_sampler", BindingKind::CombinedImageSampler, Object::Image, false}};

StringRef input::bindingKindName(BindingKind kind) {
  return find_if(kindRows, [&](const BindingKindRow &row) { return row.kind == kind; })->name;
}

/// Reads what follows BIND. Acceleration structures make the case unsupported. InvalidInput for an
/// unknown keyword.
Error AmberPipelineReader::readBind(LineCursor &line) {
  if (line.tryWord("ACCELERATION_STRUCTURE")) {
    m_reader.m_case.addUnsupported("acceleration structures", line.line());
    line.skipRest();
    return Error::success();
  }
  for (StringRef keyword : {"SAMPLER", "SAMPLER_ARRAY"})
    if (line.tryWord(keyword))
      return readSamplers(line, keyword.size() > 7);
  for (StringRef keyword : {"BUFFER", "BUFFER_ARRAY"})
    if (line.tryWord(keyword))
      return readBuffers(line, keyword.size() > 6);
  return line.error("expected BUFFER, BUFFER_ARRAY, SAMPLER or SAMPLER_ARRAY after BIND");
}

/// Returns the index in Case::samplers of the sampler that \p line names next.
Expected<unsigned> AmberPipelineReader::samplerNamed(LineCursor &line) {
  Expected<StringRef> name = line.word("a sampler's name");
  if (!name)
    return name.takeError();
  auto found = m_reader.m_samplers.find(*name);
  if (found == m_reader.m_samplers.end())
    return line.error("unknown sampler '" + *name + "'");
  return found->second;
}

/// Reads name [name...] DESCRIPTOR_SET n BINDING n, or KERNEL ..., which is skipped. Samplers of an
/// array become its elements in order. InvalidInput without set and binding.
Error AmberPipelineReader::readSamplers(LineCursor &line, bool isArray) {
  std::vector<unsigned> samplers;
  do {
    Expected<unsigned> sampler = samplerNamed(line);
    if (!sampler)
      return sampler.takeError();
    samplers.push_back(*sampler);
  } while (isArray && line.peek() != "KERNEL" && line.peek() != "DESCRIPTOR_SET");
  if (line.peek() == "KERNEL")
    return readForeign(line);
  BindOptions options;
  while (!line.atEnd())
    if (Error error = readPlace(line, options))
      return error;
  if (!options.set || !options.binding)
    return line.error("expected DESCRIPTOR_SET and BINDING");
  for (size_t i = 0; i < samplers.size(); ++i) {
    BufferBinding binding;
    binding.kind = BindingKind::Sampler;
    binding.set = static_cast<uint32_t>(*options.set);
    binding.binding = static_cast<uint32_t>(*options.binding);
    binding.arrayElement = static_cast<uint32_t>(i);
    binding.sampler = samplers[i];
    if (Error error = placeBinding(line, binding))
      return error;
  }
  return Error::success();
}

/// Returns the row of \p name, null for attachments and unknown kinds.
static const BindingKindRow *findKind(StringRef name) {
  const auto *row =
      find_if(kindRows, [&](const BindingKindRow &kind) { return kind.name == name; });
  return row == std::end(kindRows) ? nullptr : row;
}

/// Reads name [name...] AS kind ..., or KERNEL ..., which is skipped. Attachments of a compute
/// pipeline make the case unsupported. InvalidInput for an unknown kind and for several buffers of
/// one attachment.
Error AmberPipelineReader::readBuffers(LineCursor &line, bool isArray) {
  std::vector<AmberBuffer> buffers;
  do {
    Expected<AmberBuffer> buffer = m_reader.bufferNamed(line);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(*buffer);
  } while (isArray && !line.atEnd() && line.peek() != "AS" && line.peek() != "KERNEL");
  if (line.peek() == "KERNEL")
    return readForeign(line);
  if (Error error = line.expect("AS"))
    return error;
  Expected<StringRef> name = line.word("a kind of binding");
  if (!name)
    return name.takeError();
  using Reader = Error (AmberPipelineReader::*)(LineCursor &, ArrayRef<AmberBuffer>);
  static constexpr std::pair<StringRef, Reader> attachments[] = {
      {"color", &AmberPipelineReader::readColorAttachment},
      {"depth_stencil", &AmberPipelineReader::readDepthAttachment},
      {"resolve", &AmberPipelineReader::readResolveTarget}};
  for (const auto &[kind, reader] : attachments) {
    if (kind != *name)
      continue;
    if (!m_isGraphics) {
      m_reader.m_case.addUnsupported("BIND AS " + kind + " in a compute pipeline", line.line());
      line.skipRest();
      return Error::success();
    }
    if (buffers.size() > 1)
      return line.error("an attachment is one image");
    return (this->*reader)(line, buffers);
  }
  const BindingKindRow *row = findKind(*name);
  return row ? bindBuffers(line, *row, buffers)
             : line.error("unknown kind of binding '" + *name + "'");
}

/// Reads what follows the kind and binds each of \p buffers as an element of the descriptor array.
/// Opaque buffers are left out.
Error AmberPipelineReader::bindBuffers(LineCursor &line, const BindingKindRow &row,
                                       ArrayRef<AmberBuffer> buffers) {
  BufferBinding binding;
  binding.kind = row.kind;
  if (row.kind == BindingKind::CombinedImageSampler) {
    if (Error error = line.expect("SAMPLER"))
      return error;
    Expected<unsigned> sampler = samplerNamed(line);
    if (!sampler)
      return sampler.takeError();
    binding.sampler = *sampler;
  }
  BindOptions options;
  if (Error error = readBindOptions(line, options, buffers.size()))
    return error;
  if (Error error = checkOptions(line, row, options, buffers.size()))
    return error;
  binding.set = static_cast<uint32_t>(options.set.value_or(0));
  binding.binding = static_cast<uint32_t>(options.binding.value_or(0));
  binding.baseMipLevel = static_cast<uint32_t>(options.baseMipLevel.value_or(0));
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].opaque)
      continue;
    binding.buffer = buffers[i].index;
    binding.arrayElement = static_cast<uint32_t>(i);
    Error error = row.object == Object::Memory   ? bindMemory(line, binding, options, i)
                  : row.object == Object::Texels ? bindTexels(line, binding)
                                                 : bindImage(line, binding);
    if (error)
      return error;
  }
  return Error::success();
}

/// Returns whether \p text is VK_WHOLE_SIZE, as a script can write it.
static bool isWholeSize(StringRef text) {
  return text == "-1" || text == "18446744073709551615";
}

/// Reads \p count byte offsets or ranges, one for each buffer of an array; a range may be
/// VK_WHOLE_SIZE. InvalidInput where \p numbers has some already.
Error AmberPipelineReader::readNumbers(LineCursor &line, std::vector<uint64_t> &numbers,
                                       size_t count, bool areRanges) {
  if (!numbers.empty())
    return line.error("an option is given twice");
  for (size_t i = 0; i < count; ++i) {
    if (areRanges && isWholeSize(line.peek())) {
      cantFail(line.word("a range"));
      numbers.push_back(~0ull);
      continue;
    }
    Expected<uint64_t> number = line.number("an offset or range", maxBufferBytes);
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  return Error::success();
}

/// Reads DESCRIPTOR_SET n or BINDING n. InvalidInput for another word and for an option that was
/// given already.
Error AmberPipelineReader::readPlace(LineCursor &line, BindOptions &options) {
  bool isSet = line.tryWord("DESCRIPTOR_SET");
  if (!isSet && !line.tryWord("BINDING"))
    return line.error("unknown option '" + line.peek() + "' of BIND");
  std::optional<uint64_t> &place = isSet ? options.set : options.binding;
  if (place)
    return line.error("an option is given twice");
  Expected<uint64_t> number = line.number(isSet ? "a descriptor set" : "a binding", 0xffff);
  if (!number)
    return number.takeError();
  place = *number;
  return Error::success();
}

/// Reads OFFSET, DESCRIPTOR_OFFSET, DESCRIPTOR_RANGE, BASE_MIP_LEVEL, DESCRIPTOR_SET and BINDING in
/// any order to the end of the line. Whether they suit the kind is for checkOptions().
Error AmberPipelineReader::readBindOptions(LineCursor &line, BindOptions &options, size_t buffers) {
  while (!line.atEnd()) {
    std::vector<uint64_t> *numbers = line.tryWord("OFFSET")              ? &options.dynamicOffsets
                                     : line.tryWord("DESCRIPTOR_OFFSET") ? &options.offsets
                                     : line.tryWord("DESCRIPTOR_RANGE")  ? &options.ranges
                                                                         : nullptr;
    if (numbers) {
      if (Error error = readNumbers(line, *numbers, buffers, numbers == &options.ranges))
        return error;
    } else if (line.tryWord("BASE_MIP_LEVEL")) {
      Expected<uint64_t> level = line.number("a mip level", mostMipLevel);
      if (!level)
        return level.takeError();
      options.baseMipLevel = *level;
    } else if (Error error = readPlace(line, options)) {
      return error;
    }
  }
  return Error::success();
}

/// Returns InvalidInput where \p options do not go with the kind of descriptor, or where set and
/// binding are missing. Push constants have neither and are one buffer.
Error AmberPipelineReader::checkOptions(const LineCursor &line, const BindingKindRow &row,
                                        const BindOptions &options, size_t buffers) {
  if (row.dynamic == options.dynamicOffsets.empty())
    return line.error(row.dynamic ? Twine("expected OFFSET for a dynamic descriptor")
                                  : Twine("OFFSET is for dynamic descriptors"));
  if (row.object != Object::Memory && !(options.offsets.empty() && options.ranges.empty()))
    return line.error("DESCRIPTOR_OFFSET and DESCRIPTOR_RANGE are for uniform and storage buffers");
  if (row.object != Object::Image && options.baseMipLevel)
    return line.error("BASE_MIP_LEVEL is for images");
  bool isPush = row.kind == BindingKind::PushConstant;
  if (isPush && (options.set || options.binding || buffers != 1))
    return line.error("push constants have neither set nor binding");
  if (!isPush && (!options.set || !options.binding))
    return line.error("expected DESCRIPTOR_SET and BINDING");
  return Error::success();
}

/// Binds buffer \p i of the statement as a uniform or storage buffer or as push constants. Both
/// kinds of offsets are added up. InvalidInput for an image, for a range that is empty or leaves
/// the buffer, and for too many push constants.
Error AmberPipelineReader::bindMemory(LineCursor &line, BufferBinding binding,
                                      const BindOptions &options, size_t i) {
  const Buffer &buffer = m_reader.m_case.get().buffers[binding.buffer];
  if (buffer.image || m_reader.m_buffers[buffer.name].unsized)
    return line.error("'" + buffer.name + "' is an image");
  binding.offset = (options.offsets.empty() ? 0 : options.offsets[i]) +
                   (options.dynamicOffsets.empty() ? 0 : options.dynamicOffsets[i]);
  binding.range = options.ranges.empty() ? ~0ull : options.ranges[i];
  uint64_t size = buffer.bytes.size();
  bool fits =
      binding.offset < size &&
      (binding.range == ~0ull || (binding.range > 0 && binding.range <= size - binding.offset));
  if (!fits)
    return line.error("offset and range leave the buffer, which has " + Twine(size) + " bytes");
  if (binding.kind == BindingKind::PushConstant && size > maxPushConstantBytes)
    return line.error("more than " + Twine(maxPushConstantBytes) + " bytes of push constants");
  return placeBinding(line, binding);
}

/// Binds a texel buffer, which has the format of its buffer's elements. InvalidInput for an image
/// and for elements that no texel format has.
Error AmberPipelineReader::bindTexels(LineCursor &line, const BufferBinding &binding) {
  Buffer &buffer = m_reader.m_case.get().buffers[binding.buffer];
  const ElementLayout &layout = m_reader.m_layouts[binding.buffer];
  if (buffer.image || m_reader.m_buffers[buffer.name].unsized)
    return line.error("'" + buffer.name + "' is an image");
  if (!buffer.texelFormat && !layout.isStruct())
    buffer.texelFormat = texelFormatOf(layout.format());
  if (!buffer.texelFormat)
    return line.error("the elements of '" + buffer.name + "' are no texels");
  return placeBinding(line, binding);
}

/// Binds an image. A typed buffer with WIDTH and HEIGHT becomes one here. InvalidInput for other
/// buffers, for one that an earlier pipeline binds as a buffer, and for a level that the image does
/// not have.
Error AmberPipelineReader::bindImage(LineCursor &line, const BufferBinding &binding) {
  Buffer &buffer = m_reader.m_case.get().buffers[binding.buffer];
  const std::string &name = buffer.name;
  AmberBuffer &declared = m_reader.m_buffers[name];
  if (!buffer.image && !declared.shape)
    return line.error("'" + name + "' is no image");
  // A typed buffer with WIDTH and HEIGHT: from here on it is one.
  if (!buffer.image && !declared.unsized) {
    for (const CasePipeline &other : m_reader.m_case.get().pipelines)
      for (const BufferBinding &use : other.bindings)
        if (use.kind != BindingKind::Sampler && use.buffer == binding.buffer)
          return line.error("'" + name + "' is a buffer already");
    const ElementLayout &layout = m_reader.m_layouts[binding.buffer];
    if (!buffer.texelFormat && !layout.isStruct())
      buffer.texelFormat = texelFormatOf(layout.format());
    if (!buffer.texelFormat)
      return line.error("the elements of '" + name + "' are no texels");
    if (Error error = m_reader.makeImage(line, declared, *declared.shape))
      return error;
  }
  uint32_t levels = buffer.image ? buffer.image->mipLevels : declared.shape->mipLevels;
  if (binding.baseMipLevel >= levels)
    return line.error("the image has " + Twine(levels) + " mip levels");
  return placeBinding(line, binding);
}

/// Adds \p binding. It replaces what is at its place, as in Amber; the first element of an array
/// replaces the whole array. Push constants of this body are not replaced.
Error AmberPipelineReader::placeBinding(LineCursor &line, const BufferBinding &binding) {
  bool isPush = binding.kind == BindingKind::PushConstant;
  bool isSampler = binding.kind == BindingKind::Sampler;
  std::vector<BufferBinding> &bindings = m_pipeline.bindings;
  auto isReplaced = [&](const BufferBinding &other) {
    bool otherPush = other.kind == BindingKind::PushConstant;
    if (isPush || otherPush)
      return isPush && otherPush;
    return isSampler == (other.kind == BindingKind::Sampler) && other.set == binding.set &&
           other.binding == binding.binding && binding.arrayElement <= other.arrayElement;
  };
  for (size_t i = 0; i < bindings.size();) {
    if (!isReplaced(bindings[i])) {
      ++i;
      continue;
    }
    if (isPush && i >= m_inherited)
      return line.error("push constants are bound twice");
    bindings.erase(bindings.begin() + static_cast<ptrdiff_t>(i));
    m_inherited -= i < m_inherited;
  }
  bindings.push_back(binding);
  return Error::success();
}
