// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of registers of categories 5 and 6: Mesa 25.0, ir3_compiler_nir.c and ir3_a6xx.c, which
// emit them.
#include "oracles/machine/adreno/Footprint.h"

#include "oracles/machine/adreno/Timing.h"
#include "oracles/machine/adreno/image/Images.h"
#include "llvm/ADT/STLExtras.h"
#include <bitset>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

namespace {

/// Lists the registers of one instruction; Touch::source and role are those of the members.
class Collector {
public:
  /// Of \p wave; null: what is the same for all.
  Collector(const Wave *wave, const Op &op, SmallVectorImpl<Touch> &touches)
      : m_wave(wave), m_op(op), m_touches(touches), m_active(wave ? wave->active() : 0),
        m_here(wave ? wave->here() : 0) {}
  void collect();

private:
  /// The instruction.
  const Inst &inst() const { return m_op.inst; }
  /// A register of any file by its number; nothing for r63.x.
  void add(bool writes, unsigned number, bool half, unsigned step = 0, bool isThird = false);
  /// Registers that follow each other.
  void addMany(bool writes, unsigned number, unsigned count, bool half);
  /// A register of \p file.
  void addFile(RegisterFile file, bool writes, unsigned number, LaneMask lanes, unsigned step = 0);
  /// A register that a0.x chooses.
  void addRelative(bool writes, int64_t offset, bool half, unsigned step);
  /// A source of categories 1 to 4 in step \p step.
  void addOperand(const Operand &operand, unsigned index, unsigned step);
  /// Predicates of category 0.
  void addFlow();
  /// swz, gat and sct: a step for each move.
  void addMultiMove();
  /// A source of a texture instruction.
  void addAliased(unsigned number, bool half);
  /// Category 5.
  void addTexture();
  /// Category 6 without descriptors.
  void addPlainMemory();
  /// Category 6 with slots.
  void addSlotMemory();
  /// Category 6 with descriptors.
  void addBoundMemory();
  /// Of an access by a descriptor.
  unsigned components() const { return inst().get(Field::Components) + 1; }

  const Wave *m_wave;
  const Op &m_op;
  SmallVectorImpl<Touch> &m_touches;
  LaneMask m_active, m_here;
  TouchRole m_role = TouchRole::Value;
  uint8_t m_source = 0;
};

} // namespace

/// Adds one touch, with the role and the number of the source of now.
void Collector::addFile(RegisterFile file, bool writes, unsigned number, LaneMask lanes,
                        unsigned step) {
  Touch touch;
  touch.file = file;
  touch.writes = writes;
  touch.number = uint16_t(number);
  touch.lanes = lanes;
  touch.step = uint8_t(step);
  touch.role = writes ? TouchRole::Value : m_role;
  touch.source = m_source;
  m_touches.push_back(touch);
}

/// Numbers from r61 on are a0.x, a1.x and predicates.
void Collector::add(bool writes, unsigned number, bool half, unsigned step, bool isThird) {
  if (number >= reg::None)
    return;
  RegisterFile file = number < reg::Shared      ? RegisterFile::Gpr
                      : number < reg::SharedEnd ? RegisterFile::Shared
                                                : RegisterFile::Address;
  if (number == reg::Address + 1)
    file = RegisterFile::Address1;
  if (number >= reg::Predicate) {
    file = RegisterFile::Predicate;
    number -= reg::Predicate;
  }
  addFile(file, writes, number, m_active, step);
  m_touches.back().half = half;
  m_touches.back().isThird = isThird;
}

/// Adds \p count consecutive scalar registers, each read or written in the first step.
void Collector::addMany(bool writes, unsigned number, unsigned count, bool half) {
  for (unsigned i = 0; i < count; ++i)
    add(writes, number + i, half);
}

/// A lane at a time: each has its own a0.x.
void Collector::addRelative(bool writes, int64_t offset, bool half, unsigned step) {
  addFile(RegisterFile::Address, false, 0, m_active, step);
  for (unsigned lane = 0; lane < m_wave->lanes(); ++lane) {
    int64_t number = m_wave->address[lane] + offset;
    if (!hasLane(m_active, lane) || number < 0 || number >= reg::Shared)
      continue;
    addFile(RegisterFile::Gpr, writes, unsigned(number), LaneMask(1) << lane, step);
    m_touches.back().half = half;
  }
}

