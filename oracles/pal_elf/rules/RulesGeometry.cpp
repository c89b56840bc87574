// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules GEO-10 to GEO-22: subgroups of primitive shaders, geometry, tessellation and mesh
// shaders, stream-out.
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

static constexpr uint64_t MaxSubgroup = 256; ///< Vertices, primitives or threads.

/// Returns true for primitive and mesh shaders, by the pipeline type of the metadata.
static bool isNgg(const ElfModel &model) {
  return pipelineType(model).starts_with("Ngg") || isMeshPipeline(model);
}

/// Returns the element of \p items, 0 where the array is too short.
static uint64_t number(const ArrayRef<MsgValue> &items, size_t index) {
  return index < items.size() ? numberOf(items[index]) : 0;
}

/// GEO-10. Keys that are missing are not checked.
static void checkSubgroup(const ElfModel &model, RuleReporter &out) {
  FieldMap control = graphicsRegisters(model).at(".vgt_gs_onchip_cntl");
  if (!control.exists() || !isNgg(model))
    return;
  for (StringRef key : {".es_verts_per_subgroup", ".gs_prims_per_subgroup"}) {
    std::optional<uint64_t> count = control.number(key);
    if (count && (*count == 0 || *count > MaxSubgroup))
      out.report(graphicsPlace(".vgt_gs_onchip_cntl"), key,
                 "'" + key + "' is " + Twine(*count) + ", expected 1 to 256");
  }
}

/// GEO-11. The product is only known with a geometry shader and both of its registers.
static void checkMaxVertices(const ElfModel &model, RuleReporter &out) {
  FieldMap registers = graphicsRegisters(model);
  std::optional<uint64_t> count = registers.number(".max_verts_per_subgroup");
  if (!count || !isNgg(model))
    return;
  if (*count == 0 || *count > MaxSubgroup) {
    out.report(graphicsPlace(".max_verts_per_subgroup"), "range",
               "it is " + Twine(*count) + ", expected 1 to 256");
    return;
  }
  std::optional<uint64_t> prims =
      registers.at(".vgt_gs_onchip_cntl").number(".gs_inst_prims_per_subgrp");
  std::optional<uint64_t> out1 = registers.number(".vgt_gs_max_vert_out");
  if (!hasApiShader(model, ".geometry") || !prims || !out1)
    return;
  uint64_t expected = std::min(*prims * *out1, MaxSubgroup);
  if (*count < expected)
    out.report(graphicsPlace(".max_verts_per_subgroup"), "product",
               "it is " + Twine(*count) + ", but " + Twine(*prims) + " primitives of " +
                   Twine(*out1) + " vertices each may come");
}

/// GEO-12. Applies to primitive and mesh shaders with GE_NGG_SUBGRP_CNTL in their metadata. A
/// missing factor counts as 0.
static void checkAmplification(const ElfModel &model, RuleReporter &out) {
  FieldMap control = graphicsRegisters(model).at(".ge_ngg_subgrp_cntl");
  if (!control.exists() || !isNgg(model))
    return;
  uint64_t threads = control.numberOr(".threads_per_subgroup");
  uint64_t factor = control.numberOr(".prim_amp_factor");
  if (threads > MaxSubgroup)
    out.report(graphicsPlace(".ge_ngg_subgrp_cntl"), "threads",
               "'.threads_per_subgroup' is " + Twine(threads) + ", above 256");
  if (factor == 0 || factor > MaxSubgroup)
    out.report(graphicsPlace(".ge_ngg_subgrp_cntl"), "factor",
               "'.prim_amp_factor' is " + Twine(factor) + ", expected 1 to 256");
}

