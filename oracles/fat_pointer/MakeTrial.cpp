// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs of a trial. Most trials must be defined, or nothing is compared; so lanes mostly have
// slices of their own, and offsets the alignment that the function needs. Some of each kind are
// at an end, outside, or wrap.
#include "oracles/fat_pointer/FatPointerOracle.h"
#include "oracles/fat_pointer/FatTypes.h"
#include "oracles/fat_pointer/TrialNeeds.h"
#include "support/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;

namespace {

constexpr uint64_t firstAddress = uint64_t(0x10) << 32; ///< Of the first buffer.
constexpr uint64_t addressStep = uint64_t(1) << 24;     ///< Bytes from buffer to buffer.
constexpr uint32_t laneSlice = 1024;         ///< Bytes of a buffer or of LDS for one lane.
constexpr uint32_t pointerSlot = 32;         ///< Of a pointer in memory: p7:160:256:256:32.
constexpr uint32_t unbounded = ~uint32_t(0); ///< NUM_RECORDS that checks nothing.
/// Typical of a buffer of dwords on GFX9; opaque to the interpreter.
constexpr uint32_t descriptorFlags = 0x00027fac;

/// Where the pointers of a trial go.
enum class PlaceKind {
  Slices,  ///< Each lane in a slice of its own.
  Spread,  ///< Anywhere inside, lanes over each other.
  Edges,   ///< Around the end, outside, wrapping.
  OneLane, ///< A single lane, anywhere inside.
};

/// Makes one trial. The same function, seed and number yield the same trial.
class TrialMaker {
public:
  TrialMaker(const Function &function, const MeaningOptions &options, unsigned number);
  /// Returns the trial. Call it once.
  Trial make();

private:
  /// Adds raw and, if needed, strided buffers with random contents, and LDS.
  void addBuffers();
  /// Adds one buffer with its size, stride and bounds; its bytes are zero until fillBuffer().
  void addBuffer(bool isStrided);
  void placeBuffers();
  /// Fills all bytes, in slots of the size of a pointer.
  void fillBuffer(ir::BufferMemory &buffer);
  /// Fills a slot with random bytes, small dwords and, if the function reads them, a pointer.
  void fillSlot(MutableArrayRef<uint8_t> slot);
  /// One lane's argument: all scalars of its type, in order.
  ir::Value makeArgument(const Argument &argument, unsigned lane);
  /// Appends the scalars of a value of \p type to \p value, depth first.
  void appendLeaves(const Argument &argument, Type *type, unsigned lane, ir::Value &value);
  /// An integer is small if the argument's name begins with i or n.
  ir::Scalar makeLeaf(const Argument &argument, Type *type, unsigned lane);
  /// A pointer of address space \p space into a buffer or LDS; never into scratch.
  ir::Scalar makePointerLeaf(const Argument &argument, unsigned space, unsigned lane);
  /// A number of \p bits bits, below 64 if \p isSmall. Wide numbers are mostly resources or
  /// pointers.
  APInt makeInteger(unsigned bits, bool isSmall);
  /// Returns the bits of a float: a multiple of 1/4 from -32 to 32, a special number, or rarely an
  /// infinity. With ordinaryFloats it is always the first.
  APInt makeFloat(Type *type);
  /// The index of a buffer; \p mayVary: lanes may have different ones.
  unsigned chooseBuffer(const Argument &argument, bool isStrided, bool mayVary);
  /// Bytes from the start of something of \p size bytes.
  uint32_t chooseOffset(uint64_t size, unsigned lane);
  /// An offset inside, aligned as the function needs it.
  uint32_t chooseInside(uint64_t size, unsigned lane);
  /// A pointer into \p buffer, as a resource, a fat pointer or a plain address. Plain addresses are
  /// always inside.
  ir::Scalar makeBufferPointer(unsigned buffer, unsigned space, unsigned lane);

