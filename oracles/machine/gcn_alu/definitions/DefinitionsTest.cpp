// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every row of the ALU tables against its definition, and proof that the comparison notices what it
// is for: no row's kernel can be exchanged for another's.
#include "oracles/machine/gcn_alu/definitions/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

namespace {
/// Its parameter is gfxMajor.
class Definitions : public testing::TestWithParam<unsigned> {};

} // namespace

INSTANTIATE_TEST_SUITE_P(Generations, Definitions, testing::Values(9u, 10u, 11u, 12u));

static std::vector<const AluOp *> allRows(unsigned gfxMajor) {
  std::vector<const AluOp *> rows = listValuOps(gfxMajor);
  append_range(rows, listSaluOps(gfxMajor));
  return rows;
}

TEST_P(Definitions, EveryRowHasOne) {
  for (const AluOp *row : allRows(GetParam()))
    EXPECT_TRUE(findDefinition(row->name, GetParam())) << row->name;
}

TEST_P(Definitions, EveryOneHasARow) {
  for (const std::string &name : definedNames(GetParam())) {
    bool isScalar = StringRef(name).starts_with("s_");
    EXPECT_TRUE(isScalar ? findSaluOp(name, GetParam()) : findValuOp(name, GetParam())) << name;
  }
}

TEST_P(Definitions, RowsHaveTheOperandsOfTheirDefinitions) {
  for (const AluOp *row : allRows(GetParam()))
    if (const ReadyDefinition *ready = findDefinition(row->name, GetParam()))
      EXPECT_EQ(compareShape(*row, ready->shape), "") << row->name;
}

TEST_P(Definitions, RowsDoWhatTheirDefinitionsSay) {
  for (const AluOp *row : allRows(GetParam())) {
    const ReadyDefinition *ready = findDefinition(row->name, GetParam());
    if (!ready || !compareShape(*row, ready->shape).empty())
      continue;
    Disagreement found = compareKernel(row->function, *ready, GetParam());
    EXPECT_FALSE(found) << row->name << " " << *found;
  }
}

/// Kernels that can be in each other's place without reading what is not there: the same unit,
/// the same widths of sources and destination, whatever they mean.
static std::string interfaceOf(const AluOp &row) {
  std::string text = row.name[0] + std::to_string(widthOf(row.dst));
  for (unsigned index = 0; index < row.sourceCount(); ++index)
    text += " " + std::to_string(widthOf(row.src[index]));
  return text;
}

/// Names that compute the same from the same bits, in every setting: a regular expression a group.
static bool areTwins(StringRef first, StringRef second) {
  static const char *const groups[] = {
      "s_(cmov|cselect)_b32",
      "s_(cmov|cselect)_b64",
      "s_cmp_eq_[iu]32",
      "s_cmp_lg_[iu]32",
      "v_dot4c?_i32_i8",
      "v_cmpx?_f_.*",
      "v_cmpx?_(t|tru)_.*",
      // The addend is a source or the old destination; the literal is one source or another.
      "v_(dual_)?fma(c|ak|mk|_mix)?_f32",
      "s_fma(c|ak|mk)_f32",
      "v_fma(c|ak|mk|_legacy)?_f16",
      "v_fmac?_(dx9_zero|legacy)_f32",
      "v_(mad|mac|madak|madmk|mad_mix)_f32",
      "v_(mad|mac|madak|madmk|mad_legacy)_f16",
      "v_ma[dc]_legacy_f32",
      "v_pk_fmac?_f16",
      "v_(dual_)?dot2(c|acc)?_f32_f16",
      "v_(dual_)?dot2(acc)?_f32_bf16",
      "v_cvt_pk(accum)?_u8_f32",
  };
  auto inGroup = [](StringRef pattern, StringRef name) {
    return Regex("^(" + pattern.str() + ")$").match(name);
  };
  if (any_of(groups, [&](StringRef each) { return inGroup(each, first) && inGroup(each, second); }))
    return true;
  // v_cmp and v_cmpx share a kernel; equality does not ask for signs.
  auto relationOf = [](StringRef name) {
    SmallVector<StringRef, 3> parts;
    bool matches = Regex("^v_cmpx?_(eq|ne)_[iu]([0-9]+)$").match(name, &parts);
    return matches ? (parts[1] + parts[2]).str() : name.str();
  };
  return relationOf(first) == relationOf(second);
}

static std::map<std::string, std::vector<const AluOp *>> rowsByInterface(unsigned gfxMajor) {
  std::map<std::string, std::vector<const AluOp *>> rows;
  for (const AluOp *row : allRows(gfxMajor))
    rows[interfaceOf(*row)].push_back(row);
  return rows;
}

TEST_P(Definitions, ExchangedKernelsAreNoticed) {
  unsigned pairs = 0;
  for (const auto &[interface, rows] : rowsByInterface(GetParam()))
    for (const AluOp *row : rows) {
      const ReadyDefinition *ready = findDefinition(row->name, GetParam());
      for (const AluOp *other : rows) {
        if (!ready || other->function == row->function)
          continue;
        ++pairs;
        bool isNoticed = compareKernel(other->function, *ready, GetParam()).has_value();
        EXPECT_EQ(isNoticed, !areTwins(row->name, other->name))
            << row->name << " with the kernel of " << other->name;
      }
    }
  EXPECT_GT(pairs, 2000u);
}

/// The kernel that perturbed() is a bad copy of.
static AluFunction perturbedKernel = nullptr;

/// One answer in eight has a wrong bit: of the value, or of the flag where there is no value.
static AluOutput perturbed(const AluInput &input, const AluMode &mode) {
  AluOutput output = perturbedKernel(input, mode);
  uint64_t mixed = (input.src[0] ^ input.src[1] * 5 ^ input.src[2] * 11) * 0x9e3779b97f4a7c15ull;
  if (mixed >> 61 == 0) {
    output.value ^= 1;
    output.carry = !output.carry;
  }
  return output;
}

TEST_P(Definitions, PerturbedKernelsAreNoticed) {
  for (const AluOp *row : allRows(GetParam())) {
    const ReadyDefinition *ready = findDefinition(row->name, GetParam());
    if (!ready)
      continue;
    perturbedKernel = row->function;
    EXPECT_TRUE(compareKernel(perturbed, *ready, GetParam())) << row->name;
  }
}
