// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of Mesa 25.0's radv_cmd_buffer.c; each function names its source.
#include "harness/peer/GraphicsRegisters.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace llvm;
using namespace assay;

/// gl_varying_slot.
static constexpr unsigned slotClipDistance0 = 17, slotClipDistance1 = 18, slotPrimitiveId = 21,
                          slotViewport = 23, slotLocation0 = 32;

/// AC_EXP_PARAM_* of ac_nir.h: a parameter's number, one of four constants, or undefined.
static constexpr uint32_t lastParameter = 31, firstConstant = 64, lastConstant = 67,
                          undefinedParameter = 255;

/// Fields of SPI_PS_INPUT_CNTL_n.
static constexpr uint32_t constantOffset = 0x20, flatShade = 1 << 10, rotateParameters = 1 << 11,
                          primitiveAttribute = 1 << 12, pointSprite = 1 << 17,
                          halfInterpolation = 1 << 19, lowHalfValid = 1 << 24,
                          highHalfValid = 1 << 25;

/// How an input is interpolated: what is added to its offset.
static constexpr uint32_t interpolated = 0, flat = flatShade,
                          explicitly = constantOffset | flatShade,
                          explicitlyStrict = explicitly | rotateParameters,
                          lowHalf = halfInterpolation | lowHalfValid,
                          highHalf = lowHalf | highHalfValid;

namespace {
/// SPI_PS_INPUT_CNTL_0 and following, in the order of radv_emit_ps_inputs.
class InputControls {
public:
  /// Keeps references to \p outputs and \p inputs.
  InputControls(const VertexOutputs &outputs, const PixelInputs &inputs, const TargetInfo &target)
      : m_outputs(outputs), m_inputs(inputs),
        m_perPrimitive(target.major >= 11 ? primitiveAttribute : interpolated) {}

  /// Sets inputs of \p registers and counts its primitiveInputs. Unsupported if the result does not
  /// have the number of inputs that the driver computed.
  Error make(radv::PixelRegisters &registers);

private:
  /// Appends the control of an input. \p slot is a gl_varying_slot; \p type is added to the offset
  /// of a parameter that the vertex shader exports.
  void add(unsigned slot, uint32_t type);
  /// Appends a control for each location in \p mask, in ascending order; \p type is that of inputs
  /// in none of the fragment shader's masks.
  void addLocations(uint32_t mask, uint32_t type);
  uint32_t typeOf(uint32_t type) const;

  const VertexOutputs &m_outputs;
  const PixelInputs &m_inputs;
  /// Type of inputs per primitive: they have an attribute bit from GFX11 on.
  uint32_t m_perPrimitive;
  /// A parameter had an offset that is not known.
  bool m_isOdd = false;
  std::vector<uint32_t> m_controls;
};
} // namespace

/// offset_to_ps_input.
void InputControls::add(unsigned slot, uint32_t type) {
  const uint32_t offset = m_outputs.parameters[slot];
  if (offset == undefinedParameter)
    m_controls.push_back(constantOffset);
  else if (offset >= firstConstant && offset <= lastConstant)
    m_controls.push_back(constantOffset | (offset - firstConstant) << 8);
  else if (offset <= lastParameter)
    m_controls.push_back(offset | type);
  else
    m_isOdd = true;
}

/// The type of the next input, by the masks of the fragment shader.
uint32_t InputControls::typeOf(uint32_t type) const {
  const uint32_t bit = 1u << (m_controls.size() & 31);
  if (m_inputs.explicitly & bit)
    return explicitly;
  if (m_inputs.explicitlyStrict & bit)
    return explicitlyStrict;
  if (m_inputs.highHalves & bit)
    return highHalf;
  if (m_inputs.halves & bit)
    return lowHalf;
  return m_inputs.interpolated & bit ? interpolated : type;
}

/// input_mask_to_ps_inputs.
void InputControls::addLocations(uint32_t mask, uint32_t type) {
  for (unsigned location = 0; location < 32; ++location)
    if (mask >> location & 1)
      add(slotLocation0 + location, typeOf(type));
}

