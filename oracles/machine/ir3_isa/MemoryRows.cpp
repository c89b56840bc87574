// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Category 6, encodings of all generations: global, workgroup, private and constant memory, buffers
// and images by slot. Mesa 25.0, ir3-cat6.xml. The encodings that a6xx added are in BoundRows.cpp.
#include "oracles/machine/ir3_isa/Isa.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// Address in two registers plus an immediate offset; the last operand is the number of components.
static constexpr TextRow LoadGlobalTexts[] = {
    {"", "{flags}{name}.{type type} {data dst}, g[{plain src1}{offset off}], {uint size}"}};
/// The a6xx form with a register offset. A nonzero shift field shifts the register and the
/// immediate apart; without it the sum of both is shifted.
static constexpr TextRow LoadGlobal6Texts[] = {
    {"shift!=0", "{flags}{name}.{type type} {data dst}, g[{plain src1}+{register src2}<<{plustwo "
                 "shift}{plus off}<<2], "
                 "{uint size}"},
    {"", "{flags}{name}.{type type} {data dst}, g[{plain src1}+({register src2}{plus "
         "off})<<{plustwo shift}], "
         "{uint size}"}};
/// The a7xx form: the base may be in the constant file, and nothing is shifted.
static constexpr TextRow LoadGlobal7Texts[] = {
    {"const1=1", "{flags}{name}.{type type} {data dst}, g[{const src1}+{register src2}+{uint "
                 "off}], {uint size}"},
    {"const1=0", "{flags}{name}.{type type} {data dst}, g[{plain src1}+{register src2}+{uint "
                 "off}], {uint size}"}};
/// ldg.k writes the constant file.
static constexpr TextRow LoadGlobalConstTexts[] = {
    {"", "{flags}{name}.{type type} c[{constdst dst}], g[{plain src1}{offset off}], {uint size}"}};
static constexpr TextRow StoreGlobalTexts[] = {
    {"", "{flags}{name}.{type type} g[{plain src1}{offset off}], {data src3}, {uint size}"}};
/// As LoadGlobal6Texts, with the data as third source.
static constexpr TextRow StoreGlobal6Texts[] = {
    {"shift!=0",
     "{flags}{name}.{type type} g[{plain src1}+{register src2}<<{plustwo shift}{plus off}<<2], "
     "{data src3}, {uint size}"},
    {"", "{flags}{name}.{type type} g[{plain src1}+({register src2}{plus off})<<{plustwo shift}], "
         "{data src3}, "
         "{uint size}"}};
static constexpr TextRow StoreGlobal7Texts[] = {
    {"const1=1", "{flags}{name}.{type type} g[{const src1}+{register src2}+{uint off}], {data "
                 "src3}, {uint size}"},
    {"const1=0", "{flags}{name}.{type type} g[{plain src1}+{register src2}+{uint off}], {data "
                 "src3}, {uint size}"}};
/// Workgroup memory, "l[...]"; the data register is always printed as a full one.
static constexpr TextRow LoadLocalTexts[] = {
    {"", "{flags}{name}.{type type} {register dst}, l[{register src1}{offset off}], {uint size}"}};
/// Private memory, "p[...]"; the data register has the width of the type.
static constexpr TextRow LoadPrivateTexts[] = {
    {"", "{flags}{name}.{type type} {data dst}, p[{register src1}{offset off}], {uint size}"}};
/// ldlv has an immediate address only.
static constexpr TextRow LoadVaryingTexts[] = {
    {"", "{flags}{name}.{type type} {register dst}, l[{uint off}], {uint size}"}};
static constexpr TextRow StoreLocalTexts[] = {
    {"", "{flags}{name}.{type type} l[{register dst}{offset off}], {register src1}, {uint size}"}};
static constexpr TextRow StorePrivateTexts[] = {
    {"", "{flags}{name}.{type type} p[{register dst}{offset off}], {register src1}, {uint size}"}};
/// The destination is in the constant file: a number, or relative to a1.x.
static constexpr TextRow StoreConstTexts[] = {
    {"", "{flags}{name}.{type type} c[{constdst dst}], {register src1}, {uint size}"}};
