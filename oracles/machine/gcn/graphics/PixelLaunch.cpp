// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/graphics/PixelLaunch.h"

#include "oracles/machine/gcn/Interpolation.h"
#include "oracles/machine/gcn/graphics/LaunchFaults.h"
#include "oracles/machine/gcn_alu/Numerics.h"
#include "llvm/ADT/bit.h"
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

/// The bits of the nearest f32.
static uint32_t floatBits(double value) {
  return bit_cast<uint32_t>(static_cast<float>(value));
}

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
/// Registers of each PixelInput.
constexpr std::array<uint8_t, 16> vgprsOfInput = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/// SPI_BARYC_CNTL.FRONT_FACE_ALL_BITS.
constexpr uint32_t frontFaceAllBits = 1u << 24;

/// SPI_PS_INPUT_CNTL of one attribute.
struct InputControl {
  explicit InputControl(uint32_t word) : word(word) {}
  unsigned parameter() const { return word & 31; }
  bool isDefault() const { return word >> 5 & 1; }
  unsigned defaultValue() const { return word >> 8 & 3; }
  bool isFlat() const { return word >> 10 & 1; }
  /// PT_SPRITE_TEX: of points, the place in the point.
  bool isPointCoord() const { return word >> 17 & 1; }
  bool isHalf() const { return word >> 19 & 1; }
  /// Whether half \p half of a pair of 16 bits is there.
  bool hasHalf(unsigned half) const { return word >> (24 + half) & 1; }
  uint32_t word;
};

} // namespace

/// Empty when the pixel launch can set all inputs.
std::string gcn::whyNotRunnable(const PixelRegisters &registers) {
  if (registers.inputEna >> unsigned(PixelInput::LineStipple) & 1)
    return "stippled lines";
  return "";
}

/// DB_SHADER_CONTROL.DEPTH_BEFORE_SHADER.
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
  writeSamplePositions();
}

/// RADV's, after its rings: of 1, 2, 4 and 8 samples, x and y from 0 to 1 (radv_fill_shader_rings).
void PixelLaunch::writeSamplePositions() {
  constexpr size_t samplePositions = 11 * 16; // RING_PS_SAMPLE_POSITIONS
  if (ringTable().empty())
    return;
  uint8_t *to = ringTable().data() + samplePositions;
  for (unsigned samples = 1; samples <= 8; samples *= 2)
    for (unsigned i = 0; i < samples; ++i) {
      raster::Quad quad;
      quad.sample = static_cast<uint8_t>(i);
      raster::Place place = quad.getPlace(0, samples);
      for (double value : {place.x.middle(), place.y.middle()}) {
        uint32_t bits = floatBits(value);
        std::memcpy(to, &bits, sizeof(bits));
        to += sizeof(bits);
      }
    }
}

/// Sets what the next dispatch runs. \p primitive, \p quads and \p exports must live until then; \p
/// exports has four elements for each quad.
void PixelLaunch::setQuads(const raster::FragmentPrimitive &primitive,
                           const PrimitiveExports &parameters, ArrayRef<raster::Quad> quads,
                           MutableArrayRef<PixelExports> exports) {
  m_primitive = &primitive;
  m_parameters = parameters;
  m_quads = quads;
  m_exports = exports;
}

/// One wave for each workgroup, filled with whole quads.
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
  if (isPlanted(LaunchFault::RawParameters))
    return to;
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

/// Vertices of a primitive of this kind.
static unsigned countVertices(raster::PrimitiveKind kind) {
  return kind == raster::PrimitiveKind::Triangle ? 3 : kind == raster::PrimitiveKind::Line ? 2 : 1;
}

