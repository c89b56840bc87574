// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources as for oracles/machine/gcn/graphics (VertexLaunch.h, PixelLaunch.h, ExportFormats.h).
#include "oracles/machine/ir/LoweredStage.h"

#include "oracles/machine/gcn/graphics/ExportFormats.h"
#include "oracles/machine/gcn/memory/BufferDescriptor.h"
#include "support/Error.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::irm;

// --- Tables

/// A table of vertex buffers has an entry for each binding that there may be; the global table has
/// the descriptor of the attribute ring (PAL, ShaderRingSrd).
static constexpr unsigned mostBindings = 32, descriptorBytes = 16, ringEntry = 11,
                          globalEntries = 16;
/// Of one wave: all parameters of all lanes, after a unit that is not its own.
static constexpr unsigned parameterBytes = 16, ringUnit = 512, ringUnits = 1 + 64 * 32 * 16 / 512;
/// Address of the attribute ring.
static constexpr uint64_t ringBase = 0x0000'1234'6000'0000;

/// Writes \p descriptor as entry number \p entry of \p table.
static void writeDescriptor(MutableArrayRef<uint8_t> table, unsigned entry,
                            const gcn::BufferDescriptor &descriptor, unsigned gfxMajor) {
  auto words = gcn::encodeBufferDescriptor(descriptor, gfxMajor);
  std::memcpy(table.data() + size_t(entry) * descriptorBytes, words.data(), descriptorBytes);
}

/// Maps a table with a descriptor for each vertex buffer of the pipeline. Bindings from
/// mostBindings on are left out.
void StageLaunch::mapVertexBuffers(const CasePipeline &pipeline, ArrayRef<BufferState> buffers,
                                   ArrayRef<uint64_t> addresses) {
  auto table = addTable(mostBindings * descriptorBytes, "vertex buffers", m_tables.vertexBuffers);
  for (const VertexInputBinding &layout : pipeline.description.graphics.input.bindings)
    for (const VertexBuffer &source : pipeline.draw.vertexBuffers) {
      if (source.binding != layout.binding || layout.binding >= mostBindings)
        continue;
      uint64_t size = buffers[source.buffer].bytes.size();
      uint64_t bytes = size - std::min<uint64_t>(size, source.offset);
      gcn::BufferDescriptor descriptor =
          gcn::makeRawBuffer(addresses[source.buffer] + source.offset, 0, target().major);
      descriptor.stride = layout.stride;
      // The last element counts even where the buffer ends within it.
      descriptor.records =
          static_cast<uint32_t>(layout.stride ? divideCeil(bytes, layout.stride) : bytes);
      descriptor.oobSelect = layout.stride ? 1 : 3;
      writeDescriptor(table, layout.binding, descriptor, target().major);
    }
}

/// Not swizzled, so that a lane's parameters are one after the other; shaders may not rely on how
/// the driver has it.
void StageLaunch::mapRing() {
  (void)memory().allocate(ringBase, uint64_t(ringUnits) * ringUnit, "attribute ring", true, 0xfb);
  gcn::BufferDescriptor descriptor = gcn::makeRawBuffer(ringBase, 0, target().major);
  descriptor.stride = parameterBytes;
  descriptor.records = ringUnits * ringUnit / parameterBytes;
  descriptor.oobSelect = 2;
  auto table = addTable(globalEntries * descriptorBytes, "global table", m_tables.global);
  writeDescriptor(table, ringEntry, descriptor, target().major);
  m_tables.ringOffset = 1;
}

/// Maps the tables of vertex buffers and the attribute ring, and returns their addresses.
const StageLaunch::Tables &StageLaunch::mapTables(const CasePipeline &pipeline,
                                                  ArrayRef<BufferState> buffers,
                                                  ArrayRef<uint64_t> addresses) {
  mapVertexBuffers(pipeline, buffers, addresses);
  mapRing();
  return m_tables;
}

/// Returns the address of one of \p count parameters of a lane.
uint64_t StageLaunch::getRingAddress(unsigned lane, unsigned parameter, unsigned count) {
  return ringBase + ringUnit + (uint64_t(lane) * count + parameter) * parameterBytes;
}

// --- Registers of vertices

