// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and samplers as plain values: what descriptors say, in words.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace assay::gcn::definitions {

/// Dimensions of an instruction or descriptor.
enum class ImageDims : uint8_t { D1, D2, D3, Cube, D1Array, D2Array, D2Msaa, D2MsaaArray };

/// Texels lie side by side: sample by sample, along x, y, then z or layers, level after level.
struct ImageShape {
  ImageDims dims = ImageDims::D2;
  uint64_t base = 0;
  unsigned width = 1, height = 1, depth = 1;
  unsigned layers = 1; ///< Of cubes: faces.
  unsigned levels = 1;
  unsigned baseLevel = 0; ///< Level 0 of the view.
  unsigned samples = 1;
  std::vector<unsigned> bits; ///< Of each component; at most four.
  char letter = 'F';          ///< As BufferTexel::letter.
  std::array<uint32_t, 4> select = {4, 5, 6, 7};

  /// Of one sample, from the bits of all components.
  unsigned texelBytes() const;
  /// Components are read as integers, without conversion to float.
  bool isInteger() const { return letter == 'U' || letter == 'I'; }
  /// Coordinates have a y.
  bool hasY() const { return dims != ImageDims::D1 && dims != ImageDims::D1Array; }
  /// The address has a layer, or a face.
  bool isLayered() const {
    return dims == ImageDims::Cube || dims == ImageDims::D1Array || dims == ImageDims::D2Array ||
           dims == ImageDims::D2MsaaArray;
  }
  bool isMultisampled() const { return dims >= ImageDims::D2Msaa; }
  /// Dimensions that coordinates and filters have.
  unsigned dimensions() const { return dims == ImageDims::D3 ? 3 : hasY() ? 2 : 1; }
  /// Texels along x, y and z of level \p level of the view.
  std::array<unsigned, 3> extent(unsigned level) const;
};

/// What a coordinate outside of the image reads.
enum class Wrapping : uint8_t { Repeat, Mirror, Edge, MirrorOnce, Border };

/// The fields of an S# that have an effect here.
struct SamplerShape {
  std::array<Wrapping, 3> wrapping = {Wrapping::Edge, Wrapping::Edge, Wrapping::Edge};
  unsigned compare = 0;        ///< VkCompareOp.
  bool isUnnormalized = false; ///< Coordinates count texels.
  double minLod = 0, maxLod = 15, bias = 0;
  bool isMagLinear = false, isMinLinear = false;
  unsigned mips = 0;        ///< 0: the first level, 1: the nearest one, 2: between two.
  double borderColor = 0;   ///< Of X, Y and Z.
  double borderOpacity = 0; ///< Of W.
};

} // namespace assay::gcn::definitions
