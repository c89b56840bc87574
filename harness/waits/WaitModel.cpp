// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources: "Vega" ISA, 4.4; RDNA, RDNA2, RDNA3 and RDNA4 ISA, "Data Dependency Resolution" and
// "Manually Inserted Wait States"; the encodings of SOPP, SOPK and VINTERP there; RDNA3 ISA,
// "Export" and "Parameter Interpolation".
#include "harness/waits/WaitModel.h"

#include "oracles/machine/gcn_isa/Codec.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::waits;

namespace {

/// Where a wait instruction has the limit of a counter: bits, and more above them.
struct WaitField {
  StringLiteral mnemonic;
  uint8_t firstMajor, lastMajor;
  Counter counter;
  uint8_t lsb, width;                 ///< Low bits of the limit, in the instruction's word.
  uint8_t highLsb = 0, highWidth = 0; ///< Bits above them; width 0: none.

  /// The value that means no wait.
  unsigned max() const { return (1u << (width + highWidth)) - 1; }
  /// Returns the limit in the instruction's word.
  unsigned get(uint32_t word) const {
    return (word >> lsb & ((1u << width) - 1)) | (word >> highLsb & ((1u << highWidth) - 1))
                                                     << width;
  }
  /// Returns \p word with another limit, of which the bits that fit are used.
  uint32_t set(uint32_t word, unsigned value) const {
    uint32_t low = (1u << width) - 1;
    uint32_t high = (1u << highWidth) - 1;
    word = (word & ~(low << lsb)) | (value & low) << lsb;
    return (word & ~(high << highLsb)) | (value >> width & high) << highLsb;
  }
};

/// GFX IP from firstMajor to lastMajor; an instruction with several counters has several rows.
constexpr WaitField WaitFields[] = {
    {"s_waitcnt", 9, 10, Counter::Load, 0, 4, 14, 2},
    {"s_waitcnt", 9, 10, Counter::Exp, 4, 3},
    {"s_waitcnt", 9, 9, Counter::Lgkm, 8, 4},
    {"s_waitcnt", 10, 10, Counter::Lgkm, 8, 6},
    {"s_waitcnt", 11, 11, Counter::Exp, 0, 3},
    {"s_waitcnt", 11, 11, Counter::Lgkm, 4, 6},
    {"s_waitcnt", 11, 11, Counter::Load, 10, 6},
    {"s_waitcnt_vscnt", 10, 11, Counter::Store, 0, 6},
    {"s_waitcnt_vmcnt", 10, 11, Counter::Load, 0, 6},
    {"s_waitcnt_expcnt", 10, 11, Counter::Exp, 0, 3},
    {"s_waitcnt_lgkmcnt", 10, 11, Counter::Lgkm, 0, 6},
    {"s_wait_loadcnt", 12, 12, Counter::Load, 0, 6},
    {"s_wait_storecnt", 12, 12, Counter::Store, 0, 6},
    {"s_wait_samplecnt", 12, 12, Counter::Sample, 0, 6},
    {"s_wait_bvhcnt", 12, 12, Counter::Bvh, 0, 3},
    {"s_wait_expcnt", 12, 12, Counter::Exp, 0, 3},
    {"s_wait_dscnt", 12, 12, Counter::Lgkm, 0, 6},
    {"s_wait_kmcnt", 12, 12, Counter::Km, 0, 5},
    {"s_wait_loadcnt_dscnt", 12, 12, Counter::Load, 8, 6},
    {"s_wait_loadcnt_dscnt", 12, 12, Counter::Lgkm, 0, 6},
    {"s_wait_storecnt_dscnt", 12, 12, Counter::Store, 8, 6},
    {"s_wait_storecnt_dscnt", 12, 12, Counter::Lgkm, 0, 6},
    // VINTERP: bits 10:8.
    {"v_interp_p10_f32", 11, 12, Counter::Exp, 8, 3},
    {"v_interp_p2_f32", 11, 12, Counter::Exp, 8, 3},
    {"v_interp_p10_f16_f32", 11, 12, Counter::Exp, 8, 3},
    {"v_interp_p2_f16_f32", 11, 12, Counter::Exp, 8, 3},
    {"v_interp_p10_rtz_f16_f32", 11, 12, Counter::Exp, 8, 3},
    {"v_interp_p2_rtz_f16_f32", 11, 12, Counter::Exp, 8, 3},
};

/// Whether \p field is one of \p inst.
bool isOf(const WaitField &field, const Inst &inst, unsigned major) {
  return field.mnemonic == inst.mnemonic && field.firstMajor <= major && major <= field.lastMajor;
}

/// GFX12 has renamed and split the counters.
struct CounterName {
  StringLiteral before12, since12;
};
/// Index: Counter.
constexpr CounterName Names[CounterCount] = {
    {"vmcnt", "loadcnt"},   {"vscnt", "storecnt"}, {"lgkmcnt", "dscnt"}, {"expcnt", "expcnt"},
    {"vmcnt", "samplecnt"}, {"vmcnt", "bvhcnt"},   {"lgkmcnt", "kmcnt"},
};

} // namespace