/// Numbers of lgc.stage.input (compiler/amdgpu/passes/graphics/StageInputs.h).
enum : uint32_t {
  GlobalTable = 0,
  VertexBufferTable = 1,
  BaseVertex = 2,
  BaseInstance = 3,
  DrawIndex = 4,
  ViewIndex = 5,
  VertexId = 8,
  InstanceId = 9,
  PrimitiveId = primitiveIdInput,
  GroupInfo = 12,
  WaveInfo = 13,
  RingOffset = 14,
  PrimitiveData = 15,
  PrimitiveMask = 16,
  PerspectiveSample = 32,
  PerspectiveCenter = 33,
  PerspectiveCentroid = 34,
  PerspectivePullModel = 35,
  LinearSample = 36,
  LinearCentroid = 38,
  PositionX = 40,
  PositionW = 43,
  FaceOfPrimitive = 44,
  Ancillary = 45,
  SampleCoverage = 46,
  FixedPosition = 47,
};

using Words = HardwareInputs::Words;

/// An input in one register.
static Words one(uint32_t word) {
  return {word, 0, 0};
}

/// The vertex number is relative to the base vertex, as hardware has it.
std::optional<Words> VertexHardware::readRegister(unsigned lane, uint32_t number) const {
  const raster::VertexInvocation &run = m_runs[lane];
  auto base =
      static_cast<uint32_t>(m_draw.indexed ? m_draw.vertexOffset : int32_t(m_draw.firstVertex));
  auto vertices = static_cast<uint32_t>(m_runs.size());
  uint32_t primitives = m_primitiveId ? 1 : 0;
  switch (number) {
  case GlobalTable:
    return one(m_tables.global);
  case VertexBufferTable:
    return one(m_tables.vertexBuffers);
  case BaseVertex:
    return one(base);
  case BaseInstance:
    return one(m_draw.firstInstance);
  case DrawIndex:
  case ViewIndex:
    return one(0);
  case VertexId:
    return one(run.vertexIndex - base);
  case InstanceId:
    return one(run.instance);
  case PrimitiveId:
    return one(m_primitiveId.value_or(0));
  case GroupInfo:
    return one(vertices << 12 | primitives << 22);
  case WaveInfo: // The first wave of its workgroup.
    return one(vertices | primitives << 8);
  case RingOffset:
    return one(m_tables.ringOffset);
  case PrimitiveData: // All vertices of the primitive are lane 0.
    return one(0);
  default:
    return std::nullopt;
  }
}

// --- Registers of fragments

/// What FLAT_SHADE and the weights of a primitive are made of.
static unsigned countVertices(raster::PrimitiveKind kind) {
  return static_cast<unsigned>(kind) + 1; // Points, lines, triangles.
}

/// \p number rounded to f32, as bits.
static uint32_t floatBits(double number) {
  return toBits(number, InterfaceFormat::F32);
}

/// I and J: the weights of the second and the third vertex. Of a point, the place in it.
Words FragmentHardware::makeWeights(unsigned lane, uint32_t number) const {
  const raster::Quad &quad = m_quads[lane / 4];
  bool isCentroid = number == PerspectiveCentroid || number == LinearCentroid;
  raster::Place place =
      isCentroid ? quad.fragments[lane % 4].centroid : quad.getPlace(lane % 4, m_stage.samples);
  raster::Weights weights = number >= LinearSample
                                ? m_primitive.interpolation.getLinear(place)
                                : m_primitive.interpolation.getPerspective(place);
  double i = weights[1].middle(), j = weights[2].middle();
  if (m_primitive.kind == raster::PrimitiveKind::Point) {
    raster::Place inPoint = m_primitive.getPointCoord(place);
    i = inPoint.x.middle();
    j = inPoint.y.middle();
  }
  if (number != PerspectivePullModel)
    return {floatBits(i), floatBits(j), 0};
  double inverse = m_primitive.interpolation.getInverseW(place).middle();
  return {floatBits(i * inverse), floatBits(j * inverse), floatBits(inverse)};
}

/// SPI_BARYC_CNTL.POS_FLOAT_LOCATION says where of samples.
uint32_t FragmentHardware::makePosition(unsigned lane, uint32_t element) const {
  enum : unsigned { Center, Centroid, Sample };
  raster::Quad quad = m_quads[lane / 4];
  unsigned location = m_stage.registers.barycentrics >> 16 & 3;
  double depth = quad.fragments[lane % 4].depth.middle();
  if (location == Center)
    quad.sample = std::nullopt;
  raster::Place place = location == Centroid ? quad.fragments[lane % 4].centroid
                                             : quad.getPlace(lane % 4, m_stage.samples);
  const double numbers[] = {place.x.middle(), place.y.middle(), depth,
                            1 / m_primitive.interpolation.getInverseW(place).middle()};
  return floatBits(numbers[element]);
}

