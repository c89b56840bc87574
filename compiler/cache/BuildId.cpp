// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cache/BuildId.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <elf.h>
#include <link.h>

using namespace llvm;
using namespace assay;

/// Returns the bytes of \p segment as loaded.
static ArrayRef<uint8_t> getSegment(const dl_phdr_info &object, const ElfW(Phdr) & segment) {
  return {reinterpret_cast<const uint8_t *>(object.dlpi_addr + segment.p_vaddr), segment.p_memsz};
}

/// The description of the note NT_GNU_BUILD_ID in \p notes; empty when there is none.
static ArrayRef<uint8_t> findBuildId(ArrayRef<uint8_t> notes) {
  while (notes.size() > sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    memcpy(&header, notes.data(), sizeof(header));
    size_t description = sizeof(header) + alignTo(header.n_namesz, 4);
    size_t end = description + alignTo(header.n_descsz, 4);
    if (end > notes.size())
      return {};
    StringRef owner = toStringRef(notes.slice(sizeof(header), header.n_namesz));
    if (header.n_type == NT_GNU_BUILD_ID && owner == StringRef("GNU", 4))
      return notes.slice(description, header.n_descsz);
    notes = notes.drop_front(end);
  }
  return {};
}

/// Adds the build id of \p object, or a hash of its read-only segments where it has none.
static void addObject(const dl_phdr_info &object, CanonicalBytes &bytes) {
  ArrayRef segments(object.dlpi_phdr, object.dlpi_phnum);
  for (const ElfW(Phdr) &segment : segments)
    if (segment.p_type == PT_NOTE)
      if (ArrayRef<uint8_t> id = findBuildId(getSegment(object, segment)); !id.empty()) {
        bytes.add("build id").add(toStringRef(id));
        return;
      }
  for (const ElfW(Phdr) &segment : segments)
    if (segment.p_type == PT_LOAD && !(segment.p_flags & PF_W)) {
      XXH128_hash_t hash = xxh3_128bits(getSegment(object, segment));
      bytes.add("code").add(Hash128{hash.low64, hash.high64});
    }
}

/// The program comes first and has no name.
static int visitObject(dl_phdr_info *object, size_t, void *data) {
  StringRef name = object->dlpi_name ? object->dlpi_name : "";
  if (name.empty() || name.contains("libLLVM"))
    addObject(*object, *static_cast<CanonicalBytes *>(data));
  return 0;
}

/// Visits all loaded objects.
static Hash128 computeBuildId() {
  CanonicalBytes bytes;
  dl_iterate_phdr(visitObject, &bytes);
  return bytes.hash();
}

const Hash128 &assay::getBuildId() {
  static const Hash128 id = computeBuildId();
  return id;
}
