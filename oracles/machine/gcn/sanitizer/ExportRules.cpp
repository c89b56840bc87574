// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/sanitizer/ExportRules.h"

#include "oracles/machine/gcn/GcnDispatch.h"
#include "oracles/machine/gcn/MicroOp.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

StringRef gcn::nameOf(ExportStage stage) {
  return stage == ExportStage::Pixel ? "fragment" : "vertex";
}

/// Lanes with vertices that provoke no primitive. Lanes after the last vertex of the plan are not
/// in the result.
uint64_t ExportPlan::unreadParameters(const Wave &wave) const {
  uint64_t lanes = 0;
  size_t first = size_t(wave.number) * wave.waveSize;
  for (unsigned lane = 0; lane < wave.waveSize && first + lane < provokes.size(); ++lane)
    lanes |= uint64_t(!provokes[first + lane]) << lane;
  return lanes;
}

/// Reports a violation. \p subject groups equal findings: it is the signature as well.
void ExportRules::report(Wave &wave, const MicroOp &op, SanitizerRule rule, const Twine &text,
                         StringRef subject) {
  Violation violation{sanitizerRuleId(rule), text.str()};
  violation.signature = subject.str();
  violation.subject = subject.str();
  wave.report(op, violation);
}

/// Lanes of \p wave among the first \p count of the workgroup.
uint64_t ExportRules::ownLanes(const Wave &wave, unsigned count) const {
  unsigned first = wave.number * wave.waveSize;
  unsigned own = count <= first ? 0 : std::min(count - first, wave.waveSize);
  return own >= 64 ? ~uint64_t(0) : (uint64_t(1) << own) - 1;
}

/// Names the first lane and counts the others. \p lanes is not empty.
static std::string nameLanes(uint64_t lanes) {
  return "lane " + utostr(unsigned(countr_zero(lanes))) +
         (popcount(lanes) > 1 ? " and " + utostr(unsigned(popcount(lanes)) - 1) + " more" : "");
}

/// Notes stores to the attribute ring, and reports a store to shared memory by a helper lane.
void ExportRules::access(Wave &wave, const MicroOp &op, const MemoryEvent &event) {
  if (!event.writes || event.space != MemorySpace::Global)
    return;
  const Workgroup &group = *wave.group;
  if (event.address >= group.ringBegin && event.address < group.ringEnd)
    m_storesRing = true;
  // Scratch belongs to the lane: a helper keeps its own variables there.
  simt::PrivateRange scratch = scratchRange();
  bool isPrivate = event.address >= scratch.begin && event.address < scratch.end;
  if (!isPrivate && m_plan.helpers >> event.lane & 1)
    report(wave, op, SanitizerRule::HelperStore,
           "lane " + Twine(unsigned(event.lane)) + ", which has no pixel, writes memory,",
           "helper");
}

/// Checks what \p op added to the wave's exports and messages since the last call, and everything
/// that is missing when the wave ends.
void ExportRules::after(Wave &wave, const MicroOp &op) {
  if (m_storesRing) {
    m_storesRing = false;
    m_ringStores.push_back(wave.sequence - 1);
    if (m_isDone && wave.gfxMajor == 11)
      report(wave, op, SanitizerRule::ParameterEarly, "stores a parameter after the last position,",
             "after");
  }
  if (wave.exports.size() != m_exports) {
    m_exports = wave.exports.size();
    checkExport(wave, op);
  }
  if (wave.messages.size() != m_messages) {
    m_messages = wave.messages.size();
    checkRequest(wave, op);
  }
  if (wave.status == WaveStatus::Done)
    checkEnd(wave, op);
}

/// Checks the last export of the wave by the rules of its target.
void ExportRules::checkExport(Wave &wave, const MicroOp &op) {
  switch (wave.exports.back().place.target) {
  case ExportTarget::Color:
  case ExportTarget::Depth:
  case ExportTarget::DualSource:
  case ExportTarget::Nothing:
    return checkPixel(wave, op);
  case ExportTarget::Position:
    return checkPosition(wave, op);
  case ExportTarget::Parameter:
    return checkParameter(wave, op);
  case ExportTarget::Primitive:
    return checkPrimitive(wave, op);
  }
}

/// Reports exports of pixels in other stages, after DONE, to a target without format, and DONE
/// without VM up to GFX10. Records the lanes for checkPixelEnd().
void ExportRules::checkPixel(Wave &wave, const MicroOp &op) {
  const ExportRecord &record = wave.exports.back();
  if (m_plan.stage != ExportStage::Pixel)
    return report(wave, op, SanitizerRule::ExportRange, "exports a pixel in another stage,",
                  "stage");
  if (m_isDone)
    report(wave, op, SanitizerRule::ExportDone, "exports after an export with DONE,", "twice");
  unsigned index = record.place.index;
  bool hasFormat = true;
  if (record.place.target == ExportTarget::Color) {
    hasFormat = m_plan.colorFormat >> 4 * index & 0xf;
    m_colorLanes[index] |= record.exec;
  } else if (record.place.target == ExportTarget::Depth) {
    hasFormat = m_plan.depthFormat;
    m_depthLanes |= record.exec;
  } else if (record.place.target == ExportTarget::DualSource) {
    m_colorLanes[0] |= record.exec;
    m_colorLanes[1] |= record.exec;
  }
  if (record.enabled && !hasFormat)
    report(wave, op, SanitizerRule::ExportRange, "exports to a target that has no format,",
           "format");
  if (!record.isDone)
    return;
  m_isDone = true;
  m_doneLanes = record.exec;
  if (wave.gfxMajor <= 10 && !record.isValidMask)
    report(wave, op, SanitizerRule::ExportDone, "exports DONE without VM,", "vm");
}

