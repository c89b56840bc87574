// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules PS-: what the registers of pixel shaders say must go together. What the code does about
// it is in the rules on machine code.
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;

namespace {

/// An input of SPI_PS_INPUT_ENA and _ADDR, in the order of its VGPRs.
struct PixelInput {
  StringLiteral key;
  uint8_t vgprs; ///< That the launch fills for it.
};
/// Inputs in the order of their registers, with the number of VGPRs that each takes.
constexpr PixelInput Inputs[] = {
    {".persp_sample_ena", 2},     {".persp_center_ena", 2},     {".persp_centroid_ena", 2},
    {".persp_pull_model_ena", 3}, {".linear_sample_ena", 2},    {".linear_center_ena", 2},
    {".linear_centroid_ena", 2},  {".line_stipple_tex_ena", 1}, {".pos_x_float_ena", 1},
    {".pos_y_float_ena", 1},      {".pos_z_float_ena", 1},      {".pos_w_float_ena", 1},
    {".front_face_ena", 1},       {".ancillary_ena", 1},        {".sample_coverage_ena", 1},
    {".pos_fixed_pt_ena", 1},
};
/// The first of them: barycentric coordinates, one of which the hardware needs.
constexpr unsigned BarycentricCount = 7;
constexpr unsigned PerspectiveCount = 4;

} // namespace

/// Returns true when one of \p inputs is set in \p map.
static bool anyEnabled(const FieldMap &map, ArrayRef<PixelInput> inputs) {
  return any_of(inputs, [&](const PixelInput &input) { return map.flag(input.key); });
}

/// PS-01. An input that is enabled needs registers; a missing address map is not compared.
static void checkInputs(const ElfModel &model, RuleReporter &out) {
  FieldMap registers = graphicsRegisters(model);
  FieldMap enabled = registers.at(".spi_ps_input_ena");
  FieldMap allocated = registers.at(".spi_ps_input_addr");
  if (!enabled.exists())
    return;
  for (const PixelInput &input : Inputs)
    if (allocated.exists() && enabled.flag(input.key) && !allocated.flag(input.key))
      out.report(graphicsPlace(".spi_ps_input_addr"), input.key,
                 "'" + input.key + "' is enabled, but has no registers in '.spi_ps_input_addr'");
  if (stageFields(model, ".ps").exists() &&
      !anyEnabled(enabled, ArrayRef(Inputs).take_front(BarycentricCount)))
    out.report(graphicsPlace(".spi_ps_input_ena"), "barycentric",
               "no barycentric coordinates are enabled; the hardware hangs without any");
}

/// PS-02. Perspective coordinates are the first four inputs of the table.
static void checkPositionW(const ElfModel &model, RuleReporter &out) {
  FieldMap enabled = graphicsRegisters(model).at(".spi_ps_input_ena");
  if (enabled.flag(".pos_w_float_ena") &&
      !anyEnabled(enabled, ArrayRef(Inputs).take_front(PerspectiveCount)))
    out.report(graphicsPlace(".spi_ps_input_ena"), "pos_w",
               "'.pos_w_float_ena' needs perspective coordinates, none are enabled");
}

/// PS-03. The declared count is rounded up to the largest block that the generation allocates.
static void checkInputVgprs(const ElfModel &model, RuleReporter &out) {
  FieldMap allocated = graphicsRegisters(model).at(".spi_ps_input_addr");
  std::optional<uint64_t> count = stageFields(model, ".ps").number(".vgpr_count");
  if (!allocated.exists() || !count)
    return;
  uint64_t needed = 0;
  for (const PixelInput &input : Inputs)
    needed += allocated.flag(input.key) ? input.vgprs : 0;
  // What is allocated is rounded up to blocks, of this size at most.
  uint64_t block = getGfxMajor(model) >= 11 ? 24 : 16;
  if (needed > alignTo(std::max<uint64_t>(*count, 1), block))
    out.report(".hardware_stages.ps.vgpr_count", "inputs",
               "it is " + Twine(*count) + ", but '.spi_ps_input_addr' puts inputs into " +
                   Twine(needed) + " registers");
}

/// PS-04. An interpolant count that PAL would read out of bounds is an error, another difference an
/// info.
static void checkInterpolants(const ElfModel &model, RuleReporter &out) {
  FieldMap registers = graphicsRegisters(model);
  if (!registers.has(".spi_ps_input_cntl"))
    return;
  constexpr uint64_t MaxInputs = 32;
  uint64_t controls = registers.items(".spi_ps_input_cntl").size();
  uint64_t interps = registers.at(".spi_ps_in_control").numberOr(".num_interps");
  std::optional<uint64_t> count = pipelineFields(model).number(".num_interpolants");
  bool isHarmful = count && (*count > MaxInputs || *count < interps);
  if (count && *count != controls)
    out.report(isHarmful ? RuleLevel::Error : RuleLevel::Info, ".num_interpolants", "count",
               "it is " + Twine(*count) + ", '.spi_ps_input_cntl' has " + Twine(controls) +
                   " elements");
  if (interps > controls)
    out.report(graphicsPlace(".spi_ps_in_control"), "num_interps",
               "'.num_interps' is " + Twine(interps) + ", '.spi_ps_input_cntl' has " +
                   Twine(controls) + " elements");
}