/// Adds what a source reads in step \p step of a repeated instruction. Immediates read nothing; a
/// relative constant reads a0.x, and counts as a read of dword 0 of the const file.
void Collector::addOperand(const Operand &operand, unsigned index, unsigned step) {
  unsigned shift = operand.repeats ? step : 0;
  m_source = uint8_t(index);
  StringRef name = inst().name();
  // From a7xx on, all of category 3 reads its third source late (Mesa's notes on delay slots).
  bool isMad = name.starts_with("mad.") || name.starts_with("madsh.");
  bool isThird = index == 2 && (isMad || factsOf(inst().chip()).generation >= 700);
  switch (operand.file) {
  case Operand::File::Gpr:
    return add(false, operand.number + shift, operand.half, step, isThird);
  case Operand::File::Const:
    return addFile(RegisterFile::Const, false, operand.number + shift, m_active, step);
  case Operand::File::RelativeGpr:
    return addRelative(false, operand.value + shift, operand.half, step);
  case Operand::File::RelativeConst:
    addFile(RegisterFile::Address, false, 0, m_active, step);
    return addFile(RegisterFile::Const, false, 0, m_active, step);
  case Operand::File::Immediate:
  case Operand::File::FloatTable:
    return;
  }
}

/// Predicates are asked for all lanes at the place.
void Collector::addFlow() {
  m_role = TouchRole::Predicate;
  if (inst().has(Field::Component1))
    addFile(RegisterFile::Predicate, false, inst().get(Field::Component1), m_here);
  if (inst().has(Field::Component2))
    addFile(RegisterFile::Predicate, false, inst().get(Field::Component2), m_here);
  if (inst().name() == "predt" || inst().name() == "predf")
    addFile(RegisterFile::Predicate, false, 0, m_here);
}

/// swz, gat and sct: all reads come before all writes. Registers that the format does not list
/// follow the first one.
void Collector::addMultiMove() {
  static constexpr Field Sources[] = {Field::Src1, Field::Src2, Field::Src3, Field::Src4};
  static constexpr Field Results[] = {Field::Dst, Field::Dst2, Field::Dst3, Field::Dst4};
  unsigned count = inst().name() == "swz" ? 2 : 4;
  for (unsigned i = 0; i < count; ++i) {
    bool isListed = inst().has(Sources[i]);
    add(false, isListed ? inst().get(Sources[i]) : inst().get(Field::Src1) + i,
        inst().hasHalfSources(), i);
  }
  for (unsigned i = 0; i < count; ++i)
    add(true, inst().has(Results[i]) ? inst().get(Results[i]) : inst().get(Field::Dst) + i,
        m_op.dstHalf, i);
}

/// A source of a texture instruction, or what the table of aliases has in its place.
void Collector::addAliased(unsigned number, bool half) {
  for (const Wave::Alias &alias : m_wave->aliases) {
    if (alias.number != number || alias.half != half)
      continue;
    if (alias.source.file != Operand::File::Immediate)
      addOperand(alias.source, 0, 0);
    return;
  }
  add(false, number, half);
}

/// Registers of the first source, and of the second, as Mesa's emit_tex lays them out: coordinates
/// (two at least), what is compared, the layer; gradients from the fifth register on. Offsets, then
/// the level or the bias.
static std::pair<unsigned, unsigned> textureSources(const Wave &wave, const Op &op) {
  const Inst &inst = op.inst;
  StringRef name = inst.name();
  const Form &form = inst.form();
  bool samples = form.hasFlag(rowflags::Sampler) && form.hasFlag(rowflags::Texture);
  bool isExchange = !form.hasFlag(rowflags::Texture);
  bool isBuffer = inst.has(Field::NotOneD) && usesBuffer(wave, op);
  unsigned coordinates = 2 + inst.get(Field::ThreeD);
  unsigned first = form.hasFlag(rowflags::OneSource | rowflags::TwoSources) ? 1 : 0;
  if (samples && !isBuffer && first) {
    bool isQuery = name == "getlod", isLoad = name.starts_with("isam");
    first = coordinates;
    if (!isQuery)
      first += inst.get(Field::Array) + (isLoad ? 0 : inst.get(Field::Variant));
    first += name == "isamm";
    if (name.starts_with("samg"))
      first = 4 + 2 * coordinates;
  }
  unsigned second = form.hasFlag(rowflags::TwoSources) ? 1 : 0;
  if (!isExchange && inst.get(Field::HasOffset))
    second += coordinates;
  return {first, second};
}

