// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs of fragment shaders at places of the shader's choice: the interpolation functions of
// GLSL.std.450, and InterpolateAtVertexAMD. A weight is an affine function of the place, so its
// value at the pixel's center and its derivatives give it everywhere; with perspective that holds
// for the weight divided by w.

#include "compiler/frontend/ExtInst.h"
#include "support/Error.h"
#include "llvm/IR/Module.h"
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::Id;
using Args = ArrayRef<Value *>;

/// A plane holds values, then their derivatives in x, then those in y: of linear inputs the weights
/// of the second and third vertex, of others the same divided by w, then 1 / w.
static constexpr unsigned LinearValues = 2, PerspectiveValues = 3;

/// Returns the number of values in a plane, without their derivatives.
static unsigned planeValues(bool isLinear) {
  return isLinear ? LinearValues : PerspectiveValues;
}

/// Returns the private global that holds the plane; it is created by the first use, so that
/// fillWeightPlanes fills only what is used.
GlobalVariable *Translator::weightPlane(bool isLinear) {
  GlobalVariable *&plane = m_weightPlanes[isLinear];
  if (!plane) {
    Type *type = ArrayType::get(m_builder.getFloatTy(), 3 * planeValues(isLinear));
    plane = new GlobalVariable(*m_module, type, false, GlobalValue::InternalLinkage,
                               PoisonValue::get(type), "weights", nullptr,
                               GlobalValue::NotThreadLocal, PrivateAddressSpace);
  }
  return plane;
}

/// At the start of the entry point, where all invocations of a quad are active.
void Translator::fillWeightPlanes() {
  for (bool isLinear : {false, true}) {
    GlobalVariable *plane = m_weightPlanes[isLinear];
    if (!plane)
      continue;
    const StageBuiltIn &weights = *findStageBuiltIn(static_cast<uint32_t>(
        isLinear ? spv::BuiltIn::BaryCoordNoPerspAMD : spv::BuiltIn::BaryCoordPullModelAMD));
    unsigned count = planeValues(isLinear);
    auto store = [&](Value *value, unsigned index) {
      m_builder.CreateStore(
          value, m_builder.CreateConstInBoundsGEP2_32(plane->getValueType(), plane, 0, index));
    };
    for (unsigned i = 0; i < count; ++i) {
      Value *value = m_builder.createReadStageBuiltIn(weights, i);
      store(value, i);
      store(m_builder.createDerivative(value, Derivative::X), count + i);
      store(m_builder.createDerivative(value, Derivative::Y), 2 * count + i);
    }
  }
}

/// Returns the weights at \p x, \p y, in pixels from the pixel's center. Perspective weights are
/// divided by the interpolated 1 / w.
InputWeights Translator::weightsAt(bool isLinear, Value *x, Value *y) {
  GlobalVariable *plane = weightPlane(isLinear);
  unsigned count = planeValues(isLinear);
  Type *f32 = m_builder.getFloatTy();
  auto load = [&](unsigned index) {
    return m_builder.CreateLoad(
        f32, m_builder.CreateConstInBoundsGEP2_32(plane->getValueType(), plane, 0, index));
  };
  SmallVector<Value *, 3> moved;
  for (unsigned i = 0; i < count; ++i) {
    Value *value = m_builder.createFma(load(count + i), x, load(i));
    moved.push_back(m_builder.createFma(load(2 * count + i), y, value));
  }
  if (isLinear)
    return {moved[0], moved[1]};
  return {m_builder.createFDiv(moved[0], moved[2]), m_builder.createFDiv(moved[1], moved[2])};
}

/// The instruction that makes \p id in \p function, or null.
static const Inst *findInstruction(const spirv::Function &function, Id id) {
  for (const spirv::Block &block : function.blocks)
    for (const Inst &inst : block.instructions)
      if (inst.resultId == id)
        return &inst;
  return nullptr;
}

/// Follows the access chains from \p id back to an input variable, reads all of that variable at \p
/// place into an alloca, and loads the part. Unsupported where \p id comes from anything else.
Expected<Value *> Translator::readInputAt(Id id, const InputPlace &place) {
  SmallVector<const Inst *, 4> chains; // The last first.
  const Inst *variable = m_spirv.findGlobal(id);
  for (Id base = id; !variable; variable = m_spirv.findGlobal(base)) {
    const Inst *inst = findInstruction(*m_function, base);
    bool isChain = inst && (inst->opcode == spv::Op::OpAccessChain ||
                            inst->opcode == spv::Op::OpInBoundsAccessChain ||
                            inst->opcode == spv::Op::OpCopyObject);
    if (!isChain)
      return unsupported("an interpolant that is not reached from a variable by access chains");
    chains.push_back(inst);
    base = inst->operand(0);
  }
  if (!isInterfaceVariable(*variable) ||
      m_spirv.type(variable->typeId).storageClass != spv::StorageClass::Input)
    return invalidInput("an interpolant that is no input");
  Id typeId = m_spirv.type(variable->typeId).element;
  Expected<TypeRecord> record = type(typeId);
  if (!record)
    return record.takeError();
  Pointer pointer{
      createLocal(record->memory, "interpolant"), typeId, spv::StorageClass::Function, {}};
  if (Error error = readInputInto(*variable, pointer.value, place))
    return std::move(error);
  for (const Inst *chain : reverse(chains))
    for (size_t i = 1; i < chain->size(); ++i) {
      Expected<Value *> index = value(chain->operand(i));
      if (!index)
        return index.takeError();
      Expected<Pointer> next = step(pointer, *index);
      if (!next)
        return next.takeError();
      pointer = *next;
    }
  return load(pointer);
}