/// stsc has two immediates: the place in the constant file, and the data's.
static constexpr TextRow StoreSharedConstTexts[] = {
    {"", "{flags}{name}.{type type} c[{uint dst}], {uint src1}, {uint size}"}};
static constexpr TextRow InfoTexts[] = {
    {"", "{flags}{name}.{type type}.{plusone dims}d {register dst}, g[{plain slot slotimm}]"}};
/// Name and suffixes of accesses to resources by slot: typed or not, dimensions, type, number of
/// components.
#define ACCESS "{flags}{name}.{typed typed}.{plusone dims}d.{type type}.{plusone count}"
static constexpr TextRow SlotLoadTexts[] = {
    {"", ACCESS " {register dst}, g[{plain slot slotimm}], {plain src1 imm1}, {plain src2 imm2}"}};
static constexpr TextRow SlotStoreTexts[] = {
    {"", ACCESS " g[{plain slot slotimm}], {register src1}, {plain src2 imm2}, {plain src3 imm3}"}};
/// The same for atomics. Their type field has another list of names.
#define ATOMIC "{flags}{name}.{typed typed}.{plusone dims}d.{atomictype type}.{plusone count}"
/// Atomics on workgroup memory; suffix ".l".
static constexpr TextRow LocalAtomicTexts[] = {
    {"", ACCESS ".l {register dst}, l[{plain src1 imm1}], {plain src2 imm2}"}};
static constexpr TextRow SlotAtomicTexts[] = {
    {"", ATOMIC ".g {register dst}, g[{plain slot slotimm}], {plain src1 imm1}, {plain src2 imm2}, "
                "{register src3}"}};
/// Atomics on global memory by address, from a6xx on; suffix ".g", as for slots, but without a
/// slot.
static constexpr TextRow GlobalAtomicTexts[] = {
    {"", ATOMIC ".g {register dst}, {plain src1 imm1}, {plain src2 imm2}"}};
static constexpr TextRow ShuffleTexts[] = {
    {"", "{flags}{name}.{shuffle shuffle}.{type type} {data dst}, {data src1}, {plain src2 imm2}"}};
/// The pointer to the acceleration structure is in two registers.
static constexpr TextRow IntersectTexts[] = {
    {"const1=1", "{flags}{name} {register dst}, [{const src1}], {register src2}, {register src3}, "
                 "{register src4}"},
    {"const1=0", "{flags}{name} {register dst}, [{plain src1}], {register src2}, {register src3}, "
                 "{register src4}"}};

/// Fields of every row of this file.
#define BASE_FIELDS "sy:60 jp:59 type:51-49 "
/// Fields of accesses by slot, apart from registers. slotimm says that the slot is a number.
#define ACCESS_FIELDS BASE_FIELDS "slotimm:53 slot:48-41 count:13-12 typed:11 dims:10-9 "
/// Fields of atomics. imm1 and imm2 say that a source is a number.
#define ATOMIC_FIELDS                                                                              \
  BASE_FIELDS "dst:39-32 src2:31-24 imm2:23 imm1:22 src1:21-14 count:13-12 typed:11 dims:10-9 "

