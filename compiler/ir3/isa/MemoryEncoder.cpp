// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encodings of categories 5 and 6. Mesa 25.0, src/freedreno/isa/ir3-cat5.xml and ir3-cat6.xml.
#include "compiler/ir3/isa/WordWriter.h"
#include "support/Ir3Fault.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {

using File = Operand::File;

/// The destination of categories 5 and 6 is always in the same bits.
void putResult(WordWriter &writer) {
  writer.put(32, 8, writer.dst().number);
}

/// Category 5 other than quad operations. The last source is the descriptor when s2en is set;
/// sampler and texture are fields otherwise.
void encodeTexture(WordWriter &writer) {
  const Fields &fields = writer.fields();
  const OpcodeInfo &info = writer.info();
  ArrayRef<Operand> sources = writer.sources();
  size_t next = 0;
  // Without a source, FULL is 0 (Mesa, encode.c, extract_cat5_FULL).
  writer.put(0, 1, info.sources && !sources.empty() && !sources[0].half);
  if (sources.size() < info.sources + size_t(fields.indirect != 0))
    return writer.fail("too few sources");
  if (info.sources)
    writer.putRegister(1, sources[next++]);
  bool hasSecond = sources.size() > next + (fields.indirect ? 1 : 0);
  if (hasSecond)
    writer.putRegister(9, sources[next++]);
  if (!info.has(property::NoType))
    writer.put(44, 3, fields.type);
  writer.put(40, 4, fields.writeMask);
  putResult(writer);
  writer.put(54, 5, info.code & 31);
  writer.put(48, 1, fields.is3d);
  writer.put(49, 1, fields.isArray);
  writer.put(50, 1, fields.variant);
  writer.put(51, 1, fields.indirect);
  writer.put(52, 1, fields.hasOffset);
  writer.put(53, 1, fields.isProjected);
  writer.put(47, 1, fields.base & 1);
  writer.put(19, 2, uint32_t(fields.base) >> 1);
  writer.put(18, 1, info.name == "isam" && !fields.is1d);
  if (fields.indirect) {
    writer.put(29, 3, fields.descriptor);
    bool isImmediate = sources[next].file == File::Immediate;
    if (isImmediate != (fields.descriptor == ImmediateDescriptor))
      return writer.fail("texture and sampler are not where the field desc says");
    if (isImmediate)
      return writer.put(21, 8, uint32_t(sources[next].value));
    return writer.putRegister(21, sources[next]);
  }
  writer.put(21, 4, info.has(property::UsesSampler) ? fields.sampler : 0);
  writer.put(25, 7, info.has(property::UsesTexture) ? fields.texture : 0);
}

/// quad_shuffle and brcst.active: [58:53] is the opcode, [20:19] the kind or the cluster.
void encodeQuad(WordWriter &writer) {
  ArrayRef<Operand> sources = writer.sources();
  bool isBroadcast = writer.info().name == "brcst.active";
  writer.put(53, 6, isBroadcast ? 62 : 63);
  writer.put(19, 2, isBroadcast ? writer.fields().cluster : writer.info().code >> 6);
  writer.put(0, 1, !sources[0].half);
  writer.putRegister(1, sources[0]);
  if (sources.size() > 1)
    writer.putRegister(9, sources[1]);
  writer.put(44, 3, writer.fields().type);
  writer.put(40, 4, writer.fields().writeMask);
  putResult(writer);
}

/// Fields of the encodings of all generations.
void putPlainHeader(WordWriter &writer) {
  writer.put(54, 5, writer.info().code);
  writer.put(49, 3, writer.fields().type);
}

/// ldg: the address is a pair of registers, named by the first.
void encodeLoadGlobal(WordWriter &writer) {
  putPlainHeader(writer);
  writer.put(0, 1, 1);
  writer.put(23, 1, 1);
  writer.putSigned(1, 13, writer.fields().offset);
  writer.putRegister(14, writer.sources()[0]);
  writer.put(24, 3, writer.fields().size);
  putResult(writer);
}

