// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/mutants/MutationTesting.h"

#include "oracles/pal_elf/ElfView.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

static constexpr StringRef baseText = R"(
	.text
	.globl _amdgpu_cs_main
	.p2align 8
	.type _amdgpu_cs_main,@function
_amdgpu_cs_main:
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, _amdgpu_cs_shdr_intrl_tbl@rel32@lo+4
	s_addc_u32 s1, s1, _amdgpu_cs_shdr_intrl_tbl@rel32@hi+12
	s_endpgm
.Lend:
	.size _amdgpu_cs_main, .Lend-_amdgpu_cs_main
	.globl _amdgpu_pipelineLink0
	.type _amdgpu_pipelineLink0,@function
_amdgpu_pipelineLink0:
	s_endpgm
.Lend0:
	.size _amdgpu_pipelineLink0, .Lend0-_amdgpu_pipelineLink0
	.globl _amdgpu_pipelineLink1
	.type _amdgpu_pipelineLink1,@function
_amdgpu_pipelineLink1:
	s_endpgm
.Lend1:
	.size _amdgpu_pipelineLink1, .Lend1-_amdgpu_pipelineLink1
	.fill 64, 4, 0xbf9f0000
	.section .rodata,"a",@progbits
	.p2align 5
	.globl _amdgpu_cs_shdr_intrl_tbl
	.type _amdgpu_cs_shdr_intrl_tbl,@object
_amdgpu_cs_shdr_intrl_tbl:
	.long 1, 2, 3, 4
	.size _amdgpu_cs_shdr_intrl_tbl, 16
	.section .AMDGPU.disasm,"",@progbits
	.globl _amdgpu_cs_disasm
	.type _amdgpu_cs_disasm,@object
_amdgpu_cs_disasm:
	.ascii "; nothing"
.Ldisasm:
	.size _amdgpu_cs_disasm, .Ldisasm-_amdgpu_cs_disasm
	.amdgpu_pal_metadata
---
amdpal.version: [3, 0]
amdpal.pipelines:
  - .api: Vulkan
    .type: Cs
    .internal_pipeline_hash: [0x1234, 0x5678]
    .user_data_limit: 2
    .spill_threshold: 65535
    .shaders:
      .compute:
        .api_shader_hash: [0x9abc, 0xdef0]
        .hardware_mapping: [.cs]
    .hardware_stages:
      .cs:
        .entry_point_symbol: _amdgpu_cs_main
        .wavefront_size: 64
        .threadgroup_dimensions: [64, 1, 1]
        .user_sgprs: 4
        .user_data_reg_map: [0x10000000, 0, 0x10000006, 0xffffffff]
        .float_mode: 192
        .scratch_memory_size: 0
        .lds_size: 512
        .vgpr_count: 8
        .sgpr_count: 16
        .mem_ordered: true
    .compute_registers:
      .tgid_x_en: true
      .tgid_y_en: true
      .tgid_z_en: true
      .tg_size_en: true
      .tidig_comp_cnt: 0
    .registers:
      0x2e13: 0x788
...
	.end_amdgpu_pal_metadata
)";

static constexpr StringRef graphicsText = R"(
	.text
	.globl _amdgpu_gs_main
	.p2align 8
	.type _amdgpu_gs_main,@function
_amdgpu_gs_main:
	v_mov_b32 v1, 0
	s_mov_b32 s8, s1
	s_mov_b32 m0, 0x1001
	s_nop 0
	s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)
	exp prim v0, off, off, off done
	exp pos0 v1, v1, v1, v1 done
	exp param0 v1, v1, v1, v1
	s_endpgm
.Lgs:
	.size _amdgpu_gs_main, .Lgs-_amdgpu_gs_main
	.globl _amdgpu_ps_main
	.p2align 8
	.type _amdgpu_ps_main,@function
_amdgpu_ps_main:
	v_mov_b32 v2, 0
	exp mrt0 v0, v1, v2, v2 done vm
	s_endpgm
.Lps:
	.size _amdgpu_ps_main, .Lps-_amdgpu_ps_main
	.fill 64, 4, 0xbf9f0000
	.amdgpu_pal_metadata
