// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the row of an instruction among the families and runs it. Generic checks stand here, so
// that handlers meet only operands of the types they were written for.

#include "compiler/frontend/ExtInst.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/Images.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;

using Family = ArrayRef<OpcodeRow> (*)();

/// Adding a family is one file and one line here.
static constexpr Family Families[] = {
    constantOpcodes,   memoryOpcodes,      pointerOpcodes,       functionOpcodes,
    imageOpcodes,      imageSampleOpcodes, conversionOpcodes,    compositeOpcodes,
    arithmeticOpcodes, dotProductOpcodes,  miscellaneousOpcodes, matrixOpcodes,
    bitOpcodes,        relationalOpcodes,  controlFlowOpcodes,   atomicOpcodes,
    barrierOpcodes,    clockOpcodes,       subgroupOpcodes,      extInstOpcodes,
};
/// Of fragment shaders, or of what the reference interpreter lacks.
static constexpr Family FurtherFamilies[] = {
    derivativeOpcodes,
    imageImplicitOpcodes,
    imageSparseOpcodes,
    groupOpcodes,
};

/// Returns the rows of all families by opcode. Rows of texel atomics are not in it: they share
/// opcodes with those on memory.
static DenseMap<unsigned, const OpcodeRow *> makeRowMap() {
  DenseMap<unsigned, const OpcodeRow *> rows;
  for (Family family : concat<const Family>(Families, FurtherFamilies))
    for (const OpcodeRow &row : family()) {
      [[maybe_unused]] bool isNew = rows.try_emplace(unsigned(row.opcode), &row).second;
      assert(isNew && "an opcode is in two tables");
    }
  return rows;
}

/// Returns the row of \p opcode, or null. The map is made at the first call; C++ makes that safe
/// for threads.
static const OpcodeRow *findRow(spv::Op opcode) {
  static const DenseMap<unsigned, const OpcodeRow *> Rows = makeRowMap();
  return Rows.lookup(unsigned(opcode));
}

/// Leaves out FurtherFamilies and the interpolation functions, which compute shaders lack.
std::vector<TranslatedInstruction> assay::translatedInstructions() {
  std::vector<TranslatedInstruction> result;
  for (Family family : Families)
    for (const OpcodeRow &row : family())
      if (row.opcode != spv::Op::OpExtInst)
        result.push_back({row.opcode, false, 0, spirv::opcodeName(row.opcode)});
  for (const OpcodeRow &row : texelAtomicOpcodes())
    result.push_back({row.opcode, true, 0, spirv::opcodeName(row.opcode) + " (texel)"});
  ArrayRef<ExtInstRow> interpolation = glslInterpolationRows();
  for (const ExtInstRow *row : glslRows())
    if (row < interpolation.begin() || row >= interpolation.end())
      result.push_back(
          {spv::Op::OpExtInst, false, row->number, std::string("GLSL.std.450 ") + row->name});
  return result;
}

/// The form is "OpName (%result, word n, line n)"; result and line are left out where there is
/// none.
std::string assay::describe(const Inst &inst) {
  std::string text = spirv::opcodeName(inst.opcode) + " (";
  if (inst.resultId)
    text += "%" + std::to_string(inst.resultId) + ", ";
  text += "word " + std::to_string(inst.wordOffset);
  if (inst.line)
    text += ", line " + std::to_string(inst.line);
  return text + ")";
}

/// Returns whether the scalars of \p type belong to the class that \p shape requires.
static bool isOfClass(Type *type, Shape shape) {
  Type *scalar = type->getScalarType();
  switch (shape) {
  case Shape::Free:
    return true;
  case Shape::Float:
  case Shape::FloatToAny:
    return scalar->isFloatingPointTy();
  case Shape::FloatVectors:
    return scalar->isFloatingPointTy() && type->isVectorTy();
  case Shape::Int:
  case Shape::IntToAny:
    return scalar->isIntegerTy() && !scalar->isIntegerTy(1);
  case Shape::Int32:
    return scalar->isIntegerTy(32);
  case Shape::Bool:
    return scalar->isIntegerTy(1);
  }
  llvm_unreachable("shape without a class");
}

/// Checks that all \p args have one type of the class of \p shape: the result's type, or for the
/// shapes "ToAny" and FloatVectors that of the first operand. InvalidInput where they do not.
static Error checkShape(Shape shape, Type *result, ArrayRef<Value *> args) {
  if (shape == Shape::Free || args.empty())
    return Error::success();
  bool likeResult =
      shape == Shape::Float || shape == Shape::Int || shape == Shape::Bool || shape == Shape::Int32;
  Type *wanted = likeResult ? result : args[0]->getType();
  if (!isOfClass(wanted, shape))
    return invalidInput("its operands have the wrong type");
  for (Value *arg : args)
    if (arg->getType() != wanted)
      return invalidInput("its operands differ in type");
  return Error::success();
}

/// Returns the values of \p count operands from operand \p first on; with OpcodeRow::AllOperands,
/// of all that follow. InvalidInput where the instruction has fewer.
Expected<SmallVector<Value *, 8>> Translator::operandValues(const Inst &inst, size_t first,
                                                            size_t count) {
  SmallVector<Value *, 8> values;
  if (count == OpcodeRow::AllOperands)
    count = inst.size() - std::min(first, inst.size());
  if (inst.size() < first + count)
    return invalidInput("it lacks operands");
  for (size_t i = first; i < first + count; ++i) {
    Expected<Value *> operand = value(inst.operand(i));
    if (!operand)
      return operand.takeError();
    values.push_back(*operand);
  }
  return values;
}

