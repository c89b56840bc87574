// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Category 1: moves and conversions. Mesa 25.0, ir3-cat1.xml. A move of the same type to a0.x or
// a1.x has a name of its own.
#include "oracles/machine/ir3_isa/Isa.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// The first two are moves to a0.x (register 0xf4) and a1.x (0xf5) of the type that these have; cov
/// is a move that converts.
static constexpr TextRow MoveTexts[] = {
    {"dst=0xf4 stype=4 dtype=4 dstrel=0", "{flags}mova {round round}a0.x, {moved src1}"},
    {"dst=0xf5 stype=2 dtype=2 dstrel=0", "{flags}mova1 {round round}a1.x, {moved src1}"},
    {"stype!=dtype", "{flags}cov.{type stype}{type dtype} {round round}{dst dst}, {moved src1}"},
    {"", "{flags}mov.{type stype}{type dtype} {round round}{dst dst}, {moved src1}"},
};
/// movmsk: the suffix is the number of bits, from the repeat field.
static constexpr TextRow MaskTexts[] = {{"", "{flags}{name}.w{words rpt} {dst dst}"}};
/// swz: two destinations, two sources.
static constexpr TextRow SwapTexts[] = {
    {"", "{flags}{name}.{type stype}{type dtype} {round round}{dst dst}, {dst dst2}, {movesrc "
         "src1}, {movesrc src2}"}};
/// gat: one destination, four sources.
static constexpr TextRow GatherTexts[] = {{"", "{flags}{name}.{type stype}{type dtype} {round "
                                               "round}{dst dst}, {movesrc src1}, {movesrc src2}, "
                                               "{movesrc src3}, {movesrc src4}"}};
/// sct: four destinations, one source.
static constexpr TextRow ScatterTexts[] = {{"",
                                            "{flags}{name}.{type stype}{type dtype} {round "
                                            "round}{dst dst}, {dst dst2}, {dst dst3}, {dst dst4}, "
                                            "{movesrc src1}"}};

/// Fields of mov and cov, apart from the source.
#define MOVE_FIELDS                                                                                \
  "sy:60 jp:59 round:56-55 stype:52-50 dstrel:49 dtype:48-46 ul:45 ss:44 r1:43 rpt:41-40 "         \
  "dst:39-32 "
/// Fields of swz, gat and sct that all three have.
#define MULTI_FIELDS                                                                               \
  "sy:60 jp:59 round:56-55 stype:52-50 dtype:48-46 ul:45 ss:44 dst:39-32 src1:7-0 "
/// Bits that are fixed in swz, gat and sct; they differ in bits 41-40.
#define MULTI_FIXED "58-57=10 54-53=00 49=0 43-42=00 "

/// One format per file of the source, so that movedFile() (Operands.cpp) finds the file by the
/// format's name.
static constexpr FormatRow MoveFormats[] = {
    {"move-immediate", 1, Width::Typed, MOVE_FIELDS "src1:31-0", "58-57=00 54-53=10 42=0", "",
     MoveTexts},
    {"move-const", 1, Width::Typed, MOVE_FIELDS "src1:10-0",
     "58-57=00 54-53=01 42=0 31-11=000000000000000000000", "", MoveTexts},
    {"move-gpr", 1, Width::Typed, MOVE_FIELDS "last:10 src1:7-0",
     "58-57=00 54-53=00 42=0 31-11=000000000000000000000 9-8=00", "", MoveTexts},
    {"move-relative-gpr", 1, Width::Typed, MOVE_FIELDS "src1:9-0",
     "58-57=00 54-53=00 42=0 31-12=00000000000000000000 11=1 10=0", "", MoveTexts},
    {"move-relative-const", 1, Width::Typed, MOVE_FIELDS "src1:9-0",
     "58-57=00 54-53=00 42=0 31-12=00000000000000000000 11=1 10=1", "", MoveTexts},
    {"move-mask", 1, Width::None,
     "sy:60 jp:59 round:56-55 dstrel:49 ul:45 ss:44 rpt:41-40 dst:39-32",
     "58-57=11 54-53=00 52-50=011 48-46=011 43-42=00 31-0=00000000000000000000000000000000", "",
     MaskTexts},
    {"move-swap", 1, Width::Typed, MULTI_FIELDS "dst2:23-16 src2:15-8",
     MULTI_FIXED "41-40=00 31-24=00000000", "", SwapTexts},
    {"move-gather", 1, Width::Typed, MULTI_FIELDS "src2:15-8 src3:23-16 src4:31-24",
     MULTI_FIXED "41-40=01", "", GatherTexts},
    {"move-scatter", 1, Width::Typed, MULTI_FIELDS "dst2:15-8 dst3:23-16 dst4:31-24",
     MULTI_FIXED "41-40=10", "", ScatterTexts},
};

static constexpr InstRow MoveRows[] = {
    {"mov", "move-immediate", AnyFirst, AnyLast, "", Unit::Alu},
    {"mov", "move-const", AnyFirst, AnyLast, "", Unit::Alu},
    {"mov", "move-gpr", AnyFirst, AnyLast, "", Unit::Alu},
    {"mov", "move-relative-gpr", AnyFirst, AnyLast, "", Unit::Alu},
    {"mov", "move-relative-const", AnyFirst, AnyLast, "", Unit::Alu},
    {"movmsk", "move-mask", AnyFirst, AnyLast, "", Unit::Alu},
    {"swz", "move-swap", 500, AnyLast, "", Unit::Alu},
    {"gat", "move-gather", 500, AnyLast, "", Unit::Alu},
    {"sct", "move-scatter", 500, AnyLast, "", Unit::Alu},
};

ArrayRef<FormatRow> adreno::moveFormats() {
  return MoveFormats;
}
ArrayRef<InstRow> adreno::moveRows() {
  return MoveRows;
}
