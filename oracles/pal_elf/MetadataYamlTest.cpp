// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/MetadataYaml.h"

#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/pal_elf/mutants/MutationTesting.h"
#include "support/Error.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

static std::string print(const MsgValue &value) {
  std::string text;
  raw_string_ostream os(text);
  printMetadataYaml(value, os);
  return text;
}

static std::string print(StringRef bytes) {
  ArrayRef<uint8_t> data(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  return print(cantFail(readMsgPack(data)));
}

/// What LLVM's reader makes of the text are the bytes that it was printed from.
TEST(MetadataYaml, ReadsBackToTheSameBytes) {
  for (const Base *base : {&computeBase, &graphicsBase, &tessellationBase(), &meshBase()}) {
    Bytes elf = assemble(*base);
    ArrayRef<uint8_t> bytes = cantFail(findMetadataNote(cantFail(ElfView::read(elf))));
    msgpack::Document document;
    ASSERT_TRUE(document.fromYAML(print(cantFail(readMsgPack(bytes)))));
    std::string blob;
    document.writeToBlob(blob);
    EXPECT_EQ(StringRef(blob), toStringRef(bytes));
  }
}

TEST(MetadataYaml, TellsKindsApart) {
  for (auto [bytes, text] : std::initializer_list<std::pair<StringRef, StringRef>>{
           {StringRef("\xc0", 1), "!nil ''"},
           {"\xc3", "true"},
           {"\xa4true", "!str 'true'"},
           {StringRef("\0", 1), "0"},
           {"\x7f", "0x7f"},
           {"\xff", "-1"},
           {"\xa2"
            "12",
            "!str '12'"},
           {"\xa4"
            "0x1f",
            "!str '0x1f'"},
           {"\xa3"
            "1e5",
            "!str '1e5'"},
           {"\xa0", "!str ''"},
           {"\xa2"
            "a:",
            "'a:'"},
           {"\xa2"
            "a\n",
            "\"a\\n\""},
           {StringRef("\xca\x42\x80\0\0", 5), "64.0"},
           {StringRef("\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a", 9), "0.1"},
           {StringRef("\xca\x7f\xc0\0\0", 5), "nan"},
           {StringRef("\xca\x7f\x80\0\0", 5), "inf"},
           {"\x80", "{}"},
           {"\x90", "[]"}})
    EXPECT_EQ(print(bytes), ("---\n" + text + "\n...\n").str());
}

/// LLVM's own printer crashes on both (llvm-readelf --notes, too).
TEST(MetadataYaml, PrintsWhatYamlHasNot) {
  EXPECT_EQ(print(StringRef("\x81\xa1k\xc4\x02\xff\0", 7)),
            "---\nk:               !!binary '/wA='\n...\n");
  EXPECT_EQ(print(StringRef("\x81\xa1k\xd4\x05\xff", 6)),
            "---\nk:               !!binary 'Bf8='\n...\n");
  EXPECT_EQ(print(StringRef("\x81\x91\x01\x02", 4)), "---\nan array of 1:   0x2\n...\n");
  EXPECT_EQ(print(StringRef("\x92\x92\x01\x91\x02\x81\x05\x90", 8)),
            "---\n- - 0x1\n  - - 0x2\n- 0x5:             []\n...\n");
}