/// The face is all ones or 0, or else 1 or -1 as a float, as SPI_BARYC_CNTL asks for.
std::optional<Words> FragmentHardware::readRegister(unsigned lane, uint32_t number) const {
  constexpr unsigned FrontFaceAllBits = 24; // Of SPI_BARYC_CNTL.
  const raster::Quad &quad = m_quads[lane / 4];
  bool isFront = m_primitive.isFrontFacing != raster::Answer::No;
  if (number >= PerspectiveSample && number <= LinearCentroid)
    return makeWeights(lane, number);
  if (number >= PositionX && number <= PositionW)
    return one(makePosition(lane, number - PositionX));
  switch (number) {
  case ViewIndex:
  case PrimitiveMask:
    return one(0);
  case FaceOfPrimitive:
    if (m_stage.registers.barycentrics >> FrontFaceAllBits & 1)
      return one(isFront ? ~0u : 0);
    return one(floatBits(isFront ? 1 : -1));
  case Ancillary:
    return one(uint32_t(quad.sample.value_or(0)) << 8 | m_primitive.layer << 16);
  case SampleCoverage:
    return one(quad.fragments[lane % 4].coverage.possible);
  case FixedPosition:
    return one((uint32_t(quad.x) + (lane & 1)) | (uint32_t(quad.y) + (lane >> 1 & 1)) << 16);
  default:
    return std::nullopt;
  }
}

/// The bits of outputs that have the two halves of component \p place; one that is not written is
/// 0. Nothing where neither is.
static std::optional<uint32_t>
findHalves(const std::map<InterfacePlace, StageOutputs::Output> &outputs, InterfacePlace place) {
  std::optional<uint32_t> bits;
  for (uint32_t half = 0; half < 2; ++half) {
    auto found = outputs.find({place.location, firstHalf + 2 * place.component + half, 0});
    if (found == outputs.end() || found->second.value.isPoison)
      continue;
    auto value = static_cast<uint32_t>(found->second.value.bits.getZExtValue()) & 0xffff;
    bits = bits.value_or(0) | value << 16 * half;
  }
  return bits;
}

/// As a parameter has it: halves are floats, unless two of them share a component.
std::optional<uint32_t> FragmentHardware::findParameter(uint32_t vertex,
                                                        InterfacePlace place) const {
  const auto &outputs = m_vertices[vertex].outputs;
  auto found = outputs.find(place);
  if (found == outputs.end())
    return findHalves(outputs, place);
  if (found->second.value.isPoison)
    return std::nullopt;
  auto bits = static_cast<uint32_t>(found->second.value.bits.getZExtValue());
  if (found->second.format != InterfaceFormat::F16 || found->second.isWidened)
    return bits;
  return floatBits(toNumber(bits, InterfaceFormat::F16, /*isSigned=*/false));
}

/// Of the parameter that is the place in a point: 0, S, T or 1 (SPI_INTERP_CONTROL_0).
static Words makePointCoordinate(uint32_t channel) {
  Words words = {};
  if (channel != 2)
    words[channel < 2 ? channel + 1 : 0] = floatBits(1);
  return words;
}

/// \p to minus \p from: two halves, each rounded.
static uint32_t subtractHalves(uint32_t to, uint32_t from) {
  uint32_t bits = 0;
  for (unsigned shift : {0, 16}) {
    auto number = [&](uint32_t word) {
      return toNumber(word >> shift & 0xffff, InterfaceFormat::F16, /*isSigned=*/false);
    };
    bits |= toBits(number(to) - number(from), InterfaceFormat::F16) << shift;
  }
  return bits;
}