  const Function &m_function;
  const MeaningOptions &m_options;
  const TrialNeeds m_needs;
  Random m_random;
  uint64_t m_shared; ///< Of what all lanes draw alike.
  unsigned m_lanes;  ///< At least 1.
  bool m_isRaw;      ///< Buffers have no bounds.
  PlaceKind m_kind;
  std::vector<unsigned> m_raw, m_strided; ///< Buffers of each kind.
  Trial m_trial;
};

} // namespace

/// Depends on the function's name, so that functions of a module have different trials.
static uint64_t mixSeed(const Function &function, uint64_t seed, unsigned number) {
  Random random(seed ^ xxh3_64bits(function.getName()));
  return random.next() + number * 0xd1342543de82ef95;
}

TrialMaker::TrialMaker(const Function &function, const MeaningOptions &options, unsigned number)
    : m_function(function), m_options(options), m_needs(findTrialNeeds(function)),
      m_random(mixSeed(function, options.seed, number)), m_shared(m_random.next()),
      m_lanes(std::max(1u, options.lanes)), m_isRaw(number % 2 != 0) {
  // Raw trials end at the first access outside: they need fewer of those.
  static constexpr PlaceKind robust[] = {PlaceKind::Slices, PlaceKind::OneLane, PlaceKind::Edges,
                                         PlaceKind::Slices, PlaceKind::Spread,  PlaceKind::Edges};
  static constexpr PlaceKind raw[] = {PlaceKind::Slices,  PlaceKind::OneLane, PlaceKind::Slices,
                                      PlaceKind::OneLane, PlaceKind::Spread,  PlaceKind::Edges};
  m_kind = (m_isRaw ? raw : robust)[number / 2 % 6];
  if (m_kind == PlaceKind::OneLane)
    m_lanes = 1;
}

/// A row of pointers, numbers or nothing in particular, as the function may read it.
void TrialMaker::fillSlot(MutableArrayRef<uint8_t> slot) {
  for (uint8_t &byte : slot)
    byte = static_cast<uint8_t>(m_random.next());
  for (size_t at = 0; at + 4 <= slot.size(); at += 4)
    if (m_random.chance(1, 3))
      support::endian::write32le(&slot[at], static_cast<uint32_t>(m_random.below(64)));
  if (m_options.ordinaryFloats && m_needs.atomicFloat) {
    size_t size = m_needs.atomicFloat->getScalarSizeInBits() / 8;
    for (size_t at = 0; at + size <= slot.size(); at += size) {
      APInt bits = makeFloat(m_needs.atomicFloat);
      for (size_t i = 0; i < size; ++i)
        slot[at + i] =
            static_cast<uint8_t>(bits.extractBitsAsZExtValue(8, static_cast<unsigned>(i) * 8));
    }
    return;
  }
  SmallVector<unsigned> spaces;
  const std::pair<bool, unsigned> wanted[] = {{m_needs.readsFat, fatSpace},
                                              {m_needs.readsStrided, stridedSpace},
                                              {m_needs.readsResource, resourceSpace},
                                              {m_needs.readsGlobal, globalSpace}};
  for (auto [isRead, space] : wanted)
    if (isRead)
      spaces.push_back(space);
  if (spaces.empty() || m_random.chance(1, 8))
    return;
  unsigned space = m_random.pick(ArrayRef(spaces));
  bool isStrided = space == stridedSpace || (space == resourceSpace && !m_needs.usesFat);
  ArrayRef<unsigned> choices = isStrided && !m_strided.empty() ? m_strided : m_raw;
  unsigned buffer = m_random.pick(choices);
  unsigned lane = static_cast<unsigned>(m_random.below(m_lanes));
  APInt bits = makeBufferPointer(buffer, space, lane).bits;
  for (size_t i = 0; i < bits.getBitWidth() / 8 && i < slot.size(); ++i)
    slot[i] = static_cast<uint8_t>(bits.extractBitsAsZExtValue(8, i * 8));
}

