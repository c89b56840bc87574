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
/// Where the next scalar of a variable is.
struct Place {
  InOutPlace place; ///< Of a built-in: the component counts its scalars.
  const StageBuiltIn *builtIn = nullptr;
  bool isLocated = false;
  bool isFlat = false, isLinear = false, isCentroid = false, isSample = false;

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

  Error decorate(ArrayRef<spirv::Decoration> decorations);
  Error copy(const Pointer &memory);

private:
  Error copyStruct(const Pointer &memory, const spirv::Type &type);
  Error copyElements(const Pointer &memory, uint64_t count);
  Error copyVector(const Pointer &memory, const spirv::Type &scalar, uint32_t count);
  Expected<Value *> readScalar(const spirv::Type &type);
  Error writeScalar(const spirv::Type &type, Value *value);
  void advance(const spirv::Type &scalar, bool isLast);

  Translator &m_t;
  const ShaderStage m_stage;
  const bool m_isInput;
};
} // namespace

Error InterfaceCopy::decorate(ArrayRef<spirv::Decoration> decorations) {
  for (const spirv::Decoration &decoration : decorations) {
    uint32_t operand = decoration.operands.empty() ? 0 : decoration.operands[0];
    switch (decoration.kind) {
    case spv::Decoration::BuiltIn: {
      next.builtIn = findStageBuiltIn(operand);
      next.place.component = 0;
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
    case spv::Decoration::ExplicitInterpAMD:
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

/// The InOutType of a scalar of \p type; the halves of 64 bits are I32.
static Expected<InOutType> inOutType(const spirv::Type &type) {
  bool isFloat = type.kind == TypeKind::Float;
  if (!isFloat && type.kind != TypeKind::Int)
    return unsupported("an input or output that is no number");
  switch (type.width) {
  case 16:
    return isFloat ? InOutType::F16 : InOutType::I16;
  case 32:
    return isFloat ? InOutType::F32 : InOutType::I32;
  case 64:
    return InOutType::I32;
  default:
    return unsupported("an input or output of " + Twine(type.width) + " bits");
  }
}

/// Moves to the next component; behind the last one of a location, to the next location.
void InterfaceCopy::advance(const spirv::Type &scalar, bool isLast) {
  next.place.component += !next.builtIn && scalar.width == 64 ? 2 : 1;
  if (!next.builtIn && !isLast && next.place.component >= 4) {
    next.place.component -= 4;
    ++next.place.location;
  }
}

Expected<Value *> InterfaceCopy::readScalar(const spirv::Type &type) {
  Builder &builder = m_t.builder();
  if (next.builtIn)
    return builder.createReadStageBuiltIn(*next.builtIn, next.place.component);
  Expected<InOutType> format = inOutType(type);
  if (!format)
    return format.takeError();
  bool isVertex = m_stage == ShaderStage::Vertex;
  Interpolation interpolation = isVertex ? Interpolation::Flat : next.interpolation();
  Value *low = builder.createReadInput(next.place, *format, interpolation);
  if (type.width != 64)
    return low;
  InOutPlace highPlace = next.place;
  ++highPlace.component;
  Value *high = builder.createReadInput(highPlace, *format, interpolation);
  Type *i64 = builder.getInt64Ty();
  Value *both = builder.CreateOr(builder.CreateZExt(low, i64),
                                 builder.CreateShl(builder.CreateZExt(high, i64), 32));
  return type.kind == TypeKind::Float ? builder.CreateBitCast(both, builder.getDoubleTy()) : both;
}

Error InterfaceCopy::writeScalar(const spirv::Type &type, Value *value) {
  Builder &builder = m_t.builder();
  if (next.builtIn) {
    builder.createWriteStageBuiltIn(*next.builtIn, next.place.component, value);
    return Error::success();
  }
  Expected<InOutType> format = inOutType(type);
  if (!format)
    return format.takeError();
  if (type.width != 64) {
    builder.createWriteOutput(next.place, *format, value);
    return Error::success();
  }
  Value *both = builder.CreateBitCast(value, builder.getInt64Ty());
  Type *i32 = builder.getInt32Ty();
  builder.createWriteOutput(next.place, *format, builder.CreateTrunc(both, i32));
  InOutPlace highPlace = next.place;
  ++highPlace.component;
  builder.createWriteOutput(highPlace, *format,
                            builder.CreateTrunc(builder.CreateLShr(both, 32), i32));
  return Error::success();
}

/// The type that the row of a built-in has, of a SPIR-V scalar.
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

Error InterfaceCopy::copyVector(const Pointer &memory, const spirv::Type &scalar, uint32_t count) {
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
    return count ? copyElements(memory, *count) : count.takeError();
  }
  case TypeKind::Matrix:
    return copyElements(memory, type.count);
  case TypeKind::Vector:
    return copyVector(memory, m_t.spirv().type(type.element), type.count);
  default:
    return copyVector(memory, type, 1);
  }
}

/// Whether \p variable is an input, or output, of the entry point that is translated.
bool Translator::isInterfaceVariable(const Inst &variable) const {
  if (m_shader.stage == ShaderStage::Compute || variable.opcode != spv::Op::OpVariable)
    return false;
  spv::StorageClass storage = m_spirv.type(variable.typeId).storageClass;
  return (storage == spv::StorageClass::Input || storage == spv::StorageClass::Output) &&
         is_contained(m_entry->interface, variable.resultId);
}

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
  }
  if (result.stage == ShaderStage::Fragment && !isUpperLeft)
    return invalidInput("a fragment shader without OriginUpperLeft");
  for (Id id : m_entry->interface) {
    std::optional<uint32_t> builtIn = m_spirv.decorationValue(id, spv::Decoration::BuiltIn);
    result.sampleShading |= m_spirv.hasDecoration(id, spv::Decoration::Sample) ||
                            builtIn == static_cast<uint32_t>(spv::BuiltIn::SampleId) ||
                            builtIn == static_cast<uint32_t>(spv::BuiltIn::SamplePosition);
  }
  return result;
}