StringRef waits::counterName(Counter counter, unsigned major) {
  const CounterName &name = Names[unsigned(counter)];
  return major >= 12 ? name.since12 : name.before12;
}

/// Format::Count for an instruction without an encoding.
static Format formatOf(const Inst &inst) {
  return inst.form ? inst.form->layout->format : Format::Count;
}

/// Whether instructions of the format access memory by vector addresses.
static bool isVectorMemory(Format format) {
  static constexpr Format All[] = {
      Format::Mubuf,  Format::Mtbuf,   Format::Vbuffer, Format::Vtbuffer, Format::Flat,
      Format::Global, Format::Scratch, Format::Mimg,    Format::Vimage,   Format::Vsample};
  return is_contained(All, format);
}

/// Operations on caches; GFX12 counts them, others do not.
static bool isCacheOperation(const Inst &inst) {
  StringRef name = inst.mnemonic;
  return name.contains("_inv") || name.contains("_wb") || name.ends_with("cache_wb");
}

/// By its mnemonic.
static bool isAtomic(const Inst &inst) {
  return StringRef(inst.mnemonic).contains("atomic");
}

/// A vector memory instruction that brings nothing back.
static bool isStore(const Inst &inst) {
  StringRef name = inst.mnemonic;
  return name.contains("_store") || name == "global_wb" || name == "global_wbinv" ||
         (isAtomic(inst) && !inst.mods.returnsOld);
}

/// An image instruction with a sampler has its four dwords after the eight of the image.
static Unit unitOf(const Inst &inst, Format format) {
  StringRef name = inst.mnemonic;
  if (name.contains("_bvh"))
    return Unit::Rays;
  auto descriptors = count_if(inst.operands, [](const Operand &operand) {
    return operand.type == OperandType::Sgpr && operand.dwords >= 4;
  });
  bool isImage = format == Format::Mimg || format == Format::Vimage;
  bool isSampled = format == Format::Vsample || name.contains("msaa") || descriptors == 2;
  return format == Format::Vsample || (isImage && isSampled) ? Unit::Sampler : Unit::Memory;
}

/// Sets counters, stream and unit of a vector memory instruction.
static void classifyVector(const Inst &inst, Format format, unsigned major, Facts &facts) {
  if (isCacheOperation(inst) && major < 12)
    return;
  bool stores = isStore(inst);
  facts.unit = unitOf(inst, format);
  facts.isMemory = true;
  // RDNA: "memory writes" have a counter of their own; before, one counter in one order.
  bool isSeparate = stores && major >= 10;
  facts.stream = isSeparate ? Stream::Stores : Stream::Loads;
  Counter counter = isSeparate ? Counter::Store : Counter::Load;
  if (major >= 12 && !stores && format == Format::Vsample)
    counter = Counter::Sample;
  if (major >= 12 && StringRef(inst.mnemonic).contains("_bvh"))
    counter = Counter::Bvh;
  facts.raises.push_back(counter);
  if (format == Format::Flat) { // LDS or memory: nobody knows which, so nobody knows the order.
    facts.raises.push_back(Counter::Lgkm);
    facts.stream = Stream::Any;
  }
}

