// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/link/StageInterface.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "support/Error.h"
#include "support/Hash.h"
#include "llvm/IR/Module.h"
#include <map>
#include <set>

using namespace llvm;
using namespace assay;

/// Locations that the parameter cache of every target has (Vulkan's maxVertexOutputComponents is
/// 128 there).
static constexpr uint32_t MostLocations = 32;
static constexpr uint32_t ComponentsOfLocation = InOutPlace::Components;
/// Numbers of components, with those of halves.
static constexpr uint32_t HalvesOfLocation = 2 * ComponentsOfLocation;
static constexpr uint32_t ComponentNumbers = InOutPlace::FirstHalf + HalvesOfLocation;

namespace {
/// Records of all ops of a stage, by place; only the first error is kept.
struct Collector : LgcVisitor<Collector> {
  std::map<InOutPlace, InputRecord> inputs;
  std::map<InOutPlace, OutputRecord> outputs;
  std::set<std::pair<uint32_t, uint32_t>> builtInsRead, builtInsWritten;
  Error error = Error::success();

  void visitReadInputOp(ReadInputOp &op);
  void visitInterpolateInputOp(InterpolateInputOp &op) { addInput(op, Interpolation::Smooth); }
  void visitReadVertexInputOp(ReadVertexInputOp &op);
  void visitWriteOutputOp(WriteOutputOp &op);
  void visitReadStageBuiltInOp(ReadStageBuiltInOp &op) {
    builtInsRead.emplace(uint32_t(op.getBuiltIn()), uint32_t(op.getElement()));
  }
  void visitWriteStageBuiltInOp(WriteStageBuiltInOp &op) {
    builtInsWritten.emplace(uint32_t(op.getBuiltIn()), uint32_t(op.getElement()));
  }

private:
  template <class Op> void addInput(const Op &op, Interpolation interpolation);
  void fail(Error failure) {
    if (error)
      consumeError(std::move(failure));
    else
      error = std::move(failure);
  }
};
} // namespace

/// An input that is interpolated in several ways has the first of them: the hardware must know only
/// that it is interpolated.
template <class Op> void Collector::addInput(const Op &op, Interpolation interpolation) {
  if (op.getFormat() >= inOutTypeCount || op.getComponent() >= ComponentNumbers)
    return fail(invalidInput(op.getCalledFunction()->getName() + " with a number out of range"));
  InputRecord record;
  record.place = {uint32_t(op.getLocation()), uint32_t(op.getComponent()), 0};
  record.type = static_cast<InOutType>(op.getFormat());
  record.interpolation = interpolation;
  record.order = static_cast<unsigned>(inputs.size());
  auto [place, isNew] = inputs.try_emplace(record.place, record);
  InputRecord &known = place->second;
  bool isSameKind = isInterpolated(interpolation) ? isInterpolated(known.interpolation)
                                                  : interpolation == known.interpolation;
  if (known.type != record.type || !isSameKind)
    return fail(unsupported("input " + Twine(record.place.location) + "." +
                            Twine(record.place.component) + " with two types or interpolations"));
  known.interpolation = std::min(known.interpolation, interpolation);
}

void Collector::visitReadInputOp(ReadInputOp &op) {
  if (!isInterpolation(op.getInterpolation()))
    return fail(invalidInput("lgc.read.input with a number out of range"));
  addInput(op, static_cast<Interpolation>(op.getInterpolation()));
}

void Collector::visitReadVertexInputOp(ReadVertexInputOp &op) {
  constexpr uint64_t VerticesOfTriangle = 3;
  if (op.getVertex() >= VerticesOfTriangle)
    return fail(invalidInput("lgc.read.vertex.input with a number out of range"));
  addInput(op, Interpolation::PerVertex);
}

void Collector::visitWriteOutputOp(WriteOutputOp &op) {
  if (op.getFormat() >= inOutTypeCount || op.getComponent() >= ComponentNumbers)
    return fail(invalidInput("lgc.write.output with a number out of range"));
  OutputRecord record;
  record.place = {uint32_t(op.getLocation()), uint32_t(op.getComponent()), uint32_t(op.getIndex())};
  record.type = static_cast<InOutType>(op.getFormat());
  if (const auto *constant = dyn_cast<ConstantInt>(op.getValue()))
    record.constant = static_cast<uint32_t>(constant->getZExtValue());
  auto [known, isNew] = outputs.try_emplace(record.place, record);
  if (!isNew && known->second.constant != record.constant)
    known->second.constant.reset();
}

/// The next place of a group of inputs: whole components, and halves of them.
namespace {
class Packer {
public:
  explicit Packer(uint32_t firstLocation) : m_firstLocation(firstLocation) {}
  void place(InputRecord &input, bool isHalf);
  uint32_t countLocations() const {
    return (m_count + ComponentsOfLocation - 1) / ComponentsOfLocation;
  }

private:
  InOutPlace takeComponent() {
    uint32_t number = m_count++;
    return {m_firstLocation + number / ComponentsOfLocation, number % ComponentsOfLocation, 0};
  }

  uint32_t m_firstLocation, m_count = 0;
  InputRecord *m_single = nullptr; ///< Of 16 bits; the high half of its component is free.
};
} // namespace

