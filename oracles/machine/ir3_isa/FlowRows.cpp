// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Category 0: flow. Mesa 25.0, ir3-cat0.xml. The offset of a branch has 32 bits on every chip here;
// on a420 the hardware uses 20 of them.
#include "oracles/machine/ir3_isa/Isa.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

static constexpr TextRow PlainTexts[] = {{"", "{flags}{name}"}};
/// Text of jumps without a predicate. The distance counts instructions from the jump itself.
static constexpr TextRow TargetTexts[] = {{"", "{flags}{name} #{target imm}"}};
/// getlast: the suffix ".wN" is 2 << width.
static constexpr TextRow GetLastTexts[] = {{"", "{flags}{name}.w{twice width} #{target imm}"}};
/// kill: it reads one component of p0, which may be inverted.
static constexpr TextRow PredicateTexts[] = {
    {"", "{flags}{name} {flag inv1=!}p0.{component comp1}"}};
/// brac: a number as suffix, and a distance.
static constexpr TextRow CallTexts[] = {{"", "{flags}{name}.{uint index} #{target imm}"}};
/// Branches on one component of p0.
static constexpr TextRow BranchTexts[] = {
    {"", "{flags}{name} {flag inv1=!}p0.{component comp1}, #{target imm}"}};
/// brao and braa: branches on two components of p0.
static constexpr TextRow TwoTexts[] = {{"", "{flags}{name} {flag inv1=!}p0.{component comp1}, "
                                            "{flag inv2=!}p0.{component comp2}, #{target imm}"}};

/// Each format names the bits that must be 0; in flow-target and the branches all of bits 31-0 are
/// the distance.
static constexpr FormatRow FlowFormats[] = {
    {"flow-plain", 0, Width::None, "sy:60 jp:59 eq:48 ss:44 rpt:42-40 imm:31-0",
     "39-37=000 47-45=000 54-52=000", "", PlainTexts},
    {"flow-predicate", 0, Width::None, "sy:60 jp:59 eq:48 ss:44 inv1:52 comp1:54-53",
     "36-32=00000 39-37=000 47-45=000", "", PredicateTexts},
    {"flow-target", 0, Width::None, "sy:60 jp:59 ss:44 imm:31-0", "", "", TargetTexts},
    {"flow-getlast", 0, Width::None, "sy:60 jp:59 ss:44 imm:31-0 width:54-52", "", "",
     GetLastTexts},
    {"flow-index", 0, Width::None, "sy:60 jp:59 eq:48 ss:44 imm:31-0 index:36-32", "", "",
     CallTexts},
    {"flow-branch", 0, Width::None, "sy:60 jp:59 eq:48 ss:44 imm:31-0 inv1:52 comp1:54-53", "", "",
     BranchTexts},
    {"flow-branch2", 0, Width::None,
     "sy:60 jp:59 eq:48 ss:44 imm:31-0 inv1:52 comp1:54-53 inv2:45 comp2:47-46", "", "", TwoTexts},
};

/// The opcode is in bits 58-55 and 49. Branches share one and differ in bits 39-37.
static constexpr InstRow FlowRows[] = {
    {"nop", "flow-plain", AnyFirst, AnyLast, "58-55=0000 49=0", Unit::Flow},
    {"end", "flow-plain", AnyFirst, AnyLast, "58-55=0110 49=0", Unit::Flow},
    {"ret", "flow-plain", AnyFirst, AnyLast, "58-55=0100 49=0", Unit::Flow},
    {"emit", "flow-plain", AnyFirst, AnyLast, "58-55=0111 49=0", Unit::Flow},
    {"cut", "flow-plain", AnyFirst, AnyLast, "58-55=1000 49=0", Unit::Flow},
    {"chmask", "flow-plain", AnyFirst, AnyLast, "58-55=1001 49=0", Unit::Flow},
    {"chsh", "flow-plain", AnyFirst, AnyLast, "58-55=1010 49=0", Unit::Flow},
    {"flow_rev", "flow-plain", AnyFirst, AnyLast, "58-55=1011 49=0", Unit::Flow},
    {"shpe", "flow-plain", AnyFirst, AnyLast, "58-55=1000 49=1", Unit::Flow},
    {"predt", "flow-plain", AnyFirst, AnyLast, "58-55=1101 49=1", Unit::Flow},
    {"predf", "flow-plain", AnyFirst, AnyLast, "58-55=1110 49=1", Unit::Flow},
    {"prede", "flow-plain", AnyFirst, AnyLast, "58-55=1111 49=1", Unit::Flow},
    {"kill", "flow-predicate", AnyFirst, AnyLast, "58-55=0101 49=0", Unit::Flow},
    {"jump", "flow-target", AnyFirst, AnyLast, "58-55=0010 49=0", Unit::Flow},
    {"call", "flow-target", AnyFirst, AnyLast, "58-55=0011 49=0", Unit::Flow},
    {"bkt", "flow-target", AnyFirst, AnyLast, "58-55=0000 49=1", Unit::Flow},
    {"getlast", "flow-getlast", 600, AnyLast, "58-55=0100 49=1", Unit::Flow},
    {"getone", "flow-target", AnyFirst, AnyLast, "58-55=0101 49=1", Unit::Flow},
    {"shps", "flow-target", AnyFirst, AnyLast, "58-55=0111 49=1", Unit::Flow},
    {"br", "flow-branch", AnyFirst, AnyLast, "58-55=0001 49=0 39-37=000", Unit::Flow},
    {"brao", "flow-branch2", AnyFirst, AnyLast, "58-55=0001 49=0 39-37=001", Unit::Flow},
    {"braa", "flow-branch2", AnyFirst, AnyLast, "58-55=0001 49=0 39-37=010", Unit::Flow},
    {"brac", "flow-index", AnyFirst, AnyLast, "58-55=0001 49=0 39-37=011", Unit::Flow},
    {"bany", "flow-branch", AnyFirst, AnyLast, "58-55=0001 49=0 39-37=100", Unit::Flow},
    {"ball", "flow-branch", AnyFirst, AnyLast, "58-55=0001 49=0 39-37=101", Unit::Flow},
};

ArrayRef<FormatRow> adreno::flowFormats() {
  return FlowFormats;
}
ArrayRef<InstRow> adreno::flowRows() {
  return FlowRows;
}
