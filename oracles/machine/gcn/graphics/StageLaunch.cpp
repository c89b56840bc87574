// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/graphics/StageLaunch.h"

#include "oracles/machine/gcn/BufferDescriptor.h"
#include "oracles/machine/gcn/Interpolation.h"
#include "oracles/machine/gcn_alu/Numerics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static constexpr uint32_t oneGroup[3] = {1, 1, 1};

static uint64_t lowBits(unsigned count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

static void setVgpr(Wave &wave, unsigned index, unsigned lane, uint32_t value) {
  if (index < wave.v.size())
    wave.v[index][lane] = value;
}

static uint32_t floatBits(double value) {
  return bit_cast<uint32_t>(static_cast<float>(value));
}

/// Calls \p take(lane, register, bits) for everything that \p record exports. Compressed exports
/// have two registers, each with two enable bits.
template <typename Take> static void forEachValue(const ExportRecord &record, Take take) {
  unsigned bitsPerRegister = record.isCompressed ? 2 : 1;
  for (uint64_t left = record.exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    for (unsigned i = 0; i < 4 / bitsPerRegister; ++i)
      if (record.enabled >> i * bitsPerRegister & ((1u << bitsPerRegister) - 1))
        take(lane, i, record.values[i][lane]);
  }
}

// --- Vertices

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
  mapVertexBuffers();
}

/// PAL's vertex buffer views (Gfx9 CmdSetVertexBuffers) and RADV's (radv_write_vertex_descriptors)
/// agree: with a stride, the count of elements that lie in the buffer whole, and bounds by index.
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
      descriptor.stride = source->stride;
      descriptor.records =
          static_cast<uint32_t>(source->stride ? source->bytes / source->stride : source->bytes);
      descriptor.oobSelect = source->stride ? 1 : 3;
    }
    auto words = encodeBufferDescriptor(descriptor, target().major);
    std::memcpy(table.data() + slot * DescriptorBytes, words.data(), DescriptorBytes);
  }
  drawValues[UserValue::VertexBuffers] = address;
}

void VertexLaunch::setRuns(ArrayRef<raster::VertexInvocation> runs,
                           MutableArrayRef<VertexExports> exports, uint32_t primitiveId) {
  m_primitiveId = primitiveId;
  m_runs = runs;
  m_exports = exports;
  if (hasRing())
    mapRing();
}

// Parameter p of vertex v of a wave is 16 bytes at (v / 32) * P * 512 + p * 512 + (v % 32) * 16,
// for P parameters: an element size of 16 and an index stride of 32 (RADV's radv_fill_shader_rings
// and ac_build_attr_ring_descriptor).
static constexpr uint64_t ringUnit = 512, ringLanes = 32, parameterBytes = 16;
/// Between tables and scratch memory.
static constexpr uint64_t ringBase = 0x0000'1234'6000'0000;
/// RADV's RING_PS_ATTR, and PAL's ShaderRingSrd::VertexAttributes.
static constexpr unsigned radvAttributeRing = 10, palAttributeRing = 11;

uint64_t VertexLaunch::ringBytesOfWave() const {
  return image().launch.waveSize / ringLanes * ringUnit * m_registers.parameterExports;
}

/// The first dispatch of a draw has the most vertices.
void VertexLaunch::mapRing() {
  uint64_t bytes = std::max<uint64_t>(groupCount() * ringBytesOfWave(), ringUnit);
  if (m_ring.empty())
    m_ring = memory().allocate(ringBase, bytes, "attribute ring", true, 0xfb);
  BufferDescriptor descriptor = makeRawBuffer(ringBase, 0, target().major);
  descriptor.records = static_cast<uint32_t>(m_ring.size());
  descriptor.swizzle = 3;
  descriptor.indexStride = 2;
  descriptor.oobSelect = 0;
  if (m_registers.hasPalRing) { // PAL: VertexAttributeRing, InitBufferSrd.
    descriptor.stride = parameterBytes;
    descriptor.records /= parameterBytes;
    descriptor.oobSelect = 2; // SQ_OOB_NUM_RECORDS_0
  }
  auto words = encodeBufferDescriptor(descriptor, target().major);
  auto table = m_registers.hasPalRing ? globalTable() : ringTable();
  unsigned entry = m_registers.hasPalRing ? palAttributeRing : radvAttributeRing;
  std::memcpy(table.data() + entry * sizeof(words), words.data(), sizeof(words));
}