/// A scalar of 16 bits has a component of its own until there is a second one.
void Packer::place(InputRecord &input, bool isHalf) {
  if (!isHalf || !m_single) {
    input.packed = takeComponent();
    m_single = isHalf ? &input : m_single;
    return;
  }
  InOutPlace &low = m_single->packed;
  low.component = InOutPlace::FirstHalf + 2 * low.component;
  input.packed = {low.location, low.component + 1, 0};
  m_single = nullptr;
}

/// Returns whether scalars of \p type have 16 bits.
static bool isShort(InOutType type) {
  return type == InOutType::F16 || type == InOutType::I16;
}

/// Returns how many groups of \p size \p count scalars need.
static size_t countGroups(size_t count, size_t size) {
  return (count + size - 1) / size;
}

/// Places scalars that are interpolated by one kind of weights from \p location on, and returns the
/// location after them. Those of 16 bits get locations of their own, eight in each, unless all
/// scalars as floats need fewer locations: hardware interpolates floats or halves in a location.
static uint32_t packInterpolated(ArrayRef<InputRecord *> group, uint32_t location) {
  auto isHalf = [](const InputRecord *input) { return input->type == InOutType::F16; };
  auto halfCount = static_cast<size_t>(count_if(group, isHalf));
  size_t apart = countGroups(group.size() - halfCount, ComponentsOfLocation) +
                 countGroups(halfCount, HalvesOfLocation);
  bool hasHalves = apart <= countGroups(group.size(), ComponentsOfLocation);
  Packer packer(location);
  for (InputRecord *input : group)
    if (!hasHalves || !isHalf(input))
      packer.place(*input, /*isHalf=*/false);
  location += packer.countLocations();
  uint32_t next = 0;
  for (InputRecord *input : group)
    if (hasHalves && isHalf(input)) {
      input->packed = {location + next / HalvesOfLocation,
                       InOutPlace::FirstHalf + next % HalvesOfLocation, 0};
      ++next;
    }
  return location + static_cast<uint32_t>(countGroups(next, HalvesOfLocation));
}

/// Fills locations scalar by scalar; those of one location have one interpolation, because hardware
/// has one flat bit a location. Their order is that of the reads, which does not depend on the
/// locations that shaders agreed on. Vertex inputs stay: the pipeline's state says what they are.
static Error packInputs(std::vector<InputRecord> &inputs) {
  std::map<Interpolation, std::vector<InputRecord *>> byInterpolation;
  for (InputRecord &input : inputs)
    byInterpolation[input.interpolation].push_back(&input);
  uint32_t location = 0;
  for (auto &[interpolation, group] : byInterpolation) {
    llvm::sort(group,
               [](const InputRecord *a, const InputRecord *b) { return a->order < b->order; });
    if (isInterpolated(interpolation)) {
      location = packInterpolated(group, location);
      continue;
    }
    Packer packer(location);
    for (InputRecord *input : group)
      packer.place(*input, interpolation == Interpolation::Flat && isShort(input->type));
    location += packer.countLocations();
  }
  if (location > MostLocations)
    return unsupported("inputs in " + Twine(location) + " locations");
  return Error::success();
}

Expected<StageInterface> StageInterface::of(Module &module) {
  Function *entry = findEntryPoint(module);
  if (!entry)
    return invalidInput("a stage needs one entry point");
  Expected<StageMode> mode = getStageMode(*entry);
  if (!mode)
    return mode.takeError();
  Collector collector;
  collector.visit(module);
  if (collector.error)
    return std::move(collector.error);
  StageInterface result;
  result.m_stage = mode->stage;
  for (const auto &[place, record] : collector.inputs)
    result.m_inputs.push_back(record);
  for (const auto &[place, record] : collector.outputs)
    result.m_outputs.push_back(record);
  result.m_builtInsRead.assign(collector.builtInsRead.begin(), collector.builtInsRead.end());
  result.m_builtInsWritten.assign(collector.builtInsWritten.begin(),
                                  collector.builtInsWritten.end());
  if (mode->stage == ShaderStage::Vertex) {
    for (InputRecord &input : result.m_inputs)
      input.packed = input.place;
    return result;
  }
  if (Error error = packInputs(result.m_inputs))
    return std::move(error);
  return result;
}

/// Appends the three numbers of \p place to \p bytes.
static void addPlace(CanonicalBytes &bytes, const InOutPlace &place) {
  bytes.add(place.location).add(place.component).add(place.index);
}

std::string StageInterface::getCanonicalBytes() const {
  CanonicalBytes bytes;
  bytes.add(static_cast<uint64_t>(m_stage)).add(m_inputs.size());
  for (const InputRecord &input : m_inputs) {
    addPlace(bytes, input.place);
    bytes.add(static_cast<uint64_t>(input.type)).add(static_cast<uint64_t>(input.interpolation));
    addPlace(bytes, input.packed);
  }
  bytes.add(m_outputs.size());
  for (const OutputRecord &output : m_outputs) {
    addPlace(bytes, output.place);
    bytes.add(static_cast<uint64_t>(output.type)).add(uint64_t(output.constant.has_value()));
    bytes.add(output.constant.value_or(0));
  }
  for (const auto *builtIns : {&m_builtInsRead, &m_builtInsWritten}) {
    bytes.add(builtIns->size());
    for (auto [number, element] : *builtIns)
      bytes.add(number).add(element);
  }
  return bytes.take();
}