---
amdpal.version: [3, 0]
amdpal.pipelines:
  - .api: Vulkan
    .type: Ngg
    .user_data_limit: 8
    .spill_threshold: 4
    .nggSubgroupSize: 64
    .num_interpolants: 1
    .uses_viewport_array_index: false
    .ps_sample_mask: false
    .shaders:
      .vertex:
        .hardware_mapping: [.gs]
      .pixel:
        .hardware_mapping: [.ps]
    .hardware_stages:
      .gs:
        .entry_point: _amdgpu_gs_main
        .wavefront_size: 64
        .user_sgprs: 8
        .user_data_reg_map: [0x10000000, 0x10000002, 0x10000003, 0x10000004, 0, 1, 0x1000000f]
        .vgpr_count: 8
        .shared_vgpr_cnt: 8
      .ps:
        .entry_point: _amdgpu_ps_main
        .user_sgprs: 8
        .user_data_reg_map: [0x10000000, 0x10000002, 3, 2, 0x10000018]
        .perf_data_buffer_size: 0
        .vgpr_count: 8
        .writes_uavs: false
        .uses_uavs: true
        .writes_depth: false
        .uses_prim_id: false
    .graphics_registers:
      .vgt_shader_stages_en:
        .hs_stage_en: false
        .gs_stage_en: false
        .primgen_en: true
      .vgt_gs_onchip_cntl: {.es_verts_per_subgroup: 64, .gs_prims_per_subgroup: 64, .gs_inst_prims_per_subgrp: 64}
      .ge_ngg_subgrp_cntl: {.prim_amp_factor: 1, .threads_per_subgroup: 128}
      .max_verts_per_subgroup: 64
      .vgt_gs_instance_cnt: {.enable: false, .count: 1}
      .vgt_primitive_id_en: false
      .spi_shader_pos_format: [4, 0, 0, 0, 0]
      .pa_cl_vs_out_cntl: {.use_vtx_point_size: false, .use_vtx_viewport_indx: false, .vs_out_misc_vec_ena: false, .clip_dist_ena_0: false, .cull_dist_ena_0: false, .vs_out_cc_dist0_vec_ena: false, .vs_out_cc_dist1_vec_ena: false}
      .spi_vs_out_config: {.no_pc_export: false, .vs_export_count: 0, .prim_export_count: 0}
      .vgt_strmout_config: {.streamout_0_en: false}
      .vgt_strmout_buffer_config: {.stream_0_buffer_en: 0}
      .spi_ps_in_control: {.num_interps: 1}
      .spi_ps_input_cntl: [{.offset: 0, .fp16_interp_mode: false, .attr0_valid: false}]
      .spi_ps_input_ena: {.persp_center_ena: true, .pos_w_float_ena: false, .linear_center_ena: false}
      .spi_ps_input_addr: {.persp_center_ena: true, .pos_w_float_ena: false, .linear_center_ena: false}
      .spi_baryc_cntl: {.pos_float_location: 0}
      .spi_shader_col_format: {.col_0_export_format: 9}
      .cb_shader_mask: {.output0_enable: 15}
      .spi_shader_z_format: 0
      .db_shader_control: {.z_export_enable: false, .mask_export_enable: false, .depth_before_shader: false, .exec_on_hier_fail: false, .primitive_ordered_pixel_shader: false}
      .pa_sc_shader_control: {.load_collision_waveid: false}
...
	.end_amdgpu_pal_metadata
)";

const Base mutation::computeBase = {baseText, "gfx1100"};
const Base mutation::graphicsBase = {graphicsText, "gfx1030"};

/// \p text with \p edits, each at its first occurrence.
static std::string edit(std::string text, ArrayRef<Replacement> edits) {
  for (const auto &[from, to] : edits) {
    size_t at = text.find(from.str());
    EXPECT_NE(at, std::string::npos) << from.str();
    if (at != std::string::npos)
      text.replace(at, from.size(), to.str());
  }
  return text;
}

static constexpr StringRef hullCode = R"(
	.globl _amdgpu_hs_main
	.p2align 8
	.type _amdgpu_hs_main,@function
_amdgpu_hs_main:
	s_endpgm
.Lhs:
	.size _amdgpu_hs_main, .Lhs-_amdgpu_hs_main
	.fill 64, 4, 0xbf9f0000
	.amdgpu_pal_metadata
)";

static constexpr StringRef hullStage = R"(    .hardware_stages:
      .hs:
        .entry_point: _amdgpu_hs_main
        .wavefront_size: 64
        .user_sgprs: 4
        .user_data_reg_map: [0x10000000, 0x10000002, 0x10000003, 0x10000004]
)";

