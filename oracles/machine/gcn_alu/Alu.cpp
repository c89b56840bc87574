// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding rows: the tables are read once, their alternative names taken apart, and put into one map
// a unit and generation.
#include "oracles/machine/gcn_alu/Alu.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <string>

using namespace llvm;
using namespace assay::gcn;

static constexpr unsigned firstGfx = 9; ///< Generations that rows may name.

static constexpr unsigned lastGfx = 12;

namespace {
/// One unit's rows, a row a name, and their index. Immutable once built.
class Catalogue {
public:
  /// Adds each row once for each of its names, which '|' separates.
  void add(ArrayRef<AluOp> rows) {
    for (const AluOp &row : rows) {
      SmallVector<StringRef, 4> names;
      StringRef(row.name).split(names, '|');
      for (StringRef name : names)
        addNamed(row, name);
    }
  }

  /// Null when the generation has no such operation.
  const AluOp *find(StringRef name, unsigned gfxMajor) const {
    if (gfxMajor < firstGfx || gfxMajor > lastGfx)
      return nullptr;
    return m_byName[gfxMajor - firstGfx].lookup(name);
  }

  /// All operations of a generation, in the order of the tables.
  std::vector<const AluOp *> list(unsigned gfxMajor) const {
    std::vector<const AluOp *> result;
    for (const AluOp &row : m_rows)
      if (row.minGfx <= gfxMajor && gfxMajor <= row.maxGfx)
        result.push_back(&row);
    return result;
  }

private:
  /// Adds a row under one name, for all generations that the row and the name allow.
  void addNamed(AluOp row, StringRef name) {
    narrow(row, name);
    m_names.push_back(name.str());
    row.name = m_names.back().c_str();
    m_rows.push_back(row);
    for (unsigned gfx = row.minGfx; gfx <= row.maxGfx; ++gfx) {
      [[maybe_unused]] bool isNew =
          m_byName[gfx - firstGfx].try_emplace(name, &m_rows.back()).second;
      assert(isNew && "two rows of one name in one generation");
    }
  }

  /// Takes "@MIN" or "@MIN-MAX" off \p name and narrows \p row to it.
  static void narrow(AluOp &row, StringRef &name) {
    auto [plain, range] = name.split('@');
    name = plain;
    if (range.empty())
      return;
    auto [low, high] = range.split('-');
    unsigned value = 0;
    if (!low.getAsInteger(10, value))
      row.minGfx = std::max<uint8_t>(row.minGfx, uint8_t(value));
    if (!high.getAsInteger(10, value))
      row.maxGfx = std::min<uint8_t>(row.maxGfx, uint8_t(value));
  }

  std::deque<std::string> m_names;
  std::deque<AluOp> m_rows;
  std::array<StringMap<const AluOp *>, lastGfx - firstGfx + 1> m_byName;
};

} // namespace

/// The vector operations. Built at the first call and never freed.
static const Catalogue &valuCatalogue() {
  static const Catalogue *catalogue = [] {
    auto *result = new Catalogue;
    auto sink = [result](ArrayRef<AluOp> rows) { result->add(rows); };
    addValuIntegerRows(sink);
    addValuShortRows(sink);
    addValuByteRows(sink);
    addValuFloatRows(sink);
    addValuMinMaxRows(sink);
    addValuUnaryFloatRows(sink);
    addValuDivisionRows(sink);
    addValuConvertRows(sink);
    addValuCompareRows(sink);
    addValuPackedRows(sink);
    addValuDotRows(sink);
    addValuDotFloatRows(sink);
    addValuByteFloatRows(sink);
    return result;
  }();
  return *catalogue;
}

/// The scalar operations. Built at the first call and never freed.
static const Catalogue &saluCatalogue() {
  static const Catalogue *catalogue = [] {
    auto *result = new Catalogue;
    auto sink = [result](ArrayRef<AluOp> rows) { result->add(rows); };
    addSaluIntegerRows(sink);
    addSaluFloatRows(sink);
    return result;
  }();
  return *catalogue;
}

/// Kinds of one 16-bit value; pairs of them fill a register.
static bool isSixteenBit(OperandKind kind) {
  switch (kind) {
  case OperandKind::B16:
  case OperandKind::U16:
  case OperandKind::I16:
  case OperandKind::F16:
  case OperandKind::BF16:
    return true;
  default:
    return false;
  }
}

/// Sources before the first that is None.
unsigned AluOp::sourceCount() const {
  unsigned count = 0;
  while (count < 3 && src[count] != OperandKind::None)
    ++count;
  return count;
}

/// Whether a 16-bit result in the low half of a register zeroes the high half. Only GFX9 has such
/// operations.
bool assay::gcn::zeroesHighHalf(const AluOp &op, unsigned gfxMajor) {
  return gfxMajor <= 9 && isSixteenBit(op.dst) && !(op.flags & (PreservesHigh | WritesHigh));
}

const AluOp *assay::gcn::findValuOp(StringRef name, unsigned gfxMajor) {
  return valuCatalogue().find(name, gfxMajor);
}

const AluOp *assay::gcn::findSaluOp(StringRef name, unsigned gfxMajor) {
  return saluCatalogue().find(name, gfxMajor);
}

std::vector<const AluOp *> assay::gcn::listValuOps(unsigned gfxMajor) {
  return valuCatalogue().list(gfxMajor);
}

std::vector<const AluOp *> assay::gcn::listSaluOps(unsigned gfxMajor) {
  return saluCatalogue().list(gfxMajor);
}
