// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/Glue.h"

#include "compiler/pal/GraphicsTable.h"
#include "compiler/pal/Metadata.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"

using namespace llvm;
using namespace assay;
using namespace assay::pal;
using File = object::ELF64LEFile;

/// Returns the ELF in \p bytes; InvalidInput where it can't be parsed.
static Expected<File> openElf(ArrayRef<uint8_t> bytes) {
  Expected<File> file = File::create(toStringRef(bytes));
  if (!file)
    return invalidInput(toString(file.takeError()));
  return file;
}

/// Returns the array at \p key, with 0 for elements that are not unsigned; empty where there is
/// none.
static std::vector<uint32_t> readNumbers(msgpack::MapDocNode map, StringRef key) {
  std::vector<uint32_t> numbers;
  auto found = map.find(key);
  if (found != map.end() && found->second.isArray())
    for (msgpack::DocNode &each : found->second.getArray())
      numbers.push_back(
          each.getKind() == msgpack::Type::UInt ? static_cast<uint32_t>(each.getUInt()) : 0);
  return numbers;
}

/// Returns the needs in the metadata of \p part, or nothing where it needs no glue. The user data
/// map is cut to the user SGPRs in use. InvalidInput for malformed metadata.
Expected<std::optional<GlueNeeds>> pal::readGlueNeeds(ArrayRef<uint8_t> part) {
  Expected<std::string> blob = readMetadataNote(part);
  if (!blob)
    return blob.takeError();
  msgpack::Document document;
  if (!document.readFromBlob(*blob, /*Multi=*/false) || !document.getRoot().isMap())
    return invalidInput("the metadata of a part are no msgpack map");
  msgpack::DocNode &pipelines = document.getRoot().getMap()["amdpal.pipelines"];
  if (!pipelines.isArray() || pipelines.getArray().size() != 1 || !pipelines.getArray()[0].isMap())
    return invalidInput("the metadata of a part lack its pipeline");
  msgpack::MapDocNode pipeline = pipelines.getArray()[0].getMap();
  GlueNeeds needs;
  needs.values = readNumbers(pipeline, ".glue");
  if (needs.values.empty())
    return std::nullopt;
  msgpack::DocNode &stages = pipeline[".hardware_stages"];
  if (!stages.isMap())
    return invalidInput("a part with glue has no hardware stages");
  for (HardwareStage stage : {HardwareStage::Vs, HardwareStage::Gs, HardwareStage::Ps}) {
    auto found = stages.getMap().find(getStageRow(stage).key);
    if (found == stages.getMap().end() || !found->second.isMap())
      continue;
    msgpack::MapDocNode map = found->second.getMap();
    needs.stage = stage;
    needs.userData = readNumbers(map, ".user_data_reg_map");
    msgpack::DocNode &count = map[".user_sgprs"];
    size_t used = count.getKind() == msgpack::Type::UInt ? count.getUInt() : 0;
    needs.userData.resize(std::min(used, needs.userData.size()));
    return needs;
  }
  return invalidInput("a part with glue has no hardware stage");
}

/// Returns the code of the only function. InvalidInput for relocations, and for no or several
/// functions.
Expected<std::string> pal::readGlueCode(ArrayRef<uint8_t> glue) {
  Expected<File> file = openElf(glue);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return invalidInput(toString(sections.takeError()));
  std::optional<std::string> code;
  for (const auto &section : *sections) {
    if (section.sh_type == ELF::SHT_REL || section.sh_type == ELF::SHT_RELA)
      return invalidInput("glue with relocations");
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto symbols = file->symbols(&section);
    if (!symbols)
      return invalidInput(toString(symbols.takeError()));
    for (const auto &symbol : *symbols) {
      if (symbol.getType() != ELF::STT_FUNC)
        continue;
      auto text = file->getSection(symbol.st_shndx);
      if (!text)
        return invalidInput(toString(text.takeError()));
      auto bytes = file->getSectionContents(**text);
      if (!bytes)
        return invalidInput(toString(bytes.takeError()));
      if (code || symbol.st_value + symbol.st_size > bytes->size())
        return invalidInput("glue with more than one function, or a broken one");
      code = toStringRef(bytes->slice(symbol.st_value, symbol.st_size)).str();
    }
  }
  if (!code)
    return invalidInput("glue without a function");
  return *code;
}