/// P10 and P20 are differences to P0. Flat attributes have the provoking vertex in P0; what the
/// others have does not count.
std::optional<Words> FragmentHardware::readParameter(uint32_t attribute, uint32_t channel) const {
  if (attribute >= m_stage.rows.interpolants.size())
    return std::nullopt;
  const StageRows::Interpolant &row = m_stage.rows.interpolants[attribute];
  if (!row.location)
    return makePointCoordinate(channel);
  InterfacePlace place{*row.location, channel, 0};
  Words words = {};
  for (unsigned i = 0; i < countVertices(m_primitive.kind); ++i) {
    bool isProvoking = row.isFlat && i == 0;
    auto bits = findParameter(isProvoking ? m_primitive.provoking : m_primitive.vertices[i], place);
    if (!bits && !(row.isFlat && i > 0)) // Flat inputs are of one vertex.
      return std::nullopt;
    words[i] = bits.value_or(0);
  }
  auto number = [](uint32_t bits) { return toNumber(bits, InterfaceFormat::F32, false); };
  for (unsigned i = 1; !row.isFlat && i < countVertices(m_primitive.kind); ++i)
    words[i] = row.hasHalves ? subtractHalves(words[i], words[0])
                             : floatBits(number(words[i]) - number(words[0]));
  return words;
}

// --- Exports

/// Targets of exports (AMD's ISA manuals, "Exports").
enum : uint32_t { DepthTarget = 8, PositionTarget = 12, DualTarget = 21, ParameterTarget = 32 };

/// The bits of \p scalar; poison becomes some number.
static uint32_t bitsOf(const ir::Scalar &scalar) {
  return static_cast<uint32_t>(ir::frozenBits(scalar).getZExtValue());
}

/// Parameters come from the ring if it has them, else from exports.
Expected<raster::VertexOutput> irm::takeVertexExports(const StageRows &rows,
                                                      ArrayRef<uint32_t> ring, StageOutputs &lane) {
  const gcn::VertexRegisters registers = gcn::readVertexRegisters(rows.registers);
  gcn::VertexExports exports;
  for (const auto &[target, values] : lane.exports) {
    uint32_t index = target - PositionTarget;
    if (index >= exports.positions.size())
      continue;
    for (unsigned c = 0; c < 4; ++c)
      exports.positions[index][c] = bitsOf(values.values[c]);
    exports.positionMask[index] = values.enabled;
  }
  for (const StageRows::Parameter &row : rows.parameters)
    for (uint32_t c = 0; row.index < registers.parameterExports && c < 4; ++c) {
      StageOutputs::Output output;
      output.isWidened = true;
      if (size_t at = size_t(row.index) * 4 + c; at < ring.size())
        output.value = {APInt(32, ring[at])};
      else if (auto found = lane.exports.find(ParameterTarget + row.index);
               found != lane.exports.end() && found->second.enabled >> c & 1)
        output.value = found->second.values[c];
      else
        continue;
      lane.outputs[{row.location, c, 0}] = output;
    }
  return gcn::decodeVertex(exports, registers);
}

/// Copies the enabled registers of one export into slot \p slot. A compressed export has a pair of
/// 16 bits in each, and two mask bits.
static void takeSlot(const StageOutputs::Export &from, unsigned slot, gcn::PixelExports &into) {
  into.isPacked[slot] = from.isCompressed;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned enabled = from.isCompressed ? from.enabled >> 2 * i & 3 : from.enabled >> i & 1;
    if (!enabled)
      continue;
    into.values[slot][i] = bitsOf(from.values[i]);
    into.mask[slot] |= uint8_t(1u << i);
  }
}

/// From GFX11 on both sources are in the two lanes of a pair: of even lanes in the first export, of
/// odd lanes in the second.
static void takeDualSource(ArrayRef<StageOutputs> wave, unsigned lane, gcn::PixelExports &into) {
  for (unsigned source = 0; source < 2; ++source) {
    const auto &exports = wave[(lane & ~1u) + source].exports;
    auto found = exports.find(DualTarget + (lane & 1));
    if (found != exports.end())
      takeSlot(found->second, source, into);
  }
}

/// Exports to targets up to DepthTarget are slots of their own; dual-source exports are joined from
/// the pair of lanes.
raster::FragmentOutput irm::takeFragmentExports(const gcn::PixelRegisters &registers,
                                                const GraphicsState &state,
                                                ArrayRef<StageOutputs> wave, unsigned lane) {
  gcn::PixelExports exports;
  exports.isDone = exports.isKept = true;
  for (const auto &[target, values] : wave[lane].exports)
    if (target <= DepthTarget)
      takeSlot(values, target, exports);
  takeDualSource(wave, lane, exports);
  std::vector<const TexelFormatInfo *> targets;
  for (const ColorTarget &target : state.colorTargets)
    targets.push_back(target.format == TexelFormat::Undefined ? nullptr
                                                              : &getTexelFormatInfo(target.format));
  return gcn::decodePixel(exports, registers, targets, gcn::usesDualSource(state));
}
