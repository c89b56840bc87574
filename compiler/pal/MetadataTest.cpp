// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/Metadata.h"

#include "support/Error.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

static pal::Metadata makeExample() {
  pal::Metadata metadata;
  metadata.pipelineHash = {0x123456789abcdef0, 2};
  metadata.shaderHash = {3, 4};
  metadata.userDataLimit = 5;
  metadata.spillThreshold = 3;
  metadata.compute.wavefrontSize = 32;
  metadata.compute.threadgroupDimensions = {8, 4, 2};
  metadata.compute.userSgprs = 2;
  metadata.compute.userDataRegMap[0] = pal::GlobalTable;
  metadata.compute.userDataRegMap[1] = 4;
  metadata.compute.floatMode = 0xC0;
  metadata.compute.workgroupIdEnabled = true;
  metadata.compute.localIdComponents = 3;
  return metadata;
}

TEST(PalMetadata, WritesVersionThree) {
  std::string blob = pal::writeMetadata(makeExample());
  msgpack::Document document;
  ASSERT_TRUE(document.readFromBlob(blob, false));
  msgpack::MapDocNode root = document.getRoot().getMap();
  EXPECT_EQ(root["amdpal.version"].getArray()[0].getUInt(), 3u);
  EXPECT_EQ(root["amdpal.version"].getArray()[1].getUInt(), 0u);
  ASSERT_EQ(root["amdpal.pipelines"].getArray().size(), 1u);
  msgpack::MapDocNode pipeline = root["amdpal.pipelines"].getArray()[0].getMap();
  EXPECT_EQ(pipeline[".type"].getString(), "Cs");
  EXPECT_EQ(pipeline[".internal_pipeline_hash"].getArray()[0].getUInt(), 0x123456789abcdef0u);
  EXPECT_EQ(pipeline[".spill_threshold"].getUInt(), 3u);
  msgpack::MapDocNode stage = pipeline[".hardware_stages"].getMap()[".cs"].getMap();
  EXPECT_EQ(stage[".user_data_reg_map"].getArray().size(), pal::userDataRegMapSize);
  EXPECT_EQ(stage[".user_data_reg_map"].getArray()[0].getUInt(), uint32_t(pal::GlobalTable));
  EXPECT_EQ(stage[".user_data_reg_map"].getArray()[1].getUInt(), 4u);
  EXPECT_EQ(stage[".user_data_reg_map"].getArray()[2].getUInt(), 0xFFFFFFFFu);
  EXPECT_EQ(stage[".threadgroup_dimensions"].getArray()[1].getUInt(), 4u);
  EXPECT_TRUE(pipeline[".compute_registers"].getMap()[".tgid_y_en"].getBool());
  EXPECT_FALSE(pipeline[".compute_registers"].getMap()[".tg_size_en"].getBool());
  EXPECT_EQ(pipeline[".compute_registers"].getMap()[".tidig_comp_cnt"].getUInt(), 2u);
}

TEST(PalMetadata, ModuleHoldsTheLastOneSet) {
  LLVMContext context;
  Module module("m", context);
  pal::setModuleMetadata(module, pal::Metadata());
  pal::setModuleMetadata(module, makeExample());
  NamedMDNode *named = module.getNamedMetadata("amdgpu.pal.metadata.msgpack");
  ASSERT_EQ(named->getNumOperands(), 1u);
  EXPECT_EQ(cast<MDString>(named->getOperand(0)->getOperand(0))->getString(),
            pal::writeMetadata(makeExample()));
}

TEST(PalMetadata, PrintRejectsWhatIsNoElf) {
  Expected<std::string> text = pal::printElfMetadata({1, 2, 3});
  ASSERT_FALSE(static_cast<bool>(text));
  EXPECT_EQ(takeError(text.takeError()).kind, ErrorKind::InvalidInput);
}
