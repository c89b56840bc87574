// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/isa/Opcode.h"

#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;
using namespace assay::ir3::property;

/// Opcodes.def, indexed by Opcode.
static constexpr OpcodeInfo Opcodes[] = {
#define OPCODE(ENUM, NAME, CATEGORY, CODE, FORMAT, SOURCES, PROPERTIES, GENERATION)                \
  {NAME, CATEGORY, CODE, Format::FORMAT, SOURCES, PROPERTIES, GENERATION},
#include "compiler/ir3/isa/Opcodes.def"
};

const OpcodeInfo &ir3::infoOf(Opcode opcode) {
  return Opcodes[unsigned(opcode)];
}

/// The table of names is made at the first call. Of equal names the first opcode counts.
std::optional<Opcode> ir3::findOpcode(StringRef name) {
  static const StringMap<Opcode> Names = [] {
    StringMap<Opcode> names;
    for (unsigned i = 0; i < unsigned(Opcode::Count); ++i)
      names.try_emplace(Opcodes[i].name, Opcode(i));
    return names;
  }();
  auto found = Names.find(name);
  return found == Names.end() ? std::nullopt : std::optional(found->second);
}

StringRef ir3::typeName(Type type) {
  static constexpr StringLiteral Names[] = {"f16", "f32", "u16", "u32",
                                            "s16", "s32", "u8",  "u8_32"};
  return Names[type];
}

StringRef ir3::conditionName(Condition condition) {
  static constexpr StringLiteral Names[] = {"lt", "le", "gt", "ge", "eq", "ne"};
  return Names[condition];
}

/// Fields.def, in its order: the order in which fields are printed.
static constexpr FieldInfo FieldTable[] = {
#define FIELD(NAME, TEXT, DEFAULT) {TEXT, &Fields::NAME, DEFAULT},
#include "compiler/ir3/isa/Fields.def"
};

ArrayRef<FieldInfo> ir3::allFields() {
  return FieldTable;
}
