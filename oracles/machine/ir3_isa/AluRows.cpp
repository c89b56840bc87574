// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Categories 2 to 4: one, two and three sources, and special functions. Mesa 25.0, ir3-cat2.xml,
// ir3-cat3.xml, ir3-cat4.xml. dp2acc and dp4acc print (nopN) only where they have one; Mesa 25.0
// writes "(nop" always.
#include "oracles/machine/ir3_isa/Isa.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;
using namespace assay::adreno::rowflags;

/// Text of category 2 with one source. (ei) is printed after the name, in front of the result.
static constexpr TextRow OneTexts[] = {{"", "{flags}{name} {flag ei=(ei)}{dst dst}, {multi src1}"}};
/// Text of category 2 with two sources.
static constexpr TextRow TwoTexts[] = {
    {"", "{flags}{name} {flag ei=(ei)}{dst dst}, {multi src1}, {multi src2}"}};
/// Text of comparisons: the condition is a suffix of the name.
static constexpr TextRow CompareTexts[] = {
    {"", "{flags}{name}.{condition cond} {flag ei=(ei)}{dst dst}, {multi src1}, {multi src2}"}};
/// Text of category 3. The second source has slot "middle": it is always a register.
static constexpr TextRow ThreeTexts[] = {
    {"", "{flags}{name} {dst dst}, {third src1}, {middle src2}, {third src3}"}};
/// Text of dot products. Fields mixed and high become suffixes of the name.
static constexpr TextRow DotTexts[] = {
    {"", "{flags}{name}{name2 mixed=.unsigned,.mixed}{name2 high=.low,.high} "
         "{dst dst}, {third src1}, {middle src2}, {third src3}"}};
/// Text of category 4, which has no (ei).
static constexpr TextRow SpecialTexts[] = {{"", "{flags}{name} {dst dst}, {multi src1}"}};

/// Fields that categories 2 to 4 share. rpt is the count of (rptN). Where it is 0 and the row has
/// NopCount, r1 and r2 are the count of (nopN).
#define ALU_FIELDS "sy:60 jp:59 ul:45 ss:44 r1:43 rpt:41-40 dst:39-32 "
/// Fields of category 2, apart from the second source and the condition.
#define TWO_FIELDS ALU_FIELDS "full:52 r2:51 ei:47 conv:46 sat:42 src1:15-0 "
/// Fields of category 3. Its sources have 13 bits (src1, src3) and 8 bits (src2).
#define THREE_FIELDS ALU_FIELDS "src2:54-47 r3:29 src3:28-16 r2:15 src1:12-0 "

/// Category 3 shares opcodes between two groups of formats; bit 13 selects the group.
static constexpr FormatRow AluFormats[] = {
    {"alu-one", 2, Width::Converted, TWO_FIELDS, "", "", OneTexts},
    {"alu-two", 2, Width::Converted, TWO_FIELDS "src2:31-16", "", "", TwoTexts},
    {"alu-compare", 2, Width::Converted, TWO_FIELDS "cond:50-48 src2:31-16", "", "", CompareTexts},
    {"alu-three", 3, Width::Converted, THREE_FIELDS "conv:46 sat:42 neg1:14 neg2:30 neg3:31",
     "13=0", "", ThreeTexts},
    {"alu-shift", 3, Width::Converted, THREE_FIELDS "conv:46 full:42 neg1:14 neg2:30 neg3:31",
     "13=1", "", ThreeTexts},
    {"alu-dot", 3, Width::None, THREE_FIELDS "sat:42 mixed:14 high:30 neg3:31", "13=1", "",
     DotTexts},
    {"alu-matrix", 3, Width::Multiply, THREE_FIELDS "conv:46 neg1:14 neg2:30 full:31", "13=1", "",
     ThreeTexts},
    {"special", 4, Width::Converted, ALU_FIELDS "full:52 conv:46 sat:42 src1:15-0", "", "",
     SpecialTexts},
};

