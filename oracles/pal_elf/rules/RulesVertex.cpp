// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules GEO-01 to GEO-09: what the last stage before rasterisation passes. What the code
// exports is in the rules on machine code.
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// GEO-01, for the code and for the registers.
static void checkPositionFormats(const ElfModel &model, RuleReporter &out) {
  constexpr uint64_t FourComponents = 4;
  checkPositionExports(model, out);
  ArrayRef<MsgValue> formats = graphicsRegisters(model).items(".spi_shader_pos_format");
  if (formats.empty())
    return;
  if (numberOf(formats[0]) != FourComponents)
    out.report(graphicsPlace(".spi_shader_pos_format"), "first",
               "the position itself has format " + Twine(numberOf(formats[0])) +
                   ", expected 4 (four components)");
  bool ended = false;
  for (const MsgValue &format : formats) {
    if (numberOf(format) && ended)
      out.report(graphicsPlace(".spi_shader_pos_format"), "gap",
                 "there is a 0 before its last element");
    ended |= numberOf(format) == 0;
  }
}

/// Fields of PA_CL_VS_OUT_CNTL for values that come in the second position export.
static constexpr StringLiteral MiscUsers[] = {
    ".use_vtx_point_size",    ".use_vtx_edge_flag",  ".use_vtx_render_target_indx",
    ".use_vtx_viewport_indx", ".use_vtx_kill_flag",  ".use_vtx_line_width",
    ".use_vtx_vrs_rate",      ".use_vtx_gs_cut_flag"};

/// GEO-02. Mesh shaders are exempt: they export some of these values with the primitive.
static void checkMiscVector(const ElfModel &model, RuleReporter &out) {
  FieldMap control = graphicsRegisters(model).at(".pa_cl_vs_out_cntl");
  if (!control.exists() || isMeshPipeline(model))
    return; // A mesh shader exports some of them with the primitive.
  bool used = any_of(MiscUsers, [&](StringRef key) { return control.flag(key); });
  if (used != control.flag(".vs_out_misc_vec_ena"))
    out.report(used ? RuleLevel::Error : RuleLevel::Warning, graphicsPlace(".pa_cl_vs_out_cntl"),
               "misc",
               used ? "a value of the second position is used, but '.vs_out_misc_vec_ena' is false"
                    : "'.vs_out_misc_vec_ena' is true, but nothing of it is used");
}

/// Returns true when one of the four clip and cull distances from \p first on is enabled.
static bool usesDistances(const FieldMap &control, unsigned first) {
  for (unsigned i = first; i < first + 4; ++i)
    if (control.flag(".clip_dist_ena_" + std::to_string(i)) ||
        control.flag(".cull_dist_ena_" + std::to_string(i)))
      return true;
  return false;
}

/// GEO-03. Distances 0 to 3 and 4 to 7 have a vector each. A vector without a used distance only
/// costs an export.
static void checkDistances(const ElfModel &model, RuleReporter &out) {
  FieldMap control = graphicsRegisters(model).at(".pa_cl_vs_out_cntl");
  if (!control.exists())
    return;
  for (unsigned half = 0; half < 2; ++half) {
    std::string vector = ".vs_out_cc_dist" + std::to_string(half) + "_vec_ena";
    bool used = usesDistances(control, half * 4);
    if (control.flag(vector) != used)
      out.report(used ? RuleLevel::Error : RuleLevel::Warning, graphicsPlace(".pa_cl_vs_out_cntl"),
                 "distances",
                 "'" + vector + "' does not agree with the clip and cull distances " +
                     Twine(half * 4) + " to " + Twine(half * 4 + 3));
  }
}

