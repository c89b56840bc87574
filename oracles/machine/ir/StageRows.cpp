// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir/StageRows.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;

/// The string at \p operand of \p row; empty where there is none.
static StringRef textOf(const MDNode &row, unsigned operand) {
  auto *text =
      operand < row.getNumOperands() ? dyn_cast<MDString>(row.getOperand(operand)) : nullptr;
  return text ? text->getString() : StringRef();
}

/// The integer at \p operand of \p row; 0 where there is none.
static uint32_t numberOf(const MDNode &row, unsigned operand) {
  auto *number = operand < row.getNumOperands()
                     ? mdconst::dyn_extract<ConstantInt>(row.getOperand(operand))
                     : nullptr;
  return number ? static_cast<uint32_t>(number->getZExtValue()) : 0;
}

/// The value of \p key in \p map, which is added if it is not there.
static MsgValue &addKey(MsgValue &map, StringRef key, MsgValue value) {
  for (size_t i = 0; i < map.items.size(); i += 2)
    if (map.items[i].isString(key))
      return map.items[i + 1];
  map.items.push_back(MsgValue::makeString(key));
  return map.items.emplace_back(std::move(value));
}

/// Row: "register", group or "", name, number. The group becomes a map of its own.
static void takeRegister(const MDNode &row, StageRows &rows) {
  MsgValue *map = &rows.registers;
  if (StringRef name = textOf(row, 1); !name.empty())
    map = &addKey(*map, name, MsgValue::makeEmpty(MsgKind::Map));
  addKey(*map, textOf(row, 2), {}) = MsgValue::makeUint(numberOf(row, 3));
}

/// Row: "parameter", location, index.
static void takeParameter(const MDNode &row, StageRows &rows) {
  rows.parameters.push_back({numberOf(row, 1), numberOf(row, 2)});
}

/// Row: "interpolant", location, whether it is flat.
static void takeInterpolant(const MDNode &row, StageRows &rows) {
  rows.interpolants.push_back({numberOf(row, 1), numberOf(row, 2) != 0});
}

/// Row: "interpolant-halves", location, whether there are high halves.
static void takeInterpolantHalves(const MDNode &row, StageRows &rows) {
  rows.interpolants.push_back({numberOf(row, 1), /*isFlat=*/false, /*hasHalves=*/true});
}

/// Row: "point-coordinate". It takes the next attribute, without a location.
static void takePointCoordinate(const MDNode &, StageRows &rows) {
  rows.interpolants.push_back({});
}

/// Rows that only the passes need.
static void takeNothing(const MDNode &, StageRows &) {}

namespace {
/// A kind of row by its first operand.
struct RowKind {
  StringLiteral name;
  void (*take)(const MDNode &row, StageRows &rows);
};
} // namespace

/// Kinds of rows by their first operand. Rows that no shader depends on are accepted and ignored.
static constexpr RowKind rowKinds[] = {
    {"register", takeRegister},
    {"parameter", takeParameter},
    {"interpolant", takeInterpolant},
    {"point-coordinate", takePointCoordinate},
    {"interpolant-halves", takeInterpolantHalves},
    {"positions", takeNothing},
    {"flag", takeNothing},
};

/// InvalidInput for kinds of rows that are not known. A module without the metadata has no rows.
Expected<StageRows> irm::readStageRows(const Module &module) {
  StageRows rows;
  const NamedMDNode *named = module.getNamedMetadata("amdgpu.stage");
  for (unsigned i = 0; named && i < named->getNumOperands(); ++i) {
    const MDNode &row = *named->getOperand(i);
    const auto *kind =
        find_if(rowKinds, [&](const RowKind &each) { return each.name == textOf(row, 0); });
    if (kind == std::end(rowKinds))
      return invalidInput("IR: a row '" + textOf(row, 0) + "' of !amdgpu.stage");
    kind->take(row, rows);
  }
  return rows;
}