void TrialMaker::fillBuffer(ir::BufferMemory &buffer) {
  MutableArrayRef<uint8_t> left = buffer.bytes;
  while (!left.empty()) {
    size_t size = std::min<size_t>(left.size(), pointerSlot);
    fillSlot(left.take_front(size));
    left = left.drop_front(size);
  }
}

void TrialMaker::addBuffer(bool isStrided) {
  ir::BufferMemory buffer;
  uint64_t number = m_trial.memory.buffers.size();
  buffer.address = firstAddress + number * addressStep;
  buffer.flags = descriptorFlags ^ static_cast<uint32_t>(number << 28);
  uint64_t size = uint64_t(laneSlice) * (m_lanes + m_random.below(4));
  if (m_kind == PlaceKind::Edges || m_kind == PlaceKind::Spread)
    size = uint64_t(16) << m_random.below(8);
  buffer.bytes.resize(size);
  if (isStrided) {
    static constexpr uint16_t strides[] = {8, 16, 32, 64};
    buffer.stride = std::max<uint16_t>(
        m_random.pick(ArrayRef(strides)),
        static_cast<uint16_t>(std::min<uint64_t>(alignTo(m_needs.align.value(), 8), 64)));
  }
  uint32_t records = static_cast<uint32_t>(size / std::max<uint16_t>(buffer.stride, 1));
  if (m_kind == PlaceKind::Edges && m_random.chance(1, 2))
    records -= static_cast<uint32_t>(alignDown(m_random.below(records + 1), isStrided ? 1 : 4));
  buffer.numRecords = m_isRaw ? unbounded : records;
  (isStrided ? m_strided : m_raw).push_back(static_cast<unsigned>(number));
  m_trial.memory.buffers.push_back(std::move(buffer));
}

/// Where a machine wants them, and with the flags that it needs.
void TrialMaker::placeBuffers() {
  std::vector<ir::BufferMemory> &buffers = m_trial.memory.buffers;
  if (m_options.place) {
    std::vector<uint64_t> addresses = m_options.place(
        map_to_vector(buffers, [](const ir::BufferMemory &buffer) { return buffer.bytes.size(); }));
    for (auto [buffer, address] : zip_equal(buffers, addresses))
      buffer.address = address;
  }
  for (ir::BufferMemory &buffer : buffers)
    buffer.flags =
        (buffer.stride ? m_options.stridedFlags : m_options.rawFlags).value_or(buffer.flags);
}

void TrialMaker::addBuffers() {
  // One for each parameter that must have its own, and some to choose from.
  unsigned count = 2 + static_cast<unsigned>(
                           count_if(m_function.args(), [](auto &a) { return a.hasNoAliasAttr(); }));
  for (unsigned i = 0; i < count; ++i)
    addBuffer(/*isStrided=*/false);
  for (unsigned i = 0; m_needs.usesStrided && i < count; ++i)
    addBuffer(/*isStrided=*/true);
  placeBuffers(); // Before contents, in which pointers may be.
  for (ir::BufferMemory &buffer : m_trial.memory.buffers)
    fillBuffer(buffer);
  m_trial.memory.lds.resize(getLdsBytes(m_lanes));
  for (uint8_t &byte : m_trial.memory.lds)
    byte = static_cast<uint8_t>(m_random.next());
}

uint32_t TrialMaker::chooseInside(uint64_t size, unsigned lane) {
  uint64_t align = std::max<uint64_t>(m_needs.align.value(), 1);
  bool inSlice = m_kind == PlaceKind::Slices && size >= uint64_t(laneSlice) * (lane + 1);
  // Room after the pointer for what the function adds to it.
  uint64_t room = inSlice ? laneSlice / 4 : m_kind == PlaceKind::OneLane ? size / 2 : size;
  uint64_t offset = m_random.chance(1, 4) ? 0 : alignDown(m_random.below(room), align);
  return static_cast<uint32_t>(offset + (inSlice ? uint64_t(laneSlice) * lane : 0));
}