/// The offset of stores is split: [13:9] are the upper bits.
void putStoreOffset(WordWriter &writer) {
  int32_t offset = writer.fields().offset;
  writer.requireSigned(offset, 13);
  writer.put(32, 8, offset & 0xff);
  writer.put(9, 5, uint32_t(offset) >> 8 & 31);
  writer.put(40, 1, 1);
}

/// stg: address pair and value. The size has 3 bits, as that of ldg.
void encodeStoreGlobal(WordWriter &writer) {
  putPlainHeader(writer);
  writer.put(23, 1, 1);
  putStoreOffset(writer);
  writer.putRegister(41, writer.sources()[0]);
  writer.putRegister(1, writer.sources()[1]);
  writer.put(24, 3, writer.fields().size);
}

/// ldl, ldp and ldlw. The number of components has 8 bits here, against 3 of ldg.
void encodeLoadPlain(WordWriter &writer) {
  putPlainHeader(writer);
  writer.put(0, 1, 1);
  writer.put(23, 1, 1);
  writer.putSigned(1, 13, writer.fields().offset);
  writer.putRegister(14, writer.sources()[0]);
  writer.put(24, 8, writer.fields().size);
  putResult(writer);
}

/// stl, stp and stlw; the counterpart of encodeLoadPlain().
void encodeStorePlain(WordWriter &writer) {
  putPlainHeader(writer);
  writer.put(23, 1, 1);
  putStoreOffset(writer);
  writer.putRegister(41, writer.sources()[0]);
  writer.putRegister(1, writer.sources()[1]);
  writer.put(24, 8, writer.fields().size);
}

/// ldlv: an offset without a sign, and no register source.
void encodeLoadVarying(WordWriter &writer) {
  putPlainHeader(writer);
  writer.put(22, 2, 3);
  writer.put(1, 13, uint32_t(writer.fields().offset));
  writer.put(24, 8, writer.fields().size);
  putResult(writer);
}

/// stc: the place in the const file is a field of 9 bits.
void encodeStoreConst(WordWriter &writer) {
  putPlainHeader(writer);
  writer.put(23, 1, 1);
  writer.put(32, 9, uint32_t(writer.fields().offset));
  writer.putRegister(1, writer.sources()[0]);
  writer.put(24, 3, writer.fields().size);
}

/// shfl: the amount is a register or an immediate.
void encodeShuffle(WordWriter &writer) {
  putPlainHeader(writer);
  writer.put(52, 2, 2);
  writer.put(45, 3, writer.fields().shuffle);
  writer.putRegister(1, writer.sources()[0]);
  writer.putPlain(24, 23, writer.sources()[1]);
  putResult(writer);
}

/// Atomics on workgroup memory, and the global ones of a6xx on, which have bit 52 set.
void encodeAtomic(WordWriter &writer) {
  putPlainHeader(writer);
  writer.put(0, 1, 1);
  writer.put(52, 2, writer.info().format == Format::AtomicGlobal);
  writer.put(12, 2, uint32_t(writer.fields().size - 1));
  writer.put(11, 1, writer.fields().typed);
  writer.put(9, 2, uint32_t(writer.fields().dimensions - 1));
  writer.putPlain(14, 22, writer.sources()[0]);
  writer.putPlain(24, 23, writer.sources()[1]);
  putResult(writer);
}

/// Fields of the encodings that a6xx added.
void putBound(WordWriter &writer, unsigned group) {
  const Fields &fields = writer.fields();
  writer.put(14, 6, writer.info().code);
  bool isConst = writer.info().code == 30;
  writer.put(20, 3, isConst ? 4 : 6);
  writer.put(52, 2, group);
  writer.put(8, 1, fields.bindless);
  writer.put(6, 2, fields.mode);
  writer.put(1, 3, fields.base);
}

