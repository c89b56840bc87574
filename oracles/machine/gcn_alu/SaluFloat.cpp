// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalar float unit of GFX11.5 and GFX12. gfxMajor 11 has the names of GFX11.5 (s_min_f32),
// 12 its own (s_min_num_f32, s_minimum_f32).
#include "oracles/machine/gcn_alu/Compare.h"
#include "oracles/machine/gcn_alu/Convert.h"
#include "oracles/machine/gcn_alu/Elementary.h"
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/MinMax.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include <string>
#include <utility>

using namespace assay::gcn;

using U32 = uint32_t;
using I32 = int32_t;

static constexpr NanRule legacy = NanRule::Legacy;

static constexpr NanRule number = NanRule::Number;

static constexpr NanRule propagate = NanRule::Propagate;

/// s_fmac: the destination is the addend.
template <typename T> static T fmaOld(T a, T b, Old<T> c, const AluMode &mode) {
  return floatFma(a, b, c.value, mode);
}

/// Columns: names, first and last generation.
static constexpr AluOp arithmeticRows[] = {
    salu<floatAdd<float>>("s_add_f32", 11),
    salu<floatAdd<Half>>("s_add_f16", 11),
    salu<floatSub<float>>("s_sub_f32", 11),
    salu<floatSub<Half>>("s_sub_f16", 11),
    salu<floatMul<float>>("s_mul_f32", 11),
    salu<floatMul<Half>>("s_mul_f16", 11),
    salu<fmaOld<float>>("s_fmac_f32", 11),
    salu<fmaOld<Half>>("s_fmac_f16", 11),
    salu<floatFma<float>>("s_fmaak_f32|s_fmamk_f32", 11),
    salu<floatMin<legacy, float>>("s_min_f32", 11, 11),
    salu<floatMax<legacy, float>>("s_max_f32", 11, 11),
    salu<floatMin<legacy, Half>>("s_min_f16", 11, 11),
    salu<floatMax<legacy, Half>>("s_max_f16", 11, 11),
    salu<floatMin<number, float>>("s_min_num_f32", 12),
    salu<floatMax<number, float>>("s_max_num_f32", 12),
    salu<floatMin<number, Half>>("s_min_num_f16", 12),
    salu<floatMax<number, Half>>("s_max_num_f16", 12),
    salu<floatMin<propagate, float>>("s_minimum_f32", 12),
    salu<floatMax<propagate, float>>("s_maximum_f32", 12),
    salu<floatMin<propagate, Half>>("s_minimum_f16", 12),
    salu<floatMax<propagate, Half>>("s_maximum_f16", 12),
};

/// One float to one result: rounding to integers and conversions. packRoundZero has two sources.
/// Rows start at the generation in the second argument.
static constexpr AluOp unaryRows[] = {
    salu<floatCeil<float>>("s_ceil_f32", 11),
    salu<floatCeil<Half>>("s_ceil_f16", 11),
    salu<floatFloor<float>>("s_floor_f32", 11),
    salu<floatFloor<Half>>("s_floor_f16", 11),
    salu<floatTrunc<float>>("s_trunc_f32", 11),
    salu<floatTrunc<Half>>("s_trunc_f16", 11),
    salu<floatRndne<float>>("s_rndne_f32", 11),
    salu<floatRndne<Half>>("s_rndne_f16", 11),
    salu<fromInteger<float, I32>>("s_cvt_f32_i32", 11),
    salu<fromInteger<float, U32>>("s_cvt_f32_u32", 11),
    salu<[](float a) { return toInteger<I32>(a); }>("s_cvt_i32_f32", 11),
    salu<[](float a) { return toInteger<U32>(a); }>("s_cvt_u32_f32", 11),
    salu<convertFloat<Half, float>>("s_cvt_f16_f32", 11),
    salu<convertFloat<float, Half>>("s_cvt_f32_f16", 11),
    salu<[](U32 a, const AluMode &mode) {
      return convertFloat<float>(Half{uint16_t(a >> 16)}, mode);
    }>("s_cvt_hi_f32_f16", 11),
    salu<packRoundZero>("s_cvt_pk_rtz_f16_f32", 11),
};

/// A comparison: the result is SCC alone.
template <typename T, unsigned Relations>
static AluOutput compareScalar(const AluInput &input, const AluMode &mode) {
  bool holds = isRelated<Relations>(fromBits<T>(input.src[0]), fromBits<T>(input.src[1]), mode);
  return {0, holds};
}

/// Adds the row of one relation, which is a set of the bits of Compare.h.
template <typename T, unsigned Relations> static void addCompare(RowSink sink, const char *type) {
  // The constant relations have no scalar form.
  if (Relations == 0 || Relations == 15)
    return;
  std::string name = std::string("s_cmp_") + floatRelations[Relations] + "_" + type;
  sink(AluOp{name.c_str(),
             compareScalar<T, Relations>,
             OperandKind::None,
             {KindOf<T>::value, KindOf<T>::value, OperandKind::None},
             uint16_t(unsigned(WritesScc) | unsigned(NoDst)),
             11});
}

/// Adds the rows of all relations for one type, whose name is \p type.
template <typename T, unsigned... Relations>
static void addCompares(RowSink sink, const char *type,
                        std::integer_sequence<unsigned, Relations...>) {
  (addCompare<T, Relations>(sink, type), ...);
}

/// Comparisons are made from the 16 relations of Compare.h; the other rows are tables.
void assay::gcn::addSaluFloatRows(RowSink sink) {
  sink(arithmeticRows);
  sink(unaryRows);
  addCompares<float>(sink, "f32", std::make_integer_sequence<unsigned, 16>());
  addCompares<Half>(sink, "f16", std::make_integer_sequence<unsigned, 16>());
}
