// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/TexelFormat.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

using namespace llvm;
using namespace assay;

/// In the order of VkFormat, from 1. The rest of a row is read from the name.
static constexpr StringRef formatNames[] = {
    "R4G4_UNORM_PACK8",
    "R4G4B4A4_UNORM_PACK16",
    "B4G4R4A4_UNORM_PACK16",
    "R5G6B5_UNORM_PACK16",
    "B5G6R5_UNORM_PACK16",
    "R5G5B5A1_UNORM_PACK16",
    "B5G5R5A1_UNORM_PACK16",
    "A1R5G5B5_UNORM_PACK16",
    "R8_UNORM",
    "R8_SNORM",
    "R8_USCALED",
    "R8_SSCALED",
    "R8_UINT",
    "R8_SINT",
    "R8_SRGB",
    "R8G8_UNORM",
    "R8G8_SNORM",
    "R8G8_USCALED",
    "R8G8_SSCALED",
    "R8G8_UINT",
    "R8G8_SINT",
    "R8G8_SRGB",
    "R8G8B8_UNORM",
    "R8G8B8_SNORM",
    "R8G8B8_USCALED",
    "R8G8B8_SSCALED",
    "R8G8B8_UINT",
    "R8G8B8_SINT",
    "R8G8B8_SRGB",
    "B8G8R8_UNORM",
    "B8G8R8_SNORM",
    "B8G8R8_USCALED",
    "B8G8R8_SSCALED",
    "B8G8R8_UINT",
    "B8G8R8_SINT",
    "B8G8R8_SRGB",
    "R8G8B8A8_UNORM",
    "R8G8B8A8_SNORM",
    "R8G8B8A8_USCALED",
    "R8G8B8A8_SSCALED",
    "R8G8B8A8_UINT",
    "R8G8B8A8_SINT",
    "R8G8B8A8_SRGB",
    "B8G8R8A8_UNORM",
    "B8G8R8A8_SNORM",
    "B8G8R8A8_USCALED",
    "B8G8R8A8_SSCALED",
    "B8G8R8A8_UINT",
    "B8G8R8A8_SINT",
    "B8G8R8A8_SRGB",
    "A8B8G8R8_UNORM_PACK32",
    "A8B8G8R8_SNORM_PACK32",
    "A8B8G8R8_USCALED_PACK32",
    "A8B8G8R8_SSCALED_PACK32",
    "A8B8G8R8_UINT_PACK32",
    "A8B8G8R8_SINT_PACK32",
    "A8B8G8R8_SRGB_PACK32",
    "A2R10G10B10_UNORM_PACK32",
    "A2R10G10B10_SNORM_PACK32",
    "A2R10G10B10_USCALED_PACK32",
    "A2R10G10B10_SSCALED_PACK32",
    "A2R10G10B10_UINT_PACK32",
    "A2R10G10B10_SINT_PACK32",
    "A2B10G10R10_UNORM_PACK32",
    "A2B10G10R10_SNORM_PACK32",
    "A2B10G10R10_USCALED_PACK32",
    "A2B10G10R10_SSCALED_PACK32",
    "A2B10G10R10_UINT_PACK32",
    "A2B10G10R10_SINT_PACK32",
    "R16_UNORM",
    "R16_SNORM",
    "R16_USCALED",
    "R16_SSCALED",
    "R16_UINT",
    "R16_SINT",
    "R16_SFLOAT",
    "R16G16_UNORM",
    "R16G16_SNORM",
    "R16G16_USCALED",
    "R16G16_SSCALED",
    "R16G16_UINT",
    "R16G16_SINT",
    "R16G16_SFLOAT",
    "R16G16B16_UNORM",
    "R16G16B16_SNORM",
    "R16G16B16_USCALED",
    "R16G16B16_SSCALED",
    "R16G16B16_UINT",
    "R16G16B16_SINT",
    "R16G16B16_SFLOAT",
    "R16G16B16A16_UNORM",
    "R16G16B16A16_SNORM",
    "R16G16B16A16_USCALED",
    "R16G16B16A16_SSCALED",
    "R16G16B16A16_UINT",
    "R16G16B16A16_SINT",
    "R16G16B16A16_SFLOAT",
    "R32_UINT",
    "R32_SINT",
    "R32_SFLOAT",
    "R32G32_UINT",
    "R32G32_SINT",
    "R32G32_SFLOAT",
    "R32G32B32_UINT",
    "R32G32B32_SINT",
    "R32G32B32_SFLOAT",
    "R32G32B32A32_UINT",
    "R32G32B32A32_SINT",
    "R32G32B32A32_SFLOAT",
    "R64_UINT",
    "R64_SINT",
    "R64_SFLOAT",
    "R64G64_UINT",
    "R64G64_SINT",
    "R64G64_SFLOAT",
    "R64G64B64_UINT",
    "R64G64B64_SINT",
    "R64G64B64_SFLOAT",
    "R64G64B64A64_UINT",
    "R64G64B64A64_SINT",
    "R64G64B64A64_SFLOAT",
    "B10G11R11_UFLOAT_PACK32",
    "E5B9G9R9_UFLOAT_PACK32",
    "D16_UNORM",
    "X8_D24_UNORM_PACK32",
    "D32_SFLOAT",
    "S8_UINT",
    "D16_UNORM_S8_UINT",
    "D24_UNORM_S8_UINT",
    "D32_SFLOAT_S8_UINT",
};

