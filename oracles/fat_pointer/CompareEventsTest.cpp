// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Volatile copies against their pieces: what is a copy still, and what is not.
#include "oracles/fat_pointer/CompareEvents.h"

#include "gtest/gtest.h"

using namespace assay;
using ir::Event;

namespace {
/// Bytes [first, first + bytes) of the source are loaded, or of the target stored. 'c' and 's' are
/// accesses of a copy, 'l' and 'w' others.
struct Step {
  char what;
  unsigned first, bytes;
};

struct Row {
  const char *name;
  std::vector<Step> before, after;
  bool isSame;
};

class CopyEvents : public testing::TestWithParam<Row> {};
} // namespace

static std::vector<Event> makeEvents(const std::vector<Step> &steps) {
  std::vector<Event> events;
  for (const Step &step : steps) {
    bool isLoad = step.what == 'l' || step.what == 'c';
    Event event;
    event.kind = isLoad ? Event::Kind::VolatileLoad : Event::Kind::VolatileStore;
    event.isCopy = step.what == 'c' || step.what == 's';
    event.isVolatile = true;
    event.address = (isLoad ? 0x1000 : 0x2000) + step.first;
    event.bytes = step.bytes;
    events.push_back(event);
  }
  return events;
}

TEST_P(CopyEvents, Compare) {
  std::string difference =
      compareEvents(makeEvents(GetParam().before), makeEvents(GetParam().after));
  EXPECT_EQ(difference.empty(), GetParam().isSame) << difference;
}

static const std::vector<Step> copy = {{'c', 0, 8}, {'s', 0, 8}};

INSTANTIATE_TEST_SUITE_P(
    FatPointers, CopyEvents,
    testing::Values(
        Row{"Whole", copy, {{'l', 0, 8}, {'w', 0, 8}}, true},
        Row{"Upwards", copy, {{'l', 0, 4}, {'w', 0, 4}, {'l', 4, 4}, {'w', 4, 4}}, true},
        Row{"Downwards", copy, {{'l', 4, 4}, {'w', 4, 4}, {'l', 0, 4}, {'w', 0, 4}}, true},
        Row{"StoredTooEarly", copy, {{'l', 0, 4}, {'w', 0, 8}, {'l', 4, 4}}, false},
        Row{"LoadedTwice", copy, {{'l', 0, 4}, {'l', 0, 8}, {'w', 0, 8}}, false},
        Row{"HalfStored", copy, {{'l', 0, 8}, {'w', 0, 4}}, false},
        Row{"StoredTwice", copy, {{'l', 0, 8}, {'w', 0, 8}, {'w', 4, 4}}, false},
        Row{"LoadedBeyond", copy, {{'l', 0, 12}, {'w', 0, 8}}, false},
        Row{"AnotherTarget", copy, {{'l', 0, 8}, {'w', 4, 8}}, false},
        Row{"JoinedWithTheNext",
            {{'c', 0, 8}, {'s', 0, 8}, {'w', 8, 4}},
            {{'l', 0, 8}, {'w', 0, 4}, {'w', 4, 8}},
            true},
        Row{"JoinedWithTheOneBefore",
            {{'l', 0, 4}, {'c', 4, 8}, {'s', 4, 8}},
            {{'l', 0, 12}, {'w', 4, 8}},
            true},
        Row{"OneBehindTheOther",
            {{'c', 0, 4}, {'s', 0, 4}, {'c', 4, 4}, {'s', 4, 4}},
            {{'l', 4, 4}, {'w', 4, 4}, {'l', 0, 4}, {'w', 0, 4}},
            false},
        Row{"FillInPieces", {{'s', 0, 8}}, {{'w', 4, 4}, {'w', 0, 4}}, true},
        Row{"NoCopyInPieces", {{'w', 0, 8}}, {{'w', 4, 4}, {'w', 0, 4}}, false},
        Row{"NoCopiesInOneAnother",
            {{'l', 0, 4}, {'w', 0, 4}, {'l', 4, 4}, {'w', 4, 4}},
            {{'l', 0, 8}, {'w', 0, 8}},
            false}),
    [](const auto &info) { return std::string(info.param.name); });
