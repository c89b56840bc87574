// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The descriptors that the installed RADV builds, read with VK_EXT_descriptor_buffer.
#pragma once

#include "oracles/api/Case.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace assay {

/// How a shader sees an image.
struct ImageViewKind {
  ImageDimension dimension = ImageDimension::Dim2D;
  bool isArrayed = false;
  bool isCube = false;
};

/// A device of the chip that useFakeChip() chose.
class RadvDescriptors {
public:
  /// Unsupported when RADV is not installed, is older than Mesa 25, does not know the chip, or has
  /// no VK_EXT_descriptor_buffer.
  static llvm::Expected<std::unique_ptr<RadvDescriptors>> create();
  ~RadvDescriptors();
  RadvDescriptors(const RadvDescriptors &) = delete;
  RadvDescriptors &operator=(const RadvDescriptors &) = delete;

  /// The descriptor of a view of \p shape from \p baseLevel on, for sampling or (\p isStorage) as a
  /// storage image. Empty where the driver does not have such an image.
  llvm::Expected<std::vector<uint32_t>> image(const ImageShape &shape, ImageViewKind view,
                                              TexelFormat format, uint32_t baseLevel,
                                              bool isStorage);
  /// The descriptor of \p sampler, in dwords.
  llvm::Expected<std::vector<uint32_t>> sampler(const Sampler &sampler);
  /// \p kind is of buffers and texel buffers. Empty where the driver does not have the format.
  std::vector<uint32_t> buffer(BindingKind kind, uint64_t address, uint64_t bytes,
                               std::optional<TexelFormat> format);

private:
  struct State;
  explicit RadvDescriptors(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace assay