/// Coordinates, offsets and levels, the descriptor's registers, and the results that are wanted.
void Collector::addTexture() {
  bool half = inst().hasHalfSources();
  auto [first, second] = textureSources(*m_wave, m_op);
  for (unsigned i = 0; i < first; ++i)
    addAliased(inst().get(Field::Src1) + i, half);
  for (unsigned i = 0; i < second; ++i)
    addAliased(inst().get(Field::Src2) + i, half);
  uint32_t mode = inst().get(Field::Descriptor);
  bool isPair = inst().form().hasFlag(rowflags::Sampler);
  if (inst().get(Field::Indirect) && mode < 6)
    for (unsigned i = 0; i < (isPair ? 2U : 1U); ++i)
      addAliased(inst().get(Field::Src3) + i, /*half=*/mode == 0 || mode == 4);
  if (inst().get(Field::Indirect) && (mode == 1 || mode == 3 || mode == 7))
    addFile(RegisterFile::Address1, false, 0, m_active);
  for (unsigned i = 0; i < 4; ++i)
    if (inst().get(Field::WriteMask) >> i & 1)
      add(true, m_op.dst + i, m_op.dstHalf);
}

/// Addresses before data. stl and stp have their address where others have the result.
void Collector::addPlainMemory() {
  StringRef format = inst().form().format->name;
  bool half = inst().hasHalfResult() || isHalf(DataType(inst().get(Field::Type)));
  unsigned size = inst().get(Field::Size);
  bool isGlobal = format.contains("global");
  bool isAtomic = format.starts_with("atomic");
  bool compares = inst().name().ends_with("cmpxchg");
  if (format == "store-const") {
    addMany(false, inst().get(Field::Src1), size, half);
    if (m_op.dst & 0x100)
      addFile(RegisterFile::Address1, false, 0, m_active);
    return addFile(RegisterFile::Const, true, m_op.dst & 0xff, m_active);
  }
  if (format == "store-shared-const") // Its data are an immediate, too.
    return addFile(RegisterFile::Const, true, 0, m_active);
  m_role = TouchRole::Address;
  if (format.starts_with("store-") && !isGlobal) {
    add(false, m_op.dst, false);
    m_role = TouchRole::Value;
    return addMany(false, inst().get(Field::Src1), size, half);
  }
  if (format == "shuffle")
    m_role = TouchRole::Value;
  if (!inst().get(Field::Src1Immediate) && !inst().get(Field::Src1Const))
    addMany(false, inst().get(Field::Src1), isGlobal ? 2 : 1, /*half=*/format == "shuffle" && half);
  bool isExchange = format == "shuffle";
  if (isAtomic || isExchange)
    m_role = isAtomic && isGlobal ? TouchRole::Data : TouchRole::Value;
  if (inst().has(Field::Src2) && !inst().get(Field::Src2Immediate))
    addMany(false, inst().get(Field::Src2), isAtomic && compares ? 2 : 1, false);
  m_role = TouchRole::Data;
  if (format.starts_with("store-"))
    return addMany(false, inst().get(Field::Src3), size, half);
  addMany(true, m_op.dst, isAtomic || format == "shuffle" ? 1 : size, !isAtomic && half);
}

/// Address and element before data. A slot is a number; what has it in a register is not executed.
void Collector::addSlotMemory() {
  StringRef format = inst().form().format->name;
  m_role = TouchRole::Address;
  if (format == "slot-info")
    return addMany(true, m_op.dst, 3, false);
  bool isLoad = format == "slot-load", isStore = format == "slot-store";
  auto addOne = [&](Field number, Field immediate, unsigned count = 1) {
    if (!inst().get(immediate))
      addMany(false, inst().get(number), count, false);
  };
  addOne(Field::Src2, Field::Src2Immediate);
  if (isLoad) {
    addOne(Field::Src1, Field::Src1Immediate);
    return addMany(true, m_op.dst, components(), false);
  }
  addOne(Field::Src3, Field::Src3Immediate);
  m_role = TouchRole::Data;
  unsigned group = inst().name().ends_with("cmpxchg") ? 2 : 1;
  addOne(Field::Src1, Field::Src1Immediate, isStore ? components() : group);
  if (!isStore)
    add(true, m_op.dst, false);
}

/// The descriptor's index, coordinates, data; of atomics all of the group of registers.
void Collector::addBoundMemory() {
  StringRef format = inst().form().format->name;
  bool half = inst().form().format->width == Width::Memory && inst().hasHalfResult();
  m_role = TouchRole::Address;
  if (inst().get(Field::Mode))
    add(false, inst().get(Field::Slot), false);
  if (format == "const-copy" || format == "const-load") {
    if (!inst().get(Field::Src1Immediate))
      add(false, inst().get(Field::Src1), false);
    if (format == "const-load")
      return addMany(true, m_op.dst, components(), false);
    addFile(RegisterFile::Address1, false, 0, m_active);
    return addFile(RegisterFile::Const, true, 0, m_active);
  }
  if (format == "bound-info")
    return addMany(true, m_op.dst, inst().name() == "resbase" ? 2 : 3, false);
  if (format == "id")
    return add(true, m_op.dst, false);
  addMany(false, inst().get(Field::Src1), inst().get(Field::Dimensions) + 1, false);
  bool isAtomic = format == "bound-atomic";
  unsigned pair = DataType(inst().get(Field::Type)) == WideAtomicType ? 2 : 1;
  if (isAtomic) { // The result is only written, though it is tied to the others.
    m_role = TouchRole::Value;
    addMany(false, m_op.dst, pair, false);
    m_role = TouchRole::Data;
    addMany(false, m_op.dst + pair, pair * (inst().name().ends_with("cmpxchg") ? 2 : 1), false);
  }
  m_role = TouchRole::Data;
  if (inst().name() == "stib.b") {
    // Formats may have fewer components than a typed store.
    add(false, m_op.dst, half);
    m_role = inst().get(Field::Typed) ? TouchRole::Value : TouchRole::Data;
    return addMany(false, m_op.dst + 1, components() - 1, half);
  }
  addMany(true, m_op.dst, isAtomic ? pair : components(), half);
}

