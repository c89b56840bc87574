// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of fragments: parameters in LDS, and what interpolates between them. Before GFX11 one
// instruction reads and interpolates (VINTRP); since then LDSDIR puts P0, P10 and P20 into the
// lanes 0, 1 and 2 of each quad, and VINTERP takes them from there. Sources: AMD's ISA manuals,
// "Parameter Interpolation" (Vega 10.3, RDNA 3 12.2: layout in LDS, M0) and V_INTERP_*. Products
// and sums are fused where the older manuals do not say (docs/errata-amdgpu.md).
#include "oracles/machine/gcn/Interpolation.h"
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/alu/Modifiers.h"
#include "oracles/machine/gcn/memory/Transfer.h"
#include "oracles/machine/gcn_alu/Numerics.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// P0, P1 - P0 and P2 - P0 of one channel of one attribute.
enum Parameter : unsigned { P0, P10, P20 };
/// LDS has, for each attribute and primitive, three parameters (P0, P10, P20) of four dwords.
constexpr unsigned ChannelCount = 4;
constexpr unsigned ParameterBytes = 4;
constexpr unsigned AttributeBytes = 3 * ChannelCount * ParameterBytes;

/// A dword of LDS that lanes read; zero where a wave does not read it.
struct AttributeName {
  unsigned attribute = 0;
  unsigned channel = 0;
  bool isHigh = false; ///< The high half of the dword.
};
} // namespace

/// Primitives of a wave, from the mask in M0[30:16].
unsigned gcn::countPrimitives(uint32_t m0) {
  return 1 + static_cast<unsigned>(popcount(m0 >> 16 & 0x7fff));
}

/// Byte address in LDS of one dword of an attribute, for a quad of the wave.
uint64_t gcn::parameterAddress(uint32_t m0, unsigned quad, unsigned attribute, unsigned channel,
                               unsigned parameter) {
  // Bit N - 1 of the mask says that quad N begins a new primitive; quad 0 always does.
  uint32_t begins = m0 >> 16 & 0x7fff & ((1u << quad) - 1);
  auto primitive = static_cast<unsigned>(popcount(begins));
  uint64_t block = uint64_t(attribute) * countPrimitives(m0) + primitive;
  return (m0 & 0xffff) + block * AttributeBytes +
         uint64_t(parameter * ChannelCount + channel) * ParameterBytes;
}

/// One dword of LDS for the lane's quad; nothing after ending the run.
static std::optional<uint32_t> readParameter(Wave &wave, const MicroOp &op, unsigned lane,
                                             const AttributeName &name, unsigned parameter) {
  uint64_t at =
      parameterAddress(wave.s[sreg::M0], lane / 4, name.attribute, name.channel, parameter);
  const uint8_t *memory = findLds(wave, op, lane, at, ParameterBytes, false);
  if (!memory)
    return std::nullopt;
  uint32_t value;
  std::memcpy(&value, memory, 4);
  return value;
}

// --- LDSDIR (GFX11, GFX12)

/// Of LDSDIR: the attribute in bits 15:10, the channel in bits 9:8.
static AttributeName directAttribute(const Inst &inst) {
  return {inst.words[0] >> 10 & 63, inst.words[0] >> 8 & 3};
}

/// A quad with one active lane gets all of its lanes.
static void runParameterLoad(Wave &wave, const MicroOp &op) {
  AttributeName name = directAttribute(*op.inst);
  uint64_t exec = wave.exec();
  for (unsigned quad = 0; quad < wave.waveSize / 4; ++quad) {
    if (!(exec >> (4 * quad) & 15))
      continue;
    for (unsigned parameter : {P0, P10, P20}) {
      auto value = readParameter(wave, op, 4 * quad, name, parameter);
      if (!value)
        return;
      wave.v[op.destination.index][4 * quad + parameter] = *value;
    }
    wave.v[op.destination.index][4 * quad + 3] = 0;
  }
}

/// One dword for all lanes: M0 has its address and, from bit 16 on, its type.
static void runDirectLoad(Wave &wave, const MicroOp &op) {
  enum : unsigned { UnsignedByte, UnsignedShort, Dword, Unused, SignedByte, SignedShort };
  uint32_t m0 = wave.s[sreg::M0];
  unsigned type = m0 >> 16 & 7;
  unsigned bytes = type == UnsignedByte || type == SignedByte ? 1 : type == Dword ? 4 : 2;
  if (type == Unused || type > SignedShort)
    return wave.fail(OutcomeKind::Trap, "ILLEGAL", op, "M0 has data type " + Twine(type));
  uint64_t exec = wave.exec();
  if (!exec)
    return;
  const uint8_t *memory = findLds(wave, op, 0, m0 & 0xffff, bytes, false);
  if (!memory)
    return;
  MemoryAccess access;
  access.bytes = static_cast<uint8_t>(bytes);
  access.signExtend = type >= SignedByte;
  for (unsigned lane = 0; lane < wave.waveSize; ++lane)
    if (exec >> (lane & ~3u) & 15)
      writeLoaded(wave, access, op.destination.index, lane, memory);
}

