// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/Archive.h"

#include "support/Error.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace assay;

static constexpr StringRef magic = "!<arch>\n"; ///< Without it the bytes are no archive.
static constexpr uint64_t headerBytes = 60;

bool assay::isArchive(ArrayRef<uint8_t> bytes) {
  return StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()).starts_with(magic);
}

/// The name of a member: "name/", "/OFFSET" into the table of long names, or BSD's "#1/LENGTH",
/// whose name is the first bytes of \p data and is cut off there.
static Expected<std::string> memberName(StringRef field, StringRef longNames, StringRef &data) {
  field = field.rtrim(' ');
  uint64_t number = 0;
  if (field.starts_with("#1/")) {
    if (field.drop_front(3).getAsInteger(10, number) || number > data.size())
      return invalidInput("archive: bad BSD name '" + field + "'");
    std::string name = data.take_front(number).rtrim('\0').str();
    data = data.drop_front(number);
    return name;
  }
  if (field.size() > 1 && field[0] == '/' && field != "//") {
    if (field.drop_front(1).getAsInteger(10, number) || number >= longNames.size())
      return invalidInput("archive: the long name '" + field + "' is not in the name table");
    return longNames.drop_front(number).split('\n').first.rtrim('/').str();
  }
  return (field.size() > 1 ? field.rtrim('/') : field).str();
}

/// Returns the members in order, without symbol tables and the table of long names. InvalidInput
/// for broken headers and members that leave the file. The entries point into \p bytes.
Expected<std::vector<ArchiveEntry>> assay::readArchive(ArrayRef<uint8_t> bytes) {
  StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  std::vector<ArchiveEntry> entries;
  StringRef longNames;
  uint64_t at = magic.size();
  while (at < text.size()) {
    StringRef header = text.substr(at, headerBytes);
    if (header.size() < headerBytes || header.substr(58) != "`\n")
      return invalidInput("archive: broken member header at offset " + Twine(at));
    uint64_t size = 0;
    StringRef field = header.take_front(16);
    uint64_t begin = at + headerBytes;
    if (header.substr(48, 10).rtrim(' ').getAsInteger(10, size) || size > text.size() - begin)
      return invalidInput("archive: the member at offset " + Twine(at) +
                          " ends after the end of the file");
    StringRef data = text.substr(begin, size);
    at = begin + size + (size & 1);
    if (field.rtrim(' ') == "//") {
      longNames = data;
      continue;
    }
    if (field.rtrim(' ') == "/" || field.rtrim(' ') == "/SYM64/")
      continue;
    Expected<std::string> name = memberName(field, longNames, data);
    if (!name)
      return name.takeError();
    if (StringRef(*name).starts_with("__.SYMDEF"))
      continue;
    uint64_t offset = static_cast<uint64_t>(data.data() - text.data());
    entries.push_back({std::move(*name), offset, bytes.slice(offset, data.size())});
  }
  return entries;
}