/// The same of scalar memory and messages; others raise no counter.
static void classifyScalar(const Inst &inst, Format format, unsigned major, Facts &facts) {
  StringRef name = inst.mnemonic;
  bool isSmem = format == Format::Smem && !name.contains("_inv") && !name.contains("prefetch") &&
                !name.contains("discard");
  bool isMessage = name.starts_with("s_sendmsg");
  if (!isSmem && !isMessage && name != "s_get_barrier_state")
    return;
  // "Instructions of the same type are returned in the order they were issued, except" SMEM.
  facts.stream = isMessage ? Stream::Messages : Stream::Any;
  facts.raises.push_back(major >= 12 ? Counter::Km : Counter::Lgkm);
  facts.isMemory = isSmem;
}

/// The same of any instruction.
static void classify(const Inst &inst, unsigned major, Facts &facts) {
  Format format = formatOf(inst);
  if (isVectorMemory(format)) {
    classifyVector(inst, format, major, facts);
  } else if (format == Format::Ds) {
    if (inst.mnemonic == "ds_nop")
      return;
    facts.raises.push_back(Counter::Lgkm);
    facts.stream = inst.mods.gds ? Stream::Any : Stream::Lds;
    facts.isMemory = true;
  } else if (format == Format::Ldsdir) {
    facts.raises.push_back(Counter::Exp);
    facts.stream = Stream::Lds;
  } else if (format == Format::Exp) {
    facts.raises.push_back(Counter::Exp);
  } else {
    classifyScalar(inst, format, major, facts);
  }
}

/// How many of the first operands are written.
static unsigned countResults(const Inst &inst, const Facts &facts) {
  if (!inst.form)
    return 0;
  Format format = formatOf(inst);
  StringRef slot = inst.form->slots.empty() ? "" : StringRef(inst.form->slots[0].kind->name);
  if (format == Format::Ds)
    return slot == "ds_dst";
  if (isVectorMemory(format))
    return facts.isMemory && !isStore(inst) && !inst.mods.lds && !isCacheOperation(inst);
  if (format == Format::Smem)
    return slot == "s_data" && !StringRef(inst.mnemonic).contains("store") &&
           (!isAtomic(inst) || inst.mods.returnsOld || inst.mods.glc);
  StringRef signature = inst.form->row->signature;
  size_t end = signature.find('=');
  if (end != StringRef::npos)
    return unsigned(signature.take_front(end).count(',')) + 1;
  return format == Format::Ldsdir || slot.starts_with("sdst") || slot.starts_with("vdst");
}

/// Compare-and-swap takes two values where it leaves one, unless it has a register to leave it in.
static bool holdsTwoValues(const Inst &inst) {
  static constexpr Format Separate[] = {Format::Flat, Format::Global, Format::Scratch, Format::Ds};
  return StringRef(inst.mnemonic).contains("cmpswap") && !is_contained(Separate, formatOf(inst));
}

/// Adds the registers of all operands, implicit ones and those of the second half of a pair too,
/// and sets the result.
static void addSpans(const Inst &inst, Facts &facts) {
  unsigned results = countResults(inst, facts);
  // Operands that are read, too: what accumulates, and the data of atomics.
  for (auto [index, operand] : enumerate(inst.operands)) {
    if (!operand.isRegister() || (operand.type == OperandType::Sgpr && operand.index == sreg::Null))
      continue;
    bool isResult = index < results;
    Span span{operand.type == OperandType::Vgpr, operand.index, operand.dwords, isResult};
    if (isResult && !facts.raises.empty()) {
      facts.result = span;
      facts.result.count = uint16_t(holdsTwoValues(inst) ? span.count / 2 : span.count);
    }
    span.isWritten = isResult && !(isAtomic(inst) && formatOf(inst) != Format::Flat &&
                                   formatOf(inst) != Format::Global);
    facts.spans.push_back(span);
  }
  StringRef name = inst.mnemonic;
  if (name.starts_with("v_div_fmas") || name.starts_with("s_cbranch_vcc"))
    facts.spans.push_back({false, sreg::VccLo, 2, false});
  for (const Inst &second : inst.dual) {
    Facts other;
    addSpans(second, other);
    facts.spans.append(other.spans.begin(), other.spans.end());
  }
}