/// Reports lanes that export more than the workgroup's \p count vertices or primitives, and exports
/// before wave 0 sent GS_ALLOC_REQ. \p what is the plural noun of the message.
void ExportRules::checkAllocation(Wave &wave, const MicroOp &op, unsigned count, StringRef what) {
  uint64_t beyond = wave.exports.back().exec & ~ownLanes(wave, count);
  if (beyond)
    report(wave, op, SanitizerRule::ExportRange,
           nameLanes(beyond) + " exports, but there are " + Twine(count) + " " + what + ",", what);
  if (m_plan.sendsRequest && wave.number == 0 && !m_plan.isRequested)
    report(wave, op, SanitizerRule::ExportRange, "exports before GS_ALLOC_REQ,", "request");
}

/// GFX11 may read the parameters as soon as the last position is there. (GFX12 looks after them.)
void ExportRules::checkRing(Wave &wave, const MicroOp &op) {
  if (wave.gfxMajor != 11)
    return;
  for (const WaitScoreboard::Entry &entry : wave.scoreboard.entries())
    if (is_contained(m_ringStores, entry.sequence))
      return report(wave, op, SanitizerRule::ParameterEarly,
                    "exports the last position before a stored parameter is waited for,", "wait");
}

/// Positions are in order of no rule; only the last of them has DONE.
void ExportRules::checkPosition(Wave &wave, const MicroOp &op) {
  const ExportRecord &record = wave.exports.back();
  unsigned index = record.place.index;
  if (m_plan.stage == ExportStage::Pixel || index >= m_plan.positions)
    return report(wave, op, SanitizerRule::ExportRange,
                  "exports position " + Twine(index) + " of " + Twine(m_plan.positions) + ",",
                  "position");
  if (m_isDone)
    report(wave, op, SanitizerRule::ExportDone, "exports after a position with DONE,", "twice");
  m_positionLanes[index] |= record.exec;
  checkAllocation(wave, op, m_plan.isRequested ? m_plan.requestedVertices : m_plan.vertices,
                  "vertices");
  if (!record.isDone)
    return;
  m_isDone = true;
  checkRing(wave, op);
}

/// Checks the stage and the index. Whether every vertex has the parameter is checked at the end.
void ExportRules::checkParameter(Wave &wave, const MicroOp &op) {
  const ExportRecord &record = wave.exports.back();
  unsigned index = record.place.index;
  if (m_plan.stage == ExportStage::Pixel || index >= m_plan.parameters)
    return report(wave, op, SanitizerRule::ExportRange,
                  "exports parameter " + Twine(index) + " of " + Twine(m_plan.parameters) + ",",
                  "parameter");
  m_parameterLanes[index] |= record.exec;
}

/// Each lane exports its primitive once, in an NGG stage only.
void ExportRules::checkPrimitive(Wave &wave, const MicroOp &op) {
  const ExportRecord &record = wave.exports.back();
  if (m_plan.stage != ExportStage::Ngg)
    return report(wave, op, SanitizerRule::ExportRange, "exports a primitive in another stage,",
                  "stage");
  if (m_isPrimitiveDone || m_primitiveLanes & record.exec)
    report(wave, op, SanitizerRule::ExportDone, "exports a primitive twice,", "primitive");
  m_isPrimitiveDone |= record.isDone;
  m_primitiveLanes |= record.exec;
  checkAllocation(wave, op, m_plan.isRequested ? m_plan.requestedPrimitives : m_plan.primitives,
                  "primitives");
  checkConnectivity(wave, op);
}

/// A null primitive (bit 31) is one that was culled.
void ExportRules::checkConnectivity(Wave &wave, const MicroOp &op) {
  const ExportRecord &record = wave.exports.back();
  unsigned fieldBits = wave.gfxMajor >= 12 ? 9 : 10;
  uint32_t fieldMask = wave.gfxMajor >= 12 ? 0xff : 0x1ff;
  unsigned first = wave.number * wave.waveSize;
  for (uint64_t left = record.exec & ownLanes(wave, m_plan.primitives); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    uint32_t word = record.values[0][lane];
    for (unsigned i = 0; i < 3 && !(word >> 31); ++i) {
      unsigned vertex = word >> fieldBits * i & fieldMask;
      if (vertex == m_plan.connectivity[first + lane][i])
        continue;
      return report(wave, op, SanitizerRule::ExportPrimitive,
                    "lane " + Twine(lane) + "'s primitive has vertex " + Twine(vertex) +
                        " in place " + Twine(i) + ", not " +
                        Twine(m_plan.connectivity[first + lane][i]) + ",",
                    "vertex");
    }
  }
}