/// GEO-13. Compares only where the size and both registers are known.
static void checkSubgroupSize(const ElfModel &model, RuleReporter &out) {
  std::optional<uint64_t> size = pipelineFields(model).number(".nggSubgroupSize");
  FieldMap control = graphicsRegisters(model).at(".vgt_gs_onchip_cntl");
  std::optional<uint64_t> verts = control.number(".es_verts_per_subgroup");
  std::optional<uint64_t> prims = control.number(".gs_prims_per_subgroup");
  if (!size || !verts || !prims || !isNgg(model))
    return;
  uint64_t expected = isMeshPipeline(model) ? 1 : std::max(*verts, *prims);
  if (*size != expected)
    out.report(".nggSubgroupSize", "size",
               "it is " + Twine(*size) + ", expected " + Twine(expected) +
                   (isMeshPipeline(model) ? " for a mesh shader"
                                          : ", the larger of its vertices and primitives"));
}

/// GEO-14. A missing '.count' is 0 and fits any setting.
static void checkInstances(const ElfModel &model, RuleReporter &out) {
  FieldMap instances = graphicsRegisters(model).at(".vgt_gs_instance_cnt");
  if (instances.numberOr(".count") > 1 && !instances.flag(".enable"))
    out.report(graphicsPlace(".vgt_gs_instance_cnt"), "enable",
               "'.count' is " + Twine(instances.numberOr(".count")) + ", but '.enable' is false");
}

/// The keys that describe the ring of a geometry shader without NGG.
static constexpr StringLiteral LegacyKeys[] = {".vgt_gs_vert_itemsize", ".vgt_gsvs_ring_offset",
                                               ".vgt_gsvs_ring_itemsize", ".vgt_gs_per_vs"};

/// Less room than streams need makes them overwrite each other; more is harmless.
static RuleLevel roomLevel(uint64_t room, uint64_t needed) {
  return room < needed ? RuleLevel::Error : RuleLevel::Info;
}

/// GEO-15. Offsets and sizes are in the unit of '.vgt_gs_vert_itemsize'. Each offset follows the
/// streams up to its index.
static void checkLegacyRings(const ElfModel &model, RuleReporter &out) {
  if (pipelineType(model) != "Gs" && pipelineType(model) != "GsTess")
    return;
  FieldMap registers = graphicsRegisters(model);
  bool any = any_of(LegacyKeys, [&](StringRef key) { return registers.has(key); });
  for (StringRef key : LegacyKeys)
    if (any && !registers.has(key))
      out.report(graphicsPlace(key), "missing",
                 "PAL sets up the ring with all of these keys or with none");
  ArrayRef<MsgValue> sizes = registers.items(".vgt_gs_vert_itemsize");
  ArrayRef<MsgValue> offsets = registers.items(".vgt_gsvs_ring_offset");
  uint64_t vertices = registers.numberOr(".vgt_gs_max_vert_out");
  uint64_t expected = 0;
  for (size_t stream = 0; stream < sizes.size(); ++stream) {
    expected += number(sizes, stream) * vertices;
    if (stream < offsets.size() && number(offsets, stream) != expected)
      out.report(roomLevel(number(offsets, stream), expected),
                 graphicsPlace(".vgt_gsvs_ring_offset[" + std::to_string(stream) + "]"), "offset",
                 "it is " + Twine(number(offsets, stream)) + ", expected " + Twine(expected));
  }
  std::optional<uint64_t> total = registers.number(".vgt_gsvs_ring_itemsize");
  if (!sizes.empty() && total && *total != expected)
    out.report(roomLevel(*total, expected), graphicsPlace(".vgt_gsvs_ring_itemsize"), "total",
               "it is " + Twine(*total) + ", the streams take " + Twine(expected));
}

