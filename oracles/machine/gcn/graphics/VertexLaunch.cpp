// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/graphics/VertexLaunch.h"

#include "oracles/machine/gcn/graphics/LaunchFaults.h"
#include "oracles/machine/gcn/memory/BufferDescriptor.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Workgroups of the launch; the real number is only known later and not visible to code.
static constexpr uint32_t oneGroup[3] = {1, 1, 1};

/// Ignores registers that the code did not allocate.
static void setVgpr(Wave &wave, unsigned index, unsigned lane, uint32_t value) {
  if (index < wave.v.size())
    wave.v[index][lane] = value;
}

VertexLaunch::VertexLaunch(CodeImage &image, const VertexRegisters &registers,
                           const VertexInputs &inputs, const TargetInfo &target,
                           const CasePipeline &pipeline, ArrayRef<DescriptorWords> descriptors,
                           std::vector<BufferState> &buffers, uint64_t seed)
    : Launch(image, target, pipeline, descriptors, oneGroup, buffers, seed), m_registers(registers),
      m_inputs(inputs) {
  drawValues[UserValue::BaseVertex] = static_cast<uint32_t>(inputs.baseVertex);
  drawValues[UserValue::BaseInstance] = inputs.firstInstance;
  drawValues[UserValue::DrawIndex] = 0;
  drawValues[UserValue::ViewIndex] = 0;
  m_provokesLast =
      pipeline.description.graphics.rasterization.provokingVertex == ProvokingVertex::Last;
  mapVertexBuffers();
}

/// With a stride, bounds are by index. The last element counts even where the buffer ends within
/// it: the attributes that are read may lie in the part that is there (RADV's
/// radv_write_vertex_descriptors goes by the end of the attribute).
void VertexLaunch::mapVertexBuffers() {
  if (m_registers.vertexTable.empty())
    return;
  constexpr unsigned DescriptorBytes = 16;
  uint32_t address = 0;
  auto table = addTable(uint64_t(m_registers.vertexTable.size()) * DescriptorBytes,
                        "vertex buffers", address);
  for (auto [slot, binding] : enumerate(m_registers.vertexTable)) {
    BufferDescriptor descriptor;
    auto source = find_if(m_inputs.sources,
                          [number = binding](const auto &each) { return each.binding == number; });
    if (source != m_inputs.sources.end()) {
      descriptor = makeRawBuffer(source->address, 0, target().major);
      descriptor.stride = source->stride * (isPlanted(LaunchFault::VertexStride) ? 2 : 1);
      descriptor.records = static_cast<uint32_t>(
          source->stride ? divideCeil(source->bytes, source->stride) : source->bytes);
      descriptor.oobSelect = source->stride ? 1 : 3;
    }
    auto words = encodeBufferDescriptor(descriptor, target().major);
    std::memcpy(table.data() + slot * DescriptorBytes, words.data(), DescriptorBytes);
  }
  drawValues[UserValue::VertexBuffers] = address;
}

/// Distributes the vertices to workgroups and clears all exports. \p runs and \p primitives must
/// live as long as the launch runs. Fails when the attribute ring would be too large, and with
/// InvalidInput where VGT_GS_OUT_PRIM_TYPE is that of other primitives: hardware would make points
/// of triangles.
Error VertexLaunch::setRuns(ArrayRef<raster::VertexInvocation> runs,
                            ArrayRef<raster::AssembledPrimitive> primitives) {
  m_runs = runs;
  bool own = m_registers.usesPrimitiveId;
  m_groups = m_registers.isNgg ? groupPrimitives(primitives,
                                                 {m_registers.verticesPerGroup,
                                                  m_registers.primitivesPerGroup, m_provokesLast},
                                                 own)
                               : groupVertices(static_cast<uint32_t>(runs.size()), primitives,
                                               image().launch.waveSize, own);
  std::optional<uint32_t> type = m_registers.outputPrimitive;
  unsigned vertices = primitives.empty() ? 0 : primitives.front().vertexCount;
  if (m_registers.isNgg && type && vertices && *type + 1 != vertices)
    return invalidInput("VGT_GS_OUT_PRIM_TYPE is " + Twine(*type) + ", but the primitives have " +
                        Twine(vertices) + " vertices");
  m_exports.assign(m_groups.slots, {});
  m_primitiveExports.assign(m_registers.primitiveParameters ? primitives.size() : 0, {});
  return hasRing() ? mapRing() : Error::success();
}