// --- VINTERP (GFX11, GFX12)

namespace {
/// Where the sources of a VINTERP come from and how wide they are. Source 1 is the lane's own f32.
struct InterpolationRow {
  StringLiteral name;
  Parameter factor;   ///< The lane of the quad that source 0 is taken from.
  bool addsParameter; ///< Source 2 is P0 in the quad's first lane, else the lane's own.
  bool hasHalves;     ///< Sources that are parameters are f16.
  bool givesHalf;
  bool roundsToZero;
};
constexpr InterpolationRow InterpolationRows[] = {
    {"v_interp_p10_f32", P10, true, false, false, false},
    {"v_interp_p2_f32", P20, false, false, false, false},
    {"v_interp_p10_f16_f32", P10, true, true, false, false},
    {"v_interp_p2_f16_f32", P20, false, true, true, false},
    {"v_interp_p10_rtz_f16_f32", P10, true, true, false, true},
    {"v_interp_p2_rtz_f16_f32", P20, false, true, true, true},
};

/// The fields of the encoding.
struct InterpolationFields {
  explicit InterpolationFields(const Inst &inst) : first(inst.words[0]), second(inst.words[1]) {}
  bool opSel(unsigned index) const { return first >> (11 + index) & 1; }
  bool clamp() const { return first >> 15 & 1; }
  bool neg(unsigned index) const { return second >> (29 + index) & 1; }
  uint32_t first, second;
};
} // namespace

/// A source that is f32, or one half of a register.
static float parameterOf(const Wave &wave, unsigned index, unsigned lane, bool isHalf,
                         bool isHigh) {
  uint32_t bits = wave.v[index][lane];
  if (!isHalf)
    return floatOf<float>(bits);
  auto half = static_cast<uint16_t>(bits >> (isHigh ? 16 : 0));
  return static_cast<float>(widen(Half{half}));
}

/// Rounded and flushed by the mode.
static Half toHalf(float value, const AluMode &mode) {
  return flushOut(roundTo<Half>(widen(value), roundMode<Half>(mode)), mode);
}

/// The result as f32 or f16, after clamp.
static uint32_t interpolatedBits(float value, const InterpolationRow &row, bool clamp,
                                 const AluMode &mode) {
  Modifiers mods;
  mods.clamp = clamp;
  if (!row.givesHalf)
    return static_cast<uint32_t>(applyResultModifiers(bitsOf(value), OperandKind::F32, mods, mode));
  Half half = toHalf(value, mode);
  return static_cast<uint32_t>(applyResultModifiers(half.bits, OperandKind::F16, mods, mode));
}

/// Results are written after all lanes are done, since lanes read their neighbours' registers.
static void runInterpolate(Wave &wave, const MicroOp &op) {
  const auto *row =
      find_if(InterpolationRows, [&](const auto &each) { return each.name == op.inst->mnemonic; });
  InterpolationFields fields(*op.inst);
  AluMode mode = wave.mode;
  if (row->roundsToZero)
    mode.f32Round = mode.f16f64Round = RoundZero;
  std::array<unsigned, 3> index;
  for (unsigned i = 0; i < 3; ++i)
    index[i] = op.sources[i].operand.index;
  LaneArray result{};
  uint64_t exec = wave.exec();
  for (uint64_t left = exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    unsigned quad = lane & ~3u;
    float factor = parameterOf(wave, index[0], quad + row->factor, row->hasHalves, fields.opSel(0));
    float place = floatOf<float>(wave.v[index[1]][lane]);
    float addend = row->addsParameter
                       ? parameterOf(wave, index[2], quad + P0, row->hasHalves, fields.opSel(2))
                       : floatOf<float>(wave.v[index[2]][lane]);
    float value =
        floatFma(fields.neg(0) ? negate(factor) : factor, fields.neg(1) ? negate(place) : place,
                 fields.neg(2) ? negate(addend) : addend, mode);
    result[lane] = interpolatedBits(value, *row, fields.clamp(), mode);
  }
  LaneArray &to = wave.v[op.destination.index];
  for (uint64_t left = exec; left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    if (!row->givesHalf)
      to[lane] = result[lane];
    else if (fields.opSel(3))
      to[lane] = (to[lane] & 0xffff) | result[lane] << 16;
    else
      to[lane] = (to[lane] & 0xffff0000) | result[lane];
  }
}