/// GEO-16. Only for pipelines with a hull stage.
static void checkPatches(const ElfModel &model, RuleReporter &out) {
  FieldMap config = graphicsRegisters(model).at(".vgt_ls_hs_config");
  if (!config.exists() || !stageFields(model, ".hs").exists())
    return;
  struct Row {
    StringLiteral key;
    uint64_t max;
    bool isState = false;    ///< The API may set it at draw time.
    bool isHardLimit = true; ///< False where compilers keep below what the field holds.
  };
  static constexpr Row Rows[] = {{".hs_num_input_cp", 32, true},
                                 {".hs_num_output_cp", 32},
                                 {".num_patches", 64, false, false}};
  for (const Row &row : Rows) {
    std::optional<uint64_t> count = config.number(row.key);
    bool isDynamic = row.isState && count == uint64_t(0);
    bool isHabit = !row.isHardLimit && count && *count > row.max;
    if (count && (*count == 0 || *count > row.max))
      out.report(isDynamic || isHabit ? RuleLevel::Info : RuleLevel::Error,
                 graphicsPlace(".vgt_ls_hs_config"), row.key,
                 "'" + row.key + "' is " + Twine(*count) + ", expected 1 to " + Twine(row.max));
  }
}

/// GEO-17. NaN levels are reported too.
static void checkTessLevels(const ElfModel &model, RuleReporter &out) {
  FieldMap registers = graphicsRegisters(model);
  std::optional<double> least = registers.real(".vgt_hos_min_tess_level");
  std::optional<double> most = registers.real(".vgt_hos_max_tess_level");
  if (!least || !most || !stageFields(model, ".hs").exists())
    return;
  if (!(*least >= 0 && *least <= *most && *most <= 64))
    out.report(graphicsPlace(".vgt_hos_max_tess_level"), "range",
               "the levels go from " + Twine(std::to_string(*least)) + " to " +
                   Twine(std::to_string(*most)) + ", expected within 0 to 64");
}

/// GEO-18. Topology 0 (points) fits every type.
static void checkTessellator(const ElfModel &model, RuleReporter &out) {
  FieldMap param = graphicsRegisters(model).at(".vgt_tf_param");
  if (!param.exists() || !stageFields(model, ".hs").exists())
    return;
  struct Row {
    StringLiteral key;
    uint64_t max;
  };
  static constexpr Row Rows[] = {{".type", 2}, {".partitioning", 3}, {".topology", 3}};
  for (const Row &row : Rows)
    if (param.numberOr(row.key) > row.max)
      out.report(graphicsPlace(".vgt_tf_param"), row.key,
                 "'" + row.key + "' is " + Twine(param.numberOr(row.key)) + ", at most " +
                     Twine(row.max) + " exists");
  constexpr uint64_t Isoline = 0, Line = 1;
  uint64_t topology = param.numberOr(".topology");
  bool isLine = param.numberOr(".type") == Isoline;
  if (param.has(".topology") && topology != 0 && isLine != (topology == Line))
    out.report(graphicsPlace(".vgt_tf_param"), "topology",
               Twine(isLine ? "isolines make no triangles" : "triangles and quads make no lines"));
}

/// GEO-19. The dimensions are stored less one, so that a missing one counts as one thread.
static void checkMeshlet(const ElfModel &model, RuleReporter &out) {
  FieldMap registers = graphicsRegisters(model);
  FieldMap dim = registers.at(".spi_shader_gs_meshlet_dim");
  if (dim.exists()) {
    uint64_t threads = (dim.numberOr(".num_thread_x") + 1) * (dim.numberOr(".num_thread_y") + 1) *
                       (dim.numberOr(".num_thread_z") + 1);
    if (threads > 1024)
      out.report(graphicsPlace(".spi_shader_gs_meshlet_dim"), "threads",
                 "a workgroup of " + Twine(threads) + " threads, at most 1024 exist");
  }
  FieldMap alloc = registers.at(".spi_shader_gs_meshlet_exp_alloc");
  for (StringRef key : {".max_exp_verts", ".max_exp_prims"}) {
    std::optional<uint64_t> count = alloc.number(key);
    if (count && *count > MaxSubgroup)
      out.report(graphicsPlace(".spi_shader_gs_meshlet_exp_alloc"), key,
                 "'" + key + "' is " + Twine(*count) + ", above 256");
  }
}