/// Handles an interpolation function whose place is known. Unsupported outside fragment shaders.
static Expected<Value *> interpolate(Translator &t, const Inst &inst, const InputPlace &place) {
  constexpr size_t Interpolant = 2;
  if (t.stage() != ShaderStage::Fragment)
    return unsupported("an interpolation function in a " + getStageName(t.stage()) + " shader");
  if (inst.size() <= Interpolant)
    return invalidInput("it lacks operands");
  return t.readInputAt(inst.operand(Interpolant), place);
}

/// Reads the input at the centroid, whatever decorates the variable.
static Expected<Value *> atCentroid(Translator &t, const Inst &inst, Args) {
  return interpolate(t, inst, {.kind = InputPlace::Kind::Centroid});
}

/// \p place, a vector of two floats, in pixels from the pixel's center.
static Expected<Value *> atOffset(Translator &t, const Inst &inst, Value *place) {
  Builder &builder = t.builder();
  Value *wide = place;
  if (place->getType()->getScalarType()->isHalfTy())
    wide = builder.CreateFPExt(place, place->getType()->getWithNewType(builder.getFloatTy()));
  if (wide->getType() != FixedVectorType::get(builder.getFloatTy(), 2))
    return invalidInput("an offset that is no vector of two floats");
  return interpolate(t, inst,
                     {.kind = InputPlace::Kind::Offset,
                      .x = builder.CreateExtractElement(wide, uint64_t(0)),
                      .y = builder.CreateExtractElement(wide, uint64_t(1))});
}

/// Returns the value of the operand after the interpolant; InvalidInput where it is missing.
static Expected<Value *> secondOperand(Translator &t, const Inst &inst) {
  constexpr size_t Second = 3;
  if (inst.size() <= Second)
    return invalidInput("it lacks operands");
  return t.value(inst.operand(Second));
}

/// Reads the input at the sample with this number, by its offset from the pixel's center.
static Expected<Value *> atSample(Translator &t, const Inst &inst, Args) {
  Expected<Value *> sample = secondOperand(t, inst);
  if (!sample)
    return sample;
  if (!(*sample)->getType()->isIntegerTy(32))
    return invalidInput("a sample that is no 32-bit integer");
  return atOffset(t, inst, t.builder().createSampleOffset(*sample));
}

/// The offset may be a vector of f16 or f32.
static Expected<Value *> atGivenOffset(Translator &t, const Inst &inst, Args) {
  Expected<Value *> offset = secondOperand(t, inst);
  return offset ? atOffset(t, inst, *offset) : std::move(offset);
}

/// Reads the input of one vertex of the triangle, a constant from 0 to 2, without interpolation.
static Expected<Value *> atVertex(Translator &t, const Inst &inst, Args) {
  constexpr size_t Vertex = 3;
  constexpr uint32_t VerticesOfTriangle = 3;
  if (inst.size() <= Vertex)
    return invalidInput("it lacks operands");
  Expected<uint32_t> vertex = t.constantInt(inst.operand(Vertex));
  if (!vertex)
    return vertex.takeError();
  if (*vertex >= VerticesOfTriangle)
    return invalidInput("vertex " + Twine(*vertex));
  return interpolate(t, inst, {.kind = InputPlace::Kind::Vertex, .vertex = *vertex});
}

/// No operand is resolved for the handlers: the first is a pointer to an input, which has no value.
static constexpr ExtInstRow Rows[] = {
    {GLSLstd450InterpolateAtCentroid, 0, Shape::Free, "InterpolateAtCentroid", atCentroid},
    {GLSLstd450InterpolateAtSample, 0, Shape::Free, "InterpolateAtSample", atSample},
    {GLSLstd450InterpolateAtOffset, 0, Shape::Free, "InterpolateAtOffset", atGivenOffset},
};

/// The number is that of SPV_AMD_shader_explicit_vertex_parameter.
static constexpr ExtInstRow VertexRows[] = {
    {1, 0, Shape::Free, "InterpolateAtVertexAMD", atVertex},
};

ArrayRef<ExtInstRow> assay::glslInterpolationRows() {
  return Rows;
}

ArrayRef<ExtInstRow> assay::explicitVertexRows() {
  return VertexRows;
}