/// radv_emit_ps_inputs.
Error InputControls::make(radv::PixelRegisters &registers) {
  if (m_inputs.pointCoord)
    m_controls.push_back(pointSprite | constantOffset);
  if (m_inputs.clipCullMask & 0x0f)
    add(slotClipDistance0, interpolated);
  if (m_inputs.clipCullMask & 0xf0)
    add(slotClipDistance1, interpolated);
  addLocations(m_inputs.locations, flat);
  if (m_inputs.viewportIndex) {
    add(slotViewport, m_outputs.viewportIsPerPrimitive ? m_perPrimitive : flat);
    registers.primitiveInputs += m_outputs.viewportIsPerPrimitive;
  }
  if (m_inputs.primitiveId) {
    add(slotPrimitiveId, m_outputs.primitiveIdIsPerPrimitive ? m_perPrimitive : flat);
    registers.primitiveInputs += m_outputs.primitiveIdIsPerPrimitive;
  }
  addLocations(m_inputs.primitiveLocations, m_perPrimitive);
  registers.primitiveInputs += static_cast<uint32_t>(llvm::popcount(m_inputs.primitiveLocations));
  if (m_isOdd || m_controls.size() != m_inputs.count)
    return unsupported("this Mesa lays out pipeline binaries in a way that is not known: " +
                       Twine(m_controls.size()) + " inputs of a fragment shader, not " +
                       Twine(m_inputs.count));
  registers.inputs = std::move(m_controls);
  return Error::success();
}

/// radv_compact_spi_shader_col_format: targets without a format are left out.
static uint32_t compactFormats(uint32_t formats) {
  uint32_t compact = 0;
  for (unsigned i = 0, count = 0; i < 32; i += 4)
    if (uint32_t format = formats >> i & 0xf)
      compact |= format << (4 * count++);
  return compact;
}

/// radv_emit_rasterization_samples, radv_get_ps_iter_samples, radv_pipeline_init_multisample_state:
/// a shader that runs more than once for each pixel gets the sample's position.
static uint32_t barycentricControl(const PixelInputs &inputs, const MultisampleState &state) {
  const float share = state.sampleShading       ? state.minSampleShading
                      : inputs.hasSampleShading ? 1.0F
                                                : 0.0F;
  const bool runsOnce = std::ceil(share * static_cast<float>(state.samples)) <= 1;
  return runsOnce ? 0 : 2u << 16; // POS_FLOAT_LOCATION.
}

/// radv_write_vertex_descriptors: the table has a V# for each bit of the mask.
static std::vector<uint32_t> findBindings(const radv::VertexRegisters &registers,
                                          const InputAssemblyState &state) {
  std::vector<uint32_t> bindings;
  for (uint32_t bit = 0; bit < 32; ++bit) {
    if (!(registers.vertexDescriptors >> bit & 1))
      continue;
    const auto *attribute = find_if(state.attributes, [&](const VertexInputAttribute &each) {
                              return each.location == bit;
                            }).base();
    const bool isKnown = attribute != state.attributes.data() + state.attributes.size();
    bindings.push_back(registers.descriptorsPerAttribute && isKnown ? attribute->binding : bit);
  }
  return bindings;
}

Expected<radv::RadvGraphics> assay::linkStages(BinaryShader vertex,
                                               std::optional<BinaryShader> pixel,
                                               const GraphicsState &state,
                                               const TargetInfo &target) {
  radv::RadvGraphics pipeline;
  pipeline.vertex = std::move(vertex.shader);
  pipeline.vertexRegisters = vertex.vertex;
  pipeline.vertexRegisters.vertexBindings = findBindings(vertex.vertex, state.input);
  if (!pixel)
    return pipeline;
  // A vertex shader that exports the number is told it (radv_emit_hw_vs: export_prim_id).
  if (pixel->inputs.primitiveId && !vertex.outputs.primitiveIdIsPerPrimitive)
    pipeline.vertexRegisters.primitiveId |= 1;
  pipeline.pixelRegisters = pixel->pixel;
  radv::PixelRegisters &registers = pipeline.pixelRegisters;
  registers.colorFormat = compactFormats(registers.colorFormat);
  registers.barycentrics = barycentricControl(pixel->inputs, state.multisample);
  if (Error error = InputControls(vertex.outputs, pixel->inputs, target).make(registers))
    return std::move(error);
  pipeline.pixel = std::move(pixel->shader);
  return pipeline;
}