/// GEO-20. Only a smaller format is an error: the missing component is lost.
static void checkIndexFormat(const ElfModel &model, RuleReporter &out) {
  constexpr uint64_t OneComponent = 1, TwoComponents = 2;
  FieldMap registers = graphicsRegisters(model);
  std::optional<uint64_t> format = registers.number(".spi_shader_idx_format");
  if (!format || !isMeshPipeline(model))
    return;
  uint64_t expected = registers.flag(".vgt_draw_prim_payload_en") ? TwoComponents : OneComponent;
  if (*format != expected)
    out.report(*format < expected ? RuleLevel::Error : RuleLevel::Info,
               graphicsPlace(".spi_shader_idx_format"), "format",
               "it is " + Twine(*format) + ", expected " + Twine(expected) +
                   ": 2 with '.vgt_draw_prim_payload_en', else 1");
}

/// GEO-21. Strides are in dwords.
static void checkStreamOut(const ElfModel &model, RuleReporter &out) {
  constexpr uint64_t MaxStrideDwords = 512;
  FieldMap config = graphicsRegisters(model).at(".vgt_strmout_config");
  FieldMap buffers = graphicsRegisters(model).at(".vgt_strmout_buffer_config");
  for (unsigned i = 0; i < 4 && config.exists() && buffers.exists(); ++i)
    if (config.flag(".streamout_" + std::to_string(i) + "_en") &&
        !buffers.flag(".stream_" + std::to_string(i) + "_buffer_en"))
      out.report(RuleLevel::Info, graphicsPlace(".vgt_strmout_buffer_config"), "buffers",
                 "stream " + Twine(i) + " is written, but to no buffer");
  unsigned index = 0;
  for (const MsgValue &stride : pipelineFields(model).items(".streamout_vertex_strides")) {
    if (numberOf(stride) > MaxStrideDwords)
      out.report(".streamout_vertex_strides[" + Twine(index) + "]", "stride",
                 "it is " + Twine(numberOf(stride)) + " dwords, above 512");
    ++index;
  }
}

/// GEO-22. Looks at each stage's map; a pipeline with a stage '.hs' is never reported.
static void checkOffchip(const ElfModel &model, RuleReporter &out) {
  if (stageFields(model, ".hs").exists())
    return;
  for (const StageModel &stage : getStages(model))
    if (FieldMap(stage.map).flag(".offchip_lds_en"))
      out.report(stage.location(".offchip_lds_en"), "tessellation",
                 "it is true, but there is no tessellation");
}

