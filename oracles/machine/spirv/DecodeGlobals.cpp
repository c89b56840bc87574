// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Decoder's view of module scope: execution modes, sizes of types, constants, variables. A
// global that the machine can't hold is an error only where it is used.
#include "compiler/spirv/Capabilities.h"
#include "oracles/machine/spirv/Decoder.h"
#include "oracles/machine/spirv/ops/Ops.h"

#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

/// Values with more scalars are refused as a limit.
static constexpr uint32_t MaxValueScalars = 1u << 20;

/// Unsupported for types without values and for other float widths than 16, 32 and 64; Limit for
/// more than MaxValueScalars.
Expected<uint32_t> Decoder::scalarCount(spirv::Id id) {
  const spirv::Type &type = module().type(id);
  switch (type.kind) {
  case TypeKind::Void:
    return 0;
  case TypeKind::Bool:
  case TypeKind::Pointer:
  case TypeKind::Int:
  case TypeKind::Image:
  case TypeKind::Sampler:
    return 1;
  case TypeKind::SampledImage: // The image, then the sampler.
    return 2;
  case TypeKind::Float:
    if (type.width != 16 && type.width != 32 && type.width != 64)
      return unsupported("OpTypeFloat " + Twine(type.width) + " (%" + Twine(id) + ")");
    return 1;
  default:
    break;
  }
  uint64_t total = 0;
  if (type.kind == TypeKind::Struct) {
    for (spirv::Id member : type.members) {
      Expected<uint32_t> count = scalarCount(member);
      if (!count)
        return count.takeError();
      total += *count;
    }
  } else if (type.kind == TypeKind::Vector || type.kind == TypeKind::Matrix ||
             type.kind == TypeKind::Array) {
    Expected<uint64_t> length =
        type.kind == TypeKind::Array ? constantValue(type.lengthId) : uint64_t(type.count);
    Expected<uint32_t> element = scalarCount(type.element);
    if (!length || !element)
      return joinErrors(length.takeError(), element.takeError());
    total = *length > MaxValueScalars ? *length : *length * *element;
  } else {
    return unsupported("value of type %" + Twine(id));
  }
  if (total > MaxValueScalars)
    return limitExceeded("type %" + Twine(id) + " is too large");
  return static_cast<uint32_t>(total);
}

/// Returns the element type of a vector or matrix, and any other type itself.
const spirv::Type &Decoder::scalarType(spirv::Id id) const {
  const spirv::Type *type = &module().type(id);
  while (type->kind == TypeKind::Vector || type->kind == TypeKind::Matrix)
    type = &module().type(type->element);
  return *type;
}

/// Explicit types are flattened at once, because accesses of them need the offsets.
Expected<uint32_t> Decoder::memoryType(spirv::Id type, bool isExplicit,
                                       const spirv::MemberLayout &layout) {
  Expected<uint32_t> index = m_program.memoryTypes.get(
      module(), type, isExplicit, layout, [&](spirv::Id length) { return constantValue(length); });
  if (index && isExplicit)
    m_program.memoryTypes.flatten(*index);
  return index;
}

/// Images, samplers and both combined: their values are descriptors.
static bool isOpaque(TypeKind kind) {
  return kind == TypeKind::Image || kind == TypeKind::Sampler || kind == TypeKind::SampledImage;
}

/// Storage classes with explicit layout. Workgroup memory has it only for blocks.
static bool isExplicitClass(spv::StorageClass storage) {
  return storage == spv::StorageClass::StorageBuffer || storage == spv::StorageClass::Uniform ||
         storage == spv::StorageClass::PushConstant ||
         storage == spv::StorageClass::PhysicalStorageBuffer;
}