/// GEO-04. One position is always there. Mesh shaders are exempt, as for GEO-02.
static void checkPositionCount(const ElfModel &model, RuleReporter &out) {
  FieldMap registers = graphicsRegisters(model);
  FieldMap control = registers.at(".pa_cl_vs_out_cntl");
  ArrayRef<MsgValue> formats = registers.items(".spi_shader_pos_format");
  if (!control.exists() || formats.empty() || isMeshPipeline(model))
    return;
  auto actual = count_if(formats, [](const MsgValue &format) { return numberOf(format) != 0; });
  unsigned expected = 1;
  for (StringRef vector :
       {".vs_out_misc_vec_ena", ".vs_out_cc_dist0_vec_ena", ".vs_out_cc_dist1_vec_ena"})
    expected += control.flag(vector);
  if (actual != expected)
    out.report(graphicsPlace(".spi_shader_pos_format"), "count",
               "it has " + Twine(actual) + " positions, '.pa_cl_vs_out_cntl' enables " +
                   Twine(expected));
}

/// GEO-05. Neither combination harms, hence infos.
static void checkParameterCount(const ElfModel &model, RuleReporter &out) {
  FieldMap config = graphicsRegisters(model).at(".spi_vs_out_config");
  if (config.flag(".no_pc_export") && config.flag(".vs_export_count"))
    out.report(graphicsPlace(".spi_vs_out_config"), "count",
               "'.no_pc_export' is true, but '.vs_export_count' is " +
                   Twine(config.numberOr(".vs_export_count")));
  if (config.flag(".prim_export_count") && !isMeshPipeline(model))
    out.report(graphicsPlace(".spi_vs_out_config"), "primitive",
               "'.prim_export_count' is " + Twine(config.numberOr(".prim_export_count")) +
                   ", but only mesh shaders export parameters of primitives");
}

/// GEO-06. VS_EXPORT_COUNT holds the number less one, PRIM_EXPORT_COUNT the number.
static void checkParameterUse(const ElfModel &model, RuleReporter &out) {
  FieldMap registers = graphicsRegisters(model);
  FieldMap config = registers.at(".spi_vs_out_config");
  FieldMap control = registers.at(".spi_ps_in_control");
  if (!config.exists() || !control.exists() || config.flag(".no_pc_export"))
    return;
  uint64_t exported = config.numberOr(".vs_export_count") + 1;
  uint64_t all = exported + config.numberOr(".prim_export_count");
  uint64_t read = control.numberOr(".num_interps") + control.numberOr(".num_prim_interp");
  ArrayRef<MsgValue> inputs = registers.items(".spi_ps_input_cntl");
  if (read > all && inputs.empty())
    out.report(graphicsPlace(".spi_ps_in_control"), "count",
               "the pixel shader reads " + Twine(read) + " parameters of " + Twine(all));
  for (uint64_t i = 0; i < std::min<uint64_t>(inputs.size(), control.numberOr(".num_interps"));
       ++i) {
    FieldMap input(&inputs[i]);
    uint64_t offset = input.numberOr(".offset");
    // Bit 5: a default value instead. A point sprite's coordinates come from the rasteriser.
    if (!(offset & 32) && offset >= all && !input.flag(".pt_sprite_tex"))
      out.report(graphicsPlace(".spi_ps_input_cntl[" + std::to_string(i) + "]"), "offset",
                 "its parameter is " + Twine(offset) + ", there are " + Twine(all));
  }
}

/// GEO-08. Compares only where both keys are there.
static void checkViewportIndex(const ElfModel &model, RuleReporter &out) {
  FieldMap control = graphicsRegisters(model).at(".pa_cl_vs_out_cntl");
  std::optional<uint64_t> uses = pipelineFields(model).number(".uses_viewport_array_index");
  if (uses && control.has(".use_vtx_viewport_indx") &&
      (*uses != 0) != control.flag(".use_vtx_viewport_indx"))
    out.report(*uses ? RuleLevel::Info : RuleLevel::Error, ".uses_viewport_array_index", "index",
               "it does not agree with '.use_vtx_viewport_indx'");
}

/// GEO-09. Silent without '.vgt_primitive_id_en', and where a geometry or mesh shader writes the
/// id.
static void checkPrimitiveId(const ElfModel &model, RuleReporter &out) {
  FieldMap registers = graphicsRegisters(model);
  FieldMap shaders = pipelineFields(model).at(".shaders");
  // A geometry or mesh shader writes the id that the pixel shader reads.
  if (shaders.has(".geometry") || shaders.has(".mesh") || !registers.has(".vgt_primitive_id_en"))
    return;
  if (stageFields(model, ".ps").flag(".uses_prim_id") && !registers.flag(".vgt_primitive_id_en"))
    out.report(graphicsPlace(".vgt_primitive_id_en"), "id",
               "it is false, but the pixel shader uses the primitive's number");
}

