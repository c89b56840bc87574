// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs and outputs of graphics stages. Each variable has private memory: the entry point reads
// the inputs into it first, and writes the outputs from it wherever it returns. So pointers to them
// are like any other; the middle-end makes values of them.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using spirv::Id;
using spirv::TypeKind;
using Inst = spirv::Instruction;

namespace {
/// The place of the next scalar of a variable, and how it is interpolated.
struct Place {
  InOutPlace place; ///< Of a built-in: the component counts its scalars.
  const StageBuiltIn *builtIn = nullptr;
  uint32_t commonBuiltIn = 0; ///< One of all stages (which are above 0).
  bool isLocated = false;
  /// Decorations Flat, NoPerspective, Centroid and Sample.
  bool isFlat = false, isLinear = false, isCentroid = false, isSample = false;
  bool isPerVertex = false; ///< The outermost array has an element a vertex.
  bool isExplicit = false;  ///< ExplicitInterpAMD.

  /// The enumerator's value has 2 for linear, 4 for centroid, 8 for sample. Sample goes before
  /// Centroid if both are given.
  Interpolation interpolation() const {
    if (isFlat)
      return Interpolation::Flat;
    uint32_t location = isSample ? 8 : isCentroid ? 4 : 0;
    return static_cast<Interpolation>(location | (isLinear ? 2 : 0));
  }
};

/// Walks the memory of an interface variable in the order of its scalars, and reads or writes each.
class InterfaceCopy {
public:
  InterfaceCopy(Translator &t, ShaderStage stage, bool isInput)
      : m_t(t), m_stage(stage), m_isInput(isInput) {}

  Place next;
  /// How to read inputs.
  InputPlace where;
  /// Of Offset: where inputs of perspective (false) and linear interpolation get their weights.
  function_ref<InputWeights(bool)> weights = nullptr;

  /// Applies the decorations of a variable or member to \p next. Unsupported for built-ins that the
  /// stage does not have, XfbBuffer and Stream.
  Error decorate(ArrayRef<spirv::Decoration> decorations);
  /// Reads or writes all of \p memory and moves \p next past it.
  Error copy(const Pointer &memory);

private:
  Error copyStruct(const Pointer &memory, const spirv::Type &type);
  /// Copies an array or matrix, whose elements have consecutive locations.
  Error copyElements(const Pointer &memory, uint64_t count);
  Error copyVertices(const Pointer &memory, uint64_t count);
  /// Reads the scalar of a built-in at \p next; with Centroid or Sample, barycentric weights are
  /// read at that place.
  Expected<Value *> readBuiltIn();
  Value *readPart(const InOutPlace &place, InOutType format);
  /// Copies a vector, or for a \p count of 1 a scalar. A location holds four components of 32 bits;
  /// vectors of three and four 64-bit components take two locations.
  Error copyVector(const Pointer &memory, const spirv::Type &scalar, uint32_t count);
  /// Reads one scalar at \p next. 64 bits are two parts, the low one in the lower component.
  Expected<Value *> readScalar(const spirv::Type &type);
  /// Writes one scalar at \p next; 8 bits are extended to 16 by their sign, 64 bits are two parts.
  Error writeScalar(const spirv::Type &type, Value *value);
  void advance(const spirv::Type &scalar, bool isLast);

  Translator &m_t;
  const ShaderStage m_stage;
  const bool m_isInput;
};
} // namespace

/// Decorations that concern neither place nor interpolation are ignored.
Error InterfaceCopy::decorate(ArrayRef<spirv::Decoration> decorations) {
  for (const spirv::Decoration &decoration : decorations) {
    uint32_t operand = decoration.operands.empty() ? 0 : decoration.operands[0];
    switch (decoration.kind) {
    case spv::Decoration::BuiltIn: {
      next.place.component = 0;
      if (m_isInput && isBuiltInOfAllStages(operand)) {
        next.commonBuiltIn = operand;
        break;
      }
      next.builtIn = findStageBuiltIn(operand);
      StageMask stages = !next.builtIn ? 0
                         : m_isInput   ? next.builtIn->inputs
                                       : next.builtIn->outputs;
      if (!(stages & stageBit(m_stage)))
        return unsupported((m_isInput ? "input" : "output") + Twine(" built-in ") +
                           spirv::builtInName(static_cast<spv::BuiltIn>(operand)) + " in a " +
                           getStageName(m_stage) + " shader");
      break;
    }
    case spv::Decoration::Location:
      next.place.location = operand;
      next.isLocated = true;
      break;
    case spv::Decoration::Component:
      next.place.component = operand;
      break;
    case spv::Decoration::Index:
      next.place.index = operand;
      break;
    case spv::Decoration::Flat:
      next.isFlat = true;
      break;
    case spv::Decoration::NoPerspective:
      next.isLinear = true;
      break;
    case spv::Decoration::Centroid:
      next.isCentroid = true;
      break;
    case spv::Decoration::Sample:
      next.isSample = true;
      break;
    case spv::Decoration::PerVertexKHR:
      next.isPerVertex = true;
      break;
    case spv::Decoration::ExplicitInterpAMD:
      next.isExplicit = true;
      break;
    case spv::Decoration::XfbBuffer:
    case spv::Decoration::Stream:
      return unsupported("decoration " + Twine(unsigned(decoration.kind)) +
                         " of an input or output");
    default:
      break;
    }
  }
  return Error::success();
}