/// Pointers to an array of resources have the memory type of one resource. InvalidInput for an id
/// that is not a pointer.
Expected<uint32_t> Decoder::pointeeOf(spirv::Id pointer) {
  if (auto found = m_pointee.find(pointer); found != m_pointee.end())
    return found->second;
  spirv::Id typeId = typeOf(pointer);
  if (!typeId || module().type(typeId).kind != TypeKind::Pointer)
    return invalidInput("%" + Twine(pointer) + " is no pointer");
  const spirv::Type &type = module().type(typeId);
  bool isExplicit = isExplicitClass(type.storageClass) ||
                    (type.storageClass == spv::StorageClass::Workgroup && m_hasExplicitWorkgroup);
  const spirv::Type *inner = &module().type(type.element);
  while (inner->kind == TypeKind::Array || inner->kind == TypeKind::RuntimeArray)
    inner = &module().type(inner->element);
  if (isExplicit && (inner->kind == TypeKind::Matrix || inner->kind == TypeKind::Vector)) {
    Expected<spirv::MemberLayout> layout = matrixLayout(inner->id);
    if (!layout)
      return addContext(layout.takeError(), "pointer %" + std::to_string(pointer));
    return memoryType(type.element, true, *layout);
  }
  if (isOpaque(inner->kind))
    return memoryType(inner->id, false);
  // An array of blocks is one of resources: no memory, but what OpAccessChain chooses from.
  if (isExplicit && inner->kind == TypeKind::Struct &&
      type.storageClass != spv::StorageClass::PhysicalStorageBuffer &&
      module().hasDecoration(inner->id, spv::Decoration::Block))
    return memoryType(inner->id, true);
  return memoryType(type.element, isExplicit);
}

/// Majorness and stride of a matrix are at the members that hold it, and a pointer that comes
/// from elsewhere than an access chain says of neither. Where all members agree that is no matter;
/// nor is it for vectors, unless they may be columns of a row-major matrix.
Expected<spirv::MemberLayout> Decoder::matrixLayout(spirv::Id id) {
  bool isVector = module().type(id).kind == TypeKind::Vector;
  std::optional<spirv::MemberLayout> result;
  for (const spirv::Instruction &inst : module().globals) {
    if (inst.opcode != spv::Op::OpTypeStruct)
      continue;
    const spirv::Type &structure = module().type(inst.resultId);
    for (uint32_t i = 0; i < structure.members.size(); ++i) {
      const spirv::Type *member = &module().type(structure.members[i]);
      while (member->kind == TypeKind::Array || member->kind == TypeKind::RuntimeArray)
        member = &module().type(member->element);
      spirv::MemberLayout layout = module().memberLayout(structure.id, i);
      if (member->kind != TypeKind::Matrix || !layout.matrixStride)
        continue;
      if (isVector && member->element == id && layout.rowMajor)
        return unsupported("may lead into a row-major matrix");
      if (member->id != id)
        continue;
      if (result &&
          (result->matrixStride != layout.matrixStride || result->rowMajor != layout.rowMajor))
        return unsupported("leads to a matrix that has several layouts");
      layout.offset.reset();
      result = layout;
    }
  }
  if (!result && !isVector)
    return unsupported("leads to a matrix without a layout");
  return result.value_or(spirv::MemberLayout());
}

/// Unsupported for a constant that could not be evaluated.
Expected<uint64_t> Decoder::constantValue(spirv::Id id) {
  if (auto found = m_lacking.find(id); found != m_lacking.end())
    return unsupported(found->second);
  auto found = m_constants.find(id);
  if (found == m_constants.end() || m_program.constants[found->second].flags)
    return invalidInput("%" + Twine(id) + " is no integer constant");
  return m_program.constants[found->second].bits;
}