static constexpr RuleInfo vertexRules[] = {
    {"GEO-01",
     RuleLevel::Error,
     "The position has four components, and no format follows a 0",
     {EnforcerKind::Hardware, "SPI_SHADER_POS_FORMAT: an export for each format, in order"},
     "The first element of '.spi_shader_pos_format' is 4; positions are exported from 0 on, and "
     "the code exports those that have a format and no others. Code that exports none is accepted.",
     checkPositionFormats},
    {"GEO-02",
     RuleLevel::Error,
     "The second position is there when something of it is used",
     {EnforcerKind::Hardware,
      "PA_CL_VS_OUT_CNTL.VS_OUT_MISC_VEC_ENA: without it the values are not read"},
     "'.vs_out_misc_vec_ena' is true exactly when point size, layer, viewport, edge flag, kill "
     "flag, line width, shading rate or cut flag are used; true without any is a warning. Mesh "
     "shaders are exempt.",
     checkMiscVector},
    {"GEO-03",
     RuleLevel::Error,
     "Vectors of distances are there when one of them is used",
     {EnforcerKind::Hardware,
      "PA_CL_VS_OUT_CNTL.VS_OUT_CCDIST0_VEC_ENA and 1: without them the distances are not read"},
     "'.vs_out_cc_dist0_vec_ena' for clip and cull distances 0 to 3, '1' for 4 to 7; one without "
     "any is a warning. A distance that clips may also cull: LGC asks for both, since points are "
     "only culled.",
     checkDistances},
    {"GEO-04",
     RuleLevel::Error,
     "There are as many positions as are enabled",
     {EnforcerKind::Hardware, "PA_CL_VS_OUT_CNTL, SPI_SHADER_POS_FORMAT: both count the positions"},
     "One, plus one each for the miscellaneous vector and the two vectors of distances.",
     checkPositionCount},
    {"GEO-05",
     RuleLevel::Info,
     "Counts of exported parameters make sense",
     {EnforcerKind::Habit, "LGC"},
     "'.no_pc_export' goes with a '.vs_export_count' of 0; only mesh shaders have parameters of "
     "primitives.",
     checkParameterCount},
    {"GEO-06",
     RuleLevel::Warning,
     "The pixel shader reads parameters that are exported",
     {EnforcerKind::Hardware, "SPI_PS_INPUT_CNTL.OFFSET, SPI_VS_OUT_CONFIG.VS_EXPORT_COUNT"},
     "Each '.offset' (unless its bit 5 asks for a default, or it is a point sprite's) is within "
     "what the stage before exports; without '.spi_ps_input_cntl', '.num_interps' is. What nobody "
     "exports is undefined; LGC fills holes, which nobody reads.",
     checkParameterUse},
    {"GEO-08",
     RuleLevel::Error,
     "Several viewports are set up when the index is used",
     {EnforcerKind::Pal,
      "gfx9GraphicsPipeline.h, GraphicsPipeline::UsesMultipleViewports; "
      "gfx9UniversalCmdBuffer.cpp, UniversalCmdBuffer::UpdateViewportScissorDirty"},
     "Without '.uses_viewport_array_index' PAL sets up viewport 0 alone, whatever "
     "'.use_vtx_viewport_indx' is. The other way round is an info.",
     checkViewportIndex},
    {"GEO-09",
     RuleLevel::Warning,
     "Primitives are numbered when the pixel shader wants it",
     {EnforcerKind::Hardware, "VGT_PRIMITIVEID_EN"},
     "'.uses_prim_id' of the pixel shader needs '.vgt_primitive_id_en', unless a geometry or mesh "
     "shader hands the number on.",
     checkPrimitiveId},
};

ArrayRef<RuleInfo> assay::getVertexRules() {
  return vertexRules;
}