/// The slot of a resource: an immediate exactly if field mode says so.
void putSlot(WordWriter &writer, const Operand &slot) {
  bool isImmediate = slot.file == File::Immediate;
  if (isImmediate != (writer.fields().mode == SlotImmediate))
    writer.fail("slot and mode differ");
  writer.put(41, 8, isImmediate ? uint32_t(slot.value) : slot.number);
}

/// Slot, type, number of components and shape of an access by a slot.
void putAccess(WordWriter &writer, const Operand &slot) {
  const Fields &fields = writer.fields();
  putSlot(writer, slot);
  writer.put(49, 3, fields.type);
  bool isCut = fields.size == 4 && writer.info().format == Format::BoundStore &&
               faultPlanted(Ir3Fault::EncodeComponents);
  writer.put(12, 2, isCut ? 1 : uint32_t(fields.size - 1));
  writer.put(11, 1, fields.typed);
  writer.put(9, 2, uint32_t(fields.dimensions - 1));
}

/// [5:4] are the upper bits of the offset, and [58:54] the lower ones.
void putAccessOffset(WordWriter &writer) {
  int32_t offset = writer.fields().offset;
  if (!offset)
    return;
  if (!writer.compiler().hasImmediateOffset)
    return writer.fail("no immediate offset on this chip");
  writer.put(23, 1, 1);
  writer.put(4, 2, uint32_t(offset) >> 5);
  writer.put(54, 5, offset & 31);
}

/// ldc: sources are the vector offset and the slot; field offset is the component.
void encodeLoadConst(WordWriter &writer) {
  const Fields &fields = writer.fields();
  putBound(writer, 2);
  putSlot(writer, writer.sources()[1]);
  writer.put(49, 3, U32);
  writer.put(12, 2, uint32_t(fields.size - 1));
  writer.put(11, 1, fields.uniform);
  writer.put(9, 2, uint32_t(fields.offset));
  writer.putPlain(24, 23, writer.sources()[0]);
  putResult(writer);
}

/// ldc.k: field size has 8 bits, in the place of the result.
void encodeCopyConst(WordWriter &writer) {
  putBound(writer, 3);
  putSlot(writer, writer.sources()[1]);
  writer.put(49, 3, U32);
  writer.put(32, 8, uint32_t(writer.fields().size - 1));
  writer.putPlain(24, 23, writer.sources()[0]);
}

/// resinfo.b: the slot is the only source.
void encodeBoundInfo(WordWriter &writer) {
  putBound(writer, 2);
  putAccess(writer, writer.sources()[0]);
  putResult(writer);
}

/// ldib.b: coordinates and slot; an offset needs a chip that has the bits.
void encodeBoundLoad(WordWriter &writer) {
  putBound(writer, 2);
  putAccess(writer, writer.sources()[1]);
  putAccessOffset(writer);
  writer.putRegister(24, writer.sources()[0]);
  putResult(writer);
}

/// stib.b: coordinates, slot and value.
void encodeBoundStore(WordWriter &writer) {
  putBound(writer, 2);
  putAccess(writer, writer.sources()[1]);
  putAccessOffset(writer);
  writer.putRegister(24, writer.sources()[0]);
  writer.putRegister(32, writer.sources()[2]);
}

/// The group of data and result is encoded once, so that both must have the same register.
void encodeBoundAtomic(WordWriter &writer) {
  putBound(writer, 3);
  putAccess(writer, writer.sources()[2]);
  writer.putRegister(24, writer.sources()[1]);
  if (writer.sources()[0].number != writer.dst().number)
    writer.fail("result and data are one group of registers");
  putResult(writer);
}

/// Fields of a4xx's accesses by the number of a slot. Slots in registers are not used: the address
/// comes from the const file by the number.
void putSlotAccess(WordWriter &writer, const Operand &slot) {
  putPlainHeader(writer);
  if (slot.file != File::Immediate)
    writer.fail("a slot that is not an immediate");
  writer.put(53, 1, 1);
  writer.put(41, 8, uint32_t(slot.value));
  writer.put(9, 2, uint32_t(writer.fields().dimensions - 1));
  if (writer.info().format == Format::SlotInfo)
    return;
  writer.put(12, 2, uint32_t(writer.fields().size - 1));
  writer.put(11, 1, writer.fields().typed);
}