/// GS_ALLOC_REQ: at most once, from wave 0, and no more than the workgroup has. M0 has the number
/// of vertices in bits 8:0 and of primitives in bits 20:12. Other messages are ignored.
void ExportRules::checkRequest(Wave &wave, const MicroOp &op) {
  constexpr unsigned GsAllocReq = 9;
  const MessageRecord &message = wave.messages.back();
  if ((message.message & 0xf) != GsAllocReq || m_plan.stage != ExportStage::Ngg)
    return;
  unsigned vertices = message.m0 & 0x1ff, primitives = message.m0 >> 12 & 0x1ff;
  if (m_plan.isRequested || wave.number != 0)
    return report(wave, op, SanitizerRule::ExportRange, "sends GS_ALLOC_REQ twice,", "request");
  if (vertices > m_plan.vertices || primitives > m_plan.primitives)
    report(wave, op, SanitizerRule::ExportRange,
           "asks for " + Twine(vertices) + " vertices and " + Twine(primitives) +
               " primitives; the workgroup has " + Twine(m_plan.vertices) + " and " +
               Twine(m_plan.primitives) + ",",
           "request");
  m_plan.isRequested = true;
  m_plan.requestedVertices = vertices;
  m_plan.requestedPrimitives = primitives;
}

/// What a pixel stage has to export until it ends: DONE (from GFX11 on only with a color or another
/// export), and each target that has a format in each lane of a pixel that DONE covers.
void ExportRules::checkPixelEnd(Wave &wave, const MicroOp &op) {
  bool owes = wave.gfxMajor <= 10 || needsColor() || m_exports;
  if (!m_isDone && owes)
    return report(wave, op, SanitizerRule::ExportDone, "ends without an export with DONE,", "none");
  for (unsigned i = 0; i < 8; ++i)
    if (uint64_t missing = m_doneLanes & m_plan.pixels & ~m_colorLanes[i];
        missing && m_plan.colorFormat >> 4 * i & 0xf)
      return report(wave, op, SanitizerRule::ExportLanes,
                    nameLanes(missing) + " exports nothing to target " + Twine(i) + ",", "color");
  if (uint64_t missing = m_doneLanes & m_plan.pixels & ~m_depthLanes; missing && m_plan.depthFormat)
    report(wave, op, SanitizerRule::ExportLanes, nameLanes(missing) + " exports no depth,",
           "depth");
}

/// What a vertex stage has to export until it ends. A parameter that no lane exports is no finding:
/// nothing may read it.
void ExportRules::checkVertexEnd(Wave &wave, const MicroOp &op) {
  bool isNgg = m_plan.stage == ExportStage::Ngg;
  uint64_t vertices =
      ownLanes(wave, m_plan.isRequested ? m_plan.requestedVertices : m_plan.vertices);
  uint64_t primitives =
      ownLanes(wave, m_plan.isRequested ? m_plan.requestedPrimitives : m_plan.primitives);
  if (isNgg && wave.number == 0 && m_plan.sendsRequest && !m_plan.isRequested)
    report(wave, op, SanitizerRule::ExportRange, "ends without GS_ALLOC_REQ,", "request");
  if (vertices && !m_isDone)
    report(wave, op, SanitizerRule::ExportDone, "ends without a position with DONE,", "none");
  if (isNgg && primitives && !m_isPrimitiveDone)
    report(wave, op, SanitizerRule::ExportDone, "ends without a primitive with DONE,", "primitive");
  if (uint64_t missing = isNgg ? primitives & ~m_primitiveLanes : 0)
    report(wave, op, SanitizerRule::ExportLanes, nameLanes(missing) + " exports no primitive,",
           "primitive");
  for (unsigned i = 0; i < m_plan.positions; ++i)
    if (uint64_t missing = vertices & ~m_positionLanes[i])
      return report(wave, op, SanitizerRule::ExportLanes,
                    nameLanes(missing) + " exports no position " + Twine(i) + ",", "position");
  for (unsigned i = 0; i + m_plan.primitiveParameters < m_plan.parameters; ++i)
    if (uint64_t missing = vertices & ~m_parameterLanes[i]; missing && m_parameterLanes[i])
      return report(wave, op, SanitizerRule::ExportLanes,
                    nameLanes(missing) + " exports no parameter " + Twine(i) + ",", "parameter");
}

/// \p op is the s_endpgm.
void ExportRules::checkEnd(Wave &wave, const MicroOp &op) {
  if (m_plan.stage == ExportStage::Pixel)
    checkPixelEnd(wave, op);
  else
    checkVertexEnd(wave, op);
}
