// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spirv/ResourceInterface.h"

#include "support/Error.h"
#include <limits>

using namespace llvm;

namespace assay::spirv {

// A length that is a plain integer constant, or nothing.
static std::optional<uint32_t> plainConstant(const Module &module, Id id) {
  const Instruction *definition = module.findGlobal(id);
  if (!definition || definition->opcode != spv::Op::OpConstant || definition->size() != 1)
    return std::nullopt;
  return definition->operand(0);
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
  explicit Sizer(const Module &module) : m_module(module) {}
  /// Bytes of type \p id; \p layout is that of a matrix in it. 0 for runtime arrays and types
  /// without size.
  uint64_t size(Id id, const MemberLayout &layout);

private:
  /// The largest end of a member.
  uint64_t structSize(const Type &type);

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

/// A pointer has 8 bytes, a bool 4. An array has none if its length is not a plain constant.
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
    uint64_t length = plainConstant(m_module, type.lengthId).value_or(0);
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

uint64_t explicitSize(const Module &module, Id id, const MemberLayout &layout) {
  return Sizer(module).size(id, layout);
}

/// Returns whether variables of \p storageClass have descriptors.
static bool isResourceClass(spv::StorageClass storageClass) {
  return storageClass == spv::StorageClass::Uniform ||
         storageClass == spv::StorageClass::StorageBuffer ||
         storageClass == spv::StorageClass::UniformConstant;
}

/// Returns the elements of the variable's array; 1 for no array, 0 for a runtime array.
/// LimitExceeded above 2^20 elements.
static Expected<uint32_t> descriptorCount(const Module &module, const Instruction &variable) {
  const Type &pointee = module.type(module.type(variable.typeId).element);
  if (pointee.kind == TypeKind::RuntimeArray)
    return 0;
  if (pointee.kind != TypeKind::Array)
    return 1;
  std::optional<uint32_t> count = plainConstant(module, pointee.lengthId);
  if (!count || *count == 0)
    return invalidInput("variable %" + Twine(variable.resultId) +
                        ": the length of its descriptor array is no plain constant above 0");
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
Expected<ResourceInterface> collectResources(const Module &module) {
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
                   static_cast<uint32_t>(std::min<uint64_t>(explicitSize(module, pointer.element),
                                                            std::numeric_limits<uint32_t>::max())));
    if (!isResourceClass(pointer.storageClass))
      continue;
    Expected<uint32_t> count = descriptorCount(module, instruction);
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
Expected<ResourceLayout> layoutFor(ArrayRef<const Module *> modules) {
  std::map<std::pair<uint32_t, uint32_t>, DescriptorBinding> bindings;
  uint32_t pushConstantBytes = 0;
  for (const Module *module : modules) {
    Expected<ResourceInterface> interface = collectResources(*module);
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