/// PS-07. Compares the numbers of outputs only, as their formats may be packed.
static void checkColorMask(const ElfModel &model, RuleReporter &out) {
  FieldMap mask = graphicsRegisters(model).at(".cb_shader_mask");
  FieldMap format = graphicsRegisters(model).at(".spi_shader_col_format");
  bool isExportedElsewhere = model.elf && model.elf->findSymbol("color_export_shader");
  if (!mask.exists() || !format.exists() || isExportedElsewhere)
    return;
  // Exports may be packed: the formats are then those of the enabled outputs, one after another.
  unsigned enabled = 0, exported = 0;
  for (unsigned i = 0; i < 8; ++i) {
    enabled += mask.flag(".output" + std::to_string(i) + "_enable");
    exported += format.flag(".col_" + std::to_string(i) + "_export_format");
  }
  if (enabled > exported)
    out.report(graphicsPlace(".cb_shader_mask"), "mask",
               "it enables " + Twine(enabled) + " outputs, but '.spi_shader_col_format' exports " +
                   Twine(exported));
}

/// PS-08, for the code and for the registers.
static void checkDepthFormat(const ElfModel &model, RuleReporter &out) {
  checkDepthExports(model, out);
  FieldMap registers = graphicsRegisters(model);
  FieldMap control = registers.at(".db_shader_control");
  std::optional<uint64_t> format = registers.number(".spi_shader_z_format");
  if (!control.exists() || !format)
    return;
  bool exports = control.flag(".z_export_enable") || control.flag(".mask_export_enable") ||
                 control.flag(".stencil_test_val_export_enable") ||
                 control.flag(".stencil_op_val_export_enable");
  if (exports != (*format != 0)) // An export that the depth buffer ignores is harmless.
    out.report(exports ? RuleLevel::Error : RuleLevel::Info, graphicsPlace(".spi_shader_z_format"),
               "format",
               "it is " + Twine(*format) + ", but '.db_shader_control' enables " +
                   (exports ? "an export" : "no export") + " of depth, stencil or mask");
}

/// PS-10. Both flags are of DB_SHADER_CONTROL; a missing one is false.
static void checkDepthOrder(const ElfModel &model, RuleReporter &out) {
  FieldMap control = graphicsRegisters(model).at(".db_shader_control");
  if (control.flag(".depth_before_shader") && control.flag(".z_export_enable"))
    out.report(graphicsPlace(".db_shader_control"), "order",
               "'.depth_before_shader' and '.z_export_enable' exclude each other");
}

/// PS-11. Needs '.exec_on_hier_fail' to be said.
static void checkStoresRun(const ElfModel &model, RuleReporter &out) {
  constexpr uint64_t LateZ = 0;
  FieldMap control = graphicsRegisters(model).at(".db_shader_control");
  bool isLate = control.number(".z_order") == LateZ;
  if (stageFields(model, ".ps").flag(".writes_uavs") && control.exists() &&
      !control.flag(".depth_before_shader") && !control.flag(".exec_on_hier_fail") &&
      control.has(".exec_on_hier_fail"))
    out.report(isLate ? RuleLevel::Info : RuleLevel::Warning, graphicsPlace(".db_shader_control"),
               "exec_on_hier_fail",
               "the shader writes memory, but is not run for pixels that a coarse depth test "
               "rejects");
}

/// PS-12. Each pair of keys is compared only if both are in the metadata, except '.writes_uavs',
/// which may be missing.
static void checkUses(const ElfModel &model, RuleReporter &out) {
  FieldMap stage = stageFields(model, ".ps");
  if (stage.flag(".writes_uavs") && stage.has(".uses_uavs") && !stage.flag(".uses_uavs"))
    out.report(".hardware_stages.ps.writes_uavs", "uavs",
               "it writes them, but '.uses_uavs' is false");
  FieldMap control = graphicsRegisters(model).at(".db_shader_control");
  std::optional<uint64_t> depth = stage.number(".writes_depth");
  std::optional<uint64_t> enabled = control.number(".z_export_enable");
  if (depth && enabled && (*depth != 0) != (*enabled != 0))
    out.report(".hardware_stages.ps.writes_depth", "depth",
               "it is " + Twine(*depth ? "true" : "false") + ", '.z_export_enable' says otherwise");
}

