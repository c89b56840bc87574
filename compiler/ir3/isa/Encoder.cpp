// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Categories 0 to 4 and 7; categories 5 and 6 are in MemoryEncoder.cpp. Source of all positions:
// Mesa 25.0, src/freedreno/isa/ir3-cat*.xml.
#include "compiler/ir3/isa/Encoder.h"

#include "compiler/ir3/isa/WordWriter.h"
#include "support/Ir3Fault.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// Compares bits, so that -0 is not in the table.
std::optional<unsigned> ir3::findTableFloat(uint32_t bits, bool half) {
  // 0, 0.5, 1, 2, e, pi, 1/pi, 1/log2(e), log2(e), 1/log2(10), log2(10), 4
  static constexpr uint32_t Full[] = {0x00000000, 0x3f000000, 0x3f800000, 0x40000000,
                                      0x402df854, 0x40490fdb, 0x3ea2f983, 0x3f317218,
                                      0x3fb8aa3b, 0x3e9a209b, 0x40549a78, 0x40800000};
  static constexpr uint16_t Half[] = {0x0000, 0x3800, 0x3c00, 0x4000, 0x4170, 0x4248,
                                      0x3518, 0x398c, 0x3dc5, 0x34d1, 0x42a5, 0x4400};
  for (unsigned i = 0; i < std::size(Full); ++i)
    if (half ? Half[i] == bits : Full[i] == bits)
      return i;
  return std::nullopt;
}