const Base &mutation::tessellationBase() {
  static const std::string text = edit(
      graphicsText.str(),
      {{"	.amdgpu_pal_metadata\n", hullCode},
       {".type: Ngg", ".type: NggTess"},
       {"      .vertex:\n        .hardware_mapping: [.gs]\n",
        "      .vertex:\n        .hardware_mapping: [.hs]\n      .hull:\n"
        "        .hardware_mapping: [.hs]\n      .domain:\n        .hardware_mapping: [.gs]\n"},
       {"    .hardware_stages:\n", hullStage},
       {"0x10000002, 0x10000003, 0x10000004, 0, 1, 0x1000000f]", "0x10000002, 0, 1]"},
       {".hs_stage_en: false", ".hs_stage_en: true"},
       {"      .max_verts_per_subgroup: 64\n",
        "      .max_verts_per_subgroup: 64\n"
        "      .vgt_ls_hs_config: {.num_patches: 8, .hs_num_input_cp: 3, .hs_num_output_cp: 3}\n"
        "      .vgt_hos_min_tess_level: 0.0\n      .vgt_hos_max_tess_level: 64.0\n"
        "      .vgt_tf_param: {.type: 1, .partitioning: 0, .topology: 2}\n"}});
  static const Base base = {text, "gfx1030"};
  return base;
}

const Base &mutation::meshBase() {
  static const std::string text = edit(
      graphicsText.str(),
      {{".type: Ngg", ".type: Mesh"},
       {".vertex:", ".mesh:"},
       {"0x10000003, 0x10000004, 0, 1, 0x1000000f]", "0, 1]"},
       {".nggSubgroupSize: 64", ".nggSubgroupSize: 1"},
       {"      .max_verts_per_subgroup: 64\n",
        "      .max_verts_per_subgroup: 64\n      .spi_shader_idx_format: 1\n"
        "      .vgt_draw_prim_payload_en: false\n"
        "      .spi_shader_gs_meshlet_dim: {.num_thread_x: 127, .num_thread_y: 0, .num_thread_z: "
        "0}\n"
        "      .spi_shader_gs_meshlet_exp_alloc: {.max_exp_verts: 64, .max_exp_prims: 126}\n"}});
  static const Base base = {text, "gfx1030"};
  return base;
}

const Base &mutation::lgcBase(StringRef name) {
  struct Entry {
    std::string text;
    Base base;
  };
  static std::map<std::string, Entry> known;
  auto [found, isNew] = known.try_emplace(name.str());
  Entry &entry = found->second;
  if (isNew) {
    entry.text =
        cantFail(readFileText((ASSAY_SOURCE_DIR "/oracles/pal_elf/lgc/" + name + ".s").str()));
    StringRef chip = StringRef(entry.text).split("; chip: ").second.take_until(isSpace);
    EXPECT_FALSE(chip.empty()) << name.str();
    entry.base = {entry.text, chip};
  }
  return entry.base;
}

static constexpr StringRef geometryCode = R"(
	.globl _amdgpu_gs_main
	.p2align 8
	.type _amdgpu_gs_main,@function
_amdgpu_gs_main:
	s_mov_b32 m0, 0
	s_nop 0
	s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)
	s_endpgm
.Lgs1:
	.size _amdgpu_gs_main, .Lgs1-_amdgpu_gs_main
	.fill 64, 4, 0xbf9f0000
	.amdgpu_pal_metadata
)";

static constexpr StringRef geometryStage = R"(    .hardware_stages:
      .gs:
        .entry_point: _amdgpu_gs_main
        .wavefront_size: 64
        .user_sgprs: 4
        .user_data_reg_map: [0x10000000, 0x10000002, 0x10000003, 0x10000004]
)";

const Base &mutation::geometryBase() {
  static const std::string text = edit(
      legacyBase().text.str(),
      {{"	.amdgpu_pal_metadata\n", geometryCode},
       {".type: VsPs", ".type: Gs"},
       {"      .vertex:\n        .hardware_mapping: [.vs]\n",
        "      .vertex:\n        .hardware_mapping: [.gs]\n      .geometry:\n"
        "        .hardware_mapping: [.gs]\n"},
       {"    .hardware_stages:\n", geometryStage},
       {"0x10000002, 0x10000003, 0x10000004, 0, 1, 0x1000000f]", "0x10000002, 0, 1]"},
       {".gs_stage_en: false", ".gs_stage_en: true"},
       {"      .max_verts_per_subgroup: 64\n",
        "      .vgt_gs_vert_itemsize: [4, 0, 0, 0]\n      .vgt_gsvs_ring_offset: [12, 12, 12]\n"
        "      .vgt_gsvs_ring_itemsize: 12\n      .vgt_gs_max_vert_out: 3\n"
        "      .vgt_gs_per_vs: 2\n"}});
  static const Base base = {text, "gfx1030"};
  return base;
}