void VertexLaunch::readRing() {
  if (!hasRing())
    return;
  unsigned lanes = image().launch.waveSize;
  for (size_t i = 0; i < m_exports.size(); ++i) {
    uint64_t base = i / lanes * ringBytesOfWave() +
                    i % lanes / ringLanes * ringUnit * m_registers.parameterExports +
                    i % ringLanes * parameterBytes;
    for (unsigned parameter = 0; parameter < m_registers.parameterExports; ++parameter)
      std::memcpy(m_exports[i].parameters[parameter].data(),
                  m_ring.data() + base + parameter * ringUnit, parameterBytes);
  }
}

unsigned VertexLaunch::groupCount() const {
  unsigned lanes = image().launch.waveSize;
  return static_cast<unsigned>((m_runs.size() + lanes - 1) / lanes);
}

/// VGPRs behind the vertex number; GFX9 has the instance first, later chips last.
void VertexLaunch::setVsInputs(Wave &wave, size_t first, unsigned count) const {
  const LaunchState &launch = image().launch;
  if (target().major < 11 && launch.scratchOffset)
    wave.s[launch.userSgprs.size()] = 0;
  unsigned instance = target().major >= 10 ? 3 : 1;
  unsigned primitive = 2;
  for (unsigned lane = 0; lane < count; ++lane) {
    const raster::VertexInvocation &run = m_runs[first + lane];
    setVgpr(wave, 0, lane, run.vertexIndex - static_cast<uint32_t>(m_inputs.baseVertex));
    if (instance <= m_registers.vgprComponents)
      setVgpr(wave, instance, lane, run.instance);
    if (primitive <= m_registers.vgprComponents)
      setVgpr(wave, primitive, lane, m_primitiveId);
  }
}

/// radv_shader_args.c, GS with a previous stage; LGC's ShaderMerger and NggPrimShader: SGPRs 0 to
/// 7, and VGPRs of GS and then of ES, of which as many are loaded as the registers say. Vertex
/// numbers of a primitive: packed, 10 bits each (GFX12: 9), or two halves and one.
void VertexLaunch::setNggInputs(Wave &wave, size_t first, unsigned count) const {
  bool isNew = target().major >= 12;
  if (!m_registers.hasPalRing) {
    wave.s[0] = static_cast<uint32_t>(ringTableAddress());
    wave.s[1] = static_cast<uint32_t>(ringTableAddress() >> 32);
  }
  wave.s[2] = count << 12 | count << 22;     // gs_tg_info: vertices and primitives.
  wave.s[3] = count | count << 8 | 1u << 28; // merged_wave_info: the same, and one wave.
  wave.s[4] = 0;
  wave.s[5] = target().major >= 11 // Where in the attribute ring; up to GFX10, scratch.
                  ? static_cast<uint32_t>(wave.group->index * ringBytesOfWave() / ringUnit)
                  : 0;
  constexpr unsigned none = ~0u;
  unsigned vertex = isNew ? 3 : 5;
  unsigned instance = m_registers.vgprComponents < (isNew ? 1 : 3) ? none : isNew ? 4 : 8;
  unsigned primitive = m_registers.gsVgprComponents < (isNew ? 1 : 2) ? none : isNew ? 1 : 2;
  unsigned fieldBits = isNew ? 9 : 10;
  for (unsigned lane = 0; lane < count; ++lane) {
    const raster::VertexInvocation &run = m_runs[first + lane];
    uint32_t packed = lane | lane << fieldBits | lane << 2 * fieldBits;
    bool isPacked = m_registers.isPassthrough || isNew;
    setVgpr(wave, 0, lane, isPacked ? packed : lane | lane << 16);
    if (!isPacked && m_registers.gsVgprComponents >= 1)
      setVgpr(wave, 1, lane, lane);
    setVgpr(wave, primitive, lane, m_primitiveId);
    setVgpr(wave, vertex, lane, run.vertexIndex - static_cast<uint32_t>(m_inputs.baseVertex));
    setVgpr(wave, instance, lane, run.instance);
  }
}

