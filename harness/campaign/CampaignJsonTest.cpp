// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/CampaignJson.h"

#include "support/Error.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

TEST(CampaignJson, ReadsRunOptionsBack) {
  CampaignOptions options;
  options.diff.lowerings = {FatLowering::Own, FatLowering::Llvm};
  options.diff.retries = 3;
  options.diff.levels = {2};
  options.diff.plants = {{"wrong-subtract", "7-1"}};
  DiffOptions back = cantFail(readRunOptions(printCampaignOptions(options)));
  EXPECT_EQ(back.lowerings, options.diff.lowerings);
  EXPECT_EQ(back.retries, 3u);
  EXPECT_EQ(back.levels, options.diff.levels);
  ASSERT_EQ(back.plants.size(), 1u);
  EXPECT_EQ(back.plants[0].caseName, "7-1");
}

TEST(CampaignJson, RefusesUnknownLowerings) {
  std::string text = printCampaignOptions({});
  size_t at = text.find("\"own\"");
  ASSERT_NE(at, std::string::npos);
  Expected<DiffOptions> back = readRunOptions(text.replace(at, 5, "\"none\""));
  ASSERT_FALSE(static_cast<bool>(back));
  EXPECT_EQ(takeError(back.takeError()).kind, ErrorKind::InvalidInput);
}
