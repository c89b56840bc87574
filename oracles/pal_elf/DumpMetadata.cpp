// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The printer is LLVM's own; what it prints comes from the project's reader, which is safe on
// hostile bytes.
#include "oracles/pal_elf/DumpMetadata.h"

#include "oracles/pal_elf/Archive.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/pal_elf/MsgPack.h"
#include "support/Error.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

static msgpack::DocNode makeNode(msgpack::Document &document, const MsgValue &value);

static msgpack::DocNode makeMap(msgpack::Document &document, const MsgValue &value) {
  msgpack::MapDocNode map = document.getMapNode();
  for (size_t i = 0; i + 1 < value.items.size(); i += 2)
    map[makeNode(document, value.items[i])] = makeNode(document, value.items[i + 1]);
  return map;
}

static msgpack::DocNode makeArray(msgpack::Document &document, const MsgValue &value) {
  msgpack::ArrayDocNode array = document.getArrayNode();
  for (const MsgValue &item : value.items)
    array.push_back(makeNode(document, item));
  return array;
}

static msgpack::DocNode makeNode(msgpack::Document &document, const MsgValue &value) {
  switch (value.kind) {
  case MsgKind::Nil:
    return document.getNode();
  case MsgKind::Bool:
    return document.getNode(value.bits != 0);
  case MsgKind::Uint:
    return document.getNode(value.bits);
  case MsgKind::Int:
    return document.getNode(static_cast<int64_t>(value.bits));
  case MsgKind::Float:
    return document.getNode(value.number);
  case MsgKind::String:
    return document.getNode(value.text);
  case MsgKind::Binary:
  case MsgKind::Extension: // YAML has no such thing; as the bytes that they are.
    return document.getNode(MemoryBufferRef(value.text, ""));
  case MsgKind::Array:
    return makeArray(document, value);
  case MsgKind::Map:
    return makeMap(document, value);
  }
  llvm_unreachable("a kind of value that does not exist");
}

static Error dumpElf(ArrayRef<uint8_t> bytes, raw_ostream &os) {
  Expected<ElfView> elf = ElfView::read(bytes);
  if (!elf)
    return elf.takeError();
  Expected<ArrayRef<uint8_t>> note = findMetadataNote(*elf);
  if (!note)
    return note.takeError();
  Expected<MsgValue> root = readMsgPack(*note);
  if (!root)
    return root.takeError();
  msgpack::Document document;
  document.setHexMode();
  document.getRoot() = makeNode(document, *root);
  os << "\t.amdgpu_pal_metadata\n";
  document.toYAML(os);
  os << "\t.end_amdgpu_pal_metadata\n";
  return Error::success();
}

Error assay::dumpMetadata(ArrayRef<uint8_t> bytes, raw_ostream &os) {
  if (!isArchive(bytes))
    return dumpElf(bytes, os);
  Expected<std::vector<ArchiveEntry>> entries = readArchive(bytes);
  if (!entries)
    return entries.takeError();
  for (const ArchiveEntry &entry : *entries) {
    os << "# " << entry.name << "\n";
    if (Error error = dumpElf(entry.bytes, os))
      return addContext(std::move(error), "member " + entry.name);
  }
  return Error::success();
}
