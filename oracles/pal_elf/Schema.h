// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What may be in the PAL metadata: the table Schema.def, and a walk over a metadata tree that
// says where it differs from the table. What a difference means is the rules' business.
#pragma once

#include "oracles/pal_elf/MsgPack.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace assay {

/// The maps and enumerations of Schema.def.
enum class SchemaName : uint8_t {
  None,
#define STRUCT(NAME) NAME,
#define ENUMERATION(NAME, ...) NAME,
#include "oracles/pal_elf/Schema.def"
};

enum class SchemaType : uint8_t {
  Bool,
  Uint,
  Float,
  String,
  Binary,
  Enum,
  EnumArray,
  UintArray,
  Struct,
  StructArray,
  StructMap,
  Opaque
};

enum class SchemaDialect : uint8_t { Pal, Lgc };

/// One row of Schema.def; its columns are explained there.
struct SchemaKey {
  llvm::StringRef name;
  uint64_t max;
  uint32_t least;
  uint32_t most;
  unsigned since;
  SchemaName owner;
  SchemaName child;
  SchemaType type;
  SchemaDialect dialect;
  unsigned until = 0; ///< The last version that knew it; 0: it is still known.
};

/// All rows, in the order of the table.
llvm::ArrayRef<SchemaKey> getSchemaKeys();
/// The row of \p key in \p owner, or null.
const SchemaKey *findSchemaKey(SchemaName owner, llvm::StringRef key);
/// The strings of an enumeration.
llvm::ArrayRef<llvm::StringRef> getSchemaEnum(SchemaName name);

enum class SchemaProblemKind {
  Duplicate,    ///< A key is twice in one map.
  KeyNotString, ///< A key is no string.
  Type,         ///< The value is not of the declared type, and PAL refuses it.
  Loose,        ///< A number or bool that PAL takes for the declared type, as writers rely on.
  Converted,    ///< Another value of a type that PAL takes for the declared one.
  Lossy,        ///< PAL takes it, but not for the same value.
  Range,        ///< The integer does not fit the C type or the register field.
  UnknownKey,   ///< The table has no such key.
  LgcOnlyKey,   ///< A key that only LGC writes; PAL skips it.
  TooNew,       ///< The key is newer than the version that the metadata claims.
  TooOld,       ///< The key was dropped before the version that the metadata claims.
  EnumValue,    ///< The string is none of the enumeration's.
  Length,       ///< The array is too short or too long.
  StringLength, ///< PAL has no room for the string.
};

struct SchemaProblem {
  SchemaProblemKind kind;
  std::string path; ///< ".hardware_stages.cs.float_mode"; array indexes in brackets.
  std::string key;  ///< The last part of path, without indexes.
  std::string text; ///< What is wrong and what was expected.
};

/// Walks \p root and reports to \p problem every difference from the table, in the order of the
/// file. What PAL takes although it is of another type becomes what PAL makes of it, so that
/// whoever reads \p root later sees that (Conversion.h). A map that is too new is told once, not
/// with all that is in it. \p version: major * 10 + minor, 0 when unknown (then nothing is too
/// new).
void checkSchema(MsgValue &root, unsigned version,
                 llvm::function_ref<void(const SchemaProblem &)> problem);

} // namespace assay