/// PS-13, up to GFX10. Both registers must be in the metadata. Only the missing collision id is an
/// error.
static void checkOrderedPixels(const ElfModel &model, RuleReporter &out) {
  FieldMap registers = graphicsRegisters(model);
  FieldMap control = registers.at(".db_shader_control");
  FieldMap collision = registers.at(".pa_sc_shader_control");
  if (!control.has(".primitive_ordered_pixel_shader") || !collision.exists() ||
      getGfxMajor(model) >= 11)
    return;
  bool isOrdered = control.flag(".primitive_ordered_pixel_shader");
  if (isOrdered != collision.flag(".load_collision_waveid"))
    out.report(isOrdered ? RuleLevel::Error : RuleLevel::Info,
               graphicsPlace(".pa_sc_shader_control"), "collision",
               "'.load_collision_waveid' does not agree with '.primitive_ordered_pixel_shader'");
}

/// PS-15. Silent unless both registers that could use the mask are in the metadata.
static void checkSampleMask(const ElfModel &model, RuleReporter &out) {
  FieldMap registers = graphicsRegisters(model);
  FieldMap enabled = registers.at(".spi_ps_input_ena");
  FieldMap control = registers.at(".db_shader_control");
  if (pipelineFields(model).flag(".ps_sample_mask") && enabled.exists() && control.exists() &&
      !enabled.flag(".sample_coverage_ena") && !control.flag(".mask_export_enable"))
    out.report(".ps_sample_mask", "mask", "it is true, but the mask is neither read nor exported");
}

/// PS-16. A missing SPI_BARYC_CNTL is accepted.
static void checkPositionPlace(const ElfModel &model, RuleReporter &out) {
  std::optional<uint64_t> place =
      graphicsRegisters(model).at(".spi_baryc_cntl").number(".pos_float_location");
  if (place && *place > 2)
    out.report(graphicsPlace(".spi_baryc_cntl"), "place",
               "'.pos_float_location' is " + Twine(*place) +
                   ", expected 0 (center), 1 (centroid) or 2 (sample)");
}

/// PS-17. The address is looked for in the registers of stage '.ps' only.
static void checkColorExportShader(const ElfModel &model, RuleReporter &out) {
  constexpr uint32_t ColorExportAddr = 0x10000020;
  if (!model.elf || !model.launch || !model.elf->findSymbol("color_export_shader"))
    return;
  const HardwareStageMetadata *stage = model.launch->find(".ps");
  if (stage && !is_contained(stage->userDataRegMap, ColorExportAddr))
    out.report(".hardware_stages.ps.user_data_reg_map", "color_export",
               "there is a 'color_export_shader', but its address is mapped to no register");
}

/// PS-18. Controls that name neither half are not checked.
static void checkHalfInputs(const ElfModel &model, RuleReporter &out) {
  unsigned index = 0;
  for (const MsgValue &item : graphicsRegisters(model).items(".spi_ps_input_cntl")) {
    FieldMap control(&item);
    bool named = control.has(".attr0_valid") || control.has(".attr1_valid");
    if (named && control.flag(".fp16_interp_mode") && !control.flag(".attr0_valid") &&
        !control.flag(".attr1_valid"))
      out.report(graphicsPlace(".spi_ps_input_cntl[" + std::to_string(index) + "]"), "attr",
                 "'.fp16_interp_mode' is set, but neither half of the attribute is valid");
    ++index;
  }
}

