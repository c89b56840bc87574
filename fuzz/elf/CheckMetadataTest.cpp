// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold of metadata and msgpack holds for the compiler's own, and fails for others.
#include "fuzz/elf/CheckMetadata.h"

#include "fuzz/elf/CheckMsgPack.h"
#include "fuzz/elf/ElfParts.h"
#include "llvm/ADT/StringExtras.h"
#include <functional>
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

static pal::Metadata makeMetadata() {
  Bytes bytes;
  for (unsigned i = 0; i < 256; ++i)
    bytes.push_back(static_cast<uint8_t>(i));
  return readMetadataFields(bytes);
}

TEST(CheckMetadata, NamesTheFieldThatDiffers) {
  const std::pair<const char *, std::function<void(pal::Metadata &)>> changes[] = {
      {"wavefront size", [](pal::Metadata &m) { m.compute.wavefrontSize++; }},
      {"threadgroup dimensions", [](pal::Metadata &m) { m.compute.threadgroupDimensions[2]++; }},
      {"user SGPRs", [](pal::Metadata &m) { m.compute.userSgprs ^= 1; }},
      {"user data registers", [](pal::Metadata &m) { m.compute.userDataRegMap[31] = 1; }},
      {"float mode", [](pal::Metadata &m) { m.compute.floatMode++; }},
      {"register limits", [](pal::Metadata &m) { m.compute.sgprLimit++; }},
      {"register limits", [](pal::Metadata &m) { m.compute.vgprLimit++; }},
      {"workgroup ids", [](pal::Metadata &m) { m.compute.workgroupIdEnabled ^= true; }},
      {"threadgroup size", [](pal::Metadata &m) { m.compute.threadgroupSizeEnabled ^= true; }},
      {"local ids", [](pal::Metadata &m) { m.compute.localIdComponents ^= 3; }},
      {"user data limit", [](pal::Metadata &m) { m.userDataLimit++; }},
      {"spill threshold", [](pal::Metadata &m) { m.spillThreshold++; }},
      {"pipeline hash", [](pal::Metadata &m) { m.pipelineHash.high++; }},
      {"shader hash", [](pal::Metadata &m) { m.shaderHash.low++; }}};
  pal::Metadata metadata = makeMetadata();
  metadata.compute.localIdComponents = 1;
  std::string written = pal::writeMetadata(metadata);
  EXPECT_EQ(checkMetadata(metadata, written), "");
  for (const auto &[name, change] : changes) {
    pal::Metadata other = metadata;
    change(other);
    EXPECT_EQ(checkMetadata(other, written),
              std::string("METADATA-ROUND-TRIP: ") + name + " came back as another value");
  }
}

TEST(CheckMetadata, ObjectsToWhatIsNoMetadata) {
  pal::Metadata metadata = makeMetadata();
  std::string written = pal::writeMetadata(metadata);
  EXPECT_THAT(checkMetadata(metadata, StringRef(written).drop_back()),
              testing::StartsWith("METADATA-READ: "));
  size_t at = written.find(".float_mode");
  ASSERT_NE(at, std::string::npos);
  written[at + 1] = 'F';
  EXPECT_THAT(checkMetadata(metadata, written), testing::StartsWith("METADATA-SCHEMA: "));
}

TEST(CheckMetadata, TakesEveryFieldFromTheBytes) {
  std::string zeros = pal::writeMetadata(readMetadataFields({}));
  size_t used = 0;
  for (size_t i = 0; i < 256; ++i) {
    Bytes bytes(i + 1, 0);
    bytes[i] =
        0x83; // Odd, and no multiple of 3 or 17: a bool and what is brought into range change.
    used += pal::writeMetadata(readMetadataFields(bytes)) != zeros;
  }
  EXPECT_EQ(used, 4u + 12 + 4 + 1 + 4 + 4 + 1 + 1 + 1 + 4 + 4 + 16 + 16 + 128);
}

TEST(CheckMsgPack, TellsValuesApart) {
  auto read = [](StringRef bytes) { return cantFail(readMsgPack(arrayRefFromStringRef(bytes))); };
  const StringRef different[] = {"\x01",     "\x02",         "\xc3",         "\xa1x", "\xa1y",
                                 "\x91\x01", "\x92\x01\x01", "\x81\x01\x01", "\xff"};
  for (StringRef a : different)
    for (StringRef b : different)
      EXPECT_EQ(areEqual(read(a), read(b)), a == b);
  // A NaN is the same as itself, 0.0 is not -0.0.
  EXPECT_TRUE(
      areEqual(read(StringRef("\xca\x7f\xc0\0\0", 5)), read(StringRef("\xca\x7f\xc0\0\0", 5))));
  EXPECT_FALSE(areEqual(read(StringRef("\xca\0\0\0\0", 5)), read(StringRef("\xca\x80\0\0\0", 5))));
}

TEST(CheckMsgPack, AcceptsEveryKindOfValue) {
  const StringRef all[] = {StringRef("\xc0", 1),
                           StringRef("\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a", 9),
                           "\xd3\x80\x01\x01\x01\x01\x01\x01\x01",
                           StringRef("\xc4\x02\xff\0", 4),
                           "\xd4\x05\xff",
                           "\x82\xa1"
                           "a\x91\x01\xa1"
                           "b\x80",
                           "\x81\xa1k\xa4true",
                           "\x82\xa1k\x01\xa1k\x02",
                           "\x81\x91\x01\x02"};
  for (StringRef bytes : all) {
    ASSERT_TRUE(bool(readMsgPack(arrayRefFromStringRef(bytes)))) << toHex(bytes);
    EXPECT_EQ(checkMsgPack(arrayRefFromStringRef(bytes)), "") << toHex(bytes);
  }
  for (StringRef broken : {StringRef(""), StringRef("\xc1"), StringRef("\x92\x01")})
    EXPECT_EQ(checkMsgPack(arrayRefFromStringRef(broken)), "");
}
