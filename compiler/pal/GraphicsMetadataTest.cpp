// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/GraphicsMetadata.h"

#include "compiler/pal/GraphicsTable.h"
#include "compiler/pal/RegisterMetadata.h"
#include "support/Error.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "gtest/gtest.h"
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::pal;

static const TargetInfo &target(StringRef name) {
  return *cantFail(findAmdTarget(name));
}

static GraphicsStage makeStage(HardwareStage stage) {
  GraphicsStage result;
  result.stage = stage;
  result.wavefrontSize = 32;
  result.userSgprs = 3;
  result.userDataRegMap[0] = GlobalTable;
  result.userDataRegMap[2] = stage == HardwareStage::Ps ? 5 : uint32_t(VertexBufferTable);
  result.floatMode = 0xC0;
  return result;
}

/// An NGG pipeline with one interpolant and one target.
static GraphicsMetadata makeNgg() {
  GraphicsMetadata metadata;
  metadata.type = GraphicsPipelineType::Ngg;
  metadata.pipelineHash = {1, 2};
  metadata.shaders = {{ShaderStage::Vertex, {3, 4}, HardwareStage::Gs},
                      {ShaderStage::Fragment, {5, 6}, HardwareStage::Ps}};
  metadata.stages = {makeStage(HardwareStage::Gs), makeStage(HardwareStage::Ps)};
  metadata.nggSubgroupSize = 128;
  GraphicsRegisters &registers = metadata.registers;
  registers.vgtShaderStagesEn.primgenEn = true;
  registers.vgtShaderStagesEn.maxPrimgroupInWave = 2;
  registers.esVgprCompCnt = 3;
  registers.vgtGsOnchipCntl.esVertsPerSubgroup = 126;
  registers.spiShaderPosFormat[0] = PositionFormat::FourComponents;
  registers.vgtGsOutPrimType = OutputPrimitive::TriangleStrip;
  registers.spiPsInputCntl = {{.offset = 0, .flatShade = true}};
  registers.spiPsInControl.numInterps = 1;
  registers.setColorFormat(0, ExportFormat::Fp16Abgr);
  registers.setColorMask(0, 0xf);
  registers.dbShaderControl.zOrder = 1;
  return metadata;
}

static msgpack::MapDocNode readPipeline(msgpack::Document &document, const std::string &blob) {
  EXPECT_TRUE(document.readFromBlob(blob, /*Multi=*/false));
  return document.getRoot().getMap()["amdpal.pipelines"].getArray()[0].getMap();
}

TEST(GraphicsMetadata, WritesFieldsByName) {
  msgpack::Document document;
  std::string blob = writeMetadata(makeNgg(), target("gfx1100"));
  msgpack::MapDocNode pipeline = readPipeline(document, blob);
  EXPECT_EQ(pipeline[".type"].getString(), "Ngg");
  EXPECT_EQ(pipeline[".num_interpolants"].getUInt(), 1u);
  msgpack::MapDocNode shader = pipeline[".shaders"].getMap()[".vertex"].getMap();
  EXPECT_EQ(shader[".hardware_mapping"].getArray()[0].getString(), ".gs");
  EXPECT_EQ(shader[".api_shader_hash"].getArray()[1].getUInt(), 4u);
  msgpack::MapDocNode stage = pipeline[".hardware_stages"].getMap()[".gs"].getMap();
  EXPECT_EQ(stage[".entry_point_symbol"].getString(), "_amdgpu_gs_main");
  EXPECT_EQ(stage[".user_data_reg_map"].getArray()[2].getUInt(), uint32_t(VertexBufferTable));
  msgpack::MapDocNode registers = pipeline[".graphics_registers"].getMap();
  EXPECT_TRUE(registers[".vgt_shader_stages_en"].getMap()[".primgen_en"].getBool());
  EXPECT_EQ(registers[".es_vgpr_comp_cnt"].getUInt(), 3u);
  EXPECT_EQ(registers[".spi_shader_pos_format"].getArray()[0].getUInt(), 4u);
  EXPECT_EQ(registers[".vgt_gs_out_prim_type"].getMap()[".outprim_type"].getString(), "TriStrip");
  EXPECT_EQ(registers[".cb_shader_mask"].getMap()[".output0_enable"].getUInt(), 15u);
  msgpack::MapDocNode control = registers[".spi_ps_input_cntl"].getArray()[0].getMap();
  EXPECT_TRUE(control[".flat_shade"].getBool());
  EXPECT_TRUE(registers[".pa_sc_shader_control"].isMap()) << "registers of value 0 are there";
}