/// \p result, of a row of \p shape, without denormals where the shader asked for that. Where
/// hardware flushes by itself LLVM drops the operation; it does not for negation, magnitudes and
/// minima.
Expected<Value *> Translator::flushed(Shape shape, Expected<Value *> result) {
  bool isArithmetic =
      shape == Shape::Float || shape == Shape::FloatToAny || shape == Shape::FloatVectors;
  if (!result || !m_function || !isArithmetic || !(*result)->getType()->isFPOrFPVectorTy() ||
      m_floatMode.of((*result)->getType()).denormals != Denormals::Flush)
    return result;
  return m_builder.CreateUnaryIntrinsic(Intrinsic::canonicalize, *result);
}

/// Resolves the operands of \p row, checks their shape, runs the ValueHandler and flushes denormals
/// where the shader requires it.
Expected<Value *> Translator::evaluateRow(const OpcodeRow &row, const Inst &inst) {
  auto args = operandValues(inst, 0, row.values);
  if (!args)
    return args.takeError();
  Expected<Type *> result = valueType(inst.typeId);
  if (!result)
    return result.takeError();
  if (Error error = checkShape(row.shape, *result, *args))
    return std::move(error);
  return flushed(row.shape, row.value(*this, inst, *args));
}

/// Does the same for an extended instruction. With halfAsFloat, f16 operands are extended to f32
/// and the result is rounded back; types other than f16 and f32 are InvalidInput then.
Expected<Value *> Translator::callExtInst(const ExtInstRow &row, const Inst &inst) {
  constexpr size_t FirstOperand = 2; // After the set and the number.
  auto args = operandValues(inst, FirstOperand, row.values);
  if (!args)
    return args.takeError();
  Expected<Type *> result = valueType(inst.typeId);
  if (!result)
    return result.takeError();
  if (Error error = checkShape(row.shape, *result, *args))
    return std::move(error);
  if (!row.halfAsFloat || (*result)->getScalarType()->isFloatTy())
    return flushed(row.shape, row.value(*this, inst, *args));
  if (!(*result)->getScalarType()->isHalfTy())
    return invalidInput("it is for 16 and 32 bits only");
  for (Value *&arg : *args)
    arg = m_builder.CreateFPExt(arg, arg->getType()->getWithNewType(m_builder.getFloatTy()));
  Expected<Value *> wide = row.value(*this, inst, *args);
  if (!wide)
    return wide.takeError();
  return flushed(row.shape, m_builder.CreateFPTrunc(*wide, *result));
}

/// Rows with an effect alone have no value that can be computed apart from its definition.
Expected<Value *> Translator::evaluate(const Inst &inst) {
  const OpcodeRow *row = findRow(inst.opcode);
  if (!row || !row->value)
    return unsupported(spirv::opcodeName(inst.opcode) + " in OpSpecConstantOp");
  return evaluateRow(*row, inst);
}

/// A row for texel atomics has precedence over the one on memory. Contraction to fma is allowed
/// unless the result is decorated NoContraction.
Error Translator::translate(const Inst &inst) {
  const OpcodeRow *row = findRow(inst.opcode);
  if (const OpcodeRow *texel = findTexelAtomic(*this, inst))
    row = texel;
  if (!row)
    return unsupported(describe(inst));

  FastMathFlags flags;
  flags.setAllowContract(!m_spirv.hasDecoration(inst.resultId, spv::Decoration::NoContraction));
  m_builder.setFastMathFlags(flags);
  if (row->effect)
    return addContext(row->effect(*this, inst), describe(inst));

  Expected<Value *> result = evaluateRow(*row, inst);
  if (!result)
    return addContext(result.takeError(), describe(inst));
  return addContext(define(inst, *result), describe(inst));
}

/// The components are results of \p make, in their sequence; their type may differ from that of \p
/// args.
Value *assay::forEachComponent(Builder &builder, ArrayRef<Value *> args,
                               function_ref<Value *(ArrayRef<Value *>)> make) {
  auto *vector = dyn_cast<FixedVectorType>(args[0]->getType());
  if (!vector)
    return make(args);
  Value *result = nullptr;
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    SmallVector<Value *, 4> components;
    for (Value *arg : args)
      components.push_back(builder.CreateExtractElement(arg, uint64_t(i)));
    Value *made = make(components);
    if (!result)
      result = PoisonValue::get(FixedVectorType::get(made->getType(), vector->getNumElements()));
    result = builder.CreateInsertElement(result, made, uint64_t(i));
  }
  return result;
}

Expected<Value *> assay::createIndex(Builder &builder, Value *index) {
  if (!index->getType()->isIntegerTy() || index->getType()->isIntegerTy(1))
    return invalidInput("an index that is no integer");
  return builder.CreateSExtOrTrunc(index, builder.getInt32Ty());
}

Constant *assay::floatConstant(Type *type, double constant) {
  return ConstantFP::get(type, constant);
}

Constant *assay::intConstant(Type *type, uint32_t constant) {
  return ConstantInt::get(type, constant);
}