/// Bits of \p scalar; a pointer to a physical buffer is an address of 64 bits.
static uint32_t widthOf(const spirv::Type &scalar) {
  bool isAddress = scalar.kind == TypeKind::Pointer &&
                   scalar.storageClass == spv::StorageClass::PhysicalStorageBuffer;
  return isAddress ? 64 : scalar.width;
}

/// Returns the InOutType of a scalar of \p type; the halves of 64 bits are I32, integers of 8 bits
/// I16. Unsupported for other types than numbers and addresses.
static Expected<InOutType> inOutType(const spirv::Type &type) {
  bool isFloat = type.kind == TypeKind::Float;
  if (!isFloat && type.kind != TypeKind::Int && type.kind != TypeKind::Pointer)
    return unsupported("an input or output that is not a number");
  switch (widthOf(type)) {
  case 8:
    return InOutType::I16;
  case 16:
    return isFloat ? InOutType::F16 : InOutType::I16;
  case 32:
    return isFloat ? InOutType::F32 : InOutType::I32;
  case 64:
    return InOutType::I32;
  default:
    return unsupported("an input or output of " + Twine(widthOf(type)) + " bits");
  }
}

/// Moves to the next component; after the last one of a location, to the next location.
void InterfaceCopy::advance(const spirv::Type &scalar, bool isLast) {
  next.place.component += !next.builtIn && widthOf(scalar) == 64 ? 2 : 1;
  if (!next.builtIn && !isLast && next.place.component >= 4) {
    next.place.component -= 4;
    ++next.place.location;
  }
}

/// Returns the barycentric weight of \p vertex (SPV_KHR_fragment_shader_barycentric). That of
/// vertex 0 is 1 less the sum of the two others.
static Value *weightOfVertex(Builder &builder, Interpolation interpolation, uint32_t vertex) {
  constexpr std::pair<Interpolation, uint32_t> Rows[] = {
      {Interpolation::Linear, 4992},         {Interpolation::LinearCentroid, 4993},
      {Interpolation::LinearSample, 4994},   {Interpolation::Smooth, 4995},
      {Interpolation::SmoothCentroid, 4996}, {Interpolation::SmoothSample, 4997}};
  const auto *row = find_if(Rows, [&](const auto &each) { return each.first == interpolation; });
  assert(row != std::end(Rows) && "built-ins are not flat");
  const StageBuiltIn &weights = *findStageBuiltIn(row->second);
  if (vertex != 0)
    return builder.createReadStageBuiltIn(weights, vertex - 1);
  Value *others = builder.CreateFAdd(builder.createReadStageBuiltIn(weights, 0),
                                     builder.createReadStageBuiltIn(weights, 1));
  return builder.CreateFSub(floatConstant(builder.getFloatTy(), 1), others);
}

/// Only the two barycentric built-ins depend on a place within the pixel.
Expected<Value *> InterfaceCopy::readBuiltIn() {
  auto builtIn = static_cast<spv::BuiltIn>(next.builtIn->number);
  bool isPerspective = builtIn == spv::BuiltIn::BaryCoordKHR;
  bool isElsewhere = next.isCentroid || next.isSample;
  if (!isElsewhere || (!isPerspective && builtIn != spv::BuiltIn::BaryCoordNoPerspKHR))
    return m_t.builder().createReadStageBuiltIn(*next.builtIn, next.place.component);
  Place place = next;
  place.isLinear = !isPerspective;
  return weightOfVertex(m_t.builder(), place.interpolation(), next.place.component);
}