uint32_t TrialMaker::chooseOffset(uint64_t size, unsigned lane) {
  if (m_kind != PlaceKind::Edges || m_random.chance(1, 3))
    return chooseInside(size, lane);
  uint64_t align = std::max<uint64_t>(m_needs.align.value(), 1);
  uint32_t end = static_cast<uint32_t>(alignDown(size, align));
  uint32_t step = static_cast<uint32_t>(align * m_random.below(5));
  switch (m_random.below(4)) {
  case 0:
    return end - std::min(step, end);
  case 1:
    return end + step;
  case 2:
    return uint32_t(0) - static_cast<uint32_t>(align) -
           step; // A step on and it wraps to the start.
  default:
    return static_cast<uint32_t>(alignDown(m_random.next() & ~uint32_t(0), align));
  }
}

ir::Scalar TrialMaker::makeBufferPointer(unsigned buffer, unsigned space, unsigned lane) {
  const ir::BufferMemory &memory = m_trial.memory.buffers[buffer];
  uint64_t size = memory.bytes.size();
  if (space != fatSpace && space != stridedSpace && space != resourceSpace) {
    // Plain addresses have no bounds: inside, always.
    unsigned bits = m_function.getDataLayout().getPointerSizeInBits(space);
    return {APInt(64, memory.address + chooseInside(size, lane)).zextOrTrunc(bits)};
  }
  if (memory.stride == 0)
    return ir::makePointer(m_trial.memory, buffer, space, chooseOffset(size, lane));
  uint32_t records = static_cast<uint32_t>(size / memory.stride);
  uint32_t offset = static_cast<uint32_t>(
      alignDown(m_random.below(memory.stride / 2), std::max<uint64_t>(m_needs.align.value(), 1)));
  uint32_t index = static_cast<uint32_t>(m_random.below(records));
  if (m_kind == PlaceKind::Slices)
    index = std::min(records - 1, lane * (records / m_lanes) + index % 4);
  else if (m_kind == PlaceKind::Edges && m_random.chance(1, 2))
    index = records + static_cast<uint32_t>(m_random.below(3)) - 1;
  return ir::makePointer(m_trial.memory, buffer, space, offset, index);
}

unsigned TrialMaker::chooseBuffer(const Argument &argument, bool isStrided, bool mayVary) {
  ArrayRef<unsigned> all = isStrided ? m_strided : m_raw;
  // The first two are for everyone; each noalias parameter has one of the others.
  unsigned own = 2;
  for (const Argument &other : m_function.args()) {
    if (&other == &argument && argument.hasNoAliasAttr())
      return all[own];
    own += other.hasNoAliasAttr();
  }
  // The same for all lanes unless the trial, by its own first draw, is one of different ones.
  Random shared(m_shared + argument.getArgNo());
  bool varies = mayVary && shared.chance(1, 2);
  return all[varies ? m_random.below(2) : shared.below(2)];
}

ir::Scalar TrialMaker::makePointerLeaf(const Argument &argument, unsigned space, unsigned lane) {
  if (space == ldsSpace)
    return {APInt(32, chooseInside(m_trial.memory.lds.size(), lane))};
  if (space == scratchSpace)
    return {APInt(32, 0)}; // findTrialNeeds() says that this is no trial.
  bool isStrided =
      space == stridedSpace || (space == resourceSpace && m_needs.usesStrided && !m_needs.usesFat);
  unsigned buffer = chooseBuffer(argument, isStrided, !argument.hasInRegAttr());
  return makeBufferPointer(buffer, space, lane);
}