/// The last export of a position: targets 12 to 16, with DONE.
static bool isLastPosition(const Inst &inst) {
  constexpr unsigned FirstPosition = 12, LastPosition = 16;
  unsigned target = inst.words[0] >> 4 & 0x3f; // EXP: TARGET 9:4, DONE 11.
  return formatOf(inst) == Format::Exp && target >= FirstPosition && target <= LastPosition &&
         inst.words[0] & 1u << 11;
}

/// Looks at other lanes of its vector registers than the active ones.
static LanesTouched lanesOf(const Inst &inst) {
  StringRef name = inst.mnemonic;
  if (name.starts_with("v_readfirstlane"))
    return LanesTouched::First;
  bool crosses = inst.mods.dpp != DppControl::None || name.contains("lane") ||
                 name.contains("wmma") || name.contains("bpermute");
  return crosses ? LanesTouched::All : LanesTouched::Active;
}

/// What the memory model may order others by.
static bool isOrdering(const Inst &inst, const Facts &facts) {
  StringRef name = inst.mnemonic;
  if (name.starts_with("s_barrier") || isCacheOperation(inst) || isAtomic(inst))
    return true;
  return facts.isMemory && (inst.mods.glc || inst.mods.dlc || inst.mods.scope ||
                            (formatOf(inst) == Format::Ds && name.contains("rtn")));
}

std::vector<Facts> waits::readFacts(ArrayRef<Inst> insts, unsigned major) {
  std::vector<Facts> all(insts.size());
  for (auto [inst, facts] : zip_equal(insts, all)) {
    facts.limits.fill(NoLimit);
    if (!inst.valid)
      continue;
    classify(inst, major, facts);
    addSpans(inst, facts);
    facts.isOrdering = isOrdering(inst, facts);
    facts.isExport = formatOf(inst) == Format::Exp;
    facts.ordersStores = major == 11 && isLastPosition(inst);
    facts.waitsFirst = formatOf(inst) == Format::Vinterp;
    facts.lanes = lanesOf(inst);
    for (const WaitField &field : WaitFields)
      if (isOf(field, inst, major) && field.get(inst.words[0]) != field.max())
        facts.limits[unsigned(field.counter)] = uint8_t(field.get(inst.words[0]));
  }
  return all;
}

std::vector<Mutation> waits::listMutations(ArrayRef<Inst> insts, unsigned major) {
  std::vector<Mutation> mutations;
  for (auto [index, inst] : enumerate(insts)) {
    for (const WaitField &field : WaitFields) {
      if (!inst.valid || !isOf(field, inst, major))
        continue;
      unsigned limit = field.get(inst.words[0]);
      if (limit == field.max())
        continue;
      Mutation mutation{uint32_t(index), field.counter, uint8_t(limit), NoLimit};
      mutations.push_back(mutation);
      if (limit + 1 == field.max())
        continue;
      mutation.newLimit = uint8_t(limit + 1);
      mutations.push_back(mutation);
    }
  }
  return mutations;
}

uint32_t waits::mutatedWord(const Inst &inst, const Mutation &mutation, unsigned major) {
  const auto *field = find_if(WaitFields, [&](const WaitField &each) {
    return isOf(each, inst, major) && each.counter == mutation.counter;
  });
  assert(field != std::end(WaitFields) && "a mutation of listMutations()");
  return field->set(inst.words[0], mutation.isDrop() ? field->max() : mutation.newLimit);
}