unsigned VertexLaunch::countRuns(size_t first) const {
  return static_cast<unsigned>(std::min<size_t>(m_runs.size() - first, image().launch.waveSize));
}

Workgroup VertexLaunch::makeGroup(uint64_t index) {
  Workgroup group = Launch::makeGroup(index);
  if (hasRing()) {
    group.ringBegin = ringBase;
    group.ringEnd = ringBase + m_ring.size();
    group.ringLanes = countRuns(index * image().launch.waveSize);
  }
  return group;
}

std::unique_ptr<Wave> VertexLaunch::makeWave(Workgroup &group, unsigned number, const uint32_t *) {
  std::unique_ptr<Wave> wave = makeBareWave(group, number);
  const LaunchState &launch = image().launch;
  size_t first = group.index * launch.waveSize;
  unsigned count = countRuns(first);
  if (m_registers.isNgg) {
    setNggInputs(*wave, first, count);
  } else {
    wave->setExec(lowBits(count));
    setVsInputs(*wave, first, count);
  }
  return wave;
}

void VertexLaunch::takeResult(const Wave &wave) {
  size_t first = wave.group->index * wave.waveSize;
  for (unsigned lane = 0; lane < wave.waveSize && first + lane < m_exports.size(); ++lane)
    m_exports[first + lane] = {};
  auto exportsOf = [&](unsigned lane) -> VertexExports & { return m_exports[first + lane]; };
  for (const ExportRecord &record : wave.exports) {
    unsigned index = record.place.index;
    if (record.place.target == ExportTarget::Position && index < 5) {
      forEachValue(record, [&](unsigned lane, unsigned c, uint32_t value) {
        exportsOf(lane).positions[index][c] = value;
        exportsOf(lane).positionMask[index] |= uint8_t(1u << c);
      });
      for (uint64_t left = record.isDone ? record.exec : 0; left; left &= left - 1)
        exportsOf(static_cast<unsigned>(countr_zero(left))).isDone = true;
    } else if (record.place.target == ExportTarget::Parameter && index < MaxParameters) {
      forEachValue(record, [&](unsigned lane, unsigned c, uint32_t value) {
        exportsOf(lane).parameters[index][c] = value;
        exportsOf(lane).parameterMask[index] |= uint8_t(1u << c);
      });
    }
  }
}

// --- Fragments

namespace {

/// The bits of SPI_PS_INPUT_ENA and SPI_PS_INPUT_ADDR, in the order of their VGPRs.
enum class PixelInput : uint8_t {
  PerspectiveSample,
  PerspectiveCenter,
  PerspectiveCentroid,
  PerspectivePullModel,
  LinearSample,
  LinearCenter,
  LinearCentroid,
  LineStipple,
  X,
  Y,
  Z,
  W,
  FrontFace,
  Ancillary,
  SampleCoverage,
  FixedPosition,
};
constexpr std::array<uint8_t, 16> vgprsOfInput = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/// SPI_BARYC_CNTL.FRONT_FACE_ALL_BITS.
constexpr uint32_t frontFaceAllBits = 1u << 24;

struct InputControl {
  explicit InputControl(uint32_t word) : word(word) {}
  unsigned parameter() const { return word & 31; }
  bool isDefault() const { return word >> 5 & 1; }
  unsigned defaultValue() const { return word >> 8 & 3; }
  bool isFlat() const { return word >> 10 & 1; }
  bool isHalf() const { return word >> 19 & 1; }
  /// Whether half \p half of a pair of 16 bits is there.
  bool hasHalf(unsigned half) const { return word >> (24 + half) & 1; }
  uint32_t word;
};

} // namespace

