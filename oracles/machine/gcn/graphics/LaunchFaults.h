// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults of the hardware around a draw's code, planted in this process by tests
// (harness/system/draw_faults): a machine that is wrong so must show it in what peers' code draws.
// They are there where support/Fault.h's are: not in a release.
#pragma once

#include "support/Fault.h"

namespace assay::gcn {

enum class LaunchFault : uint8_t {
  None,
  IjSwapped,       ///< The weights I and J of fragments are exchanged.
  RawParameters,   ///< LDS holds P1 and P2 where their differences from P0 belong.
  PrimitiveMask,   ///< The primitive mask says that the second quad begins another primitive.
  ParameterBase,   ///< Parameters begin 16 bytes after the place that the primitive mask says.
  RingSwizzle,     ///< The attribute ring has elements of 4 bytes.
  RingBase,        ///< All workgroups get the first one's part of the attribute ring.
  NoHelpers,       ///< Helper lanes start without inputs.
  PositionOrder,   ///< The inputs X and Y of fragments are exchanged.
  FaceInverted,    ///< FrontFacing is inverted.
  ProvokingLast,   ///< Flat inputs come from the last vertex.
  DepthLost,       ///< FragCoord.z is 0.
  PrimitiveFields, ///< The vertices of a packed primitive have a bit less.
  WaveCounts,      ///< Merged_wave_info has vertices and primitives exchanged.
  InstanceVgpr,    ///< The instance comes in the VGPR before its own.
  BaseVertex,      ///< The number of a vertex includes the base vertex.
  HalvesSwapped,   ///< The halves of packed exports are exchanged.
  VertexStride,    ///< Descriptors of vertex buffers have twice the stride.
};

/// The one that is planted. Not to be changed while a machine runs.
inline LaunchFault plantedLaunchFault = LaunchFault::None;

/// False in a release, whatever is planted.
inline bool isPlanted(LaunchFault fault) {
  return faultsCompiledIn() && plantedLaunchFault == fault;
}

} // namespace assay::gcn
