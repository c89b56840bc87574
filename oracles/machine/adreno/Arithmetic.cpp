// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Arithmetic.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

static constexpr ArithmeticSwitch Switches[] = {
    {"fusesMad", [](Arithmetic &it) { it.fusesMad = !it.fusesMad; }},
    {"minMaxIgnoresNan", [](Arithmetic &it) { it.minMaxIgnoresNan = !it.minMaxIgnoresNan; }},
    {"shifts", [](Arithmetic &it) { it.shifts = ShiftRule::Zero; }},
    {"flushesDenormals", [](Arithmetic &it) { it.flushesDenormals = !it.flushesDenormals; }},
    {"zeroRoundsTowardZero",
     [](Arithmetic &it) { it.zeroRoundsTowardZero = !it.zeroRoundsTowardZero; }},
    {"countsHalf", [](Arithmetic &it) { it.countsHalf = !it.countsHalf; }},
    {"wrapsOffsets", [](Arithmetic &it) { it.wrapsOffsets = !it.wrapsOffsets; }},
    {"specialUnits", [](Arithmetic &it) { it.specialUnits = 1; }},
};

ArrayRef<ArithmeticSwitch> adreno::arithmeticSwitches() {
  return Switches;
}