/// Parameter p of lane v of a workgroup is 16 bytes at (v / 32) * P * 512 + p * 512 + (v % 32) *
/// 16, for P parameters: an element size of 16 and an index stride of 32 (RADV's
/// radv_fill_shader_rings and ac_build_attr_ring_descriptor, PAL's VertexAttributeRing).
static constexpr uint64_t ringUnit = 512, ringLanes = 32, parameterBytes = 16;
/// The most units that s5 tells code of (LGC: attribRingBase[14:0]).
static constexpr uint64_t maxRingUnits = 0x7fff;
/// The parts before it belong to workgroups of an earlier draw, so that the only workgroup of a
/// draw is not at the beginning of the ring, either.
static constexpr uint64_t firstRingPart = 1;
/// Between tables and scratch memory.
static constexpr uint64_t ringBase = 0x0000'1234'6000'0000;
/// RADV's RING_PS_ATTR, and PAL's ShaderRingSrd::VertexAttributes.
static constexpr unsigned radvAttributeRing = 10, palAttributeRing = 11;

/// Bytes of the attribute ring that one workgroup has.
uint64_t VertexLaunch::ringBytesOfGroup() const {
  return image().launch.threadCount() / ringLanes * ringUnit * m_registers.parameterExports;
}

/// Byte offset of a parameter in the ring. \p lane counts in the workgroup, for vertices and
/// primitives alike.
uint64_t VertexLaunch::ringPlace(uint64_t group, unsigned lane, unsigned parameter) const {
  return (firstRingPart + group) * ringBytesOfGroup() +
         (lane / ringLanes * m_registers.parameterExports + parameter) * ringUnit +
         lane % ringLanes * parameterBytes;
}

/// Maps the ring and writes its descriptor where the driver would have it.
Error VertexLaunch::mapRing() {
  uint64_t bytes =
      std::max<uint64_t>((firstRingPart + groupCount()) * ringBytesOfGroup(), ringUnit);
  if (bytes / ringUnit > maxRingUnits)
    return limitExceeded("gcn machine: an attribute ring of " + Twine(bytes) + " bytes");
  m_ring = memory().allocate(ringBase, bytes, "attribute ring", true, 0xfb);
  BufferDescriptor descriptor = makeRawBuffer(ringBase, 0, target().major);
  descriptor.records = static_cast<uint32_t>(m_ring.size());
  descriptor.swizzle = isPlanted(LaunchFault::RingSwizzle) ? 1 : 3;
  descriptor.indexStride = 2;
  descriptor.oobSelect = 0;
  if (m_registers.hasPalRing) {
    descriptor.stride = parameterBytes;
    descriptor.records /= parameterBytes;
    descriptor.oobSelect = 2; // SQ_OOB_NUM_RECORDS_0 (PAL, InitBufferSrd).
  }
  auto words = encodeBufferDescriptor(descriptor, target().major);
  auto table = m_registers.hasPalRing ? globalTable() : ringTable();
  unsigned entry = m_registers.hasPalRing ? palAttributeRing : radvAttributeRing;
  std::memcpy(table.data() + entry * sizeof(words), words.data(), sizeof(words));
  return Error::success();
}

/// Copies parameters from the ring to the exports, after all workgroups have ended.
void VertexLaunch::readRing() {
  if (!hasRing())
    return;
  auto read = [&](size_t group, unsigned lane, unsigned parameter, ParameterValues &values) {
    std::memcpy(values[parameter].data(), m_ring.data() + ringPlace(group, lane, parameter),
                parameterBytes);
  };
  for (auto [index, group] : enumerate(m_groups.groups)) {
    for (unsigned lane = 0; lane < group.vertices.size(); ++lane)
      for (unsigned parameter = 0; parameter < vertexParameters(); ++parameter)
        read(index, lane, parameter, m_exports[group.firstSlot + lane].parameters);
    for (auto [lane, primitive] : enumerate(group.primitives))
      for (unsigned i = vertexParameters(); i < m_registers.parameterExports; ++i)
        read(index, unsigned(lane), i, m_primitiveExports[primitive.number]);
  }
}

/// The number that code gets, to which it adds the base vertex itself.
uint32_t VertexLaunch::vertexNumber(const raster::VertexInvocation &run) const {
  if (isPlanted(LaunchFault::BaseVertex))
    return run.vertexIndex;
  return run.vertexIndex - static_cast<uint32_t>(m_inputs.baseVertex);
}

/// VGPRs after the vertex number; GFX9 has the instance first, later chips last.
void VertexLaunch::setVsInputs(Wave &wave, const VertexGroup &group, unsigned count) const {
  const LaunchState &launch = image().launch;
  if (target().major < 11 && launch.scratchOffset)
    wave.s[launch.userSgprs.size()] = 0;
  unsigned instance = target().major >= 10 ? 3 : 1;
  if (isPlanted(LaunchFault::InstanceVgpr))
    --instance;
  unsigned primitive = 2;
  for (unsigned lane = 0; lane < count; ++lane) {
    const VertexLane &vertex = group.vertices[lane];
    const raster::VertexInvocation &run = m_runs[vertex.run];
    setVgpr(wave, 0, lane, vertexNumber(run));
    if (instance <= m_registers.vgprComponents)
      setVgpr(wave, instance, lane, run.instance);
    if (primitive <= m_registers.vgprComponents)
      setVgpr(wave, primitive, lane, vertex.primitiveId);
  }
}