TEST(GraphicsMetadata, WritesRegistersByNumber) {
  msgpack::Document document;
  std::string blob =
      cantFail(convertToRegisters(writeMetadata(makeNgg(), target("gfx1030")), target("gfx1030")));
  msgpack::MapDocNode pipeline = readPipeline(document, blob);
  EXPECT_EQ(document.getRoot().getMap()["amdpal.version"].getArray()[0].getUInt(), 2u);
  EXPECT_FALSE(pipeline[".graphics_registers"].isMap());
  msgpack::MapDocNode registers = pipeline[".registers"].getMap();
  auto value = [&](unsigned offset) {
    auto found = registers.find(document.getNode(offset));
    return found == registers.end() ? ~uint64_t(0) : found->second.getUInt();
  };
  EXPECT_EQ(value(0xa2d5), 1u << 13 | 2u << 15);   // VGT_SHADER_STAGES_EN
  EXPECT_EQ(value(0x2c8b), 3u << 1 | 3u << 16);    // RSRC2_GS: USER_SGPR, ES_VGPR_COMP_CNT
  EXPECT_EQ(value(0x2c8c), uint64_t(GlobalTable)); // USER_DATA_GS_0
  EXPECT_EQ(value(0x2c8d), ~uint64_t(0)) << "not mapped";
  EXPECT_EQ(value(0x2c0e), 5u);
  EXPECT_EQ(value(0xa1c3), 4u);
  EXPECT_EQ(value(0xa1c5), 4u);
  EXPECT_EQ(value(0xa08f), 15u);
  EXPECT_EQ(value(0xa191), 1u << 10);
  EXPECT_EQ(value(0xa29b), 2u);
  EXPECT_EQ(value(0xa203), 1u << 4);
  EXPECT_EQ(value(0x2c4a), ~uint64_t(0)) << "there is no hardware VS";
}

/// `.registers` of the 2.6 metadata of \p metadata for \p name.
static std::map<uint64_t, uint64_t> convert(const GraphicsMetadata &metadata, StringRef name) {
  msgpack::Document document;
  std::string blob =
      cantFail(convertToRegisters(writeMetadata(metadata, target(name)), target(name)));
  std::map<uint64_t, uint64_t> values;
  for (auto &[offset, value] : readPipeline(document, blob)[".registers"].getMap())
    values[offset.getUInt()] = value.getUInt();
  return values;
}

TEST(GraphicsMetadata, RegistersMoveBetweenGenerations) {
  EXPECT_TRUE(convert(makeNgg(), "gfx1100").contains(0xc266));
  EXPECT_FALSE(convert(makeNgg(), "gfx1100").contains(0xa29b));
  EXPECT_FALSE(convert(makeNgg(), "gfx1100").contains(0xa2aa));
  EXPECT_TRUE(convert(makeNgg(), "gfx1010").contains(0xa2aa));
  GraphicsMetadata old;
  old.stages = {makeStage(HardwareStage::Vs)};
  old.stages[0].userSgprs = 32;
  old.registers.vsVgprCompCnt = 1;
  std::map<uint64_t, uint64_t> gfx9 = convert(old, "gfx900");
  EXPECT_TRUE(gfx9.contains(0xc258));
  EXPECT_EQ(gfx9[0x2c4b], 1u << 28);
  EXPECT_EQ(gfx9[0x2c4a], 1u << 24);
  EXPECT_FALSE(gfx9.contains(0xa1c5)) << "there is no fragment shader";
}