/// Checks capabilities, reads the modes of the entry point, and derives the granule of race
/// detection from the narrowest access that a capability permits.
Error Decoder::readModes(const spirv::EntryPoint &entry) {
  if (Error error = checkCapabilities(module(), spirv::CapabilityUser::Reference, m_shader.stage))
    return error;
  for (const spirv::ExecutionMode &mode : module().executionModes) {
    if (mode.entryPoint != entry.function)
      continue;
    if (mode.mode == spv::ExecutionMode::LocalSize)
      std::copy_n(mode.operands.begin(), 3, m_program.localSize);
    if (mode.mode == spv::ExecutionMode::EarlyFragmentTests)
      m_program.hasEarlyTests = true;
    m_modes.read(mode);
  }
  if (m_shader.stage == ShaderStage::Fragment) // A quad.
    m_program.localSize[0] = 4;
  using spv::Capability;
  static constexpr std::pair<Capability, uint32_t> narrow[] = {
      {Capability::Int8, 1},
      {Capability::StorageBuffer8BitAccess, 1},
      {Capability::UniformAndStorageBuffer8BitAccess, 1},
      {Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR, 1},
      {Capability::Int16, 2},
      {Capability::Float16, 2},
      {Capability::StorageBuffer16BitAccess, 2},
      {Capability::UniformAndStorageBuffer16BitAccess, 2},
      {Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR, 2}};
  for (const auto &[capability, bytes] : narrow)
    if (is_contained(module().capabilities, capability))
      m_program.granule = std::min(m_program.granule, bytes);
  return Error::success();
}

/// A global that is not supported only enters m_lacking. The workgroup size is read last, because
/// it may be made of constants.
Error Decoder::readGlobals() {
  for (const spirv::Instruction &inst : module().globals) {
    if (!inst.resultId || !inst.typeId)
      continue;
    m_typeOf[inst.resultId] = inst.typeId;
    if (Error error = readGlobal(inst)) {
      ErrorParts parts = takeError(std::move(error));
      if (parts.kind != ErrorKind::Unsupported && parts.kind != ErrorKind::Limit)
        return invalidInput(parts.message);
      m_lacking[inst.resultId] = spirv::opcodeName(inst.opcode) + " (%" +
                                 std::to_string(inst.resultId) + "): " + parts.message;
    }
  }
  for (const spirv::ExecutionMode &mode : module().executionModes)
    if (mode.mode == spv::ExecutionMode::LocalSizeId)
      if (Error error = setLocalSize(mode.operands.data(), true))
        return error;
  // The built-in constant, where there is one, overrides the execution mode.
  for (const spirv::Instruction &inst : module().globals) {
    std::optional<uint32_t> builtIn =
        module().decorationValue(inst.resultId, spv::Decoration::BuiltIn);
    if (builtIn == uint32_t(spv::BuiltIn::WorkgroupSize) && m_constants.contains(inst.resultId)) {
      uint32_t index = m_constants.lookup(inst.resultId);
      uint32_t values[3];
      for (unsigned i = 0; i < 3; ++i)
        values[i] = static_cast<uint32_t>(m_program.constants[index + i].bits);
      if (Error error = setLocalSize(values, false))
        return error;
    }
  }
  return setLocalSize(m_program.localSize, false);
}

/// \p byId: the values are ids of constants. Unsupported for sizes of 0 and for more than 4096
/// invocations.
Error Decoder::setLocalSize(const uint32_t *values, bool byId) {
  uint64_t total = 1;
  for (unsigned i = 0; i < 3; ++i) {
    uint64_t value = values[i];
    if (byId) {
      Expected<uint64_t> constant = constantValue(values[i]);
      if (!constant)
        return constant.takeError();
      value = *constant;
    }
    if (value == 0 || value > 4096)
      return unsupported("workgroup size " + Twine(value));
    m_program.localSize[i] = static_cast<uint32_t>(value);
    total *= value;
  }
  return total > 4096 ? unsupported("workgroup of " + Twine(total) + " invocations")
                      : Error::success();
}

/// Types have no value and are skipped by the caller.
Error Decoder::readGlobal(const spirv::Instruction &inst) {
  using spv::Op;
  switch (inst.opcode) {
  case Op::OpVariable:
    return readVariable(inst);
  case Op::OpConstantComposite:
  case Op::OpSpecConstantComposite:
    return readComposite(inst);
  case Op::OpSpecConstantOp:
    return readSpecOperation(inst);
  default:
    return readConstant(inst);
  }
}

/// Appends the scalars of a constant to Program::constants.
void Decoder::addConstant(const spirv::Instruction &inst, ArrayRef<Scalar> values) {
  m_constants[inst.resultId] = static_cast<uint32_t>(m_program.constants.size());
  m_program.constants.insert(m_program.constants.end(), values.begin(), values.end());
}