/// How many of \p all things lanes from \p first on of a wave represent.
static unsigned countInWave(size_t all, size_t first, unsigned waveSize) {
  return static_cast<unsigned>(all <= first ? 0 : std::min<size_t>(all - first, waveSize));
}

/// Sets the registers of ES: the vertex number and, if it is loaded, the instance.
void VertexLaunch::setVertexVgprs(Wave &wave, unsigned lane, const VertexLane &vertex) const {
  bool isNew = target().major >= 12;
  const raster::VertexInvocation &run = m_runs[vertex.run];
  setVgpr(wave, isNew ? 3 : 5, lane, vertexNumber(run));
  unsigned instance = (isNew ? 4 : 8) - (isPlanted(LaunchFault::InstanceVgpr) ? 1 : 0);
  if (m_registers.vgprComponents >= (isNew ? 1 : 3))
    setVgpr(wave, instance, lane, run.instance);
}

/// Lanes of the primitive's vertices: packed, 10 bits each (GFX12: 9), or two halves and one.
void VertexLaunch::setPrimitiveVgprs(Wave &wave, unsigned lane,
                                     const GroupPrimitive &primitive) const {
  bool isNew = target().major >= 12;
  unsigned components = m_registers.gsVgprComponents;
  auto [first, second, third] = primitive.vertices;
  unsigned fieldBits = (isNew ? 9 : 10) - (isPlanted(LaunchFault::PrimitiveFields) ? 1 : 0);
  if (m_registers.isPassthrough || isNew) {
    setVgpr(wave, 0, lane, first | second << fieldBits | third << 2 * fieldBits);
  } else {
    setVgpr(wave, 0, lane, first | second << 16);
    if (components >= 1)
      setVgpr(wave, 1, lane, third);
  }
  if (components >= (isNew ? 1 : 2))
    setVgpr(wave, isNew ? 1 : 2, lane, primitive.primitiveId);
}

/// SGPRs 0 to 7, and VGPRs of GS and then of ES, of which as many are loaded as the registers say.
void VertexLaunch::setNggInputs(Wave &wave, const VertexGroup &group) const {
  if (!m_registers.hasPalRing) {
    wave.s[0] = static_cast<uint32_t>(ringTableAddress());
    wave.s[1] = static_cast<uint32_t>(ringTableAddress() >> 32);
  }
  size_t first = size_t(wave.number) * wave.waveSize;
  unsigned vertices = countInWave(group.vertices.size(), first, wave.waveSize);
  unsigned primitives = countInWave(group.primitives.size(), first, wave.waveSize);
  // gs_tg_info, and merged_wave_info with the wave's number and how many there are.
  wave.s[2] = static_cast<uint32_t>(group.vertices.size()) << 12 | uint32_t(group.primitives.size())
                                                                       << 22;
  bool isSwapped = isPlanted(LaunchFault::WaveCounts);
  unsigned counts = isSwapped ? primitives | vertices << 8 : vertices | primitives << 8;
  wave.s[3] = counts | wave.number << 24 | wave.group->waveCount << 28;
  wave.s[4] = 0;
  if (target().major < 11)
    wave.s[5] = scratchOffsetOf(wave.number);
  else if (isPlanted(LaunchFault::RingBase))
    wave.s[5] = 0;
  else // Where in the attribute ring.
    wave.s[5] = static_cast<uint32_t>(ringPlace(wave.group->index, 0, 0) / ringUnit);
  for (unsigned lane = 0; lane < vertices; ++lane)
    setVertexVgprs(wave, lane, group.vertices[first + lane]);
  for (unsigned lane = 0; lane < primitives; ++lane)
    setPrimitiveVgprs(wave, lane, group.primitives[first + lane]);
}

/// What the exports of a workgroup are checked by.
std::unique_ptr<ExportPlan> VertexLaunch::makePlan(const VertexGroup &group) const {
  auto plan = std::make_unique<ExportPlan>();
  plan->stage = m_registers.isNgg ? ExportStage::Ngg : ExportStage::Vertex;
  plan->vertices = static_cast<unsigned>(group.vertices.size());
  plan->primitives = static_cast<unsigned>(group.primitives.size());
  for (uint32_t left = m_registers.posFormat; left; left >>= 4)
    plan->positions += (left & 0xf) != 0;
  if (!hasRing())
    plan->parameters = m_registers.parameterExports;
  plan->primitiveParameters = m_registers.primitiveParameters;
  plan->ringParameters = hasRing() ? m_registers.parameterExports : 0;
  if (m_registers.isNgg && m_registers.usesPrimitiveId) {
    plan->provokes.assign(group.vertices.size(), false);
    for (const GroupPrimitive &primitive : group.primitives)
      plan->provokes[primitive.provoking] = true;
  }
  plan->sendsRequest = m_registers.isNgg && !m_registers.sendsNoRequest;
  for (const GroupPrimitive &primitive : group.primitives)
    plan->connectivity.push_back(primitive.vertices);
  return plan;
}

