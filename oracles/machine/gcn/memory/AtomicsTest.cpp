// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every atomic operation against its definition (definitions/AtomicMeaning.h), under each of its
// names. A test exchanges operations and must notice.
#include "oracles/machine/gcn/memory/Atomics.h"
#include "oracles/machine/gcn/definitions/AtomicMeaning.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using definitions::AtomicCell;
using definitions::AtomicMeaning;
using definitions::findAtomicMeaning;

namespace {

/// The edges of a float format.
struct FloatKind {
  unsigned exponent, mantissa;
  uint64_t sign() const { return uint64_t(1) << (exponent + mantissa); }
  uint64_t infinity() const { return ((uint64_t(1) << exponent) - 1) << mantissa; }
  uint64_t quiet() const { return uint64_t(1) << (mantissa - 1); }
  int bias() const { return (1 << (exponent - 1)) - 1; }
};
constexpr FloatKind Half{5, 10}, Brain{8, 7}, Single{8, 23}, Double{11, 52};

} // namespace

/// The names of a row.
static SmallVector<StringRef, 4> namesOf(const AtomicRow &row) {
  SmallVector<StringRef, 4> names;
  StringRef(row.names).split(names, '|');
  return names;
}

static std::vector<AtomicRow> allRows() {
  std::vector<AtomicRow> rows(atomicRows().begin(), atomicRows().end());
  append_range(rows, ldsAtomicRows());
  return rows;
}

/// Edges of integers and of all float formats, and chance.
static std::vector<uint64_t> interestingValues(unsigned bits) {
  std::vector<uint64_t> values = {0,
                                  1,
                                  2,
                                  3,
                                  ~0ull,
                                  ~1ull,
                                  0x7fffffff,
                                  0x80000000,
                                  0x80000001,
                                  0x7fffffffffffffff,
                                  0x8000000000000000,
                                  0x8000000080000000,
                                  0x0000000500000005,
                                  0x0000000700000005};
  for (const FloatKind &kind : {Half, Brain, Single, Double}) {
    uint64_t one = uint64_t(kind.bias()) << kind.mantissa;
    for (uint64_t magnitude : {uint64_t(0), uint64_t(1), kind.quiet(), uint64_t(1) << kind.mantissa,
                               one, one + 1, kind.infinity() - 1, kind.infinity(),
                               kind.infinity() | 1, kind.infinity() | kind.quiet()}) {
      values.push_back(magnitude);
      values.push_back(magnitude | kind.sign());
      values.push_back(magnitude | magnitude << 16);
    }
  }
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 24; ++i)
    values.push_back(random());
  for (uint64_t &value : values)
    value &= bits == 64 ? ~uint64_t(0) : 0xffffffff;
  sort(values);
  values.erase(unique(values), values.end());
  return values;
}

static const std::vector<AtomicMode> &allModes() {
  static const std::vector<AtomicMode> Modes = {
      {}, {true, false, false}, {true, true, false}, {false, true, true}, {false, false, true}};
  return Modes;
}

/// The first case in which \p function does not do what \p meaning says.
static std::optional<AtomicCell> findDifference(AtomicFunction function,
                                                const AtomicMeaning &meaning) {
  std::vector<uint64_t> values = interestingValues(meaning.bits);
  uint64_t all = meaning.bits == 64 ? ~uint64_t(0) : 0xffffffff;
  for (const AtomicMode &mode : allModes())
    for (uint64_t old : values)
      for (uint64_t data : values)
        for (uint64_t second : {old, data, ~data & all}) {
          AtomicCell cell{meaning.bits,     old,          data, second, mode.flushSources,
                          mode.flushResult, mode.isNumber};
          if (function(old, data, second, mode) != meaning.compute(cell))
            return cell;
        }
  return std::nullopt;
}

TEST(AtomicDefinitions, EveryOperationDoesWhatItsDefinitionSays) {
  for (const AtomicRow &row : allRows())
    for (StringRef name : namesOf(row)) {
      std::optional<AtomicMeaning> meaning = findAtomicMeaning(name);
      ASSERT_TRUE(meaning) << name.str();
      EXPECT_EQ(meaning->bits, row.bytes * 8u) << name.str();
      EXPECT_EQ(meaning->takesSecond, row.takesCompare) << name.str();
      std::optional<AtomicCell> cell = findDifference(row.function, *meaning);
      EXPECT_FALSE(cell) << name.str() << std::hex << " old " << cell->old << " data " << cell->data
                         << " second " << cell->second;
    }
}

/// Operations that are one another under other names.
static bool isSame(const AtomicRow &a, const AtomicRow &b) {
  return a.function == b.function;
}

TEST(AtomicDefinitions, ExchangedOperationsAreNoticed) {
  std::vector<AtomicRow> rows = allRows();
  for (const AtomicRow &row : rows)
    for (const AtomicRow &other : rows) {
      if (other.bytes != row.bytes || isSame(row, other))
        continue;
      EXPECT_TRUE(findDifference(other.function, *findAtomicMeaning(namesOf(row)[0])))
          << row.names << " as " << other.names;
    }
}
