// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: the Vulkan specification, "VkFormat"; AMD's ISA manuals, "Buffer Image Format" and "Data
// Format"; LLVM's SIDefines.h (MTBUFFormat).
#include "compiler/amdgpu/passes/graphics/TargetFormats.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
/// Formats with neighbouring numbers that differ in the kind of their numbers alone.
struct FormatGroup {
  uint16_t first;
  ArrayRef<NumberKind> numbers;
  FormatInfo info;
};

/// How many channels of which size, to the hardware.
struct BufferLayout {
  unsigned bits, channels;
  bool isPacked;
  unsigned dataFormat; ///< GFX9.
  unsigned gfx10, gfx11;
  ArrayRef<NumberKind> numbers10, numbers11; ///< Of the unified formats from there on.
};
} // namespace

using N = NumberKind;
static constexpr N numbers8[] = {N::Unorm, N::Snorm, N::Uscaled, N::Sscaled,
                                 N::Uint,  N::Sint,  N::Srgb};
static constexpr N numbers10[] = {N::Unorm, N::Snorm, N::Uscaled, N::Sscaled, N::Uint, N::Sint};
static constexpr N numbers16[] = {N::Unorm, N::Snorm, N::Uscaled, N::Sscaled,
                                  N::Uint,  N::Sint,  N::Float};
static constexpr N numbers32[] = {N::Uint, N::Sint, N::Float};
static constexpr N unormOnly[] = {N::Unorm};
static constexpr N floatOnly[] = {N::Float};

/// Numbers of VkFormat, ascending.
static constexpr FormatGroup groups[] = {
    {2, unormOnly, {.channels = 4, .bits = 4, .isPacked = true, .isBgr = false}},
    {3, unormOnly, {.channels = 4, .bits = 4, .isPacked = true, .isBgr = true}},
    {4, unormOnly, {.channels = 3, .bits = 6, .isPacked = true, .isBgr = false}},
    {5, unormOnly, {.channels = 3, .bits = 6, .isPacked = true, .isBgr = true}},
    {6, unormOnly, {.channels = 4, .bits = 5, .isPacked = true, .isBgr = false}},
    {7, unormOnly, {.channels = 4, .bits = 5, .isPacked = true, .isBgr = true}},
    {8, unormOnly, {.channels = 4, .bits = 5, .isPacked = true, .isBgr = true}},
    {9, numbers8, {.channels = 1, .bits = 8}},
    {16, numbers8, {.channels = 2, .bits = 8}},
    {23, numbers8, {.channels = 3, .bits = 8}},
    {30, numbers8, {.channels = 3, .bits = 8, .isBgr = true}},
    {37, numbers8, {.channels = 4, .bits = 8}},
    {44, numbers8, {.channels = 4, .bits = 8, .isBgr = true}},
    {51, numbers8, {.channels = 4, .bits = 8}},
    {58, numbers10, {.channels = 4, .bits = 10, .isPacked = true, .isBgr = true}},
    {64, numbers10, {.channels = 4, .bits = 10, .isPacked = true}},
    {70, numbers16, {.channels = 1, .bits = 16}},
    {77, numbers16, {.channels = 2, .bits = 16}},
    {84, numbers16, {.channels = 3, .bits = 16}},
    {91, numbers16, {.channels = 4, .bits = 16}},
    {98, numbers32, {.channels = 1, .bits = 32}},
    {101, numbers32, {.channels = 2, .bits = 32}},
    {104, numbers32, {.channels = 3, .bits = 32}},
    {107, numbers32, {.channels = 4, .bits = 32}},
    {110, numbers32, {.channels = 1, .bits = 64}},
    {113, numbers32, {.channels = 2, .bits = 64}},
    {116, numbers32, {.channels = 3, .bits = 64}},
    {119, numbers32, {.channels = 4, .bits = 64}},
    {122, floatOnly, {.channels = 3, .bits = 11, .isPacked = true}},
};

/// The columns for GFX10 and GFX11 are the first unified format of the layout; the kinds of numbers
/// follow each other in the order of the last columns. GFX12 has the formats of GFX11.
static constexpr BufferLayout layouts[] = {
    {8, 1, false, 1, 1, 1, numbers10, numbers10},
    {16, 1, false, 2, 7, 7, numbers16, numbers16},
    {8, 2, false, 3, 14, 14, numbers10, numbers10},
    {32, 1, false, 4, 20, 20, numbers32, numbers32},
    {16, 2, false, 5, 23, 23, numbers16, numbers16},
    {11, 3, true, 6, 36, 30, floatOnly, floatOnly},
    {10, 4, true, 9, 50, 36, numbers10, numbers10},
    {8, 4, false, 10, 56, 42, numbers10, numbers10},
    {32, 2, false, 11, 62, 48, numbers32, numbers32},
    {16, 4, false, 12, 65, 51, numbers16, numbers16},
    {32, 3, false, 13, 72, 58, numbers32, numbers32},
    {32, 4, false, 14, 75, 61, numbers32, numbers32},
};

/// A group covers as many numbers as it has kinds.
std::optional<FormatInfo> amdgpu::findFormat(TexelFormat format) {
  auto number = static_cast<uint16_t>(format);
  for (const FormatGroup &group : groups) {
    if (number < group.first || number >= group.first + group.numbers.size())
      continue;
    FormatInfo info = group.info;
    info.number = group.numbers[number - group.first];
    return info;
  }
  return std::nullopt;
}

/// Three channels of 8 or 16 bits have no layout, on any generation.
std::optional<unsigned> amdgpu::findBufferFormat(const FormatInfo &info, unsigned channels,
                                                 const TargetInfo &target) {
  const auto *layout = find_if(layouts, [&](const BufferLayout &each) {
    return each.bits == info.bits && each.channels == channels && each.isPacked == info.isPacked;
  });
  if (layout == std::end(layouts))
    return std::nullopt;
  ArrayRef<NumberKind> numbers = target.major >= 11 ? layout->numbers11 : layout->numbers10;
  const NumberKind *number = find(numbers, info.number);
  if (number == numbers.end())
    return std::nullopt;
  if (target.major >= 10)
    return (target.major >= 11 ? layout->gfx11 : layout->gfx10) +
           static_cast<unsigned>(number - numbers.begin());
  constexpr unsigned GfxNineFloat = 7;
  unsigned numberFormat =
      info.number == NumberKind::Float ? GfxNineFloat : static_cast<unsigned>(info.number);
  return layout->dataFormat | numberFormat << 4;
}
