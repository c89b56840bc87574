// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spirv/ResourceInterface.h"

#include "support/Error.h"
#include <limits>

using namespace llvm;

namespace assay::spirv {

namespace {
using Operands = ArrayRef<uint32_t>;

/// An operation of an OpSpecConstantOp on integers of 32 bits and booleans, which are 0 or 1.
struct LengthOp {
  spv::Op opcode;
  unsigned operands;
  uint32_t (*compute)(Operands);
  bool hasDivisor = false; ///< The result is undefined where the last operand is 0.
  bool hasShift = false;   ///< The result is undefined where the last operand is above 31.
};

/// Evaluates constants that depend on each other, by recursion with a budget: the module is not
/// validated here, so that a constant may depend on itself.
class LengthEvaluator {
public:
  explicit LengthEvaluator(const SpecializedModule &source) : m_source(source) {}
  Expected<uint32_t> evaluate(Id id);

private:
  /// The value of \p inst, an OpSpecConstantOp.
  Expected<uint32_t> compute(const Instruction &inst);
  /// The value that the pipeline gives \p inst, a specialization constant, or \p byDefault.
  uint32_t specialized(const Instruction &inst, uint32_t byDefault) const;

  const SpecializedModule &m_source;
  unsigned m_budget = 256;
};
} // namespace

static constexpr LengthOp LengthOps[] = {
    {spv::Op::OpIAdd, 2, [](Operands v) { return v[0] + v[1]; }},
    {spv::Op::OpISub, 2, [](Operands v) { return v[0] - v[1]; }},
    {spv::Op::OpIMul, 2, [](Operands v) { return v[0] * v[1]; }},
    {spv::Op::OpUDiv, 2, [](Operands v) { return v[0] / v[1]; }, /*hasDivisor=*/true},
    {spv::Op::OpUMod, 2, [](Operands v) { return v[0] % v[1]; }, /*hasDivisor=*/true},
    {spv::Op::OpShiftLeftLogical, 2, [](Operands v) { return v[0] << v[1]; }, false, true},
    {spv::Op::OpShiftRightLogical, 2, [](Operands v) { return v[0] >> v[1]; }, false, true},
    {spv::Op::OpBitwiseAnd, 2, [](Operands v) { return v[0] & v[1]; }},
    {spv::Op::OpBitwiseOr, 2, [](Operands v) { return v[0] | v[1]; }},
    {spv::Op::OpBitwiseXor, 2, [](Operands v) { return v[0] ^ v[1]; }},
    {spv::Op::OpNot, 1, [](Operands v) { return ~v[0]; }},
    {spv::Op::OpSNegate, 1, [](Operands v) { return 0 - v[0]; }},
    {spv::Op::OpSelect, 3, [](Operands v) { return v[0] ? v[1] : v[2]; }},
    {spv::Op::OpLogicalAnd, 2, [](Operands v) { return v[0] & v[1]; }},
    {spv::Op::OpLogicalOr, 2, [](Operands v) { return v[0] | v[1]; }},
    {spv::Op::OpLogicalNot, 1, [](Operands v) { return uint32_t(!v[0]); }},
    {spv::Op::OpIEqual, 2, [](Operands v) { return uint32_t(v[0] == v[1]); }},
    {spv::Op::OpINotEqual, 2, [](Operands v) { return uint32_t(v[0] != v[1]); }},
    {spv::Op::OpULessThan, 2, [](Operands v) { return uint32_t(v[0] < v[1]); }},
    {spv::Op::OpULessThanEqual, 2, [](Operands v) { return uint32_t(v[0] <= v[1]); }},
    {spv::Op::OpUGreaterThan, 2, [](Operands v) { return uint32_t(v[0] > v[1]); }},
    {spv::Op::OpUGreaterThanEqual, 2, [](Operands v) { return uint32_t(v[0] >= v[1]); }},
};

/// Operations on signed numbers, each with the one that gives the same where no operand is
/// negative.
static constexpr std::pair<spv::Op, spv::Op> UnsignedOps[] = {
    {spv::Op::OpSDiv, spv::Op::OpUDiv},
    {spv::Op::OpSRem, spv::Op::OpUMod},
    {spv::Op::OpSMod, spv::Op::OpUMod},
    {spv::Op::OpShiftRightArithmetic, spv::Op::OpShiftRightLogical},
    {spv::Op::OpSLessThan, spv::Op::OpULessThan},
    {spv::Op::OpSLessThanEqual, spv::Op::OpULessThanEqual},
    {spv::Op::OpSGreaterThan, spv::Op::OpUGreaterThan},
    {spv::Op::OpSGreaterThanEqual, spv::Op::OpUGreaterThanEqual},
};

uint32_t LengthEvaluator::specialized(const Instruction &inst, uint32_t byDefault) const {
  std::optional<uint32_t> id =
      m_source.module.decorationValue(inst.resultId, spv::Decoration::SpecId);
  for (const SpecializationValue &value : m_source.values)
    if (id && value.id == *id)
      return uint32_t(value.bits);
  return byDefault;
}

Expected<uint32_t> LengthEvaluator::compute(const Instruction &inst) {
  auto opcode = spv::Op(inst.operand(0));
  auto refuse = [&](const Twine &why) {
    return unsupported("OpSpecConstantOp (%" + Twine(inst.resultId) + "): " + why);
  };
  SmallVector<uint32_t, 3> values;
  for (size_t i = 1; i < inst.size() && i <= 3; ++i) {
    Expected<uint32_t> value = evaluate(inst.operand(i));
    if (!value)
      return value.takeError();
    values.push_back(*value);
  }
  const auto *isSigned = find_if(UnsignedOps, [&](const auto &row) { return row.first == opcode; });
  if (isSigned != std::end(UnsignedOps)) {
    if (any_of(values, [](uint32_t value) { return int32_t(value) < 0; }))
      return refuse(opcodeName(opcode) + " of negative numbers in a length");
    opcode = isSigned->second;
  }
  const auto *row = find_if(LengthOps, [&](const LengthOp &each) { return each.opcode == opcode; });
  if (row == std::end(LengthOps) || row->operands != values.size())
    return refuse(opcodeName(spv::Op(inst.operand(0))) + " in a length");
  if ((row->hasDivisor && values.back() == 0) || (row->hasShift && values.back() > 31))
    return invalidInput("OpSpecConstantOp (%" + Twine(inst.resultId) +
                        "): its result is undefined");
  return row->compute(values);
}

/// Integers have at most 32 bits; those of fewer bits are constants alone, not operands.
Expected<uint32_t> LengthEvaluator::evaluate(Id id) {
  const Instruction *definition = m_source.module.findGlobal(id);
  const Type *type = definition ? m_source.module.findType(definition->typeId) : nullptr;
  bool isNumber =
      type && (type->kind == TypeKind::Bool || (type->kind == TypeKind::Int && type->width <= 32));
  if (!isNumber)
    return unsupported("the length %" + Twine(id) + " is no constant of up to 32 bits");
  if (m_budget == 0)
    return limitExceeded("the length %" + Twine(id) + " depends on too many constants");
  --m_budget;
  bool hasValue = definition->size() == 1;
  switch (definition->opcode) {
  case spv::Op::OpConstant:
    if (hasValue)
      return definition->operand(0);
    break;
  case spv::Op::OpSpecConstant:
    if (hasValue)
      return specialized(*definition, definition->operand(0));
    break;
  case spv::Op::OpConstantTrue:
    return 1;
  case spv::Op::OpConstantFalse:
    return 0;
  case spv::Op::OpSpecConstantTrue:
    return specialized(*definition, 1) != 0;
  case spv::Op::OpSpecConstantFalse:
    return specialized(*definition, 0) != 0;
  case spv::Op::OpSpecConstantOp:
    if (definition->size() > 1 && (type->kind == TypeKind::Bool || type->width == 32))
      return compute(*definition);
    break;
  default:
    break;
  }
  return unsupported(opcodeName(definition->opcode) + " (%" + Twine(id) + ") as a length");
}

Expected<uint32_t> evaluateLength(const SpecializedModule &source, Id constant) {
  return LengthEvaluator(source).evaluate(constant);
}

/// Returns the bytes of a matrix, up to the end of its last row or column.
static uint64_t matrixSize(const Module &module, const Type &type, const MemberLayout &layout) {
  const Type &column = module.type(type.element);
  uint64_t scalar = module.type(column.element).width / 8;
  uint32_t lines = layout.rowMajor ? column.count : type.count;
  uint32_t perLine = layout.rowMajor ? type.count : column.count;
  return lines ? uint64_t(layout.matrixStride) * (lines - 1) + scalar * perLine : 0;
}

namespace {
/// Sizes by recursion over the type; a structure is sized once, however often it is used, so that a
/// type that names itself twice at each of sixty levels costs sixty steps.
class Sizer {
public:
  explicit Sizer(const SpecializedModule &source) : m_source(source), m_module(source.module) {}
  /// Bytes of type \p id; \p layout is that of a matrix in it. 0 for runtime arrays and types
  /// without size.
  uint64_t size(Id id, const MemberLayout &layout);
  /// The first length that has no value; sizes that depend on it are too small.
  Error takeError() { return std::move(m_error); }

private:
  /// The largest end of a member.
  uint64_t structSize(const Type &type);

