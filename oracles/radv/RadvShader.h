// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shader as Mesa's RADV hands it to the hardware: code, the registers it sets for it, and which
// user SGPR gets what. A file of its own kind holds one (write and read below), so that what a peer
// compiled can be kept and run again without Mesa.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::radv {

enum class Stage : uint8_t { Compute, Vertex, Fragment };

/// In the order of VkDescriptorType.
enum class DescriptorType : uint8_t {
  Sampler,
  CombinedImageSampler,
  SampledImage,
  StorageImage,
  UniformTexelBuffer,
  StorageTexelBuffer,
  UniformBuffer,
  StorageBuffer,
};
constexpr unsigned descriptorTypeCount = 8;

/// One binding of a descriptor set layout.
struct SetBinding {
  uint32_t set = 0;
  uint32_t binding = 0;
  DescriptorType type = DescriptorType::StorageBuffer;
  uint32_t count = 1;

  bool operator==(const SetBinding &) const = default;
};

/// What some user SGPRs hold. The values that graphics stages get are those of radv_cmd_buffer.c.
enum class UserData : uint8_t {
  ScratchRing,         ///< Two: base of the scratch memory of all waves.
  DescriptorSet,       ///< One: low half of the address of set \p set.
  IndirectSets,        ///< One: low half of the address of an array of such.
  PushConstants,       ///< One: low half of the address of the push constants.
  InlinePushConstants, ///< The push constant dwords of inlinePushMask, in ascending order.
  GridSize,            ///< Three: the counts of workgroups; two: their address.
  RingTable,           ///< Two: address of the table of ring descriptors.
  VertexBuffers,       ///< One: low half of the address of the table of vertex buffers.
  BaseVertex,          ///< One: added to the vertex index.
  DrawId,              ///< One: number of the draw in a multi-draw.
  StartInstance,       ///< One: added to the instance index.
  ViewIndex,           ///< One.
  NggCulling,          ///< One: radv_nggc_settings.
  NggViewport,         ///< Four: scale of x and y, translation of x and y, as floats.
  NggState,            ///< One: NGG_STATE_*.
  PixelState,          ///< One: PS_STATE_*.
};
constexpr unsigned userDataCount = 16;

struct UserRange {
  UserData data = UserData::ScratchRing;
  uint32_t set = 0; ///< DescriptorSet.
  uint32_t first = 0;
  uint32_t count = 1;

  bool operator==(const UserRange &) const = default;
};

/// The registers are those of AMD's register reference, as RADV writes them.
struct RadvShader {
  std::string compiler; ///< "aco" or "radv-llvm".
  std::string driver;   ///< Name and version.
  std::string target;   ///< "gfx1100".
  Stage stage = Stage::Compute;
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0; ///< COMPUTE_PGM_RSRC1 to 3, or the stage's.
  uint32_t sgprs = 0, vgprs = 0;
  uint32_t ldsUnits = 0; ///< Of 512 bytes.
  uint32_t scratchBytesPerWave = 0;
  uint32_t waveSize = 64;
  std::array<uint32_t, 3> blockSize{1, 1, 1};
  uint64_t inlinePushMask = 0;
  std::vector<UserRange> userData;
  std::vector<SetBinding> bindings; ///< Of the pipeline layout, by set and binding.
  uint32_t execBytes = 0;           ///< Instructions; constant data may follow.
  std::vector<uint8_t> code;
};

std::vector<uint8_t> writeRadvShader(const RadvShader &shader);
/// InvalidInput for anything writeRadvShader would not have written: sizes, counts and ranges hold
/// when it succeeds, whatever the bytes were.
llvm::Expected<RadvShader> readRadvShader(llvm::ArrayRef<uint8_t> bytes);

/// InvalidInput where ranges of user SGPRs overlap or run over, or sizes do not fit each other.
llvm::Error verifyRadvShader(const RadvShader &shader);

/// Everything but the code, a line each.
std::string printRadvShader(const RadvShader &shader);

} // namespace assay::radv