std::string gcn::whyNotRunnable(const PixelRegisters &registers) {
  if (registers.inputEna >> unsigned(PixelInput::LineStipple) & 1)
    return "stippled lines";
  return "";
}

bool gcn::testsEarly(const PixelRegisters &registers) {
  return registers.shaderControl >> 12 & 1;
}

bool gcn::runsPerSample(const PixelRegisters &registers) {
  return registers.isPerSample;
}

PixelLaunch::PixelLaunch(CodeImage &image, const PixelRegisters &registers,
                         const TargetInfo &target, const CasePipeline &pipeline,
                         ArrayRef<DescriptorWords> descriptors, std::vector<BufferState> &buffers,
                         uint64_t seed)
    : Launch(image, target, pipeline, descriptors, oneGroup, buffers, seed), m_registers(registers),
      m_samples(pipeline.description.graphics.multisample.samples) {
  drawValues[UserValue::ViewIndex] = 0;
  // RADV's PS_STATE: the sample count in bits 3:0, the mask of samples of one run above it.
  drawValues[UserValue::PipelineState] = m_samples | 0xffu << 4;
}

void PixelLaunch::setQuads(const raster::FragmentPrimitive &primitive,
                           ArrayRef<VertexExports> vertices, ArrayRef<raster::Quad> quads,
                           MutableArrayRef<PixelExports> exports) {
  m_primitive = &primitive;
  m_vertices = vertices;
  m_quads = quads;
  m_exports = exports;
}

unsigned PixelLaunch::groupCount() const {
  return static_cast<unsigned>((m_quads.size() + quadsPerWave() - 1) / quadsPerWave());
}

/// DEFAULT_VAL: (0, 0, 0, 0), (0, 0, 0, 1), (1, 1, 1, 0), (1, 1, 1, 1).
static uint32_t defaultOf(unsigned code, unsigned channel) {
  bool isOne = channel == 3 ? code & 1 : code & 2;
  return isOne ? floatBits(1) : 0;
}

/// One dword of P10 or P20: \p to minus \p from, a float or two of 16 bits.
static uint32_t difference(uint32_t to, uint32_t from, InputControl control) {
  if (!control.isHalf())
    return floatBits(double(bit_cast<float>(to)) - double(bit_cast<float>(from)));
  uint32_t bits = 0;
  for (unsigned half = 0; half < 2; ++half) {
    auto number = [&](uint32_t word) {
      return widen(Half{static_cast<uint16_t>(word >> 16 * half)});
    };
    if (control.hasHalf(half))
      bits |= uint32_t(roundTo<Half>(number(to) - number(from), RoundEven).bits) << 16 * half;
  }
  return bits;
}

static unsigned countVertices(raster::PrimitiveKind kind) {
  return kind == raster::PrimitiveKind::Triangle ? 3 : kind == raster::PrimitiveKind::Line ? 2 : 1;
}

ParameterBlock PixelLaunch::makeParameters(unsigned attribute) const {
  InputControl control(m_registers.inputControl[attribute]);
  ParameterBlock block{};
  for (unsigned c = 0; c < 4; ++c) {
    if (control.isDefault()) {
      block[0][c] = defaultOf(control.defaultValue(), c);
      continue;
    }
    // A primitive is a run of its own (VertexLaunch): that of its provoking vertex.
    if (control.isFlat() || attribute >= m_registers.inputCount - m_registers.primitiveInputs) {
      block[0][c] = m_vertices[m_primitive->provoking].parameters[control.parameter()][c];
      continue;
    }
    auto bitsOfVertex = [&](unsigned i) {
      return m_vertices[m_primitive->vertices[i]].parameters[control.parameter()][c];
    };
    block[0][c] = bitsOfVertex(0);
    for (unsigned half = 0; control.isHalf() && half < 2; ++half)
      if (!control.hasHalf(half))
        block[0][c] &= ~(0xffffu << 16 * half);
    for (unsigned i = 1; i < countVertices(m_primitive->kind); ++i)
      block[i][c] = difference(bitsOfVertex(i), bitsOfVertex(0), control);
  }
  return block;
}