/// Replaces \p value where the pipeline specializes the constant's SpecId.
void Decoder::specialize(const spirv::Instruction &inst, Scalar &value) const {
  std::optional<uint32_t> id = module().decorationValue(inst.resultId, spv::Decoration::SpecId);
  if (!id)
    return;
  for (const SpecializationValue &entry : m_shader.specialization)
    if (entry.id == *id)
      value = Scalar::exact(entry.bits);
}

/// Bits above the width of an integer are cleared, and booleans become 0 or 1.
Error Decoder::readConstant(const spirv::Instruction &inst) {
  using spv::Op;
  Expected<uint32_t> count = scalarCount(inst.typeId);
  if (!count)
    return count.takeError();
  std::vector<Scalar> values(*count, Scalar::exact(0));
  const spirv::Type &type = module().type(inst.typeId);
  switch (inst.opcode) {
  case Op::OpConstantTrue:
  case Op::OpSpecConstantTrue:
    values[0] = Scalar::boolean(true);
    break;
  case Op::OpConstantFalse:
  case Op::OpSpecConstantFalse:
    break;
  case Op::OpConstantNull:
    if (type.kind == TypeKind::Pointer)
      values[0] = Scalar::pointer(NullObject, 0);
    break;
  case Op::OpConstant:
  case Op::OpSpecConstant:
    values[0].bits = inst.operand(0);
    if (inst.size() > 1)
      values[0].bits |= uint64_t(inst.operand(1)) << 32;
    break;
  case Op::OpUndef:
    values.assign(*count, Scalar::undefined(Cause::Uninitialized));
    break;
  default:
    return unsupported("not implemented");
  }
  if (inst.opcode == Op::OpSpecConstantTrue || inst.opcode == Op::OpSpecConstantFalse ||
      inst.opcode == Op::OpSpecConstant)
    specialize(inst, values[0]);
  if (type.kind == TypeKind::Bool)
    values[0].bits = values[0].bits != 0;
  else if (type.kind == TypeKind::Int)
    values[0].bits &= maskOf(type.width);
  addConstant(inst, values);
  return Error::success();
}

/// Concatenates the scalars of the constituents, which precede the composite.
Error Decoder::readComposite(const spirv::Instruction &inst) {
  if (Expected<uint32_t> count = scalarCount(inst.typeId); !count)
    return count.takeError();
  std::vector<Scalar> values;
  for (uint32_t id : inst.operands) {
    Expected<uint32_t> reference = ref(id);
    Expected<uint32_t> count = scalarCount(typeOf(id));
    if (!reference || !count)
      return joinErrors(reference.takeError(), count.takeError());
    auto first = m_program.constants.begin() + (*reference & ~ConstantBit);
    values.insert(values.end(), first, first + *count);
  }
  addConstant(inst, values);
  return Error::success();
}

/// Evaluates the operation now, with the handler that runs it in functions. Unsupported where that
/// fails.
Error Decoder::readSpecOperation(const spirv::Instruction &inst) {
  const OpRow *row = findOp(static_cast<spv::Op>(inst.operand(0)));
  std::string name = spirv::opcodeName(static_cast<spv::Op>(inst.operand(0)));
  if (!row)
    return unsupported(name + " is not implemented");
  Expected<uint32_t> count = scalarCount(inst.typeId);
  if (!count)
    return count.takeError();
  std::vector<Scalar> values(*count, Scalar::exact(0));
  Inst operation;
  operation.source = &inst;
  operation.run = row->run;
  operation.rules = rulesForWidth(floatWidthOf(inst), inst);
  operation.dst = static_cast<uint32_t>(m_program.constants.size()) | ConstantBit;
  if (Error error = row->prepare(*this, Operands(inst.operands).drop_front(), operation))
    return addContext(std::move(error), name);
  addConstant(inst, values);
  std::string reason;
  if (Execution::evaluate(m_program, operation, reason))
    return Error::success();
  m_constants.erase(inst.resultId);
  return unsupported(reason.empty() ? name + " of constants" : reason);
}