TEST(GraphicsMetadata, ConvertsComputePipelines) {
  pal::Metadata metadata;
  metadata.compute.userSgprs = 3;
  metadata.compute.userDataRegMap[0] = GlobalTable;
  metadata.compute.userDataRegMap[2] = 7;
  metadata.compute.threadgroupDimensions = {8, 4, 2};
  metadata.compute.workgroupIdEnabled = true;
  metadata.compute.localIdComponents = 3;
  msgpack::Document document;
  std::string blob = cantFail(convertToRegisters(writeMetadata(metadata), target("gfx1100")));
  msgpack::MapDocNode pipeline = readPipeline(document, blob);
  msgpack::MapDocNode stage = pipeline[".hardware_stages"].getMap()[".cs"].getMap();
  EXPECT_EQ(stage.find(".user_sgprs"), stage.end());
  EXPECT_EQ(stage[".wavefront_size"].getUInt(), 64u);
  msgpack::MapDocNode registers = pipeline[".registers"].getMap();
  EXPECT_EQ(registers[0x2e13u].getUInt(), 3u << 1 | 7u << 7 | 2u << 11);
  EXPECT_EQ(registers[0x2e40u].getUInt(), uint64_t(GlobalTable));
  EXPECT_EQ(registers[0x2e42u].getUInt(), 7u);
  EXPECT_EQ(registers.find(document.getNode(0x2e41u)), registers.end()) << "not mapped";
  EXPECT_EQ(registers[0x2e08u].getUInt(), 4u);
  Expected<std::string> bad = convertToRegisters("soup", target("gfx1100"));
  ASSERT_FALSE(static_cast<bool>(bad));
  EXPECT_EQ(takeError(bad.takeError()).kind, ErrorKind::InvalidInput);
}

TEST(GraphicsMetadata, FieldsDoNotOverlap) {
  std::map<unsigned, uint32_t> used;
  for (const FieldRow &row : getFieldRows()) {
    uint32_t mask = maskTrailingOnes<uint32_t>(row.width) << row.low;
    EXPECT_EQ(used[row.offset] & mask, 0u) << row.key.str();
    used[row.offset] |= mask;
  }
}

TEST(GraphicsMetadata, VerifiesAgainstTheTarget) {
  auto verify = [](const GraphicsMetadata &metadata, StringRef name) {
    Error error = verifyGraphicsMetadata(metadata, target(name));
    return error ? takeError(std::move(error)).message : std::string();
  };
  GraphicsMetadata metadata = makeNgg();
  EXPECT_EQ(verify(metadata, "gfx1201"), "");
  EXPECT_EQ(verify(metadata, "gfx900"), "NGG on gfx900");
  metadata.registers.vgtShaderStagesEn.vsStageEn = 1;
  EXPECT_EQ(verify(metadata, "gfx1030"), "");
  EXPECT_EQ(verify(metadata, "gfx1201"), "'.vs_stage_en' on this target");
  metadata.registers.vgtShaderStagesEn.vsStageEn = 4;
  EXPECT_EQ(verify(metadata, "gfx1030"), "'.vs_stage_en' is 4, which needs more than 2 bits");
  metadata = makeNgg();
  metadata.registers.spiPsInputCntl.resize(33);
  EXPECT_EQ(verify(metadata, "gfx1100"), "33 interpolants");
  metadata.registers.spiPsInputCntl = {{.offset = 64}};
  EXPECT_EQ(verify(metadata, "gfx1100"), "'.offset' is 64, which needs more than 6 bits");
  metadata = makeNgg();
  metadata.type = GraphicsPipelineType::VsPs;
  EXPECT_EQ(verify(metadata, "gfx1100"), "hardware vertex shaders on gfx1100");
  EXPECT_EQ(verify(metadata, "gfx1010"),
            "a hardware stage that a pipeline of its type does not have");
}