APInt TrialMaker::makeInteger(unsigned bits, bool isSmall) {
  uint64_t small = m_random.below(64);
  if (isSmall && bits > 6)
    return APInt(bits, small);
  if (isSmall || bits == 1)
    return APInt(64, m_random.next()).zextOrTrunc(bits);
  // Numbers of 128 bits and more are resources and pointers, if anything.
  if (bits == 128 && m_random.chance(15, 16))
    return makeBufferPointer(m_random.pick(ArrayRef(m_raw)), resourceSpace, 0).bits;
  if (bits == 160 && m_random.chance(3, 4))
    return makeBufferPointer(m_random.pick(ArrayRef(m_raw)), fatSpace, 0).bits;
  switch (m_random.below(8)) {
  case 0:
    return APInt::getZero(bits);
  case 1:
    return APInt::getAllOnes(bits);
  case 2:
    return APInt::getSignedMinValue(bits);
  case 3:
    return APInt::getSignedMaxValue(bits);
  case 4:
  case 5:
    return APInt(64, small).zextOrTrunc(bits);
  default: {
    SmallVector<uint64_t> words;
    for (unsigned done = 0; done < bits; done += 64)
      words.push_back(m_random.next());
    return APInt(bits, words);
  }
  }
}

/// Numbers that sums are exact for, mostly: a lowering may use another operation of the machine,
/// but not another number.
APInt TrialMaker::makeFloat(Type *type) {
  static constexpr double edges[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1024.0};
  const fltSemantics &semantics = type->getFltSemantics();
  if (!m_options.ordinaryFloats && m_random.chance(1, 16))
    return APFloat::getInf(semantics, m_random.chance(1, 2)).bitcastToAPInt();
  APFloat number(m_random.chance(1, 2) && !m_options.ordinaryFloats
                     ? m_random.pick(ArrayRef(edges))
                     : (static_cast<double>(m_random.below(256)) - 128) / 4);
  bool isLossy = false;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &isLossy);
  return number.bitcastToAPInt();
}

ir::Scalar TrialMaker::makeLeaf(const Argument &argument, Type *type, unsigned lane) {
  if (auto *pointer = dyn_cast<PointerType>(type))
    return makePointerLeaf(argument, pointer->getAddressSpace(), lane);
  if (type->isFloatingPointTy())
    return {makeFloat(type)};
  bool isSmall = argument.getName().starts_with("i") || argument.getName().starts_with("n");
  return {makeInteger(type->getScalarSizeInBits(), isSmall)};
}

void TrialMaker::appendLeaves(const Argument &argument, Type *type, unsigned lane,
                              ir::Value &value) {
  uint64_t count = 0;
  if (auto *array = dyn_cast<ArrayType>(type))
    count = array->getNumElements();
  else if (auto *vector = dyn_cast<FixedVectorType>(type))
    count = vector->getNumElements();
  else if (!isa<StructType>(type))
    return value.push_back(makeLeaf(argument, type, lane));
  if (auto *structure = dyn_cast<StructType>(type))
    for (Type *element : structure->elements())
      appendLeaves(argument, element, lane, value);
  for (uint64_t i = 0; i < count; ++i)
    appendLeaves(argument, type->getContainedType(0), lane, value);
}

ir::Value TrialMaker::makeArgument(const Argument &argument, unsigned lane) {
  ir::Value value;
  appendLeaves(argument, argument.getType(), lane, value);
  return value;
}

Trial TrialMaker::make() {
  addBuffers();
  m_trial.arguments.resize(m_lanes);
  for (const Argument &argument : m_function.args()) {
    bool isUniform = argument.hasInRegAttr() || m_random.chance(1, 8);
    for (unsigned lane = 0; lane < m_lanes; ++lane)
      m_trial.arguments[lane].push_back(isUniform && lane ? m_trial.arguments[0].back()
                                                          : makeArgument(argument, lane));
  }
  return std::move(m_trial);
}

Trial assay::makeTrial(const Function &function, const MeaningOptions &options, unsigned number) {
  return TrialMaker(function, options, number).make();
}

uint64_t assay::getLdsBytes(unsigned lanes) {
  return uint64_t(laneSlice) * lanes;
}
