// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/PassList.h"
#include <gtest/gtest.h>

using namespace assay;
using Kind = PassEvent::Kind;

static const std::vector<PassEvent> events = {
    {Kind::Begin, "front-end", ""},
    {Kind::End, "front-end", "changed"},
    {Kind::Begin, "lower-desc", ""},
    {Kind::End, "lower-desc", "changed"},
    {Kind::Optional, "sroa", "function main"},
    {Kind::Begin, "sroa", ""},
    {Kind::End, "sroa", ""},
    {Kind::Begin, "code-generation", ""},
    {Kind::Optional, "machine-cse", "function (main)"},
};

TEST(PassList, NumbersPassesByPhase) {
  PassList list = makePassList(events);
  ASSERT_EQ(list.middleEnd.size(), 2u);
  EXPECT_EQ(list.middleEnd[0].pass, "lower-desc");
  EXPECT_EQ(list.middleEnd[0].phase, "middle-end");
  EXPECT_TRUE(list.middleEnd[0].changes);
  EXPECT_FALSE(list.middleEnd[1].changes);
  ASSERT_EQ(list.optional.size(), 2u);
  EXPECT_EQ(list.optional[0].phase, "middle-end");
  EXPECT_EQ(list.optional[1].phase, "code-generation");
  EXPECT_EQ(list.optional[1].unit, "function (main)");
}

TEST(PassList, KnowsWhoseModuleAPassIsOf) {
  PassList list = makePassList({{Kind::End, "front-end", "changed"},
                                {Kind::End, "lower-desc", "changed"},
                                {Kind::Begin, "code-generation", ""},
                                {Kind::Begin, "front-end", ""},
                                {Kind::End, "front-end", "changed"},
                                {Kind::End, "lower-desc", "changed"}});
  ASSERT_EQ(list.middleEnd.size(), 2u);
  EXPECT_EQ(list.middleEnd[0].pipeline, 0u);
  EXPECT_EQ(list.middleEnd[1].pipeline, 1u);
}

TEST(PassList, KnowsWhoseStageAPassIsOf) {
  PassList list = makePassList({{Kind::Stage, "vertex", ""},
                                {Kind::End, "front-end", "changed"},
                                {Kind::Stage, "fragment", ""},
                                {Kind::End, "front-end", "changed"},
                                {Kind::Stage, "vertex", ""},
                                {Kind::End, "lower-vertex-fetch", "changed"},
                                {Kind::Begin, "code-generation", ""},
                                {Kind::Stage, "fragment", ""},
                                {Kind::End, "lower-desc", "changed"},
                                {Kind::Begin, "code-generation", ""},
                                {Kind::Stage, "", ""},
                                {Kind::End, "front-end", "changed"},
                                {Kind::End, "lower-desc", "changed"}});
  ASSERT_EQ(list.middleEnd.size(), 3u);
  EXPECT_EQ(list.middleEnd[0].stage, "vertex");
  EXPECT_EQ(list.middleEnd[1].stage, "fragment");
  EXPECT_EQ(list.middleEnd[1].phase, "middle-end");
  EXPECT_EQ(list.middleEnd[1].pipeline, 0u);
  EXPECT_EQ(list.middleEnd[2].stage, "");
  EXPECT_EQ(list.middleEnd[2].pipeline, 1u);
}

TEST(PassList, KnowsWhatHasNotEnded) {
  EXPECT_EQ(makePassList(events).open.pass, "code-generation");
  EXPECT_EQ(makePassList(llvm::ArrayRef(events).take_front(6)).open.pass, "sroa");
  EXPECT_EQ(makePassList(llvm::ArrayRef(events).take_front(7)).open.pass, "");
  EXPECT_EQ(makePassList(llvm::ArrayRef(events).take_front(1)).open.phase, "front-end");
}