/// A scalar of 32 bits or less at \p place.
Value *InterfaceCopy::readPart(const InOutPlace &place, InOutType format) {
  Builder &builder = m_t.builder();
  if (m_stage == ShaderStage::Vertex)
    return builder.createReadInput(place, format, Interpolation::Flat);
  bool isVertex = where.kind == InputPlace::Kind::Vertex || next.isExplicit;
  if (isVertex) // Otherwise what ExplicitInterpAMD decorates is that of vertex 0.
    return builder.createReadVertexInput(place, format, where.vertex);
  if (where.kind == InputPlace::Kind::AsDecorated || next.isFlat)
    return builder.createReadInput(place, format, next.interpolation());
  if (where.kind == InputPlace::Kind::Centroid)
    return builder.createReadInput(place, format,
                                   next.isLinear ? Interpolation::LinearCentroid
                                                 : Interpolation::SmoothCentroid);
  InputWeights at = weights(next.isLinear);
  return builder.createInterpolateInput(place, format, at.i, at.j);
}

/// The type of a built-in has been checked by copyVector().
Expected<Value *> InterfaceCopy::readScalar(const spirv::Type &type) {
  Builder &builder = m_t.builder();
  if (next.builtIn)
    return readBuiltIn();
  Expected<InOutType> format = inOutType(type);
  if (!format)
    return format.takeError();
  Value *low = readPart(next.place, *format);
  if (widthOf(type) == 8)
    return builder.CreateTrunc(low, builder.getInt8Ty());
  if (widthOf(type) != 64)
    return low;
  InOutPlace highPlace = next.place;
  ++highPlace.component;
  Value *high = readPart(highPlace, *format);
  Type *i64 = builder.getInt64Ty();
  Value *both = builder.CreateOr(builder.CreateZExt(low, i64),
                                 builder.CreateShl(builder.CreateZExt(high, i64), 32));
  if (type.kind == TypeKind::Int)
    return both;
  Expected<Type *> wanted = m_t.valueType(type.id);
  if (!wanted)
    return wanted.takeError();
  return (*wanted)->isPointerTy() ? builder.CreateIntToPtr(both, *wanted)
                                  : builder.CreateBitCast(both, *wanted);
}

/// Unsigned integers of 8 bits are extended by zeros.
Error InterfaceCopy::writeScalar(const spirv::Type &type, Value *value) {
  Builder &builder = m_t.builder();
  if (next.builtIn) {
    builder.createWriteStageBuiltIn(*next.builtIn, next.place.component, value);
    return Error::success();
  }
  Expected<InOutType> format = inOutType(type);
  if (!format)
    return format.takeError();
  if (widthOf(type) == 8)
    value = builder.CreateIntCast(value, builder.getInt16Ty(), type.isSigned);
  if (widthOf(type) != 64) {
    builder.createWriteOutput(next.place, *format, value);
    return Error::success();
  }
  Value *both = builder.CreateBitOrPointerCast(value, builder.getInt64Ty());
  Type *i32 = builder.getInt32Ty();
  builder.createWriteOutput(next.place, *format, builder.CreateTrunc(both, i32));
  InOutPlace highPlace = next.place;
  ++highPlace.component;
  builder.createWriteOutput(highPlace, *format,
                            builder.CreateTrunc(builder.CreateLShr(both, 32), i32));
  return Error::success();
}

/// Returns whether a scalar of \p type has the type in the row of the built-in.
static bool fitsBuiltIn(const StageBuiltIn &builtIn, const spirv::Type &type) {
  switch (builtIn.type) {
  case StageBuiltInType::F32:
    return type.kind == TypeKind::Float && type.width == 32;
  case StageBuiltInType::I32:
    return type.kind == TypeKind::Int && type.width == 32;
  case StageBuiltInType::Bool:
    return type.kind == TypeKind::Bool;
  }
  llvm_unreachable("a built-in of no type");
}

/// Afterwards next is at the same component of the following location; in a built-in it counts on.
Error InterfaceCopy::copyVector(const Pointer &memory, const spirv::Type &scalar, uint32_t count) {
  if (next.commonBuiltIn) {
    Expected<Value *> value = m_t.readBuiltIn(next.commonBuiltIn, memory.pointee);
    return value ? m_t.store(memory, *value) : value.takeError();
  }
  if (!next.builtIn && !next.isLocated)
    return invalidInput("an input or output without Location or BuiltIn");
  if (next.builtIn && (!fitsBuiltIn(*next.builtIn, scalar) ||
                       next.place.component + count > next.builtIn->elements))
    return unsupported("built-in " + Twine(next.builtIn->name) + " of this type");
  Expected<Type *> type = m_t.valueType(memory.pointee);
  if (!type)
    return type.takeError();
  bool isVector = (*type)->isVectorTy();
  Builder &builder = m_t.builder();
  Value *value = PoisonValue::get(*type);
  if (!m_isInput)
    if (Error error = m_t.load(memory).moveInto(value))
      return error;
  uint32_t first = next.place.component;
  for (uint32_t i = 0; i < count; ++i) {
    if (m_isInput) {
      Expected<Value *> part = readScalar(scalar);
      if (!part)
        return part.takeError();
      value = isVector ? builder.CreateInsertElement(value, *part, uint64_t(i)) : *part;
    } else {
      Value *part = isVector ? builder.CreateExtractElement(value, uint64_t(i)) : value;
      if (Error error = writeScalar(scalar, part))
        return error;
    }
    advance(scalar, i + 1 == count);
  }
  if (!next.builtIn) {
    next.place.component = first;
    ++next.place.location;
  }
  return m_isInput ? m_t.store(memory, value) : Error::success();
}

