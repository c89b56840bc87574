// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Category 6, encodings that a6xx added: buffers and images that are bound or bindless, uniform
// buffers, ids. Mesa 25.0, ir3-cat6.xml. Bits 58-54, the opcode elsewhere, hold a part of the
// offset of ldib.b and stib.b.
#include "oracles/machine/ir3_isa/Isa.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// Name and suffixes of accesses to bound resources: typed or not, dimensions, type, number of
/// components, mode and base of the descriptor.
#define ACCESS                                                                                     \
  "{flags}{name}.{typed typed}.{plusone dims}d.{type type}.{plusone count}.{mode "                 \
  "mode}{basesuffix base}"
/// The same for atomics. Their type field has another list of names.
#define ATOMIC                                                                                     \
  "{flags}{name}.{typed typed}.{plusone dims}d.{atomictype type}.{plusone count}.{mode "           \
  "mode}{basesuffix base}"
/// ldc.k copies to the constant file at a1.x; it has no result register.
static constexpr TextRow ConstCopyTexts[] = {
    {"", "{flags}ldc.{plusone size}.k.{mode mode}{basesuffix base} c[a1.x], {plain src1 imm1}, "
         "{bymode slot}"}};
/// The offset is a suffix of the name, not a part of the operand.
static constexpr TextRow ConstLoadTexts[] = {{"",
                                              "{flags}{name}{flag u=.u}.offset{uint off}.{plusone "
                                              "count}.{mode mode}{basesuffix base} {register dst}, "
                                              "{plain src1 imm1}, {bymode slot}"}};
static constexpr TextRow IdTexts[] = {{"", "{flags}{name}.{type type} {register dst}"}};
static constexpr TextRow InfoTexts[] = {{"", ACCESS " {register dst}, {bymode slot}"}};
static constexpr TextRow AccessTexts[] = {
    {"", ACCESS " {data dst}, {register src1}{plus off}, {bymode slot}"}};
static constexpr TextRow AtomicTexts[] = {
    {"", ATOMIC " {register dst}, {register src1}, {bymode slot}"}};

/// Fields of all rows that name a resource by slot, mode and base.
#define BASE_FIELDS "sy:60 jp:59 slot:48-41 count:13-12 bindless:8 mode:7-6 base:3-1 "
#define ACCESS_FIELDS BASE_FIELDS "type:51-49 dst:39-32 src1:31-24 typed:11 dims:10-9 "
/// Fixed bits of formats without an offset.
#define NO_OFFSET "58-54=00000 40=0 5-4=00 "

/// bound-access and bound-access-offset are the same instructions without and with an offset; bit
/// 23 selects. The low five bits of the offset are in bits 58-54.
static constexpr FormatRow BoundFormats[] = {
    {"const-copy", 6, Width::None, BASE_FIELDS "size:39-32 src1:31-24 imm1:23",
     NO_OFFSET "53-52=11 51-49=x11 22-20=1xx", "", ConstCopyTexts},
    {"const-load", 6, Width::None, BASE_FIELDS "dst:39-32 src1:31-24 imm1:23 u:11 off:10-9",
     NO_OFFSET "53-52=10 51-49=x11 22-20=1xx", "", ConstLoadTexts},
    {"id", 6, Width::None,
     "sy:60 jp:59 type:51-49 dst:39-32 count:13-12 bindless:8 mode:7-6 base:3-1",
     NO_OFFSET "53=1 22=1 0=0", "", IdTexts},
    {"bound-info", 6, Width::None, BASE_FIELDS "type:51-49 dst:39-32 typed:11 dims:10-9",
     NO_OFFSET "53=1 23-20=0110 0=0", "", InfoTexts},
    {"bound-access", 6, Width::Memory, ACCESS_FIELDS, NO_OFFSET "53-52=10 23-20=0110", "",
     AccessTexts},
    {"bound-access-offset", 6, Width::Memory, ACCESS_FIELDS "off:5-4,58-54",
     "53-52=10 40=0 23-20=1110", "", AccessTexts},
    {"bound-atomic", 6, Width::None, ACCESS_FIELDS, NO_OFFSET "53-52=11 23-20=0110", "",
     AtomicTexts},
};

/// The opcode is in bits 19-14, because bits 58-54 may belong to an offset.
static constexpr InstRow BoundRows[] = {
    {"ldc.k", "const-copy", 600, AnyLast, "19-14=011110", Unit::ConstLoad},
    {"ldc", "const-load", 600, AnyLast, "19-14=011110", Unit::Load},
    {"getspid", "id", 600, AnyLast, "19-14=100100", Unit::Sfu},
    {"getwid", "id", 600, AnyLast, "19-14=100101", Unit::Sfu},
    {"getfiberid", "id", 600, AnyLast, "19-14=100110 23=1", Unit::Sfu},
    {"resinfo.b", "bound-info", 600, AnyLast, "19-14=001111", Unit::LocalLoad},
    {"resbase", "bound-info", 600, AnyLast, "19-14=001100", Unit::Load},
    {"stib.b", "bound-access", 600, AnyLast, "19-14=011101 0=0", Unit::Store},
    {"stib.b", "bound-access-offset", 600, AnyLast, "19-14=011101 0=0", Unit::Store},
    {"ldib.b", "bound-access", 600, AnyLast, "19-14=000110", Unit::Load},
    {"ldib.b", "bound-access-offset", 600, AnyLast, "19-14=000110", Unit::Load},
    {"atomic.b.add", "bound-atomic", 600, AnyLast, "19-14=010000", Unit::Atomic},
    {"atomic.b.sub", "bound-atomic", 600, AnyLast, "19-14=010001", Unit::Atomic},
    {"atomic.b.xchg", "bound-atomic", 600, AnyLast, "19-14=010010", Unit::Atomic},
    {"atomic.b.cmpxchg", "bound-atomic", 600, AnyLast, "19-14=010101", Unit::Atomic},
    {"atomic.b.min", "bound-atomic", 600, AnyLast, "19-14=010110", Unit::Atomic},
    {"atomic.b.max", "bound-atomic", 600, AnyLast, "19-14=010111", Unit::Atomic},
    {"atomic.b.and", "bound-atomic", 600, AnyLast, "19-14=011000", Unit::Atomic},
    {"atomic.b.or", "bound-atomic", 600, AnyLast, "19-14=011001", Unit::Atomic},
    {"atomic.b.xor", "bound-atomic", 600, AnyLast, "19-14=011010", Unit::Atomic},
};

ArrayRef<FormatRow> adreno::boundFormats() {
  return BoundFormats;
}
ArrayRef<InstRow> adreno::boundRows() {
  return BoundRows;
}
