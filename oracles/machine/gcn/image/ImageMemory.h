// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the handlers of image instructions share: descriptors and addresses of a lane.
#pragma once

#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/image/ImageDescriptor.h"
#include "llvm/ADT/bit.h"

namespace assay::gcn {

/// Sources: data (stores and atomics), T#, S#.
enum ImageSource : uint8_t { ImageData, ImageResource, ImageSampler };

/// The addresses of one lane, dword after dword or, with a16, half after half.
class LaneAddresses {
public:
  LaneAddresses(const Wave &wave, const MicroOp &op, unsigned lane)
      : m_wave(wave), m_op(op), m_lane(lane) {}

  /// The next whole dword: an offset or a reference, which stand first and are never packed.
  uint32_t takeDword() {
    uint32_t value = m_wave.v[currentRegister()][m_lane];
    m_next += 2;
    return value;
  }
  int64_t takeInteger();
  double takeFloat();
  double takeSingle() { return double(llvm::bit_cast<float>(takeDword())); }
  double takeHalfFloat();
  /// What is before the coordinates: with a16, in the low half of a dword of its own.
  double takeFront() {
    double value = takeFloat();
    align();
    return value;
  }
  /// Half a register that is left over is skipped.
  void align() { m_next += m_next % 2; }

private:
  uint32_t takeHalf();
  /// GFX9's registers stand side by side; the encoding does not say how many they are.
  unsigned currentRegister() const {
    unsigned index = m_next / 2;
    return index < m_op.addresses.size() ? m_op.addresses[index] : m_op.addresses[0] + index;
  }

  const Wave &m_wave;
  const MicroOp &m_op;
  unsigned m_lane;
  unsigned m_next = 0; ///< In halves.
};

/// Coordinates of an image of \p kind, without level, layers and samples included.
unsigned countCoordinates(ImageType kind);

/// The descriptor that \p op uses; nothing after ending the run. \p isLoad: the instruction is
/// image_load or image_load_mip.
std::optional<ImageDescriptor> readImage(Wave &wave, const MicroOp &op, bool isLoad = false);

/// Address registers that \p op reads of an image of \p kind.
unsigned countAddresses(const MicroOp &op, ImageType kind);

/// Puts \p words, components of a texel of \p kind, into the destination: with d16 two a register.
void writeWords(Wave &wave, const MicroOp &op, unsigned lane, llvm::ArrayRef<uint32_t> words,
                TexelClass kind);
/// Those of \p words that the mask of \p op names.
void writeComponents(Wave &wave, const MicroOp &op, unsigned lane, const TexelWords &words,
                     TexelClass kind);
/// With tfe or lwe: says after the data that nothing was missing.
void writeResidency(Wave &wave, const MicroOp &op);

/// image_load*, image_store*.
void runImageMove(Wave &wave, const MicroOp &op);
void runImageFragments(Wave &wave, const MicroOp &op);
void runImageAtomic(Wave &wave, const MicroOp &op);
void runImageSize(Wave &wave, const MicroOp &op);
/// image_sample*, image_gather4* and image_get_lod.
void runImageSample(Wave &wave, const MicroOp &op);

} // namespace assay::gcn
