// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GFX9 names data and number format apart; later generations number the pairs that exist: for each
// data format in the order of the table, its number formats in theirs. (Manuals, "Buffer Image
// Formats"; LLVM, AMDGPUAsmUtils, MTBUFFormat.)
#include "oracles/machine/gcn_isa/BufferFormatNames.h"

#include "llvm/ADT/Twine.h"
#include <vector>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

constexpr StringLiteral NumberFormats[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                           "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
/// Sets of the above, a bit each.
constexpr unsigned Integers = 0x3f;
constexpr unsigned All = 0xbf;
constexpr unsigned Wide = 0xb0; ///< UINT, SINT, FLOAT.
constexpr unsigned Float = 0x80;
constexpr unsigned Unscaled = 0x33;

/// A data format, and the sets of number formats that it is paired with.
struct DataFormat {
  StringLiteral name;
  unsigned gfx10;
  unsigned gfx11;
};

/// In GFX9's order of numbers, from 1 on.
constexpr DataFormat DataFormats[] = {
    {"8", Integers, Integers},
    {"16", All, All},
    {"8_8", Integers, Integers},
    {"32", Wide, Wide},
    {"16_16", All, All},
    {"10_11_11", All, Float},
    {"11_11_10", All, Float},
    {"10_10_10_2", Integers, Unscaled},
    {"2_10_10_10", Integers, Integers},
    {"8_8_8_8", Integers, Integers},
    {"32_32", Wide, Wide},
    {"16_16_16_16", All, All},
    {"32_32_32", Wide, Wide},
    {"32_32_32_32", Wide, Wide},
};

constexpr unsigned UnormOf8 = 1; ///< Data format 8 (GFX9), or format 8_UNORM.

} // namespace

/// Names of the formats of GFX10, or of later chips, by number.
static std::vector<std::string> unifiedNames(bool isGfx10) {
  std::vector<std::string> names{"INVALID"};
  for (const DataFormat &row : DataFormats)
    for (unsigned i = 0; i < std::size(NumberFormats); ++i)
      if ((isGfx10 ? row.gfx10 : row.gfx11) >> i & 1)
        names.push_back((Twine(row.name) + "_" + NumberFormats[i]).str());
  return names;
}

/// GFX9: the data format in bits 3:0, the number format in bits 6:4. The defaults of both are not
/// printed.
static std::string splitName(unsigned format) {
  unsigned data = format & 15;
  unsigned number = format >> 4 & 7;
  std::string dataName = "BUF_DATA_FORMAT_";
  if (data == 0)
    dataName += "INVALID";
  else if (data <= std::size(DataFormats))
    dataName += DataFormats[data - 1].name;
  else
    dataName += "RESERVED_15";
  std::string numberName = ("BUF_NUM_FORMAT_" + Twine(NumberFormats[number])).str();
  if (data == UnormOf8)
    return number ? "[" + numberName + "]" : "";
  return number ? "[" + dataName + "," + numberName + "]" : "[" + dataName + "]";
}

/// What LLVM prints after "format:"; empty for the default, and a number for unknown formats.
std::string gcn::bufferFormatName(Chip chip, unsigned format) {
  if (contains(chips::Gfx9, chip))
    return splitName(format);
  static const std::vector<std::string> gfx10 = unifiedNames(true);
  static const std::vector<std::string> gfx11 = unifiedNames(false);
  const std::vector<std::string> &names = contains(chips::Gfx10, chip) ? gfx10 : gfx11;
  if (format == UnormOf8)
    return "";
  return format < names.size() ? "[BUF_FMT_" + names[format] + "]" : std::to_string(format);
}