// --- VINTRP and its VOP3 forms (GFX9, GFX10)

namespace {
/// The fields of VINTRP, or of VOP3 where the instruction has that form.
struct OldFields {
  OldFields(const Inst &inst, unsigned gfxMajor);
  AttributeName name;
  unsigned destination, place; ///< Registers; place holds I or J, or says which parameter.
  unsigned addend = 0;         ///< VOP3: source 2.
  bool isVop3;
  bool writesHigh = false; ///< GFX9's v_interp_p2_f16 has op_sel.
  bool negPlace = false, absPlace = false, negAddend = false, absAddend = false;
  Modifiers mods; ///< clamp and omod.
};

/// P1 and P2 are the two steps; names with halves read f16 parameters.
enum class OldKind : uint8_t { P1, P2, Move, P1Halves, P1HalfAndRegister, P2Half, P2HalfAlone };

struct OldRow {
  StringLiteral name;
  OldKind kind;
};
constexpr OldRow OldRows[] = {
    {"v_interp_p1_f32", OldKind::P1},
    {"v_interp_p2_f32", OldKind::P2},
    {"v_interp_mov_f32", OldKind::Move},
    {"v_interp_p1ll_f16", OldKind::P1Halves},
    {"v_interp_p1lv_f16", OldKind::P1HalfAndRegister},
    {"v_interp_p2_f16", OldKind::P2Half},
    {"v_interp_p2_legacy_f16", OldKind::P2HalfAlone},
};
} // namespace

/// VINTRP has 32 bits and none of the modifiers.
OldFields::OldFields(const Inst &inst, unsigned gfxMajor) {
  uint32_t first = inst.words[0], second = inst.words[1];
  isVop3 = first >> 26 == (gfxMajor == 9 ? 0x34u : 0x35u);
  if (!isVop3) {
    name = {first >> 10 & 63, first >> 8 & 3};
    destination = first >> 18 & 0xff;
    place = first & 0xff;
    return;
  }
  name = {second & 63, second >> 6 & 3, bool(second >> 8 & 1)};
  destination = first & 0xff;
  place = second >> 9 & 0xff;
  addend = second >> 18 & 0xff;
  absPlace = first >> 9 & 1;
  absAddend = first >> 10 & 1;
  negPlace = second >> 30 & 1;
  negAddend = second >> 31 & 1;
  writesHigh = gfxMajor == 9 && (first >> 14 & 1);
  mods.clamp = first >> 15 & 1;
  unsigned omod = second >> 27 & 3;
  mods.omod = static_cast<int8_t>(omod == 3 ? -1 : omod);
}

/// Applies abs, then neg.
static float signedOf(float value, bool isAbsolute, bool isNegative) {
  if (isAbsolute)
    value = absolute(value);
  return isNegative ? negate(value) : value;
}

/// One half of a register, as f32.
static float halfOf(uint32_t bits, bool isHigh) {
  return static_cast<float>(widen(Half{static_cast<uint16_t>(bits >> (isHigh ? 16 : 0))}));
}

/// Whether the result is f16.
static bool givesHalf(OldKind kind) {
  return kind == OldKind::P2Half || kind == OldKind::P2HalfAlone;
}