static constexpr RuleInfo pixelRules[] = {
    {"PS-01",
     RuleLevel::Error,
     "Enabled inputs have registers, and some are barycentric",
     {EnforcerKind::Hardware, "SPI_PS_INPUT_ENA, SPI_PS_INPUT_ADDR (LLVM "
                              "SITargetLowering::LowerFormalArguments: \"the GPU will hang\")"},
     "SPI_PS_INPUT_ENA is a subset of SPI_PS_INPUT_ADDR. One of the seven barycentric inputs must "
     "be enabled, or the hardware hangs; LLVM forces one.",
     checkInputs},
    {"PS-02",
     RuleLevel::Error,
     "The position's w comes with perspective coordinates",
     {EnforcerKind::Hardware,
      "SPI_PS_INPUT_ENA.POS_W_FLOAT_ENA (LLVM SITargetLowering::LowerFormalArguments)"},
     "POS_W_FLOAT_ENA needs one of PERSP_*_ENA.",
     checkPositionW},
    {"PS-03",
     RuleLevel::Warning,
     "The registers hold the inputs that are loaded",
     {EnforcerKind::Hardware, "SPI_PS_INPUT_ADDR"},
     "Each input of SPI_PS_INPUT_ADDR takes one to three VGPRs. The count may be smaller than "
     "their sum, since registers are allocated in blocks (of 16, from GFX11 on of 24 at most); "
     "beyond that they are lost.",
     checkInputVgprs},
    {"PS-04",
     RuleLevel::Error,
     "Every interpolant has its control",
     {EnforcerKind::Pal, "gfx9AbiToPipelineRegisters.h, SpiPsInputCntl (writes as many as "
                         ".num_interpolants, into 32 registers)"},
     "'.num_interps' is not above '.num_interpolants', which is at most 32, nor above the length "
     "of '.spi_ps_input_cntl'. That the last two differ otherwise is an info.",
     checkInterpolants},
    {"PS-07",
     RuleLevel::Error,
     "What the colour mask enables is exported",
     {EnforcerKind::Hardware, "CB_SHADER_MASK, SPI_SHADER_COL_FORMAT"},
     "CB_SHADER_MASK enables at most as many outputs as SPI_SHADER_COL_FORMAT has formats: others "
     "would get garbage. Formats may be packed, as RADV does. A pixel shader with a "
     "'color_export_shader' is exempt.",
     checkColorMask},
    {"PS-08",
     RuleLevel::Error,
     "Depth format and depth exports agree",
     {EnforcerKind::Hardware, "DB_SHADER_CONTROL, SPI_SHADER_Z_FORMAT"},
     "'.spi_shader_z_format' is not 0 exactly when depth, stencil or mask are exported: by "
     "'.db_shader_control', and by the code (mrtz). A format that '.db_shader_control' does not "
     "ask for is an info: GFX11 exports alpha this way.",
     checkDepthFormat},
    {"PS-10",
     RuleLevel::Warning,
     "Depth is tested before the shader or comes from it",
     {EnforcerKind::Hardware, "DB_SHADER_CONTROL.DEPTH_BEFORE_SHADER, Z_EXPORT_ENABLE"},
     "With early depth tests an exported depth has no effect; SPIR-V may ask for both, and LGC "
     "then says both.",
     checkDepthOrder},
    {"PS-11",
     RuleLevel::Warning,
     "A shader that writes memory runs for rejected pixels",
     {EnforcerKind::Specification,
      "Vulkan, Fragment Operations, early per-fragment tests; DB_SHADER_CONTROL.EXEC_ON_HIER_FAIL"},
     "Without early depth tests the specification wants its stores whatever the depth test says: "
     "EXEC_ON_HIER_FAIL. An info where Z_ORDER is LATE_Z: LGC's option to force that goes without.",
     checkStoresRun},
    {"PS-12",
     RuleLevel::Info,
     "Both keys for what a pixel shader writes agree",
     {EnforcerKind::Habit, "LGC; PAL uses neither"},
     "'.writes_uavs' needs '.uses_uavs', where it is said; '.writes_depth' is '.z_export_enable'.",
     checkUses},
    {"PS-13",
     RuleLevel::Error,
     "Ordered pixel shaders get their collision ids",
     {EnforcerKind::Hardware, "DB_SHADER_CONTROL.PRIMITIVE_ORDERED_PIXEL_SHADER, "
                              "PA_SC_SHADER_CONTROL.LOAD_COLLISION_WAVEID; AMD ISA manuals, "
                              "Primitive Ordered Pixel Shading"},
     "Up to GFX10, '.primitive_ordered_pixel_shader' needs '.load_collision_waveid'. The other way "
     "round is an info.",
     checkOrderedPixels},
    {"PS-15",
     RuleLevel::Info,
     "A sample mask is read or exported",
     {EnforcerKind::Habit, "LGC"},
     "'.ps_sample_mask' without SAMPLE_COVERAGE_ENA and MASK_EXPORT_ENABLE: LGC says what the API "
     "shader has, the code generator what is left of it.",
     checkSampleMask},
    {"PS-16",
     RuleLevel::Error,
     "The place of the position exists",
     {EnforcerKind::Hardware, "SPI_BARYC_CNTL.POS_FLOAT_LOCATION: 3 is reserved"},
     "POS_FLOAT_LOCATION is 0, 1 or 2.",
     checkPositionPlace},
    {"PS-17",
     RuleLevel::Warning,
     "A colour export shader has its address",
     {EnforcerKind::Pal, "gfx9GraphicsPipeline.cpp, "
                         "GraphicsPipeline::SetupSignatureForStageFromElf (ColorExportAddr)"},
     "The symbol 'color_export_shader' needs a register mapped to ColorExportAddr.",
     checkColorExportShader},
    {"PS-18",
     RuleLevel::Error,
     "Half-precision interpolants are valid",
     {EnforcerKind::Hardware, "SPI_PS_INPUT_CNTL: FP16_INTERP_MODE, ATTR0_VALID, ATTR1_VALID"},
     "FP16_INTERP_MODE needs ATTR0_VALID or ATTR1_VALID.",
     checkHalfInputs},
};

ArrayRef<RuleInfo> assay::getPixelRules() {
  return pixelRules;
}
