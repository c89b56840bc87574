// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spirv/ResourceInterface.h"

#include "support/Error.h"
#include <limits>

using namespace llvm;

namespace assay::spirv {

namespace {
/// The operation of an OpSpecConstantOp; nothing where its result is undefined.
struct LengthOp {
  spv::Op opcode;
  std::optional<uint32_t> (*compute)(uint32_t a, uint32_t b);
};

/// Evaluates constants that depend on each other, by recursion with a budget: the module is not
/// validated here, so that a constant may depend on itself.
class LengthEvaluator {
public:
  explicit LengthEvaluator(const SpecializedModule &source) : m_source(source) {}
  std::optional<uint32_t> evaluate(Id id);

private:
  /// The value of \p inst, an OpSpecConstantOp.
  std::optional<uint32_t> compute(const Instruction &inst);
  /// The value that the pipeline gives \p inst, an OpSpecConstant, or its default.
  uint32_t specialized(const Instruction &inst) const;

  const SpecializedModule &m_source;
  unsigned m_budget = 256;
};
} // namespace

static std::optional<uint32_t> divide(uint32_t a, uint32_t b) {
  return b ? std::optional(a / b) : std::nullopt;
}
static std::optional<uint32_t> modulo(uint32_t a, uint32_t b) {
  return b ? std::optional(a % b) : std::nullopt;
}
static std::optional<uint32_t> shiftLeft(uint32_t a, uint32_t b) {
  return b < 32 ? std::optional(a << b) : std::nullopt;
}
static std::optional<uint32_t> shiftRight(uint32_t a, uint32_t b) {
  return b < 32 ? std::optional(a >> b) : std::nullopt;
}

static constexpr LengthOp LengthOps[] = {
    {spv::Op::OpIAdd, [](uint32_t a, uint32_t b) { return std::optional(a + b); }},
    {spv::Op::OpISub, [](uint32_t a, uint32_t b) { return std::optional(a - b); }},
    {spv::Op::OpIMul, [](uint32_t a, uint32_t b) { return std::optional(a * b); }},
    {spv::Op::OpBitwiseAnd, [](uint32_t a, uint32_t b) { return std::optional(a & b); }},
    {spv::Op::OpBitwiseOr, [](uint32_t a, uint32_t b) { return std::optional(a | b); }},
    {spv::Op::OpBitwiseXor, [](uint32_t a, uint32_t b) { return std::optional(a ^ b); }},
    {spv::Op::OpUDiv, divide},
    {spv::Op::OpUMod, modulo},
    {spv::Op::OpShiftLeftLogical, shiftLeft},
    {spv::Op::OpShiftRightLogical, shiftRight},
};

uint32_t LengthEvaluator::specialized(const Instruction &inst) const {
  std::optional<uint32_t> id =
      m_source.module.decorationValue(inst.resultId, spv::Decoration::SpecId);
  for (const SpecializationValue &value : m_source.values)
    if (id && value.id == *id)
      return uint32_t(value.bits);
  return inst.operand(0);
}

/// Signed division and remainder are those of unsigned numbers where no operand is negative, and
/// not computed elsewhere.
std::optional<uint32_t> LengthEvaluator::compute(const Instruction &inst) {
  if (inst.size() != 3)
    return std::nullopt;
  auto opcode = spv::Op(inst.operand(0));
  std::optional<uint32_t> a = evaluate(inst.operand(1)), b = evaluate(inst.operand(2));
  if (!a || !b)
    return std::nullopt;
  bool isSigned =
      opcode == spv::Op::OpSDiv || opcode == spv::Op::OpSRem || opcode == spv::Op::OpSMod;
  if (isSigned) {
    if (int32_t(*a) < 0 || int32_t(*b) < 0)
      return std::nullopt;
    opcode = opcode == spv::Op::OpSDiv ? spv::Op::OpUDiv : spv::Op::OpUMod;
  }
  for (const LengthOp &row : LengthOps)
    if (row.opcode == opcode)
      return row.compute(*a, *b);
  return std::nullopt;
}

std::optional<uint32_t> LengthEvaluator::evaluate(Id id) {
  const Instruction *definition = m_source.module.findGlobal(id);
  if (!definition || m_budget == 0)
    return std::nullopt;
  --m_budget;
  const Type *type = m_source.module.findType(definition->typeId);
  if (!type || type->kind != TypeKind::Int || type->width != 32)
    return std::nullopt;
  switch (definition->opcode) {
  case spv::Op::OpConstant:
    return definition->size() == 1 ? std::optional(definition->operand(0)) : std::nullopt;
  case spv::Op::OpSpecConstant:
    return definition->size() == 1 ? std::optional(specialized(*definition)) : std::nullopt;
  case spv::Op::OpSpecConstantOp:
    return compute(*definition);
  default:
    return std::nullopt;
  }
}

std::optional<uint32_t> evaluateLength(const SpecializedModule &source, Id constant) {
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

private:
  /// The largest end of a member.
  uint64_t structSize(const Type &type);

  const SpecializedModule &m_source;
  const Module &m_module;
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

/// A pointer has 8 bytes, a bool 4. An array has none if its length is not known.
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
    uint64_t length = evaluateLength(m_source, type.lengthId).value_or(0);
    return length ? type.arrayStride * (length - 1) + size(type.element, layout) : 0;
  }
  case TypeKind::Struct:
    return structSize(type);
  case TypeKind::Pointer:
    return 8;
  default:
    return 0;
  }
}

uint64_t explicitSize(const SpecializedModule &source, Id id, const MemberLayout &layout) {
  return Sizer(source).size(id, layout);
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
  std::optional<uint32_t> count = evaluateLength(source, pointee.lengthId);
  if (!count || *count == 0)
    return invalidInput("variable %" + Twine(variable.resultId) +
                        ": the length of its descriptor array is no number above 0");
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
    if (pointer.storageClass == spv::StorageClass::PushConstant)
      interface.pushConstantBytes =
          std::max(interface.pushConstantBytes,
                   static_cast<uint32_t>(std::min<uint64_t>(explicitSize(source, pointer.element),
                                                            std::numeric_limits<uint32_t>::max())));
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