/// Stores have default stoff=1: no text shows the bit, and the assembler always sets it.
static constexpr FormatRow MemoryFormats[] = {
    {"load-global", 6, Width::Memory, BASE_FIELDS "dst:39-32 size:26-24 src1:21-14 off:13-1",
     "53-52=00 31-27=00xxx 23-22=10 0=1", "", LoadGlobalTexts},
    {"load-global-6", 6, Width::Memory,
     BASE_FIELDS "dst:39-32 size:26-24 src1:21-14 shift:13-12 off:10-9 src2:8-1",
     "53-52=00 31-27=00xxx 23-22=11 0=1", "", LoadGlobal6Texts},
    {"load-global-7", 6, Width::Memory,
     BASE_FIELDS "off:48-41 dst:39-32 size:26-24 src1:21-14 const1:13 src2:8-1",
     "53-52=00 31-27=00xxx 23-22=11 0=1", "", LoadGlobal7Texts},
    {"load-global-const", 6, Width::None, BASE_FIELDS "dst:40-32 size:26-23 src1:21-14 off:13-1",
     "53-52=01 31-27=00xxx 22=0 0=1", "", LoadGlobalConstTexts},
    {"store-global", 6, Width::Memory,
     BASE_FIELDS "src1:48-41 stoff:40 size:26-24 off:13-9,39-32 src3:8-1",
     "53-52=00 31-27=00xxx 23=1", "stoff=1", StoreGlobalTexts},
    {"store-global-6", 6, Width::Memory,
     BASE_FIELDS "src1:48-41 stoff:40 src2:39-32 size:26-24 shift:13-12 off:10-9 src3:8-1",
     "53-52=01 31-27=00xxx 23=1", "stoff=1", StoreGlobal6Texts},
    {"store-global-7", 6, Width::Memory,
     BASE_FIELDS "src1:48-41 stoff:40 src2:39-32 size:26-24 off:21-14 const1:13 src3:8-1",
     "53-52=01 31-27=00xxx 23-22=10", "stoff=1", StoreGlobal7Texts},
    {"load-local", 6, Width::None, BASE_FIELDS "dst:39-32 size:31-24 src1:21-14 off:13-1",
     "23=1 0=1", "", LoadLocalTexts},
    {"load-private", 6, Width::Memory, BASE_FIELDS "dst:39-32 size:31-24 src1:21-14 off:13-1",
     "23=1 0=1", "", LoadPrivateTexts},
    {"load-varying", 6, Width::None, BASE_FIELDS "dst:39-32 size:31-24 off:13-1",
     "23-22=11 21-14=00000000 0=0", "", LoadVaryingTexts},
    {"store-local", 6, Width::None, BASE_FIELDS "dst:48-41 size:31-24 off:13-9,39-32 src1:8-1",
     "40=1 23=1", "", StoreLocalTexts},
    {"store-private", 6, Width::None, BASE_FIELDS "dst:48-41 size:31-24 off:13-9,39-32 src1:8-1",
     "40=1 23=1 0=0", "", StorePrivateTexts},
    {"store-const", 6, Width::None, BASE_FIELDS "dst:40-32 size:26-24 src1:8-1",
     "23=1 22-14=000000000", "", StoreConstTexts},
    {"store-shared-const", 6, Width::None, BASE_FIELDS "size:31-24 dst:13-9,39-32 src1:8-1",
     "53-52=00 23-22=11", "", StoreSharedConstTexts},
    {"slot-info", 6, Width::None, BASE_FIELDS "slotimm:53 slot:48-41 dst:39-32 dims:10-9",
     "40=0 23-14=0000000000", "", InfoTexts},
    {"slot-load", 6, Width::None, ACCESS_FIELDS "dst:39-32 src2:31-24 imm2:23 imm1:22 src1:21-14",
     "", "", SlotLoadTexts},
    {"slot-store", 6, Width::None, ACCESS_FIELDS "imm3:40 src3:39-32 src2:31-24 imm2:23 src1:8-1",
     "", "", SlotStoreTexts},
    {"atomic-local", 6, Width::None, ATOMIC_FIELDS, "53-52=00 48-41=00000000 8-1=00000000 0=1", "",
     LocalAtomicTexts},
    {"atomic-slot", 6, Width::None, ATOMIC_FIELDS "slotimm:53 slot:48-41 src3:8-1", "52=1", "",
     SlotAtomicTexts},
    {"atomic-global", 6, Width::None, ATOMIC_FIELDS, "53-52=01 48-41=00000000 8-1=00000000 0=1", "",
     GlobalAtomicTexts},
    {"shuffle", 6, Width::Memory, BASE_FIELDS "shuffle:47-45 dst:39-32 src2:31-24 imm2:23 src1:8-1",
     "53-52=10 22-9=00000000000000 0=0", "", ShuffleTexts},
    {"intersect", 6, Width::None,
     "sy:60 jp:59 src4:48-41 dst:39-32 src3:31-24 src1:21-14 const1:13 src2:8-1", "0=1", "",
     IntersectTexts},
};