static constexpr RuleInfo geometryRules[] = {
    {"GEO-10",
     RuleLevel::Error,
     "A subgroup has 1 to 256 vertices and primitives",
     {EnforcerKind::Hardware,
      "VGT_GS_ONCHIP_CNTL, GE_CNTL: a subgroup is at most 256 vertices and primitives"},
     "'.es_verts_per_subgroup' and '.gs_prims_per_subgroup' of a primitive shader.",
     checkSubgroup},
    {"GEO-11",
     RuleLevel::Error,
     "A subgroup has room for the vertices that it makes",
     {EnforcerKind::Hardware, "GE_MAX_OUTPUT_PER_SUBGROUP.MAX_VERTS_PER_SUBGROUP"},
     "'.max_verts_per_subgroup' is 1 to 256, and with a geometry shader not below the product of "
     "primitives and vertices of each, cut off at 256.",
     checkMaxVertices},
    {"GEO-12",
     RuleLevel::Error,
     "Threads and amplification of a subgroup are within 256",
     {EnforcerKind::Pal, "gfx12GraphicsPipeline.cpp, GraphicsPipeline::InitGeCntl (256 / factor; "
                         "assert); GE_NGG_SUBGRP_CNTL.THDS_PER_SUBGRP"},
     "GE_NGG_SUBGRP_CNTL: at most 256 threads, 1 to 256 primitives for one.",
     checkAmplification},
    {"GEO-13",
     RuleLevel::Info,
     "The size of a subgroup is that of its registers",
     {EnforcerKind::Habit, "LGC; PAL asks whether it is 0"},
     "'.nggSubgroupSize' is the larger of vertices and primitives, 1 for a mesh shader.",
     checkSubgroupSize},
    {"GEO-14",
     RuleLevel::Error,
     "Instances of a geometry shader are enabled",
     {EnforcerKind::Hardware, "VGT_GS_INSTANCE_CNT.ENABLE: without it CNT is ignored"},
     "A '.count' above 1 needs '.enable'. An '.enable' with one instance is sound.",
     checkInstances},
    {"GEO-15",
     RuleLevel::Error,
     "The ring of a geometry shader has room for its streams",
     {EnforcerKind::Pal, "gfx9PipelineChunkGs.cpp, PipelineChunkGs::LateInit (assert: all four "
                         "keys); VGT_GSVS_RING_OFFSET_1 to 3, VGT_GSVS_RING_ITEMSIZE"},
     "All four keys or none; each offset is at least the sum of the streams before, the item size "
     "at least that of all. More room than that is an info.",
     checkLegacyRings},
    {"GEO-16",
     RuleLevel::Error,
     "Patches have 1 to 32 control points",
     {EnforcerKind::Hardware, "VGT_LS_HS_CONFIG: HS_NUM_INPUT_CP, HS_NUM_OUTPUT_CP, NUM_PATCHES; "
                              "Vulkan, maxTessellationPatchSize"},
     "VGT_LS_HS_CONFIG: 1 to 32 control points in and out, at least one patch. More than 64 "
     "patches are an info, and so are 0 points in: their number may be dynamic state.",
     checkPatches},
    {"GEO-17",
     RuleLevel::Error,
     "Tessellation levels are ordered and at most 64",
     {EnforcerKind::Hardware, "VGT_HOS_MIN_TESS_LEVEL, VGT_HOS_MAX_TESS_LEVEL"},
     "'.vgt_hos_min_tess_level' is not above '.vgt_hos_max_tess_level'.",
     checkTessLevels},
    {"GEO-18",
     RuleLevel::Error,
     "The tessellator's values exist and go together",
     {EnforcerKind::Hardware, "VGT_TF_PARAM: TYPE, PARTITIONING, TOPOLOGY"},
     "Type is isoline, triangle or quad; isolines make points or lines, the others no lines.",
     checkTessellator},
    {"GEO-19",
     RuleLevel::Error,
     "A meshlet's sizes are within the hardware's",
     {EnforcerKind::Hardware, "SPI_SHADER_GS_MESHLET_DIM, SPI_SHADER_GS_MESHLET_EXP_ALLOC"},
     "The three dimensions (stored less one) multiply to at most 1024; at most 256 vertices and "
     "primitives are exported.",
     checkMeshlet},
    {"GEO-20",
     RuleLevel::Error,
     "The format of a mesh shader's primitives fits",
     {EnforcerKind::Hardware, "VGT_DRAW_PAYLOAD_CNTL.EN_PRIM_PAYLOAD, SPI_SHADER_IDX_FORMAT"},
     "Two components with a payload for each primitive, else one. A component more is an info.",
     checkIndexFormat},
    {"GEO-21",
     RuleLevel::Info,
     "Streams that are written have buffers",
     {EnforcerKind::Habit, "LGC, Direct3D; VGT_STRMOUT_VTX_STRIDE_0 holds 1023"},
     "Strides are at most 512 dwords. A stream that is enabled has a buffer; LGC enables all where "
     "primitives are counted.",
     checkStreamOut},
    {"GEO-22",
     RuleLevel::Info,
     "Off-chip LDS comes with tessellation",
     {EnforcerKind::Habit, "LGC: OC_LDS_EN only loads an SGPR"},
     "'.offchip_lds_en' of a stage without a hull shader in the pipeline.",
     checkOffchip},
};

ArrayRef<RuleInfo> assay::getGeometryRules() {
  return geometryRules;
}