/// Unsupported for more than 128 elements, as each is copied apart.
Error InterfaceCopy::copyElements(const Pointer &memory, uint64_t count) {
  constexpr uint64_t MostElements = 128; // More than any implementation has components.
  if (count > MostElements)
    return unsupported("an input or output of " + Twine(count) + " elements");
  for (uint64_t i = 0; i < count; ++i) {
    Expected<Pointer> element = m_t.step(memory, m_t.builder().getInt32(uint32_t(i)));
    if (!element)
      return element.takeError();
    if (Error error = copy(*element))
      return error;
  }
  return Error::success();
}

/// Copies an array with an element for each vertex. All elements have the same places. Unsupported
/// for more than three vertices.
Error InterfaceCopy::copyVertices(const Pointer &memory, uint64_t count) {
  constexpr uint64_t VerticesOfTriangle = 3;
  if (count > VerticesOfTriangle)
    return unsupported("an input of " + Twine(count) + " vertices");
  Place first = next;
  where.kind = InputPlace::Kind::Vertex;
  for (uint64_t i = 0; i < count; ++i) {
    next = first;
    next.isPerVertex = false;
    where.vertex = uint32_t(i);
    Expected<Pointer> element = m_t.step(memory, m_t.builder().getInt32(uint32_t(i)));
    if (!element)
      return element.takeError();
    if (Error error = copy(*element))
      return error;
  }
  return Error::success();
}

/// Members have consecutive locations unless they are decorated.
Error InterfaceCopy::copyStruct(const Pointer &memory, const spirv::Type &type) {
  for (uint32_t i = 0; i < type.members.size(); ++i) {
    Place before = next;
    if (Error error = decorate(m_t.spirv().memberDecorations(type.id, i)))
      return error;
    Expected<Pointer> member = m_t.step(memory, m_t.builder().getInt32(i));
    if (!member)
      return member.takeError();
    if (Error error = copy(*member))
      return error;
    // What decorates a member concerns it alone.
    uint32_t location = next.place.location;
    bool isLocated = next.isLocated;
    next = before;
    next.place.location = location;
    next.isLocated = isLocated;
  }
  return Error::success();
}

Error InterfaceCopy::copy(const Pointer &memory) {
  const spirv::Type &type = m_t.spirv().type(memory.pointee);
  switch (type.kind) {
  case TypeKind::Struct:
    return copyStruct(memory, type);
  case TypeKind::Array: {
    Expected<uint32_t> count = m_t.constantInt(type.lengthId);
    if (!count)
      return count.takeError();
    return next.isPerVertex ? copyVertices(memory, *count) : copyElements(memory, *count);
  }
  case TypeKind::Matrix:
    return copyElements(memory, type.count);
  case TypeKind::Vector:
    return copyVector(memory, m_t.spirv().type(type.element), type.count);
  default:
    return copyVector(memory, type, 1);
  }
}

/// Returns whether \p variable is an input or output that the translated entry point lists. Compute
/// shaders have none.
bool Translator::isInterfaceVariable(const Inst &variable) const {
  if (m_shader.stage == ShaderStage::Compute || variable.opcode != spv::Op::OpVariable)
    return false;
  spv::StorageClass storage = m_spirv.type(variable.typeId).storageClass;
  return (storage == spv::StorageClass::Input || storage == spv::StorageClass::Output) &&
         is_contained(m_entry->interface, variable.resultId);
}