/// The opcode is in bits 58-54. Rows with the same name and opcode differ in generations or in the
/// fixed bits of their formats.
static constexpr InstRow MemoryRows[] = {
    {"ldg", "load-global", AnyFirst, AnyLast, "58-54=00000", Unit::Load},
    {"ldg.a", "load-global-6", 600, 699, "58-54=00000", Unit::Load},
    {"ldg.a", "load-global-7", 700, AnyLast, "58-54=00000", Unit::Load},
    {"ldg.k", "load-global-const", 600, AnyLast, "58-54=00000", Unit::ConstLoad},
    {"stg", "store-global", AnyFirst, AnyLast, "58-54=00011", Unit::Store},
    {"stg.a", "store-global-6", 600, 699, "58-54=00011", Unit::Store},
    {"stg.a", "store-global-7", 700, AnyLast, "58-54=00011", Unit::Store},
    {"ldl", "load-local", AnyFirst, AnyLast, "58-54=00001", Unit::LocalLoad},
    {"ldp", "load-private", AnyFirst, AnyLast, "58-54=00010", Unit::Load},
    {"ldlw", "load-local", AnyFirst, AnyLast, "58-54=01010", Unit::LocalLoad},
    {"ldlv", "load-varying", AnyFirst, AnyLast, "58-54=11111", Unit::LocalLoad},
    {"stl", "store-local", AnyFirst, AnyLast, "58-54=00100", Unit::Store},
    {"stp", "store-private", AnyFirst, AnyLast, "58-54=00101", Unit::Store},
    {"stlw", "store-local", AnyFirst, AnyLast, "58-54=01011", Unit::Store},
    {"stc", "store-const", 600, AnyLast, "58-54=11100", Unit::ConstStore},
    {"stsc", "store-shared-const", 700, AnyLast, "58-54=11101", Unit::ConstStore},
    {"resinfo", "slot-info", AnyFirst, AnyLast, "58-54=01111", Unit::LocalLoad},
    {"ldgb", "slot-load", AnyFirst, 499, "58-54=11011 0=1", Unit::Load},
    {"ldgb", "slot-load", 500, 599, "58-54=11011", Unit::Load},
    {"ldib", "slot-load", AnyFirst, 599, "58-54=00110 0=1", Unit::Load},
    {"stgb", "slot-store", AnyFirst, 499, "58-54=11100 0=0", Unit::Store},
    {"stgb", "slot-store", 500, 599, "58-54=11100 0=1", Unit::Store},
    {"stib", "slot-store", AnyFirst, 499, "58-54=11101 0=0", Unit::Store},
    {"stib", "slot-store", 500, 599, "58-54=11101 0=1", Unit::Store},
    {"ray_intersection", "intersect", 700, AnyLast, "58-54=01110", Unit::Load},
    {"shfl", "shuffle", 600, AnyLast, "58-54=11011", Unit::LocalLoad},
    {"atomic.add", "atomic-local", AnyFirst, AnyLast, "58-54=10000", Unit::LocalAtomic},
    {"atomic.sub", "atomic-local", AnyFirst, AnyLast, "58-54=10001", Unit::LocalAtomic},
    {"atomic.xchg", "atomic-local", AnyFirst, AnyLast, "58-54=10010", Unit::LocalAtomic},
    {"atomic.inc", "atomic-local", AnyFirst, AnyLast, "58-54=10011", Unit::LocalAtomic},
    {"atomic.dec", "atomic-local", AnyFirst, AnyLast, "58-54=10100", Unit::LocalAtomic},
    {"atomic.cmpxchg", "atomic-local", AnyFirst, AnyLast, "58-54=10101", Unit::LocalAtomic},
    {"atomic.min", "atomic-local", AnyFirst, AnyLast, "58-54=10110", Unit::LocalAtomic},
    {"atomic.max", "atomic-local", AnyFirst, AnyLast, "58-54=10111", Unit::LocalAtomic},
    {"atomic.and", "atomic-local", AnyFirst, AnyLast, "58-54=11000", Unit::LocalAtomic},
    {"atomic.or", "atomic-local", AnyFirst, AnyLast, "58-54=11001", Unit::LocalAtomic},
    {"atomic.xor", "atomic-local", AnyFirst, AnyLast, "58-54=11010", Unit::LocalAtomic},
    {"atomic.s.add", "atomic-slot", AnyFirst, 499, "58-54=10000 0=0", Unit::Atomic},
    {"atomic.s.add", "atomic-slot", 500, 599, "58-54=10000 0=1", Unit::Atomic},
    {"atomic.s.sub", "atomic-slot", AnyFirst, 499, "58-54=10001 0=0", Unit::Atomic},
    {"atomic.s.sub", "atomic-slot", 500, 599, "58-54=10001 0=1", Unit::Atomic},
    {"atomic.s.xchg", "atomic-slot", AnyFirst, 499, "58-54=10010 0=0", Unit::Atomic},
    {"atomic.s.xchg", "atomic-slot", 500, 599, "58-54=10010 0=1", Unit::Atomic},
    {"atomic.s.inc", "atomic-slot", AnyFirst, 499, "58-54=10011 0=0", Unit::Atomic},
    {"atomic.s.inc", "atomic-slot", 500, 599, "58-54=10011 0=1", Unit::Atomic},
    {"atomic.s.dec", "atomic-slot", AnyFirst, 499, "58-54=10100 0=0", Unit::Atomic},
    {"atomic.s.dec", "atomic-slot", 500, 599, "58-54=10100 0=1", Unit::Atomic},
    {"atomic.s.cmpxchg", "atomic-slot", AnyFirst, 499, "58-54=10101 0=0", Unit::Atomic},
    {"atomic.s.cmpxchg", "atomic-slot", 500, 599, "58-54=10101 0=1", Unit::Atomic},
    {"atomic.s.min", "atomic-slot", AnyFirst, 499, "58-54=10110 0=0", Unit::Atomic},
    {"atomic.s.min", "atomic-slot", 500, 599, "58-54=10110 0=1", Unit::Atomic},
    {"atomic.s.max", "atomic-slot", AnyFirst, 499, "58-54=10111 0=0", Unit::Atomic},
    {"atomic.s.max", "atomic-slot", 500, 599, "58-54=10111 0=1", Unit::Atomic},
    {"atomic.s.and", "atomic-slot", AnyFirst, 499, "58-54=11000 0=0", Unit::Atomic},
    {"atomic.s.and", "atomic-slot", 500, 599, "58-54=11000 0=1", Unit::Atomic},
    {"atomic.s.or", "atomic-slot", AnyFirst, 499, "58-54=11001 0=0", Unit::Atomic},
    {"atomic.s.or", "atomic-slot", 500, 599, "58-54=11001 0=1", Unit::Atomic},
    {"atomic.s.xor", "atomic-slot", AnyFirst, 499, "58-54=11010 0=0", Unit::Atomic},
    {"atomic.s.xor", "atomic-slot", 500, 599, "58-54=11010 0=1", Unit::Atomic},
    {"atomic.g.add", "atomic-global", 600, AnyLast, "58-54=10000", Unit::Atomic},
    {"atomic.g.sub", "atomic-global", 600, AnyLast, "58-54=10001", Unit::Atomic},
    {"atomic.g.xchg", "atomic-global", 600, AnyLast, "58-54=10010", Unit::Atomic},
    {"atomic.g.inc", "atomic-global", 600, AnyLast, "58-54=10011", Unit::Atomic},
    {"atomic.g.dec", "atomic-global", 600, AnyLast, "58-54=10100", Unit::Atomic},
    {"atomic.g.cmpxchg", "atomic-global", 600, AnyLast, "58-54=10101", Unit::Atomic},
    {"atomic.g.min", "atomic-global", 600, AnyLast, "58-54=10110", Unit::Atomic},
    {"atomic.g.max", "atomic-global", 600, AnyLast, "58-54=10111", Unit::Atomic},
    {"atomic.g.and", "atomic-global", 600, AnyLast, "58-54=11000", Unit::Atomic},
    {"atomic.g.or", "atomic-global", 600, AnyLast, "58-54=11001", Unit::Atomic},
    {"atomic.g.xor", "atomic-global", 600, AnyLast, "58-54=11010", Unit::Atomic},
};

ArrayRef<FormatRow> adreno::memoryFormats() {
  return MemoryFormats;
}
ArrayRef<InstRow> adreno::memoryRows() {
  return MemoryRows;
}