/// \p index counts the workgroups of setRuns(). Waves are as many as its larger list of lanes
/// needs.
Workgroup VertexLaunch::makeGroup(uint64_t index) {
  Workgroup group = Launch::makeGroup(index);
  const VertexGroup &members = m_groups.groups[index];
  auto lanes = static_cast<unsigned>(std::max(members.vertices.size(), members.primitives.size()));
  group.waveCount = (lanes + image().launch.waveSize - 1) / image().launch.waveSize;
  std::unique_ptr<ExportPlan> plan = makePlan(members);
  group.exportPlan = plan.get();
  group.observers.push_back(std::move(plan));
  if (hasRing()) {
    group.ringBegin = ringBase;
    group.ringEnd = ringBase + m_ring.size();
  }
  return group;
}

/// A wave that has nothing to do is done at once.
std::unique_ptr<Wave> VertexLaunch::makeWave(Workgroup &group, unsigned number, const uint32_t *) {
  std::unique_ptr<Wave> wave = makeBareWave(group, number);
  const VertexGroup &members = m_groups.groups[group.index];
  if (number >= group.waveCount) { // Smaller workgroups have fewer waves.
    wave->status = WaveStatus::Done;
  } else if (m_registers.isNgg) {
    setNggInputs(*wave, members);
  } else {
    auto count = static_cast<unsigned>(members.vertices.size());
    wave->setExec(count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1);
    setVsInputs(*wave, members, count);
  }
  return wave;
}

/// Copies one position export to the vertices of the wave; \p firstLane is the wave's first in the
/// workgroup.
void VertexLaunch::takePosition(const ExportRecord &record, const VertexGroup &group,
                                unsigned firstLane) {
  unsigned index = record.place.index;
  forEachValue(record, [&](unsigned lane, unsigned c, uint32_t value) {
    if (index >= 5 || firstLane + lane >= group.vertices.size())
      return;
    VertexExports &into = m_exports[group.firstSlot + firstLane + lane];
    into.positions[index][c] = value;
    into.positionMask[index] |= uint8_t(1u << c);
  });
}

/// The last parameters are those of primitives.
void VertexLaunch::takeParameter(const ExportRecord &record, const VertexGroup &group,
                                 unsigned firstLane) {
  unsigned index = record.place.index;
  bool isOfPrimitive =
      m_registers.isNgg && m_registers.primitiveParameters && index >= vertexParameters();
  size_t count = isOfPrimitive ? group.primitives.size() : group.vertices.size();
  forEachValue(record, [&](unsigned lane, unsigned c, uint32_t value) {
    size_t member = firstLane + lane;
    if (index >= MaxParameters || member >= count)
      return;
    ParameterValues &into = isOfPrimitive ? m_primitiveExports[group.primitives[member].number]
                                          : m_exports[group.firstSlot + member].parameters;
    into[index][c] = value;
  });
}

void VertexLaunch::takeResult(const Wave &wave) {
  const VertexGroup &group = m_groups.groups[wave.group->index];
  unsigned firstLane = wave.number * wave.waveSize;
  for (const ExportRecord &record : wave.exports) {
    if (record.place.target == ExportTarget::Position)
      takePosition(record, group, firstLane);
    else if (record.place.target == ExportTarget::Parameter)
      takeParameter(record, group, firstLane);
  }
}

/// The exports that a primitive interpolates. \p whole is the primitive before clipping; vertices
/// are looked up there by run.
PrimitiveExports VertexLaunch::exportsOf(const raster::FragmentPrimitive &primitive,
                                         const raster::AssembledPrimitive &whole) const {
  PrimitiveExports result;
  const std::array<uint32_t, 3> &slots = m_groups.primitiveSlots[primitive.number];
  auto slotOf = [&](uint32_t run) {
    const auto *found = find(whole.vertices, run);
    return slots[found == whole.vertices.end() ? 0 : found - whole.vertices.begin()];
  };
  for (auto [to, run] : zip_equal(result.vertices, primitive.vertices))
    to = &m_exports[slotOf(run)];
  result.provoking = &m_exports[slotOf(primitive.provoking)];
  if (!m_primitiveExports.empty())
    result.primitive = &m_primitiveExports[primitive.number];
  return result;
}