  const SpecializedModule &m_source;
  const Module &m_module;
  Error m_error = Error::success();
  DenseMap<Id, uint64_t> m_structs;
};
} // namespace

/// A member without Offset counts as if it were at 0.
uint64_t Sizer::structSize(const Type &type) {
  if (auto known = m_structs.find(type.id); known != m_structs.end())
    return known->second;
  uint64_t size = 0;
  for (uint32_t member = 0; member < type.members.size(); ++member) {
    MemberLayout layout = m_module.memberLayout(type.id, member);
    size = std::max(size, layout.offset.value_or(0) + this->size(type.members[member], layout));
  }
  return m_structs[type.id] = size;
}

/// A pointer has 8 bytes, a bool 4. An array has none if its length has no value.
uint64_t Sizer::size(Id id, const MemberLayout &layout) {
  const Type &type = m_module.type(id);
  switch (type.kind) {
  case TypeKind::Int:
  case TypeKind::Float:
    return type.width / 8;
  case TypeKind::Bool:
    return 4;
  case TypeKind::Vector:
    return type.count * size(type.element, layout);
  case TypeKind::Matrix:
    return matrixSize(m_module, type, layout);
  case TypeKind::Array: {
    Expected<uint32_t> length = evaluateLength(m_source, type.lengthId);
    if (!length) {
      if (m_error)
        consumeError(length.takeError());
      else
        m_error = length.takeError();
      return 0;
    }
    return *length ? uint64_t(type.arrayStride) * (*length - 1) + size(type.element, layout) : 0;
  }
  case TypeKind::Struct:
    return structSize(type);
  case TypeKind::Pointer:
    return 8;
  default:
    return 0;
  }
}

Expected<uint64_t> explicitSize(const SpecializedModule &source, Id id,
                                const MemberLayout &layout) {
  Sizer sizer(source);
  uint64_t size = sizer.size(id, layout);
  if (Error error = sizer.takeError())
    return std::move(error);
  return size;
}

/// Returns whether variables of \p storageClass have descriptors.
static bool isResourceClass(spv::StorageClass storageClass) {
  return storageClass == spv::StorageClass::Uniform ||
         storageClass == spv::StorageClass::StorageBuffer ||
         storageClass == spv::StorageClass::UniformConstant;
}

/// Returns the elements of the variable's array; 1 for no array, 0 for a runtime array.
/// LimitExceeded above 2^20 elements.
static Expected<uint32_t> descriptorCount(const SpecializedModule &source,
                                          const Instruction &variable) {
  const Module &module = source.module;
  const Type &pointee = module.type(module.type(variable.typeId).element);
  if (pointee.kind == TypeKind::RuntimeArray)
    return 0;
  if (pointee.kind != TypeKind::Array)
    return 1;
  Expected<uint32_t> count = evaluateLength(source, pointee.lengthId);
  if (!count)
    return count.takeError();
  if (*count == 0)
    return invalidInput("variable %" + Twine(variable.resultId) +
                        ": the length of its descriptor array is 0");
  if (*count > (1u << 20))
    return limitExceeded("variable %" + Twine(variable.resultId) + ": descriptor array of " +
                         Twine(*count) + " elements");
  return *count;
}

/// Returns the kind of descriptor of a variable, or of the elements of its array.
static DescriptorKind descriptorKind(const Module &module, const Instruction &variable) {
  const Type *type = &module.type(module.type(variable.typeId).element);
  while (type->kind == TypeKind::Array || type->kind == TypeKind::RuntimeArray)
    type = &module.type(type->element);
  switch (type->kind) {
  case TypeKind::Image:
    return type->image.dim == spv::Dim::Buffer ? DescriptorKind::TexelBuffer
                                               : DescriptorKind::Image;
  case TypeKind::Sampler:
    return DescriptorKind::Sampler;
  case TypeKind::SampledImage: {
    bool isBuffer = module.type(type->element).image.dim == spv::Dim::Buffer;
    return isBuffer ? DescriptorKind::TexelBuffer : DescriptorKind::CombinedImageSampler;
  }
  default:
    return DescriptorKind::Buffer;
  }
}

/// Returns true for an image and a sampler, in this order.
static bool isResourceAndSampler(DescriptorKind a, DescriptorKind b) {
  return a == DescriptorKind::Image && b == DescriptorKind::Sampler;
}

// Two variables may share a binding (a sampled image and a combined one, two block types): it has
// room for both. An image and a sampler see the parts of a combined one.
static void mergeBinding(DescriptorBinding &known, uint32_t count, DescriptorKind kind) {
  bool isRuntime = known.count == 0 || count == 0;
  known.count = isRuntime ? 0 : std::max(known.count, count);
  if (isResourceAndSampler(known.kind, kind) || isResourceAndSampler(kind, known.kind))
    known.kind = DescriptorKind::CombinedImageSampler;
  else if (getDescriptorDwords(kind) > getDescriptorDwords(known.kind))
    known.kind = kind;
}

/// Set and binding are 0 where a variable has no decoration for them. Bindings ascend by set, then
/// by number.
Expected<ResourceInterface> collectResources(const SpecializedModule &source) {
  const Module &module = source.module;
  std::map<std::pair<uint32_t, uint32_t>, DescriptorBinding> bindings;
  ResourceInterface interface;
  for (const Instruction &instruction : module.globals) {
    if (instruction.opcode != spv::Op::OpVariable)
      continue;
    const Type &pointer = module.type(instruction.typeId);
    if (pointer.kind != TypeKind::Pointer)
      return invalidInput("variable %" + Twine(instruction.resultId) + " has no pointer type");
    if (pointer.storageClass == spv::StorageClass::PushConstant) {
      Expected<uint64_t> bytes = explicitSize(source, pointer.element);
      if (!bytes)
        return bytes.takeError();
      constexpr uint64_t Most = std::numeric_limits<uint32_t>::max();
      interface.pushConstantBytes =
          std::max(interface.pushConstantBytes, uint32_t(std::min(*bytes, Most)));
    }
    if (!isResourceClass(pointer.storageClass))
      continue;
    Expected<uint32_t> count = descriptorCount(source, instruction);
    if (!count)
      return count.takeError();
    uint32_t set =
        module.decorationValue(instruction.resultId, spv::Decoration::DescriptorSet).value_or(0);
    uint32_t binding =
        module.decorationValue(instruction.resultId, spv::Decoration::Binding).value_or(0);
    DescriptorKind kind = descriptorKind(module, instruction);
    auto [known, isNew] =
        bindings.try_emplace({set, binding}, DescriptorBinding{set, binding, *count, kind});
    if (!isNew)
      mergeBinding(known->second, *count, kind);
  }
  for (const auto &[place, binding] : bindings)
    interface.bindings.push_back(binding);
  return interface;
}

/// Kinds that may share a binding between stages.
static bool isImageOrSampler(DescriptorKind kind) {
  return kind == DescriptorKind::Image || kind == DescriptorKind::Sampler ||
         kind == DescriptorKind::CombinedImageSampler;
}

/// A binding has one type for all stages (VkDescriptorSetLayoutBinding).
static Error mergeStage(std::map<std::pair<uint32_t, uint32_t>, DescriptorBinding> &bindings,
                        ArrayRef<DescriptorBinding> added) {
  for (const DescriptorBinding &binding : added) {
    auto [known, isNew] = bindings.try_emplace({binding.set, binding.binding}, binding);
    if (isNew)
      continue;
    DescriptorKind kind = known->second.kind;
    if (kind != binding.kind && !(isImageOrSampler(kind) && isImageOrSampler(binding.kind)))
      return invalidInput("set " + Twine(binding.set) + ", binding " + Twine(binding.binding) +
                          ": the stages declare it as " + getDescriptorName(kind) + " and as " +
                          getDescriptorName(binding.kind));
    mergeBinding(known->second, binding.count, binding.kind);
  }
  return Error::success();
}

/// LimitExceeded for push constants of more than 64 KiB.
Expected<ResourceLayout> layoutFor(ArrayRef<SpecializedModule> modules) {
  std::map<std::pair<uint32_t, uint32_t>, DescriptorBinding> bindings;
  uint32_t pushConstantBytes = 0;
  for (const SpecializedModule &source : modules) {
    Expected<ResourceInterface> interface = collectResources(source);
    if (!interface)
      return interface.takeError();
    pushConstantBytes = std::max(pushConstantBytes, interface->pushConstantBytes);
    if (Error error = mergeStage(bindings, interface->bindings))
      return std::move(error);
  }
  if (pushConstantBytes > 65536)
    return limitExceeded("push constants of " + Twine(pushConstantBytes) + " bytes");
  std::vector<DescriptorBinding> merged;
  for (const auto &[place, binding] : bindings)
    merged.push_back(binding);
  return makeResourceLayout(merged, pushConstantBytes);
}

} // namespace assay::spirv