/// Emits the reads of all inputs, or the writes of all outputs, of the entry point where the
/// builder is. Variables that it does not list are skipped.
Error Translator::copyInterface(bool isInput) {
  spv::StorageClass storage = isInput ? spv::StorageClass::Input : spv::StorageClass::Output;
  for (const Inst &variable : m_spirv.globals) {
    if (!isInterfaceVariable(variable) || m_spirv.type(variable.typeId).storageClass != storage)
      continue;
    if (auto refused = m_refused.find(variable.resultId); refused != m_refused.end())
      return unsupported(refused->second);
    Pointer memory{
        m_constants.lookup(variable.resultId), m_spirv.type(variable.typeId).element, storage, {}};
    InterfaceCopy copy(*this, m_shader.stage, isInput);
    Error error = copy.decorate(m_spirv.decorations(variable.resultId));
    if (!error)
      error = copy.copy(memory);
    if (error)
      return addContext(std::move(error), describe(variable));
  }
  return Error::success();
}

/// Reads the input \p variable at \p place into \p memory, an alloca of its type. Weights at an
/// offset are computed once for each kind of interpolation.
Error Translator::readInputInto(const Inst &variable, Value *memory, const InputPlace &place) {
  Pointer target{memory, m_spirv.type(variable.typeId).element, spv::StorageClass::Function, {}};
  InterfaceCopy copy(*this, m_shader.stage, /*isInput=*/true);
  std::optional<InputWeights> known[2]; // Once for each kind of interpolation.
  auto weights = [&](bool isLinear) {
    std::optional<InputWeights> &slot = known[isLinear];
    if (!slot)
      slot = weightsAt(isLinear, place.x, place.y);
    return *slot;
  };
  copy.where = place;
  copy.weights = weights;
  if (Error error = copy.decorate(m_spirv.decorations(variable.resultId)))
    return error;
  return copy.copy(target);
}

/// Reads the inputs first, and writes the outputs where the entry point returns. What terminates an
/// invocation writes none.
Error Translator::addInterface(Function &main) {
  SmallVector<ReturnInst *, 4> returns;
  for (BasicBlock &block : main)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
      returns.push_back(end);
  m_function = m_spirv.findFunction(m_entry->function);
  m_builder.setFastMathFlags({});
  m_builder.SetInsertPoint(m_prologue->getTerminator());
  Error error = copyInterface(/*isInput=*/true);
  for (ReturnInst *end : returns) {
    if (error)
      break;
    m_builder.SetInsertPoint(end);
    error = copyInterface(/*isInput=*/false);
  }
  m_function = nullptr;
  return error;
}

/// Returns whether \p decorations have Sample, or one of the built-ins SampleId and SamplePosition.
static bool asksForSamples(ArrayRef<spirv::Decoration> decorations) {
  return any_of(decorations, [](const spirv::Decoration &each) {
    auto isBuiltIn = [&](spv::BuiltIn builtIn) {
      return each.kind == spv::Decoration::BuiltIn &&
             each.operands[0] == static_cast<uint32_t>(builtIn);
    };
    return each.kind == spv::Decoration::Sample || isBuiltIn(spv::BuiltIn::SampleId) ||
           isBuiltIn(spv::BuiltIn::SamplePosition);
  });
}

/// Whether interface variable \p id has fragments of one sample.
bool Translator::asksForSamples(Id id) const {
  const Inst *variable = m_spirv.findGlobal(id);
  const spirv::Type *pointer = variable ? m_spirv.findType(variable->typeId) : nullptr;
  if (!pointer || pointer->storageClass != spv::StorageClass::Input)
    return false;
  const spirv::Type &type = m_spirv.type(pointer->element);
  for (uint32_t i = 0; i < type.members.size(); ++i)
    if (::asksForSamples(m_spirv.memberDecorations(type.id, i)))
      return true;
  return ::asksForSamples(m_spirv.decorations(id));
}

/// Returns the modes of the entry point that later stages need. InvalidInput for a fragment shader
/// without OriginUpperLeft, as Vulkan requires it.
Expected<StageMode> Translator::stageMode() const {
  StageMode result;
  result.stage = m_shader.stage;
  bool isUpperLeft = false;
  for (const spirv::ExecutionMode &mode : m_spirv.executionModes) {
    if (mode.entryPoint != m_entry->function)
      continue;
    isUpperLeft |= mode.mode == spv::ExecutionMode::OriginUpperLeft;
    result.earlyFragmentTests |= mode.mode == spv::ExecutionMode::EarlyFragmentTests;
    result.depthGreater |= mode.mode == spv::ExecutionMode::DepthGreater;
    result.depthLess |= mode.mode == spv::ExecutionMode::DepthLess;
    result.postDepthCoverage |= mode.mode == spv::ExecutionMode::PostDepthCoverage;
  }
  if (result.stage == ShaderStage::Fragment && !isUpperLeft)
    return invalidInput("a fragment shader without OriginUpperLeft");
  for (Id id : m_entry->interface)
    result.sampleShading |= asksForSamples(id);
  return result;
}