/// Dispatches on the category. Barriers touch no register.
void Collector::collect() {
  switch (inst().category()) {
  case 0:
    return addFlow();
  case 5:
    return addTexture();
  case 6:
    if (inst().has(Field::Mode) || inst().form().format->name == "id")
      return addBoundMemory();
    if (inst().has(Field::Slot))
      return addSlotMemory();
    return addPlainMemory();
  case 7:
    return;
  default:
    break;
  }
  if (inst().form().format->name == "move-swap" || inst().form().format->name == "move-gather" ||
      inst().form().format->name == "move-scatter")
    return addMultiMove();
  for (unsigned step = 0; step <= m_op.repeat; ++step) {
    for (auto [index, operand] : enumerate(m_op.sources))
      addOperand(operand, unsigned(index), step);
    if (m_op.dstRelative)
      addRelative(true, int64_t(m_op.dst) + step, m_op.dstHalf, step);
    else
      add(true, m_op.dst + step, m_op.dstHalf, step);
  }
}

/// The registers of texture instructions depend on descriptors and on the table of aliases.
static bool isFixed(const Op &op) {
  return op.inst.category() != 5 && !op.dstRelative && none_of(op.sources, [](const Operand &each) {
           return each.file == Operand::File::RelativeGpr;
         });
}

/// Whether two results are in one cell: both halves of a register, by a (rptN).
static bool writesCellTwice(const Footprint &footprint) {
  std::bitset<CellCount> written;
  for (const Touch &touch : footprint.touches) {
    if (touch.writes && written[touch.cell])
      return true;
    written[touch.cell] = written[touch.cell] || touch.writes;
  }
  return false;
}

/// False: there are too many, or (rptN) spreads them over time.
static bool pack(ArrayRef<Touch> touches, PackedTouches &packed) {
  size_t sources = 0, results = 0;
  for (const Touch &touch : touches) {
    if (touch.file == RegisterFile::Const)
      continue;
    if (touch.step || (touch.writes ? results : sources) == (touch.writes ? 1 : 3))
      return false;
    if (touch.writes) {
      ++results;
      packed.result = touch.cell;
      packed.resultParts = touch.parts;
      packed.resultHalf = touch.half;
      continue;
    }
    PackedTouches::Source &source = packed.sources[sources++];
    source.cell = touch.cell;
    for (bool half : {false, true})
      source.wait[half] = uint8_t(1 + neededSlots(touch, half));
  }
  return true;
}

Footprint adreno::fixedFootprint(const Op &op) {
  Footprint footprint;
  footprint.isFixed = isFixed(op);
  if (!footprint.isFixed)
    return footprint;
  Collector(nullptr, op, footprint.touches).collect();
  for (Touch &touch : footprint.touches)
    placeTouch(op, touch);
  footprint.isPlain =
      !writesCellTwice(footprint) && op.inst.category() <= 3 && !op.facts.ss && !op.facts.sy &&
      none_of(footprint.touches, [](const Touch &touch) {
        return touch.file == RegisterFile::Shared || touch.file == RegisterFile::Address1;
      });
  footprint.isPacked = footprint.isPlain && pack(footprint.touches, footprint.packed);
  return footprint;
}

void adreno::collectTouches(const Wave &wave, const Op &op, SmallVectorImpl<Touch> &touches) {
  if (!op.inst.isValid())
    return;
  if (!op.footprint.isFixed) {
    Collector(&wave, op, touches).collect();
    for (Touch &touch : touches)
      placeTouch(op, touch);
    return;
  }
  touches.assign(op.footprint.touches.begin(), op.footprint.touches.end());
  LaneMask lanes = op.inst.category() == 0 ? wave.here() : wave.active();
  for (Touch &touch : touches)
    touch.lanes = lanes;
}