/// Storage class Function is not among these: such variables belong to functions.
Error Decoder::readVariable(const spirv::Instruction &inst) {
  using spv::StorageClass;
  const spirv::Type &pointer = module().type(inst.typeId);
  switch (pointer.storageClass) {
  case StorageClass::StorageBuffer:
  case StorageClass::Uniform:
  case StorageClass::PushConstant:
  case StorageClass::UniformConstant:
    return readResource(inst, pointer);
  case StorageClass::Workgroup:
    if (module().hasDecoration(pointer.element, spv::Decoration::Block))
      return addWorkgroupBlock(inst, pointer);
    return addOwnVariable(inst, pointer);
  case StorageClass::Private:
  case StorageClass::Input:
  case StorageClass::Output:
    return addOwnVariable(inst, pointer);
  default:
    return unsupported("storage class " + spirv::storageClassName(pointer.storageClass));
  }
}

/// Blocks in workgroup memory lie one over another, from its start on.
Error Decoder::addWorkgroupBlock(const spirv::Instruction &inst, const spirv::Type &pointer) {
  Expected<uint32_t> memory = memoryType(pointer.element, true);
  if (!memory)
    return memory.takeError();
  m_hasExplicitWorkgroup = true;
  m_pointee[inst.resultId] = *memory;
  addConstant(inst, Scalar::pointer(WorkgroupBlock, 0));
  m_program.workgroupBlockBytes =
      std::max(m_program.workgroupBlockBytes, m_program.memoryTypes[*memory].size);
  if (inst.size() < 2)
    return Error::success();
  const spirv::Instruction *initial = module().findGlobal(inst.operand(1));
  if (!initial || initial->opcode != spv::Op::OpConstantNull)
    return unsupported("initializer other than null of a block in workgroup memory");
  m_program.zeroesWorkgroupBlock = true;
  return Error::success();
}

/// Gives a variable slots in the invocation's memory or in workgroup memory, with its initial
/// value. Inputs and outputs are also entered in the interface.
Error Decoder::addOwnVariable(const spirv::Instruction &inst, const spirv::Type &pointer) {
  Expected<uint32_t> memory = memoryType(pointer.element, false);
  if (!memory)
    return memory.takeError();
  uint32_t slots = m_program.memoryTypes[*memory].scalars;
  if (!slots)
    return unsupported("variable without a size");
  bool isShared = pointer.storageClass == spv::StorageClass::Workgroup;
  uint32_t &next = isShared ? m_program.workgroupSlots : m_program.privateSlots;
  bool isInput = pointer.storageClass == spv::StorageClass::Input;
  if (isInput || pointer.storageClass == spv::StorageClass::Output)
    if (Error error = m_shader.stage == ShaderStage::Compute ? readInput(inst, slots)
                                                             : readInterface(inst, pointer))
      return error;
  if (inst.size() > 1) {
    Expected<uint32_t> initial = ref(inst.operand(1));
    if (!initial)
      return initial.takeError();
    auto &inits = isShared ? m_program.workgroupInits : m_program.privateInits;
    inits.push_back({next, *initial, slots});
  }
  m_pointee[inst.resultId] = *memory;
  if (!isShared)
    setOwnPlace(inst.resultId, {false, next});
  addConstant(inst, Scalar::pointer(isShared ? WorkgroupMemory : OwnMemory, next));
  next += slots;
  return Error::success();
}

namespace {
/// A built-in input of compute shaders and its number of scalars.
struct BuiltInputRow {
  spv::BuiltIn name;
  BuiltInput kind;
  uint32_t slots;
};
} // namespace