const Base &mutation::legacyBase() {
  static const std::string text = [] {
    std::string result = edit(graphicsText.str(), {{"\ts_mov_b32 m0, 0x1001\n\ts_nop 0\n"
                                                    "\ts_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\n"
                                                    "\texp prim v0, off, off, off done\n",
                                                    ""}});
    for (const auto &[from, to] :
         {Replacement{"_amdgpu_gs_", "_amdgpu_vs_"}, Replacement{".gs:", ".vs:"},
          Replacement{"[.gs]", "[.vs]"}, Replacement{".type: Ngg", ".type: VsPs"},
          Replacement{".primgen_en: true", ".primgen_en: false"}})
      for (size_t at = result.find(from.str()); at != std::string::npos;
           at = result.find(from.str(), at + 1))
        result.replace(at, from.size(), to.str());
    return result;
  }();
  static const Base base = {text, "gfx1030"};
  return base;
}

Bytes mutation::runTool(StringRef tool, std::vector<std::string> arguments, StringRef text) {
  ErrorOr<std::string> program = sys::findProgramByName(tool);
  if (!program) {
    ADD_FAILURE() << tool.str() << " is not installed";
    return {};
  }
  SmallString<128> input, output;
  EXPECT_FALSE(sys::fs::createTemporaryFile("assay-pal-elf", "in", input));
  EXPECT_FALSE(sys::fs::createTemporaryFile("assay-pal-elf", "o", output));
  cantFail(writeFile(input, text));
  arguments.insert(arguments.begin(), tool.str());
  for (const char *more : {"-filetype=obj", "-o", output.c_str(), input.c_str()})
    arguments.push_back(more);
  std::vector<StringRef> argv(arguments.begin(), arguments.end());
  std::string message;
  EXPECT_EQ(sys::ExecuteAndWait(*program, argv, std::nullopt, {}, 60, 0, &message), 0) << message;
  Bytes bytes = cantFail(readFileBytes(output));
  EXPECT_FALSE(sys::fs::remove(input));
  EXPECT_FALSE(sys::fs::remove(output));
  return bytes;
}

Bytes mutation::assemble(const Base &base, ArrayRef<Replacement> edits, StringRef chip) {
  std::string text = edit(base.text.str(), edits);
  StringRef cpu = chip.empty() ? base.chip : chip;
  return runTool("llvm-mc-22", {"-triple=amdgcn--amdpal", ("-mcpu=" + cpu).str()}, text);
}

Mutant mutation::textMutant(StringRef rule, std::vector<Replacement> edits, Severity severity,
                            StringRef chip) {
  return {rule, &computeBase, std::move(edits), nullptr, "", severity, chip, "", "", "", ""};
}

Mutant mutation::textMutant(StringRef rule, Replacement edit, Severity severity, StringRef chip) {
  return textMutant(rule, std::vector<Replacement>{edit}, severity, chip);
}

Mutant mutation::graphicsMutant(StringRef rule, std::vector<Replacement> edits, Severity severity,
                                StringRef chip) {
  return {rule, &graphicsBase, std::move(edits), nullptr, "", severity, chip, "", "", "", ""};
}

Mutant mutation::graphicsMutant(StringRef rule, Replacement edit, Severity severity,
                                StringRef chip) {
  return graphicsMutant(rule, std::vector<Replacement>{edit}, severity, chip);
}

Mutant mutation::gfx12Mutant(StringRef rule, std::vector<Replacement> edits, Severity severity) {
  static constexpr Replacement words[] = {
      {"	exp prim ", "	export prim "},
      {"	exp pos0 ", "	export pos0 "},
      {"	exp param0 v1, v1, v1, v1\n", ""},
      {"	exp mrt0 v0, v1, v2, v2 done vm\n", "	export mrt0 v0, v1, v2, v2 done\n"},
  };
  append_range(edits, words); // Last, so that the table shows what is wrong.
  return graphicsMutant(rule, std::move(edits), severity, "gfx1201");
}

Mutant mutation::baseMutant(StringRef rule, const Base &base, std::vector<Replacement> edits,
                            Severity severity) {
  return {rule, &base, std::move(edits), nullptr, "", severity, "", "", "", "", ""};
}

Mutant mutation::byteMutant(StringRef rule, std::string what, ByteEdit edit, Severity severity) {
  return {rule, &computeBase, {}, std::move(edit), std::move(what), severity, "", "", "", "", ""};
}