/// resinfo of a4xx: the slot is the only source.
void encodeSlotInfo(WordWriter &writer) {
  putSlotAccess(writer, writer.sources()[0]);
  putResult(writer);
}

/// ldgb: address, element and slot.
void encodeSlotLoad(WordWriter &writer) {
  putSlotAccess(writer, writer.sources()[2]);
  writer.put(0, 1, 1);
  writer.putPlain(14, 22, writer.sources()[0]);
  writer.putPlain(24, 23, writer.sources()[1]);
  putResult(writer);
}

/// stgb: address, element, slot and value.
void encodeSlotStore(WordWriter &writer) {
  putSlotAccess(writer, writer.sources()[2]);
  writer.putRegister(1, writer.sources()[3]);
  writer.putPlain(24, 23, writer.sources()[1]);
  writer.putPlain(32, 40, writer.sources()[0]);
}

/// Atomics of a4xx: address, element, slot and data; the address is in the low register field.
void encodeSlotAtomic(WordWriter &writer) {
  putSlotAccess(writer, writer.sources()[2]);
  writer.put(52, 1, 1);
  writer.putPlain(14, 22, writer.sources()[3]);
  writer.putPlain(24, 23, writer.sources()[1]);
  writer.putRegister(1, writer.sources()[0]);
  putResult(writer);
}

/// getspid, getwid and getfiberid: no source.
void encodeIdentity(WordWriter &writer) {
  writer.put(14, 6, writer.info().code);
  writer.put(20, 4, writer.info().name == "getfiberid" ? 12 : 4);
  writer.put(52, 2, 2);
  writer.put(49, 3, writer.fields().type);
  putResult(writer);
}

/// How instructions of one format are encoded, and how many sources they need at least.
struct MemoryFormat {
  Format format;
  unsigned sources; ///< At least.
  void (*encode)(WordWriter &writer);
};
constexpr MemoryFormat Formats[] = {
    {Format::Texture, 0, encodeTexture},         {Format::Quad, 1, encodeQuad},
    {Format::LoadGlobal, 1, encodeLoadGlobal},   {Format::StoreGlobal, 2, encodeStoreGlobal},
    {Format::LoadPlain, 1, encodeLoadPlain},     {Format::StorePlain, 2, encodeStorePlain},
    {Format::LoadVarying, 0, encodeLoadVarying}, {Format::StoreConst, 1, encodeStoreConst},
    {Format::Shuffle, 2, encodeShuffle},         {Format::AtomicLocal, 2, encodeAtomic},
    {Format::AtomicGlobal, 2, encodeAtomic},     {Format::LoadConst, 2, encodeLoadConst},
    {Format::CopyConst, 2, encodeCopyConst},     {Format::BoundInfo, 1, encodeBoundInfo},
    {Format::BoundLoad, 2, encodeBoundLoad},     {Format::BoundStore, 3, encodeBoundStore},
    {Format::BoundAtomic, 3, encodeBoundAtomic}, {Format::Identity, 0, encodeIdentity},
    {Format::SlotInfo, 1, encodeSlotInfo},       {Format::SlotLoad, 3, encodeSlotLoad},
    {Format::SlotStore, 4, encodeSlotStore},     {Format::SlotAtomic, 4, encodeSlotAtomic},
};

} // namespace

/// The format must be one of the table: encode() sends no other here.
void ir3::encodeMemory(WordWriter &writer) {
  const auto *found =
      find_if(Formats, [&](const MemoryFormat &row) { return row.format == writer.info().format; });
  if (writer.sources().size() < found->sources)
    return writer.fail("too few sources");
  found->encode(writer);
}
