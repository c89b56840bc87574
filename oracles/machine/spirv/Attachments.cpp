// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/Attachments.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using raster::Field;
using raster::RenderTarget;
using raster::TexelAlternatives;
using raster::TexelFields;

uint64_t Attachments::getOffset(const Attachment &attachment) const {
  const Buffer &buffer = m_input.buffers[attachment.buffer];
  uint64_t offset = 0;
  for (uint32_t level = 0; level < attachment.mipLevel; ++level)
    offset += getLevelBytes(*buffer.image, *buffer.texelFormat, level);
  return offset;
}

Expected<RenderTarget *> Attachments::openTarget(const Attachment &attachment,
                                                 ArrayRef<BufferState> states) {
  const Buffer &buffer = m_input.buffers[attachment.buffer];
  if (!buffer.image || !buffer.texelFormat)
    return invalidInput("attachment '" + buffer.name + "' is no image");
  if (std::string reason = raster::whyNotRenderable(*buffer.texelFormat); !reason.empty())
    return unsupported(reason);
  const ImageShape &shape = *buffer.image;
  uint64_t offset = getOffset(attachment);
  uint64_t size = getLevelBytes(shape, *buffer.texelFormat, attachment.mipLevel);
  ArrayRef<uint8_t> bytes = ArrayRef(states[attachment.buffer].bytes).slice(offset, size);
  Target &target = m_targets[{attachment.buffer, attachment.mipLevel}];
  if (target.target && ArrayRef(target.written) == bytes)
    return target.target.get();
  uint32_t level = attachment.mipLevel;
  target.target = std::make_unique<RenderTarget>(
      *buffer.texelFormat, std::max(shape.width >> level, 1u), std::max(shape.height >> level, 1u),
      shape.layers, shape.samples);
  target.target->load(bytes);
  return target.target.get();
}

/// All attachments of \p pipeline.
static void forEachAttachment(const CasePipeline &pipeline,
                              function_ref<void(const Attachment &)> visit) {
  for (const std::optional<Attachment> &color : pipeline.draw.color)
    if (color)
      visit(*color);
  if (pipeline.draw.depthStencil)
    visit(*pipeline.draw.depthStencil);
}

Expected<raster::Framebuffer> Attachments::open(const CasePipeline &pipeline,
                                                ArrayRef<BufferState> states) {
  raster::Framebuffer framebuffer;
  framebuffer.width = pipeline.draw.width;
  framebuffer.height = pipeline.draw.height;
  for (const std::optional<Attachment> &color : pipeline.draw.color) {
    framebuffer.color.push_back(nullptr);
    if (!color)
      continue;
    if (Error error = openTarget(*color, states).moveInto(framebuffer.color.back()))
      return std::move(error);
  }
  if (pipeline.draw.depthStencil)
    if (Error error =
            openTarget(*pipeline.draw.depthStencil, states).moveInto(framebuffer.depthStencil))
      return std::move(error);
  return framebuffer;
}

/// One field that holds all that component \p i may be in \p alternatives.
static Field hullOf(const TexelAlternatives &alternatives, unsigned i) {
  Field result = alternatives[0][i];
  for (const TexelFields &fields : ArrayRef(alternatives).drop_front()) {
    const Field &field = fields[i];
    result.isOpen |= field.isOpen;
    result.mayBeNan |= field.mayBeNan;
    result.range = raster::hull(result.range, field.range);
  }
  return result;
}

/// Replaces what is known of [begin, end) in a map by byte offsets.
template <typename Map>
static void eraseRange(Map &map, uint64_t begin, uint64_t end, uint64_t unit) {
  map.erase(map.lower_bound(begin * unit), map.lower_bound(end * unit));
}

static void exportField(const Field &field, const TexelComponent &component, bool isFloat,
                        bool isSigned, uint64_t offset, BufferState &state) {
  if (field.isExact())
    return;
  uint64_t byte = offset + component.firstBit / 8;
  bool isWholeFloat = isFloat && (component.bits == 16 || component.bits == 32);
  if (isWholeFloat) {
    if (field.isOpen)
      state.indeterminate[byte] = component.bits / 8;
    else
      state.intervals[byte] = {field.range.lo, field.range.hi, component.bits / 8u, field.mayBeNan};
    return;
  }
  FieldInterval interval;
  interval.bits = component.bits;
  interval.isSigned = isSigned;
  int64_t top = int64_t(1) << (component.bits - isSigned);
  interval.lo = field.isOpen ? (isSigned ? -top : 0) : static_cast<int64_t>(field.range.lo);
  interval.hi = field.isOpen ? top - 1 : static_cast<int64_t>(field.range.hi);
  state.fields[offset * 8 + component.firstBit] = interval;
}

static bool isSignedNumeric(TexelNumeric numeric) {
  return numeric == TexelNumeric::Snorm || numeric == TexelNumeric::Sscaled ||
         numeric == TexelNumeric::Sint;
}

/// Whether a texel may have values that differ by more than rounding.
static bool isOpenTexel(const TexelAlternatives &alternatives) {
  return alternatives.size() > 1 ||
         any_of(alternatives[0], [](const Field &field) { return field.isOpen; });
}

Error Attachments::closeTarget(const Attachment &attachment, std::vector<BufferState> &states) {
  const Buffer &buffer = m_input.buffers[attachment.buffer];
  Target &entry = m_targets[{attachment.buffer, attachment.mipLevel}];
  const RenderTarget &target = *entry.target;
  BufferState &state = states[attachment.buffer];
  uint64_t offset = getOffset(attachment), end = offset + target.bytes().size();
  std::copy(target.bytes().begin(), target.bytes().end(),
            state.bytes.begin() + static_cast<ptrdiff_t>(offset));
  entry.written.assign(target.bytes().begin(), target.bytes().end());
  eraseRange(state.intervals, offset, end, 1);
  eraseRange(state.indeterminate, offset, end, 1);
  eraseRange(state.fields, offset, end, 8);
  const TexelFormatInfo &format = target.format();
  uint64_t open = 0, count = target.bytes().size() / target.texelBytes();
  for (const auto &[index, alternatives] : target.openTexels()) {
    open += isOpenTexel(alternatives);
    for (unsigned i = 0; i < format.componentCount; ++i)
      exportField(hullOf(alternatives, i), format.components[i],
                  format.numeric == TexelNumeric::Sfloat ||
                      (format.components[i].channel == 'D' && format.components[i].bits == 32),
                  isSignedNumeric(format.numeric), offset + index * target.texelBytes(), state);
  }
  if (open * 100 > count)
    return unsupported("imprecise: " + Twine(open) + " of " + Twine(count) + " texels of '" +
                       buffer.name + "' may have several values");
  return Error::success();
}

Error Attachments::close(const CasePipeline &pipeline, std::vector<BufferState> &states) {
  Error result = Error::success();
  forEachAttachment(pipeline, [&](const Attachment &attachment) {
    if (result)
      return;
    result = closeTarget(attachment, states);
    if (result || !attachment.resolve)
      return;
    Attachment resolved{*attachment.resolve, 0, std::nullopt};
    Expected<RenderTarget *> to = openTarget(resolved, states);
    if (!to) {
      result = to.takeError();
      return;
    }
    raster::resolve(*m_targets[{attachment.buffer, attachment.mipLevel}].target, **to);
    result = closeTarget(resolved, states);
  });
  return result;
}