/// Built-ins of compute shaders with the number of slots that each fills. Masks of subgroups have
/// four words.
static constexpr BuiltInputRow builtInputs[] = {
    {spv::BuiltIn::NumWorkgroups, BuiltInput::NumWorkgroups, 3},
    {spv::BuiltIn::WorkgroupId, BuiltInput::WorkgroupId, 3},
    {spv::BuiltIn::LocalInvocationId, BuiltInput::LocalInvocationId, 3},
    {spv::BuiltIn::GlobalInvocationId, BuiltInput::GlobalInvocationId, 3},
    {spv::BuiltIn::LocalInvocationIndex, BuiltInput::LocalInvocationIndex, 1},
    {spv::BuiltIn::DeviceIndex, BuiltInput::DeviceIndex, 1},
    {spv::BuiltIn::SubgroupSize, BuiltInput::SubgroupSize, 1},
    {spv::BuiltIn::NumSubgroups, BuiltInput::NumSubgroups, 1},
    {spv::BuiltIn::SubgroupId, BuiltInput::SubgroupId, 1},
    {spv::BuiltIn::SubgroupLocalInvocationId, BuiltInput::SubgroupLocalInvocationId, 1},
    {spv::BuiltIn::SubgroupEqMask, BuiltInput::SubgroupEqMask, 4},
    {spv::BuiltIn::SubgroupGeMask, BuiltInput::SubgroupGeMask, 4},
    {spv::BuiltIn::SubgroupGtMask, BuiltInput::SubgroupGtMask, 4},
    {spv::BuiltIn::SubgroupLeMask, BuiltInput::SubgroupLeMask, 4},
    {spv::BuiltIn::SubgroupLtMask, BuiltInput::SubgroupLtMask, 4}};

/// Inputs of compute shaders are built-ins. InvalidInput for one of the wrong size.
Error Decoder::readInput(const spirv::Instruction &inst, uint32_t slots) {
  std::optional<uint32_t> builtIn =
      module().decorationValue(inst.resultId, spv::Decoration::BuiltIn);
  if (!builtIn)
    return unsupported("input without BuiltIn");
  for (const BuiltInputRow &row : builtInputs) {
    if (uint32_t(row.name) != *builtIn)
      continue;
    if (slots != row.slots)
      return invalidInput("built-in %" + Twine(inst.resultId) + " has the wrong type");
    m_program.inputs.push_back({row.kind, row.slots, m_program.privateSlots});
    return Error::success();
  }
  return unsupported("BuiltIn " + spirv::builtInName(static_cast<spv::BuiltIn>(*builtIn)));
}

/// Declares one descriptor for each array element. Unsupported for more than 4096 elements.
Error Decoder::readResource(const spirv::Instruction &inst, const spirv::Type &pointer) {
  uint64_t elements = 1;
  const spirv::Type *block = &module().type(pointer.element);
  while (block->kind == TypeKind::Array || block->kind == TypeKind::RuntimeArray) {
    Expected<uint64_t> length = block->kind == TypeKind::RuntimeArray
                                    ? Expected<uint64_t>(runtimeDescriptorCount)
                                    : constantValue(block->lengthId);
    if (!length)
      return length.takeError();
    elements *= *length;
    block = &module().type(block->element);
  }
  bool isBlock = block->kind == TypeKind::Struct;
  if (!(isBlock || isOpaque(block->kind)) || elements > 4096)
    return unsupported("resource of this type");
  Expected<uint32_t> memory = memoryType(block->id, isBlock);
  if (!memory)
    return memory.takeError();
  // An array of blocks is walked by OpAccessChain; its memory type is that of one block.
  m_pointee[inst.resultId] = *memory;
  addConstant(inst, Scalar::pointer(FirstDescriptor + uint32_t(m_program.descriptors.size()), 0));
  DescriptorSlot slot;
  slot.type = block->id;
  slot.pushConstant = pointer.storageClass == spv::StorageClass::PushConstant;
  slot.isAliased = module().hasDecoration(inst.resultId, spv::Decoration::Aliased);
  slot.set = module().decorationValue(inst.resultId, spv::Decoration::DescriptorSet).value_or(0);
  slot.binding = module().decorationValue(inst.resultId, spv::Decoration::Binding).value_or(0);
  for (uint64_t i = 0; i < elements; ++i) {
    slot.arrayElement = static_cast<uint32_t>(i);
    m_program.descriptors.push_back(slot);
  }
  return Error::success();
}
