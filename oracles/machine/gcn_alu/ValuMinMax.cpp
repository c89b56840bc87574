// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector minimum, maximum, median and their pairs on f16, f32 and f64.
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/MinMax.h"
#include "oracles/machine/gcn_alu/Tables.h"

using namespace assay::gcn;

static constexpr NanRule legacy = NanRule::Legacy;

static constexpr NanRule number = NanRule::Number;

static constexpr NanRule propagate = NanRule::Propagate;

/// What GFX9 to GFX11 do with a NaN depends on MODE.IEEE.
static constexpr AluOp legacyRows[] = {
    valu<floatMin<legacy, float>>("v_min_f32|v_dual_min_f32@11", 9, 11),
    valu<floatMax<legacy, float>>("v_max_f32|v_dual_max_f32@11", 9, 11),
    valu<floatMin<legacy, Half>>("v_min_f16", 9, 11),
    valu<floatMax<legacy, Half>>("v_max_f16", 9, 11),
    valu<floatMin<legacy, double>>("v_min_f64", 9, 11),
    valu<floatMax<legacy, double>>("v_max_f64", 9, 11),
    valu<floatMin3<legacy, float>>("v_min3_f32", 9, 11),
    valu<floatMax3<legacy, float>>("v_max3_f32", 9, 11),
    valu<floatMed3<legacy, float>>("v_med3_f32", 9, 11),
    valu<floatMin3<legacy, Half>>("v_min3_f16", 9, 11, PreservesHigh),
    valu<floatMax3<legacy, Half>>("v_max3_f16", 9, 11, PreservesHigh),
    valu<floatMed3<legacy, Half>>("v_med3_f16", 9, 11, PreservesHigh),
    valu<floatMaxMin<legacy, float>>("v_maxmin_f32", 11, 11),
    valu<floatMinMax<legacy, float>>("v_minmax_f32", 11, 11),
    valu<floatMaxMin<legacy, Half>>("v_maxmin_f16", 11, 11),
    valu<floatMinMax<legacy, Half>>("v_minmax_f16", 11, 11),
};

/// GFX12: a number wins over a NaN.
static constexpr AluOp numberRows[] = {
    valu<floatMin<number, float>>("v_min_num_f32|v_dual_min_num_f32", 12),
    valu<floatMax<number, float>>("v_max_num_f32|v_dual_max_num_f32", 12),
    valu<floatMin<number, Half>>("v_min_num_f16", 12),
    valu<floatMax<number, Half>>("v_max_num_f16", 12),
    valu<floatMin<number, double>>("v_min_num_f64", 12),
    valu<floatMax<number, double>>("v_max_num_f64", 12),
    valu<floatMin3<number, float>>("v_min3_num_f32", 12),
    valu<floatMax3<number, float>>("v_max3_num_f32", 12),
    valu<floatMed3<number, float>>("v_med3_num_f32", 12),
    valu<floatMin3<number, Half>>("v_min3_num_f16", 12),
    valu<floatMax3<number, Half>>("v_max3_num_f16", 12),
    valu<floatMed3<number, Half>>("v_med3_num_f16", 12),
    valu<floatMaxMin<number, float>>("v_maxmin_num_f32", 12),
    valu<floatMinMax<number, float>>("v_minmax_num_f32", 12),
    valu<floatMaxMin<number, Half>>("v_maxmin_num_f16", 12),
    valu<floatMinMax<number, Half>>("v_minmax_num_f16", 12),
};

/// GFX12: a NaN wins over a number. There is no median.
static constexpr AluOp propagateRows[] = {
    valu<floatMin<propagate, float>>("v_minimum_f32", 12),
    valu<floatMax<propagate, float>>("v_maximum_f32", 12),
    valu<floatMin<propagate, Half>>("v_minimum_f16", 12),
    valu<floatMax<propagate, Half>>("v_maximum_f16", 12),
    valu<floatMin<propagate, double>>("v_minimum_f64", 12),
    valu<floatMax<propagate, double>>("v_maximum_f64", 12),
    valu<floatMin3<propagate, float>>("v_minimum3_f32", 12),
    valu<floatMax3<propagate, float>>("v_maximum3_f32", 12),
    valu<floatMin3<propagate, Half>>("v_minimum3_f16", 12),
    valu<floatMax3<propagate, Half>>("v_maximum3_f16", 12),
    valu<floatMaxMin<propagate, float>>("v_maximumminimum_f32", 12),
    valu<floatMinMax<propagate, float>>("v_minimummaximum_f32", 12),
    valu<floatMaxMin<propagate, Half>>("v_maximumminimum_f16", 12),
    valu<floatMinMax<propagate, Half>>("v_minimummaximum_f16", 12),
};

void assay::gcn::addValuMinMaxRows(RowSink sink) {
  sink(legacyRows);
  sink(numberRows);
  sink(propagateRows);
}
