// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear images in memory, and descriptors of images, texel buffers and samplers, as turnip makes
// them (Mesa 25.0: fd6_layout.c, fd6_view.c, tu_sampler.cc; fields: a6xx.xml, A6XX_TEX_CONST and
// A6XX_TEX_SAMP).
#pragma once

#include "compiler/spirv/Module.h"
#include "oracles/api/Case.h"
#include "oracles/turnip/Memory.h"
#include "llvm/Support/Error.h"
#include <array>

namespace assay::ir3_variant {

constexpr unsigned descriptorDwords = 16;
using Descriptor = std::array<uint32_t, descriptorDwords>;

/// Places of all levels; \p address stays 0.
turnip::ResourcePlace layOutImage(const ImageShape &shape, TexelFormat format);

/// What a view of an image shows.
struct ImageView {
  spirv::ImageType type;  ///< The shader's.
  uint32_t baseLevel = 0; ///< The last level is that of the image.
  bool isStorage = false;
};

/// Of the image of \p buffer at \p place. Unsupported for a format or dimension without a row.
llvm::Expected<Descriptor> describeImage(const Buffer &buffer, const turnip::ResourcePlace &place,
                                         const ImageView &view);
/// Of \p bytes at \p address.
llvm::Expected<Descriptor> describeTexelBuffer(TexelFormat format, uint64_t address,
                                               uint64_t bytes);
/// Filters, address modes, levels of detail, comparison and a fast border colour.
Descriptor describeSampler(const Sampler &sampler);

} // namespace assay::ir3_variant
