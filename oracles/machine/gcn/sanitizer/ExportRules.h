// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of exports: what fixed-function hardware expects of the waves of a graphics stage, and
// an observer that reports what they do not keep to. Sources: AMD's ISA manuals, "Export" (DONE and
// VM; one of them ends the exports of a kind), Mesa 25's ac_nir_lower_ngg.c (GS_ALLOC_REQ comes
// first; attribute stores and the last position of GFX11), LGC's NggPrimShader.
#pragma once

#include "oracles/machine/gcn/Observer.h"
#include "oracles/machine/gcn/sanitizer/SanitizerRules.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include <array>
#include <vector>

namespace assay::gcn {

enum class ExportStage : uint8_t { Vertex, Ngg, Pixel };

/// "vertex" or "fragment".
llvm::StringRef nameOf(ExportStage stage);

/// The exports that the waves of a workgroup owe, as the pipeline's registers say.
struct ExportPlan final : GroupObserver {
  ExportStage stage = ExportStage::Pixel;
  /// Lanes of the workgroup that represent vertices, and those of primitives (NGG).
  unsigned vertices = 0, primitives = 0;
  /// How many positions and parameters there are. From GFX11 on no parameter is exported.
  unsigned positions = 0, parameters = 0;
  unsigned primitiveParameters = 0; ///< The last ones, which primitives have.
  bool sendsRequest = false;        ///< NGG: wave 0 sends GS_ALLOC_REQ.
  /// NGG: the lanes of each primitive's vertices, which its export says again; 9 bits each count
  /// (GFX12: 8).
  std::vector<std::array<uint16_t, 3>> connectivity;
  /// NGG: lanes whose parameters count even though the primitive's number is one of them; empty:
  /// all. Code gives that number to the provoking vertex alone.
  std::vector<bool> provokes;
  unsigned ringParameters = 0; ///< GFX11+: parameters in the attribute ring.
  uint32_t colorFormat = 0;    ///< SPI_SHADER_COL_FORMAT.
  uint32_t depthFormat = 0;    ///< SPI_SHADER_Z_FORMAT.
  uint64_t helpers = 0;        ///< Pixel: lanes that run for the derivatives of others only.
  uint64_t pixels = 0;         ///< Pixel: the other ones.

  /// What wave 0 asked for, once it did.
  bool isRequested = false;
  unsigned requestedVertices = 0, requestedPrimitives = 0;

  /// Lanes of \p wave whose parameters nothing reads.
  uint64_t unreadParameters(const Wave &wave) const;
};

/// Of one wave. \p plan is the workgroup's.
class ExportRules {
public:
  explicit ExportRules(ExportPlan &plan) : m_plan(plan) {}

  /// As WaveObserver.
  void access(Wave &wave, const MicroOp &op, const MemoryEvent &event);
  void after(Wave &wave, const MicroOp &op);

private:
  void checkExport(Wave &wave, const MicroOp &op);
  void checkPixel(Wave &wave, const MicroOp &op);
  void checkPosition(Wave &wave, const MicroOp &op);
  void checkParameter(Wave &wave, const MicroOp &op);
  void checkPrimitive(Wave &wave, const MicroOp &op);
  void checkConnectivity(Wave &wave, const MicroOp &op);
  void checkAllocation(Wave &wave, const MicroOp &op, unsigned count, llvm::StringRef what);
  void checkRing(Wave &wave, const MicroOp &op);
  void checkRequest(Wave &wave, const MicroOp &op);
  void checkEnd(Wave &wave, const MicroOp &op);
  void checkPixelEnd(Wave &wave, const MicroOp &op);
  void checkVertexEnd(Wave &wave, const MicroOp &op);
  void report(Wave &wave, const MicroOp &op, SanitizerRule rule, const llvm::Twine &text,
              llvm::StringRef subject);
  uint64_t ownLanes(const Wave &wave, unsigned count) const;
  bool needsColor() const { return m_plan.colorFormat || m_plan.depthFormat; }

  ExportPlan &m_plan;
  size_t m_exports = 0, m_messages = 0; ///< Of the wave, seen so far.
  bool m_isDone = false;                ///< Pixels, or positions: DONE was exported.
  bool m_isPrimitiveDone = false;
  uint64_t m_doneLanes = 0; ///< Pixels: active at DONE.
  std::array<uint64_t, 8> m_colorLanes{};
  uint64_t m_depthLanes = 0;
  std::array<uint64_t, 5> m_positionLanes{};
  std::array<uint64_t, 32> m_parameterLanes{};
  uint64_t m_primitiveLanes = 0;
  bool m_storesRing = false;          ///< The instruction that executes.
  std::vector<uint32_t> m_ringStores; ///< Numbers of their events.
};

} // namespace assay::gcn