Workgroup PixelLaunch::makeGroup(uint64_t index) {
  Workgroup group = Launch::makeGroup(index);
  unsigned attributes = m_registers.inputCount;
  uint64_t bytes = uint64_t(attributes) * sizeof(ParameterBlock);
  if (group.lds.size() < bytes)
    group.lds.resize(bytes);
  group.filledLds = static_cast<uint32_t>(bytes);
  for (unsigned i = 0; i < attributes; ++i) {
    ParameterBlock block = makeParameters(i);
    for (unsigned parameter = 0; parameter < 3; ++parameter)
      for (unsigned c = 0; c < 4; ++c)
        std::memcpy(group.lds.data() + parameterAddress(0, 0, i, c, parameter),
                    &block[parameter][c], 4);
  }
  return group;
}

/// FRONT_FACE_ALL_BITS: all bits, or else a float of 1 and -1.
static uint32_t frontFace(bool isFront, uint32_t barycentrics) {
  if (barycentrics & frontFaceAllBits)
    return isFront ? ~0u : 0;
  return floatBits(isFront ? 1 : -1);
}

/// Where X, Y, Z and W are: SPI_BARYC_CNTL.POS_FLOAT_LOCATION.
static raster::Place positionPlace(const raster::Quad &quad, unsigned number, unsigned samples,
                                   uint32_t barycentrics) {
  enum : unsigned { Center, Centroid, Sample };
  unsigned location = barycentrics >> 16 & 3;
  if (location == Centroid)
    return quad.fragments[number].centroid;
  if (location == Sample || !quad.sample)
    return quad.getPlace(number, samples);
  raster::Quad copy = quad;
  copy.sample = std::nullopt;
  return copy.getPlace(number, samples);
}

/// I and J: the weights of the second and the third vertex.
static std::array<double, 2> weightsAt(const raster::Weights &weights) {
  return {weights[1].middle(), weights[2].middle()};
}

void PixelLaunch::setLane(Wave &wave, unsigned lane, const raster::Quad &quad,
                          unsigned number) const {
  const raster::Fragment &fragment = quad.fragments[number];
  const raster::Interpolation &interpolation = m_primitive->interpolation;
  raster::Place place = quad.getPlace(number, m_samples);
  raster::Place position = positionPlace(quad, number, m_samples, m_registers.barycentrics);
  unsigned next = 0;
  for (unsigned i = 0; i < vgprsOfInput.size(); ++i) {
    if (!(m_registers.inputAddr >> i & 1))
      continue;
    unsigned first = next;
    next += vgprsOfInput[i];
    if (!(m_registers.inputEna >> i & 1))
      continue;
    auto setPair = [&](const raster::Weights &weights) {
      auto [second, third] = weightsAt(weights);
      setVgpr(wave, first, lane, floatBits(second));
      setVgpr(wave, first + 1, lane, floatBits(third));
    };
    auto set = [&](uint32_t bits) { setVgpr(wave, first, lane, bits); };
    double inverseW = interpolation.getInverseW(place).middle();
    switch (PixelInput(i)) {
    case PixelInput::PerspectiveSample:
    case PixelInput::PerspectiveCenter:
      setPair(interpolation.getPerspective(place));
      break;
    case PixelInput::PerspectiveCentroid:
      setPair(interpolation.getPerspective(fragment.centroid));
      break;
    case PixelInput::PerspectivePullModel: {
      auto [second, third] = weightsAt(interpolation.getPerspective(place));
      set(floatBits(second * inverseW));
      setVgpr(wave, first + 1, lane, floatBits(third * inverseW));
      setVgpr(wave, first + 2, lane, floatBits(inverseW));
      break;
    }
    case PixelInput::LinearSample:
    case PixelInput::LinearCenter:
      setPair(interpolation.getLinear(place));
      break;
    case PixelInput::LinearCentroid:
      setPair(interpolation.getLinear(fragment.centroid));
      break;
    case PixelInput::X:
      set(floatBits(position.x.middle()));
      break;
    case PixelInput::Y:
      set(floatBits(position.y.middle()));
      break;
    case PixelInput::Z:
      set(floatBits(fragment.depth.middle()));
      break;
    case PixelInput::W: // Code takes the reciprocal: FragCoord.w is 1 / w.
      set(floatBits(1 / interpolation.getInverseW(position).middle()));
      break;
    case PixelInput::FrontFace:
      set(frontFace(m_primitive->isFrontFacing != raster::Answer::No, m_registers.barycentrics));
      break;
    case PixelInput::Ancillary:
      set(uint32_t(quad.sample.value_or(0)) << 8 | m_primitive->layer << 16);
      break;
    case PixelInput::SampleCoverage:
      set(fragment.coverage.possible);
      break;
    case PixelInput::FixedPosition:
      set((uint32_t(quad.x) + (number & 1)) | (uint32_t(quad.y) + (number >> 1)) << 16);
      break;
    case PixelInput::LineStipple:
      break;
    }
  }
}

