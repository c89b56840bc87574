// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Category 7: barriers, caches, and a7xx's tables of aliases. Mesa 25.0.7, ir3-cat7.xml.
#include "oracles/machine/ir3_isa/Isa.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

static constexpr TextRow PlainTexts[] = {{"", "{flags}{name}"}};
/// Text of bar and fence, with a suffix for each of four flags.
static constexpr TextRow FenceTexts[] = {
    {"", "{flags}{name}{flag g=.g}{flag l=.l}{flag r=.r}{flag w=.w}"}};
/// Text of operations on the data cache: one suffix of two, by field all.
static constexpr TextRow DataTexts[] = {{"", "{flags}{name}{name2 all=.shr,.all}"}};
static constexpr TextRow SleepTexts[] = {{"", "{flags}{name}{name2 all=.s,.l}"}};
/// The part of the text that both forms of alias share: scope, type, width and number of entries.
#define ALIAS "{flags}{name}.{scope scope}.{name2 tbits=f,b}{name2 twide=16,32}.{uint entries} "
/// In scope 1 ("rt") the destination is a component of a render target; in the others it is a
/// register.
static constexpr TextRow AliasTexts[] = {{"scope=1", ALIAS "{target5 dst}, {aliased src1}"},
                                         {"scope!=1", ALIAS "{data dst}, {aliased src1}"}};

/// Flags of every row of this category.
#define FLAG_FIELDS "sy:60 jp:59 ss:44 "

/// The formats of category 7. Only alias has operands.
static constexpr FormatRow BarrierFormats[] = {
    {"barrier-fence", 7, Width::None, FLAG_FIELDS "g:54 l:53 r:52 w:51", "49=1", "", FenceTexts},
    {"barrier-data", 7, Width::None, FLAG_FIELDS "all:51", "52=0", "", DataTexts},
    {"barrier-sleep", 7, Width::None, FLAG_FIELDS "all:51", "", "", SleepTexts},
    {"barrier-plain", 7, Width::None, FLAG_FIELDS, "", "", PlainTexts},
    {"barrier-alias", 7, Width::Table,
     FLAG_FIELDS "tsrc:52-51 twide:50 scope:49,47 tbits:48 entries:43-40 dst:39-32 src1:31-0",
     "54=1", "", AliasTexts},
};

/// The opcode is in bits 58-55. ccinv shares its opcode with dcinv and differs in bit 52; lock and
/// unlock share an opcode and differ in bit 51.
static constexpr InstRow BarrierRows[] = {
    {"bar", "barrier-fence", AnyFirst, AnyLast, "58-55=0000", Unit::Barrier},
    {"fence", "barrier-fence", AnyFirst, AnyLast, "58-55=0001", Unit::Barrier},
    {"sleep", "barrier-sleep", AnyFirst, AnyLast, "58-55=0010", Unit::Barrier},
    {"icinv", "barrier-plain", AnyFirst, AnyLast, "58-55=0011", Unit::Barrier},
    {"dccln", "barrier-data", AnyFirst, AnyLast, "58-55=0100", Unit::Barrier},
    {"dcinv", "barrier-data", AnyFirst, AnyLast, "58-55=0101", Unit::Barrier},
    {"dcflu", "barrier-data", AnyFirst, AnyLast, "58-55=0110", Unit::Barrier},
    {"ccinv", "barrier-plain", 700, AnyLast, "58-55=0101 54-51=1010 49=1", Unit::Barrier},
    {"lock", "barrier-plain", 700, AnyLast, "58-55=0111 54-45=1000010000", Unit::Barrier},
    {"unlock", "barrier-plain", 700, AnyLast, "58-55=0111 54-45=1001010000", Unit::Barrier},
    {"alias", "barrier-alias", 700, AnyLast, "58-55=1000", Unit::Barrier},
};

ArrayRef<FormatRow> adreno::barrierFormats() {
  return BarrierFormats;
}
ArrayRef<InstRow> adreno::barrierRows() {
  return BarrierRows;
}