/// One lane's result; nothing after ending the run.
static std::optional<uint32_t> interpolateOld(Wave &wave, const MicroOp &op,
                                              const OldFields &fields, OldKind kind,
                                              unsigned lane) {
  auto parameter = [&](Parameter which) {
    return readParameter(wave, op, lane, fields.name, which);
  };
  if (kind == OldKind::Move) {
    constexpr Parameter Order[] = {P10, P20, P0};
    return fields.place < 3 ? parameter(Order[fields.place]) : std::optional<uint32_t>(0);
  }
  bool isSecond = kind == OldKind::P2 || givesHalf(kind);
  std::optional<uint32_t> factorBits = parameter(isSecond ? P20 : P10);
  std::optional<uint32_t> baseBits = isSecond ? std::optional<uint32_t>(0) : parameter(P0);
  if (!factorBits || !baseBits)
    return std::nullopt;
  bool hasHalves = kind >= OldKind::P1Halves;
  float factor = hasHalves ? halfOf(*factorBits, fields.name.isHigh) : floatOf<float>(*factorBits);
  float place =
      signedOf(floatOf<float>(wave.v[fields.place][lane]), fields.absPlace, fields.negPlace);
  float addend = hasHalves ? halfOf(*baseBits, fields.name.isHigh) : floatOf<float>(*baseBits);
  if (kind == OldKind::P1HalfAndRegister)
    addend = signedOf(halfOf(wave.v[fields.addend][lane], fields.name.isHigh), fields.absAddend,
                      fields.negAddend);
  else if (kind == OldKind::P2)
    addend = floatOf<float>(wave.v[fields.destination][lane]);
  else if (givesHalf(kind))
    addend =
        signedOf(floatOf<float>(wave.v[fields.addend][lane]), fields.absAddend, fields.negAddend);
  float value = floatFma(factor, place, addend, wave.mode);
  if (!givesHalf(kind))
    return static_cast<uint32_t>(
        applyResultModifiers(bitsOf(value), OperandKind::F32, fields.mods, wave.mode));
  Half half = toHalf(value, wave.mode);
  return static_cast<uint32_t>(
      applyResultModifiers(half.bits, OperandKind::F16, fields.mods, wave.mode));
}

/// Works lane by lane: no lane reads another lane's registers.
static void runInterpolateOld(Wave &wave, const MicroOp &op) {
  OldFields fields(*op.inst, wave.gfxMajor);
  const auto *row =
      find_if(OldRows, [&](const auto &each) { return each.name == op.inst->mnemonic; });
  // GFX8's form, which GFX9 still has, clears the other half of the register; others keep it (ACO,
  // instr_is_16bit).
  bool isHalf = row->kind == OldKind::P2Half;
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    std::optional<uint32_t> value = interpolateOld(wave, op, fields, row->kind, lane);
    if (!value)
      return;
    uint32_t &to = wave.v[fields.destination][lane];
    if (!isHalf)
      to = *value;
    else
      to = fields.writesHigh ? (to & 0xffff) | *value << 16 : (to & 0xffff0000) | *value;
  }
}

// --- Binding

/// An operand of one VGPR.
static Operand vectorRegister(unsigned index) {
  Operand operand;
  operand.type = OperandType::Vgpr;
  operand.index = static_cast<uint16_t>(index);
  return operand;
}

/// Sources are bound for the wait checks; the handler reads the encoding.
static void bindOld(const Inst &inst, OldKind kind, unsigned gfxMajor, MicroOp &op) {
  OldFields fields(inst, gfxMajor);
  op.run = runInterpolateOld;
  op.destination = vectorRegister(fields.destination);
  op.destinationCount = 1;
  if (kind != OldKind::Move)
    addSource(op, vectorRegister(fields.place), OperandKind::F32);
  if (kind == OldKind::P2)
    addSource(op, op.destination, OperandKind::F32);
  if (kind == OldKind::P1HalfAndRegister || givesHalf(kind))
    addSource(op, vectorRegister(fields.addend), OperandKind::F32);
}

/// VINTERP waits for expcnt itself (MicroOp::waitsFirst).
static void bindNew(const Inst &inst, MicroOp &op) {
  op.run = runInterpolate;
  op.waitsFirst = true;
  op.destination = vectorRegister(inst.words[0] & 0xff);
  op.destinationCount = 1;
  for (unsigned i = 0; i < 3; ++i)
    addSource(op, vectorRegister(inst.words[1] >> (9 * i) & 0xff), OperandKind::F32);
}

BindResult gcn::bindInterpolation(const Inst &inst, const ProgramOptions &options, MicroOp &op) {
  StringRef name = inst.mnemonic;
  bool isParameter = name == "lds_param_load" || name == "ds_param_load";
  if (isParameter || name == "lds_direct_load" || name == "ds_direct_load") {
    op.run = isParameter ? runParameterLoad : runDirectLoad;
    op.destination = vectorRegister(inst.words[0] & 0xff);
    op.destinationCount = 1;
    return BindResult::Bound;
  }
  if (!name.starts_with("v_interp_"))
    return BindResult::NotMine;
  if (options.gfxMajor >= 11) {
    bool known = any_of(InterpolationRows, [&](const auto &row) { return row.name == name; });
    if (!known)
      return BindResult::Unsupported;
    bindNew(inst, op);
    return BindResult::Bound;
  }
  for (const OldRow &row : OldRows)
    if (row.name == name) {
      bindOld(inst, row.kind, options.gfxMajor, op);
      return BindResult::Bound;
    }
  return BindResult::Unsupported;
}