/// The opcode is in bits 58-53 of categories 2 and 4 and in bits 58-55 of category 3. bary.f and
/// flat.b share an opcode and differ in bit 50.
static constexpr InstRow AluRows[] = {
    {"add.f", "alu-two", AnyFirst, AnyLast, "58-53=000000", Unit::Alu,
     NopCount | TwoSources | FloatTable},
    {"min.f", "alu-two", AnyFirst, AnyLast, "58-53=000001", Unit::Alu,
     NopCount | TwoSources | FloatTable},
    {"max.f", "alu-two", AnyFirst, AnyLast, "58-53=000010", Unit::Alu,
     NopCount | TwoSources | FloatTable},
    {"mul.f", "alu-two", AnyFirst, AnyLast, "58-53=000011", Unit::Alu,
     NopCount | TwoSources | FloatTable},
    {"sign.f", "alu-one", AnyFirst, AnyLast, "58-53=000100", Unit::Alu,
     NopCount | OneSource | FloatTable},
    {"cmps.f", "alu-compare", AnyFirst, AnyLast, "58-53=000101", Unit::Alu,
     NopCount | TwoSources | FloatTable},
    {"absneg.f", "alu-one", AnyFirst, AnyLast, "58-53=000110", Unit::Alu,
     NopCount | OneSource | FloatTable},
    {"cmpv.f", "alu-compare", AnyFirst, AnyLast, "58-53=000111", Unit::Alu,
     NopCount | TwoSources | FloatTable},
    {"floor.f", "alu-one", AnyFirst, AnyLast, "58-53=001001", Unit::Alu,
     NopCount | OneSource | FloatTable},
    {"ceil.f", "alu-one", AnyFirst, AnyLast, "58-53=001010", Unit::Alu,
     NopCount | OneSource | FloatTable},
    {"rndne.f", "alu-one", AnyFirst, AnyLast, "58-53=001011", Unit::Alu,
     NopCount | OneSource | FloatTable},
    {"rndaz.f", "alu-one", AnyFirst, AnyLast, "58-53=001100", Unit::Alu,
     NopCount | OneSource | FloatTable},
    {"trunc.f", "alu-one", AnyFirst, AnyLast, "58-53=001101", Unit::Alu,
     NopCount | OneSource | FloatTable},
    {"add.u", "alu-two", AnyFirst, AnyLast, "58-53=010000", Unit::Alu, NopCount | TwoSources},
    {"add.s", "alu-two", AnyFirst, AnyLast, "58-53=010001", Unit::Alu, NopCount | TwoSources},
    {"sub.u", "alu-two", AnyFirst, AnyLast, "58-53=010010", Unit::Alu, NopCount | TwoSources},
    {"sub.s", "alu-two", AnyFirst, AnyLast, "58-53=010011", Unit::Alu, NopCount | TwoSources},
    {"cmps.u", "alu-compare", AnyFirst, AnyLast, "58-53=010100", Unit::Alu, NopCount | TwoSources},
    {"cmps.s", "alu-compare", AnyFirst, AnyLast, "58-53=010101", Unit::Alu, NopCount | TwoSources},
    {"min.u", "alu-two", AnyFirst, AnyLast, "58-53=010110", Unit::Alu, NopCount | TwoSources},
    {"min.s", "alu-two", AnyFirst, AnyLast, "58-53=010111", Unit::Alu, NopCount | TwoSources},
    {"max.u", "alu-two", AnyFirst, AnyLast, "58-53=011000", Unit::Alu, NopCount | TwoSources},
    {"max.s", "alu-two", AnyFirst, AnyLast, "58-53=011001", Unit::Alu, NopCount | TwoSources},
    {"absneg.s", "alu-one", AnyFirst, AnyLast, "58-53=011010", Unit::Alu, NopCount | OneSource},
    {"and.b", "alu-two", AnyFirst, AnyLast, "58-53=011100", Unit::Alu, NopCount | TwoSources},
    {"or.b", "alu-two", AnyFirst, AnyLast, "58-53=011101", Unit::Alu, NopCount | TwoSources},
    {"not.b", "alu-one", AnyFirst, AnyLast, "58-53=011110", Unit::Alu, NopCount | OneSource},
    {"xor.b", "alu-two", AnyFirst, AnyLast, "58-53=011111", Unit::Alu, NopCount | TwoSources},
    {"cmpv.u", "alu-compare", AnyFirst, AnyLast, "58-53=100001", Unit::Alu, NopCount | TwoSources},
    {"cmpv.s", "alu-compare", AnyFirst, AnyLast, "58-53=100010", Unit::Alu, NopCount | TwoSources},
    {"mul.u24", "alu-two", AnyFirst, AnyLast, "58-53=110000", Unit::Alu, NopCount | TwoSources},
    {"mul.s24", "alu-two", AnyFirst, AnyLast, "58-53=110001", Unit::Alu, NopCount | TwoSources},
    {"mull.u", "alu-two", AnyFirst, AnyLast, "58-53=110010", Unit::Alu, NopCount | TwoSources},
    {"bfrev.b", "alu-one", AnyFirst, AnyLast, "58-53=110011", Unit::Alu, NopCount | OneSource},
    {"clz.s", "alu-one", AnyFirst, AnyLast, "58-53=110100", Unit::Alu, NopCount | OneSource},
    {"clz.b", "alu-one", AnyFirst, AnyLast, "58-53=110101", Unit::Alu, NopCount | OneSource},
    {"shl.b", "alu-two", AnyFirst, AnyLast, "58-53=110110", Unit::Alu, NopCount | TwoSources},
    {"shr.b", "alu-two", AnyFirst, AnyLast, "58-53=110111", Unit::Alu, NopCount | TwoSources},
    {"ashr.b", "alu-two", AnyFirst, AnyLast, "58-53=111000", Unit::Alu, NopCount | TwoSources},
    {"mgen.b", "alu-two", AnyFirst, AnyLast, "58-53=111010", Unit::Alu, NopCount | TwoSources},
    {"getbit.b", "alu-two", AnyFirst, AnyLast, "58-53=111011", Unit::Alu, NopCount | TwoSources},
    {"setrm", "alu-one", AnyFirst, AnyLast, "58-53=111100", Unit::Alu, NopCount | OneSource},
    {"cbits.b", "alu-one", AnyFirst, AnyLast, "58-53=111101", Unit::Alu, NopCount | OneSource},
    {"shb", "alu-two", AnyFirst, AnyLast, "58-53=111110", Unit::Alu, NopCount | TwoSources},
    {"msad", "alu-two", AnyFirst, AnyLast, "58-53=111111", Unit::Alu, NopCount | TwoSources},
    {"bary.f", "alu-two", AnyFirst, AnyLast, "58-53=111001 50=0", Unit::Alu, TwoSources},
    {"flat.b", "alu-two", 600, AnyLast, "58-53=111001 50=1", Unit::Alu, TwoSources},

    {"mad.u16", "alu-three", AnyFirst, AnyLast, "58-55=0000", Unit::Alu, NopCount | HalfSources},
    {"madsh.u16", "alu-three", AnyFirst, AnyLast, "58-55=0001", Unit::Alu, NopCount | FullSources},
    {"mad.s16", "alu-three", AnyFirst, AnyLast, "58-55=0010", Unit::Alu, NopCount | HalfSources},
    {"madsh.m16", "alu-three", AnyFirst, AnyLast, "58-55=0011", Unit::Alu, NopCount | FullSources},
    {"mad.u24", "alu-three", AnyFirst, AnyLast, "58-55=0100", Unit::Alu, NopCount | FullSources},
    {"mad.s24", "alu-three", AnyFirst, AnyLast, "58-55=0101", Unit::Alu, NopCount | FullSources},
    {"mad.f16", "alu-three", AnyFirst, AnyLast, "58-55=0110", Unit::Alu, NopCount | HalfSources},
    {"mad.f32", "alu-three", AnyFirst, AnyLast, "58-55=0111", Unit::Alu, NopCount | FullSources},
    {"sel.b16", "alu-three", AnyFirst, AnyLast, "58-55=1000", Unit::Alu, NopCount | HalfSources},
    {"sel.b32", "alu-three", AnyFirst, AnyLast, "58-55=1001", Unit::Alu, NopCount | FullSources},
    {"sel.s16", "alu-three", AnyFirst, AnyLast, "58-55=1010", Unit::Alu, NopCount | HalfSources},
    {"sel.s32", "alu-three", AnyFirst, AnyLast, "58-55=1011", Unit::Alu, NopCount | FullSources},
    {"sel.f16", "alu-three", AnyFirst, AnyLast, "58-55=1100", Unit::Alu, NopCount | HalfSources},
    {"sel.f32", "alu-three", AnyFirst, AnyLast, "58-55=1101", Unit::Alu, NopCount | FullSources},
    {"sad.s16", "alu-three", AnyFirst, AnyLast, "58-55=1110", Unit::Alu, NopCount | HalfSources},
    {"sad.s32", "alu-three", AnyFirst, AnyLast, "58-55=1111", Unit::Alu, NopCount | FullSources},
    {"shrm", "alu-shift", 600, AnyLast, "58-55=1000", Unit::Alu, NopCount | Immediate},
    {"shlm", "alu-shift", 600, AnyLast, "58-55=1001", Unit::Alu, NopCount | Immediate},
    {"shrg", "alu-shift", 600, AnyLast, "58-55=1010", Unit::Alu, NopCount | Immediate},
    {"shlg", "alu-shift", 600, AnyLast, "58-55=1011", Unit::Alu, NopCount | Immediate},
    {"andg", "alu-shift", 600, AnyLast, "58-55=1100", Unit::Alu, NopCount | Immediate},
    {"dp2acc", "alu-dot", 600, AnyLast, "58-55=1101 46=0", Unit::Alu, NopCount},
    {"dp4acc", "alu-dot", 600, AnyLast, "58-55=1101 46=1", Unit::Alu, NopCount},
    {"wmm", "alu-matrix", 600, AnyLast, "58-55=1110 42=0", Unit::Alu, NopCount | Immediate},
    {"wmm.accu", "alu-matrix", 600, AnyLast, "58-55=1110 42=1", Unit::Alu, NopCount | Immediate},

    {"rcp", "special", AnyFirst, AnyLast, "58-53=000000", Unit::Sfu},
    {"rsq", "special", AnyFirst, AnyLast, "58-53=000001", Unit::Sfu},
    {"log2", "special", AnyFirst, AnyLast, "58-53=000010", Unit::Sfu},
    {"exp2", "special", AnyFirst, AnyLast, "58-53=000011", Unit::Sfu},
    {"sin", "special", AnyFirst, AnyLast, "58-53=000100", Unit::Sfu},
    {"cos", "special", AnyFirst, AnyLast, "58-53=000101", Unit::Sfu},
    {"sqrt", "special", AnyFirst, AnyLast, "58-53=000110", Unit::Sfu},
    {"hrsq", "special", AnyFirst, AnyLast, "58-53=001001", Unit::Sfu},
    {"hlog2", "special", AnyFirst, AnyLast, "58-53=001010", Unit::Sfu},
    {"hexp2", "special", AnyFirst, AnyLast, "58-53=001011", Unit::Sfu},
};

ArrayRef<FormatRow> adreno::aluFormats() {
  return AluFormats;
}
ArrayRef<InstRow> adreno::aluRows() {
  return AluRows;
}