namespace {

using File = Operand::File;

/// Category 0. Sources are predicates, each with a bit that inverts it; the distance takes the low
/// dword.
void encodeFlow(WordWriter &writer) {
  const Fields &fields = writer.fields();
  unsigned code = writer.info().code;
  writer.put(55, 4, code & 15);
  writer.put(49, 1, code >> 4 & 1);
  writer.put(37, 3, code >> 5);
  writer.put(44, 1, fields.shortSync);
  writer.put(48, 1, fields.endQuads);
  writer.put(40, 3, fields.repeat);
  writer.put(0, 32, uint32_t(fields.target));
  ArrayRef<Operand> sources = writer.sources();
  if (!sources.empty()) {
    writer.put(52, 1, fields.invert1);
    writer.putPredicate(53, sources[0]);
  }
  if (sources.size() > 1) {
    writer.put(45, 1, fields.invert2);
    writer.putPredicate(46, sources[1]);
  }
}

/// Bits that all of category 1 share.
void putMoveHeader(WordWriter &writer) {
  const Fields &fields = writer.fields();
  writer.put(57, 2, writer.info().code);
  writer.put(55, 2, fields.round);
  writer.put(45, 1, fields.lastAddress);
  writer.put(44, 1, fields.shortSync);
  writer.put(40, 2, fields.repeat);
}

/// [54:53] is the kind of source: register or relative 0, constant 1, immediate 2.
void encodeMove(WordWriter &writer) {
  const Fields &fields = writer.fields();
  putMoveHeader(writer);
  writer.put(50, 3, fields.sourceType);
  writer.put(46, 3, fields.type);
  const Operand &dst = writer.dst();
  bool isRelative = dst.file == File::RelativeGpr;
  writer.put(49, 1, isRelative);
  writer.put(32, 8, isRelative ? uint32_t(dst.value) : dst.number);
  if (writer.sources().size() != 1)
    return writer.fail("a move needs one source");
  const Operand &source = writer.sources()[0];
  writer.put(43, 1, source.repeats);
  if (source.neg || source.abs)
    writer.fail("a move has no modifiers");
  switch (source.file) {
  case File::Immediate:
    writer.put(53, 2, 2);
    return writer.put(0, 32, uint32_t(source.value));
  case File::Const:
    writer.put(53, 2, 1);
    return writer.put(0, 11, source.number);
  case File::Gpr:
    return writer.put(0, 8, source.number);
  case File::RelativeGpr:
  case File::RelativeConst:
    writer.put(11, 1, 1);
    writer.put(10, 1, source.file == File::RelativeConst);
    return writer.putSigned(0, 10, source.value);
  case File::None:
    return writer.fail("a move needs a source");
  }
}

/// movmsk: no source; the repeat count says how many registers are written.
void encodeMoveMask(WordWriter &writer) {
  putMoveHeader(writer);
  writer.put(50, 3, U32);
  writer.put(46, 3, U32);
  writer.put(32, 8, writer.dst().number);
}

/// swz dst1, dst2, src1, src2: the second result is a source with that role, the third one.
void encodeSwap(WordWriter &writer) {
  putMoveHeader(writer);
  writer.put(50, 3, writer.fields().sourceType);
  writer.put(46, 3, writer.fields().type);
  writer.put(32, 8, writer.dst().number);
  if (writer.sources().size() != 3)
    return writer.fail("swz needs two sources and its second result");
  writer.put(0, 8, writer.sources()[0].number);
  writer.put(8, 8, writer.sources()[1].number);
  writer.put(16, 8, writer.sources()[2].number);
}

/// The 11 bits of a dword of the const file. Fails for a higher number.
uint32_t constNumber(WordWriter &writer, const Operand &source) {
  constexpr uint32_t Mask = 0x7ff;
  if (source.number > Mask)
    writer.fail("a constant that the field cannot hold");
  return source.number & Mask;
}

/// The 16 bits of a source of categories 2 and 4.
uint32_t wideSource(WordWriter &writer, const Operand &source) {
  uint32_t bits = uint32_t(source.neg) << 14 | uint32_t(source.abs) << 15;
  switch (source.file) {
  case File::Gpr:
    return bits | source.number;
  case File::Const:
    return bits | 2u << 11 | constNumber(writer, source);
  case File::RelativeGpr:
  case File::RelativeConst:
    writer.requireSigned(source.value, 10);
    return bits | 1u << 11 | (source.file == File::RelativeConst) << 10 | (source.value & 0x3ff);
  case File::Immediate:
    break;
  case File::None:
    writer.fail("a source is missing");
    return 0;
  }
  if (writer.info().has(property::Float)) {
    std::optional<unsigned> number = findTableFloat(uint32_t(source.value), source.half);
    if (!number)
      writer.fail("a float that the table does not have");
    return bits | 5u << 11 | uint32_t(source.half) << 10 | number.value_or(0);
  }
  writer.requireSigned(source.value, 11);
  return bits | 4u << 11 | (source.value & 0x7ff);
}

/// Bits that categories 2 to 4 share.
void putAluHeader(WordWriter &writer) {
  const Fields &fields = writer.fields();
  writer.put(45, 1, fields.lastAddress);
  writer.put(44, 1, fields.shortSync);
  writer.put(40, 2, fields.repeat);
  writer.put(32, 8, writer.dst().number);
}

/// (nopN) is in the bits of (r), which mean nothing without (rptN).
void putRepeats(WordWriter &writer, unsigned second) {
  ArrayRef<Operand> sources = writer.sources();
  const Fields &fields = writer.fields();
  if (fields.nops) {
    if (fields.repeat || fields.nops > 3 || !writer.compiler().hasNopCount ||
        writer.info().has(property::NoNopCount))
      writer.fail("(nopN) is not available here");
    writer.put(43, 1, fields.nops & 1);
    return writer.put(second, 1, fields.nops >> 1);
  }
  writer.put(43, 1, !sources.empty() && sources[0].repeats);
  writer.put(second, 1, sources.size() > 1 && sources[1].repeats);
}

/// Whether \p dst is a0.x, a1.x, p0 or no register: these have no width.
bool isSpecial(const Operand &dst) {
  return dst.number >= reg::Address;
}

/// Widths: FULL is that of the sources; the result has the other one when `conv` is set.
void putWidths(WordWriter &writer, bool fullSources, unsigned convBit) {
  bool halfDst = writer.dst().half && !isSpecial(writer.dst());
  bool differs = !isSpecial(writer.dst()) && halfDst == fullSources;
  writer.put(convBit, 1, differs);
}

/// Category 2. Both sources have one width; at most one is a constant and at most one an immediate.
void encodeAlu2(WordWriter &writer) {
  const Fields &fields = writer.fields();
  ArrayRef<Operand> sources = writer.sources();
  putAluHeader(writer);
  putRepeats(writer, 51);
  bool full = !sources[0].half;
  writer.put(52, 1, full);
  putWidths(writer, full, 46);
  writer.put(42, 1, fields.saturate);
  writer.put(47, 1, fields.endInput);
  writer.put(53, 6, writer.info().code);
  if (writer.info().has(property::Compare))
    writer.put(
        48, 3,
        fields.condition == Ge && faultPlanted(Ir3Fault::EncodeCondition) ? Gt : fields.condition);
  if (writer.info().has(property::Flat))
    writer.put(48, 3, 4);
  writer.put(0, 16, wideSource(writer, sources[0]));
  if (sources.size() > 1) {
    writer.put(16, 16, wideSource(writer, sources[1]));
    if (sources[1].half != sources[0].half)
      writer.fail("sources of different width");
    bool isConst = sources[0].file == File::Const && sources[1].file == File::Const;
    if (isConst || (sources[0].file == File::Immediate && sources[1].file == File::Immediate))
      writer.fail("two constants or two immediates");
  }
}

/// Category 4: one source, a register that may be relative.
void encodeSpecial(WordWriter &writer) {
  putAluHeader(writer);
  const Operand &source = writer.sources()[0];
  writer.put(43, 1, source.repeats);
  writer.put(52, 1, !source.half);
  putWidths(writer, !source.half, 46);
  writer.put(42, 1, writer.fields().saturate);
  writer.put(53, 6, writer.info().code);
  if (source.file == File::Const || source.file == File::Immediate)
    writer.fail("special functions read registers only");
  writer.put(0, 16, wideSource(writer, source));
}

/// The 13 bits of sources 1 and 3 of category 3.
uint32_t narrowSource(WordWriter &writer, const Operand &source, bool takesImmediate) {
  switch (source.file) {
  case File::Gpr:
    return source.number;
  case File::Const:
    if (takesImmediate)
      writer.fail("no constant here");
    return 1u << 12 | constNumber(writer, source);
  case File::RelativeGpr:
  case File::RelativeConst:
    writer.requireSigned(source.value, 10);
    return 1u << 11 | (source.file == File::RelativeConst) << 10 | (source.value & 0x3ff);
  case File::Immediate:
    if (!takesImmediate || source.value < 0 || source.value > 0xfff)
      writer.fail("no such immediate here");
    return 1u << 12 | (source.value & 0xfff);
  case File::None:
    break;
  }
  writer.fail("a source is missing");
  return 0;
}

/// Category 3. With immediates, the width of the sources is in the place of (sat), since the opcode
/// does not say it.
void encodeAlu3(WordWriter &writer) {
  ArrayRef<Operand> sources = writer.sources();
  bool isImmediate = writer.info().format == Format::Alu3Immediate;
  putAluHeader(writer);
  putRepeats(writer, 15);
  bool full = !sources[1].half;
  if (!isImmediate && full != writer.info().has(property::FullSources))
    writer.fail("the opcode has sources of the other width");
  putWidths(writer, full, 46);
  writer.put(13, 1, isImmediate);
  writer.put(42, 1, isImmediate ? full : writer.fields().saturate);
  writer.put(55, 4, writer.info().code);
  writer.put(14, 1, sources[0].neg && !faultPlanted(Ir3Fault::EncodeNegate));
  writer.put(30, 1, sources[1].neg);
  writer.put(31, 1, sources[2].neg);
  writer.put(29, 1, sources[2].repeats);
  writer.put(0, 13, narrowSource(writer, sources[0], isImmediate));
  writer.put(16, 13, narrowSource(writer, sources[2], isImmediate));
  if (sources[1].file != File::Gpr)
    writer.fail("the second source is a register");
  writer.put(47, 8, sources[1].number);
  if (any_of(sources, [](const Operand &source) { return source.abs; }))
    writer.fail("no (abs) in category 3");
}

/// Category 7: bar and fence.
void encodeBarrier(WordWriter &writer) {
  const Fields &fields = writer.fields();
  writer.put(55, 4, writer.info().code);
  writer.put(44, 1, fields.shortSync);
  writer.put(49, 1, 1);
  writer.put(51, 1, fields.fenceWrite);
  writer.put(52, 1, fields.fenceRead);
  writer.put(53, 1, fields.fenceLocal);
  writer.put(54, 1, fields.fenceGlobal);
}

using Encode = void (*)(WordWriter &writer);
/// How instructions of one format are encoded.
struct FormatEncoder {
  Format format;
  Encode encode;
};
/// Formats of categories 0 to 4 and 7. encodeMemory() has the others.
constexpr FormatEncoder Encoders[] = {
    {Format::Flow, encodeFlow},          {Format::Move, encodeMove},
    {Format::MoveMask, encodeMoveMask},  {Format::Swap, encodeSwap},
    {Format::Alu2, encodeAlu2},          {Format::Alu3, encodeAlu3},
    {Format::Alu3Immediate, encodeAlu3}, {Format::Special, encodeSpecial},
    {Format::Barrier, encodeBarrier},
};

} // namespace

/// Adds the bits that all categories share; the rest is by format.
Expected<uint64_t> ir3::encode(const MachineInstruction &instruction, const Compiler &compiler) {
  WordWriter writer(instruction, compiler);
  const OpcodeInfo &info = writer.info();
  if (info.format == Format::Meta)
    writer.fail("a meta instruction cannot be encoded");
  else if (!info.isOn(compiler.generation))
    writer.fail(Twine("not available on ") + compiler.name);
  else if (info.category <= 4 && info.format != Format::Swap &&
           instruction.sources.size() != info.sources)
    writer.fail("wrong number of sources");
  if (writer.hasFailed())
    return writer.finish();
  writer.put(61, 3, info.category);
  writer.put(60, 1, instruction.fields.sync);
  writer.put(59, 1, instruction.fields.join);
  const auto *found =
      find_if(Encoders, [&](const FormatEncoder &row) { return row.format == info.format; });
  if (found != std::end(Encoders))
    found->encode(writer);
  else
    encodeMemory(writer);
  return writer.finish();
}