std::unique_ptr<Wave> PixelLaunch::makeWave(Workgroup &group, unsigned number, const uint32_t *) {
  std::unique_ptr<Wave> wave = makeBareWave(group, number);
  const LaunchState &launch = image().launch;
  // The mask of primitives: one, with parameters at byte 0 of LDS.
  size_t next = launch.userSgprs.size();
  wave->s[next++] = 0;
  if (target().major < 11 && launch.scratchOffset)
    wave->s[next++] = 0;
  uint64_t exec = 0;
  for (unsigned i = 0; i < quadsPerWave(); ++i) {
    size_t index = group.index * quadsPerWave() + i;
    if (index >= m_quads.size())
      break;
    for (unsigned fragment = 0; fragment < 4; ++fragment) {
      unsigned lane = 4 * i + fragment;
      setLane(*wave, lane, m_quads[index], fragment);
      if (!m_quads[index].fragments[fragment].isHelper)
        exec |= uint64_t(1) << lane;
    }
  }
  wave->setExec(exec);
  return wave;
}

/// The first export serves even lanes and the second one odd lanes: the even lane of a pair has the
/// first source, the odd one the second (ACO's p_dual_src_export_gfx11).
void PixelLaunch::takeDualSource(const ExportRecord &record, size_t first, size_t end) {
  for (unsigned lane = record.place.index; first + lane < end && lane < MaxLanes; lane += 2) {
    if (!(record.exec >> lane & 1))
      continue;
    PixelExports &into = m_exports[first + lane];
    for (unsigned source = 0; source < 2; ++source) {
      into.mask[source] = record.enabled;
      for (unsigned c = 0; c < 4; ++c)
        into.values[source][c] = record.values[c][(lane & ~1u) + source];
    }
  }
}

void PixelLaunch::takeResult(const Wave &wave) {
  size_t first = wave.group->index * wave.waveSize;
  size_t end = std::min(first + wave.waveSize, m_exports.size());
  for (size_t i = first; i < end; ++i)
    m_exports[i] = {};
  for (const ExportRecord &record : wave.exports) {
    bool isDepth = record.place.target == ExportTarget::Depth;
    unsigned slot = isDepth ? PixelExports::Depth : record.place.index;
    bool isValue = isDepth || record.place.target == ExportTarget::Color;
    if (record.place.target == ExportTarget::DualSource)
      takeDualSource(record, first, end);
    if (isValue && slot < 9)
      forEachValue(record, [&](unsigned lane, unsigned c, uint32_t value) {
        if (first + lane >= end)
          return;
        PixelExports &into = m_exports[first + lane];
        into.values[slot][c] = value;
        into.mask[slot] |= uint8_t(1u << c);
        into.isPacked[slot] = record.isCompressed;
      });
    if (!record.isDone)
      continue;
    for (size_t i = first; i < end; ++i) {
      m_exports[i].isDone = true;
      m_exports[i].isKept = record.exec >> (i - first) & 1;
    }
  }
}