/// VkFormat of each spv::ImageFormat (Vulkan 1.3, "Compatibility Between SPIR-V Image Formats and
/// Vulkan Formats"); 0 for Unknown.
static constexpr uint8_t imageFormats[] = {
    0,   109, 97, 100, 37,  38, 103, 83, 122, 76,  91, 64, 77, 16, 70,  9,  92, 78, 17, 71,  10,
    108, 96,  42, 99,  102, 82, 21,  75, 14,  107, 95, 41, 98, 68, 101, 81, 20, 74, 13, 110, 111};

static TexelNumeric parseNumeric(StringRef name) {
  return StringSwitch<TexelNumeric>(name)
      .Case("UNORM", TexelNumeric::Unorm)
      .Case("SNORM", TexelNumeric::Snorm)
      .Case("USCALED", TexelNumeric::Uscaled)
      .Case("SSCALED", TexelNumeric::Sscaled)
      .Case("UINT", TexelNumeric::Uint)
      .Case("SINT", TexelNumeric::Sint)
      .Case("SRGB", TexelNumeric::Srgb)
      .Case("UFLOAT", TexelNumeric::Ufloat)
      .Default(TexelNumeric::Sfloat);
}

/// "D24_UNORM_S8_UINT": Vulkan copies each aspect by itself, so the place of both in one texel is
/// ours: depth from bit 0, stencil after it, and unused bits up to a power of two.
static TexelFormatInfo parseDepthStencil(StringRef name, uint32_t number) {
  StringRef rest = name.drop_front(1);
  TexelComponent depth{'D', 0, 0};
  rest.consumeInteger(10, depth.bits);
  TexelFormatInfo info{TexelFormat(number), name, 0, 2, {}, TexelNumeric::Unorm};
  info.components[0] = depth;
  info.components[1] = {'S', depth.bits, 8};
  info.numeric = parseNumeric(rest.drop_front(1).split('_').first);
  info.bytes = static_cast<unsigned>(PowerOf2Ceil(depth.bits + 8u) / 8);
  return info;
}

/// "R5G6B5_UNORM_PACK16": components, numeric format, and PACKn where the components are named from
/// the most significant bit of a word; otherwise from the first byte on.
static TexelFormatInfo parseName(StringRef name, uint32_t number) {
  if (name.ends_with("_S8_UINT"))
    return parseDepthStencil(name, number);
  TexelFormatInfo info{TexelFormat(number), name, 0, 0, {}, TexelNumeric::Unorm};
  SmallVector<TexelComponent, 4> components;
  // "X8_D24" is two groups of components: a group has a digit after its first letter.
  while (name.size() > 1 && isDigit(name[1])) {
    auto [layout, rest] = name.split('_');
    while (!layout.empty()) {
      TexelComponent component{layout.front(), 0, 0};
      layout = layout.drop_front();
      layout.consumeInteger(10, component.bits);
      components.push_back(component);
    }
    name = rest;
  }
  auto [numeric, pack] = name.split('_');
  info.numeric = parseNumeric(numeric);
  if (!pack.empty())
    std::reverse(components.begin(), components.end());
  unsigned bit = 0;
  for (TexelComponent &component : components) {
    component.firstBit = bit;
    bit += component.bits;
    info.components[info.componentCount++] = component;
  }
  info.bytes = bit / 8;
  return info;
}

static const std::vector<TexelFormatInfo> &table() {
  static const std::vector<TexelFormatInfo> Table = [] {
    std::vector<TexelFormatInfo> rows;
    for (StringRef name : formatNames)
      rows.push_back(parseName(name, rows.size() + 1));
    return rows;
  }();
  return Table;
}

const TexelComponent *TexelFormatInfo::find(char channel) const {
  for (const TexelComponent &component : components)
    if (component.bits && component.channel == channel)
      return &component;
  return nullptr;
}

const TexelFormatInfo &assay::getTexelFormatInfo(TexelFormat format) {
  assert(findTexelFormat(uint32_t(format)) && "a format without a row");
  return table()[uint32_t(format) - 1];
}

std::optional<TexelFormat> assay::findTexelFormat(StringRef name) {
  name.consume_front("VK_FORMAT_");
  for (const TexelFormatInfo &info : table())
    if (info.name == name)
      return info.format;
  return std::nullopt;
}

std::optional<TexelFormat> assay::findTexelFormat(uint32_t vkFormat) {
  if (vkFormat == 0 || vkFormat > table().size())
    return std::nullopt;
  return TexelFormat(vkFormat);
}

std::optional<TexelFormat> assay::findTexelFormat(spv::ImageFormat format) {
  size_t index = size_t(format);
  return findTexelFormat(index < std::size(imageFormats) ? uint32_t(imageFormats[index]) : 0u);
}