/// P0, P10 and P20 of one attribute, as LDS has them. Flat, default and per-primitive inputs have
/// P0 only.
ParameterBlock PixelLaunch::makeParameters(unsigned attribute) const {
  InputControl control(m_registers.inputControl[attribute]);
  ParameterBlock block{};
  for (unsigned c = 0; c < 4; ++c) {
    if (control.isPointCoord() && m_primitive->kind == raster::PrimitiveKind::Point) {
      // S, T, 0, 1 (SPI_INTERP_CONTROL_0, as RADV and LGC set it); I and J are S and T.
      for (unsigned i = 0; i < 3; ++i)
        block[i][c] = floatBits(i == (c < 2 ? c + 1 : c == 3 ? 0 : 3) ? 1 : 0);
      continue;
    }
    if (control.isDefault()) {
      block[0][c] = defaultOf(control.defaultValue(), c);
      continue;
    }
    unsigned parameter = control.parameter();
    if (attribute >= m_registers.inputCount - m_registers.primitiveInputs &&
        m_parameters.primitive) {
      block[0][c] = (*m_parameters.primitive)[parameter][c];
      continue;
    }
    if (control.isFlat()) {
      const VertexExports *vertex =
          isPlanted(LaunchFault::ProvokingLast)
              ? m_parameters.vertices[countVertices(m_primitive->kind) - 1]
              : m_parameters.provoking;
      block[0][c] = vertex->parameters[parameter][c];
      continue;
    }
    auto bitsOfVertex = [&](unsigned i) {
      return m_parameters.vertices[i]->parameters[parameter][c];
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

/// Quads of workgroup \p index; the last one may have fewer.
unsigned PixelLaunch::quadsInGroup(uint64_t index) const {
  return static_cast<unsigned>(
      std::min<uint64_t>(m_quads.size() - index * quadsPerWave(), quadsPerWave()));
}

/// What the exports of workgroup \p index are checked by. Lanes after the last quad are neither
/// pixels nor helpers.
std::unique_ptr<ExportPlan> PixelLaunch::makePlan(uint64_t index) const {
  auto plan = std::make_unique<ExportPlan>();
  plan->stage = ExportStage::Pixel;
  plan->colorFormat = m_registers.colorFormat;
  plan->depthFormat = m_registers.depthFormat;
  for (unsigned lane = 0; lane < 4 * quadsInGroup(index); ++lane) {
    const raster::Quad &quad = m_quads[index * quadsPerWave() + lane / 4];
    bool isHelper = quad.fragments[lane % 4].isHelper;
    (isHelper ? plan->helpers : plan->pixels) |= uint64_t(1) << lane;
  }
  return plan;
}

/// Puts the parameters of all attributes at the beginning of LDS, which grows if it is too small.
Workgroup PixelLaunch::makeGroup(uint64_t index) {
  Workgroup group = Launch::makeGroup(index);
  std::unique_ptr<ExportPlan> plan = makePlan(index);
  group.exportPlan = plan.get();
  group.observers.push_back(std::move(plan));
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

/// I and J: the weights of the second and the third vertex. Of a point, whose parameters are all
/// the same, the place in it.
static std::array<double, 2> weightsAt(const raster::Weights &weights,
                                       const raster::FragmentPrimitive &primitive,
                                       const raster::Place &place) {
  if (primitive.kind == raster::PrimitiveKind::Point) {
    raster::Place coordinate = primitive.getPointCoord(place);
    return {coordinate.x.middle(), coordinate.y.middle()};
  }
  if (isPlanted(LaunchFault::IjSwapped))
    return {weights[2].middle(), weights[1].middle()};
  return {weights[1].middle(), weights[2].middle()};
}

/// Sets the input VGPRs of one fragment. A register is skipped if ADDR has its bit and ENA has not:
/// it stays uninitialized.
void PixelLaunch::setLane(Wave &wave, unsigned lane, const raster::Quad &quad,
                          unsigned number) const {
  const raster::Fragment &fragment = quad.fragments[number];
  if (fragment.isHelper && isPlanted(LaunchFault::NoHelpers))
    return;
  const raster::Interpolation &interpolation = m_primitive->interpolation;
  raster::Place place = quad.getPlace(number, m_samples);
  raster::Place position = positionPlace(quad, number, m_samples, m_registers.barycentrics);
  if (isPlanted(LaunchFault::PositionOrder))
    std::swap(position.x, position.y);
  unsigned next = 0;
  for (unsigned i = 0; i < vgprsOfInput.size(); ++i) {
    if (!(m_registers.inputAddr >> i & 1))
      continue;
    unsigned first = next;
    next += vgprsOfInput[i];
    if (!(m_registers.inputEna >> i & 1))
      continue;
    auto setPair = [&](const raster::Weights &weights) {
      auto [second, third] = weightsAt(weights, *m_primitive, place);
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
      auto [second, third] = weightsAt(interpolation.getPerspective(place), *m_primitive, place);
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
      set(isPlanted(LaunchFault::DepthLost) ? 0 : floatBits(fragment.depth.middle()));
      break;
    case PixelInput::W: // Code takes the reciprocal: FragCoord.w is 1 / w.
      set(floatBits(1 / interpolation.getInverseW(position).middle()));
      break;
    case PixelInput::FrontFace:
      set(frontFace((m_primitive->isFrontFacing != raster::Answer::No) !=
                        isPlanted(LaunchFault::FaceInverted),
                    m_registers.barycentrics));
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

/// EXEC has the covered pixels; code turns helper lanes on by itself.
std::unique_ptr<Wave> PixelLaunch::makeWave(Workgroup &group, unsigned number, const uint32_t *) {
  std::unique_ptr<Wave> wave = makeBareWave(group, number);
  const LaunchState &launch = image().launch;
  // The mask of primitives: one, with parameters at byte 0 of LDS.
  size_t next = launch.userSgprs.size();
  wave->s[next++] = isPlanted(LaunchFault::PrimitiveMask)   ? 1u << 16
                    : isPlanted(LaunchFault::ParameterBase) ? 16
                                                            : 0;
  if (target().major < 11 && launch.scratchOffset)
    wave->s[next++] = 0;
  for (unsigned i = 0; i < quadsInGroup(group.index); ++i)
    for (unsigned fragment = 0; fragment < 4; ++fragment)
      setLane(*wave, 4 * i + fragment, m_quads[group.index * quadsPerWave() + i], fragment);
  wave->setExec(group.exportPlan->pixels);
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

/// Copies the exports of a wave to the fragments' results. A fragment is kept if the last export
/// with DONE had its lane active.
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