Bytes mutation::build(const Mutant &mutant) {
  // Most mutants of bytes are of one ELF.
  static const Bytes clean = assemble(computeBase);
  std::vector<Replacement> edits = mutant.edits;
  struct Insertion {
    StringRef place;
    const std::string &text;
  };
  const Insertion insertions[] = {{computeEntry, mutant.code},
                                  {pixelEntry, mutant.pixelCode},
                                  {calleeEntry, mutant.calleeCode},
                                  {".ascii \"; nothing", mutant.disassembly}};
  std::vector<std::string> texts;
  texts.reserve(std::size(insertions)); // Edits refer to them.
  for (const Insertion &each : insertions) {
    if (each.text.empty())
      continue;
    bool replaces = &each.text == &mutant.disassembly;
    texts.push_back((replaces ? ".ascii \"" : each.place.str()) + each.text);
    edits.emplace_back(each.place, texts.back());
  }
  bool isClean = edits.empty() && mutant.base == &computeBase && mutant.chip.empty();
  Bytes bytes = isClean ? clean : assemble(*mutant.base, edits, mutant.chip);
  if (mutant.bytes)
    mutant.bytes(bytes);
  return bytes;
}

/// \p text on one line, cut where it gets long.
static std::string shorten(StringRef text) {
  SmallVector<StringRef, 8> words;
  SplitString(text, words);
  std::string line = join(words, " ");
  return line.size() > 60 ? line.substr(0, 57) + "..." : line;
}

std::string mutation::describe(const Mutant &mutant) {
  if (std::string code = mutant.code + mutant.pixelCode + mutant.calleeCode; !code.empty())
    return "code: " + shorten(code);
  if (!mutant.disassembly.empty())
    return "disassembly: " + shorten(mutant.disassembly);
  if (!mutant.what.empty() || mutant.edits.empty())
    return mutant.what;
  std::string from = shorten(mutant.edits.front().first);
  std::string to = shorten(mutant.edits.front().second);
  return to.empty() ? "without " + from : from + " -> " + to;
}

std::vector<Mutant> mutation::listMutants() {
  std::vector<Mutant> mutants;
  using Table = std::vector<Mutant> (*)();
  static constexpr Table tables[] = {containerMutants, metadataMutants, stageMutants,
                                     resourceMutants,  userDataMutants, vertexMutants,
                                     geometryMutants,  pixelMutants,    codeMutants};
  for (Table table : tables)
    append_range(mutants, table());
  return mutants;
}

void mutation::patch(Bytes &bytes, StringRef from, StringRef to, size_t begin) {
  ASSERT_EQ(from.size(), to.size());
  auto at = std::search(bytes.begin() + static_cast<ptrdiff_t>(begin), bytes.end(),
                        from.bytes_begin(), from.bytes_end());
  ASSERT_NE(at, bytes.end()) << from.str();
  std::copy(to.begin(), to.end(), at);
}

void mutation::patchSection(Bytes &bytes, StringRef name, unsigned offset, uint64_t value,
                            unsigned size) {
  ElfView elf = cantFail(ElfView::read(bytes));
  const ElfSection *section = elf.findSection(name);
  ASSERT_NE(section, nullptr) << name.str();
  size_t at = elf.header().sectionTableOffset + section->index * size_t(64) + offset;
  for (unsigned i = 0; i < size; ++i)
    bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

size_t mutation::sectionOffset(const Bytes &bytes, StringRef name) {
  ElfView elf = cantFail(ElfView::read(bytes));
  return elf.findSection(name)->offset;
}

std::string mutation::show(ArrayRef<Finding> findings) {
  std::string text;
  for (const Finding &finding : findings)
    text += finding.rule + " " + finding.location + ": " + finding.message + "\n";
  return text;
}

void mutation::expectOnly(StringRef rule, const Bytes &bytes, Severity severity) {
  std::vector<Finding> findings = cantFail(validateElf(bytes, {}));
  ASSERT_FALSE(findings.empty()) << rule.str();
  for (const Finding &finding : findings) {
    EXPECT_EQ(finding.rule, rule.str()) << show(findings);
    EXPECT_EQ(finding.severity, severity) << show(findings);
    EXPECT_TRUE(StringRef(finding.signature).starts_with(rule)) << finding.signature;
  }
}

Bytes mutation::makeArchive(ArrayRef<std::pair<StringRef, Bytes>> members) {
  std::string text = "!<arch>\n";
  for (const auto &[name, bytes] : members) {
    char header[61];
    snprintf(header, sizeof(header), "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", (name + "/").str().c_str(),
             "0", "0", "0", "644", bytes.size());
    text += header;
    text.append(bytes.begin(), bytes.end());
    if (bytes.size() % 2)
      text += '\n';
  }
  return Bytes(text.begin(), text.end());
}
