// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/transform/OwnMemory.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// The classes in which values can be kept.
static constexpr spv::StorageClass classes[] = {
    spv::StorageClass::Function, spv::StorageClass::Private, spv::StorageClass::Workgroup};
/// Of one variable; Vulkan promises 16 KiB for all.
static constexpr uint64_t maxWorkgroupBytes = 1024;
/// Together with maxWorkgroupBytes: a bound on workgroup memory of transformed cases.
static constexpr size_t maxWorkgroupVariables = 8;

/// Whether the index of an invocation is, or can become, what OwnMemory loads: an unsigned word.
static bool hasUsableIndex(const Context &context) {
  Id variable = findBuiltIn(context.program(), spv::BuiltIn::LocalInvocationIndex);
  if (!variable)
    return true;
  const Instruction *pointer = context.definitions().find(context.definitions().typeOf(variable));
  const Instruction *type = context.definitions().find(pointer->word(1));
  return type->opcode == spv::Op::OpTypeInt && type->word(1) == 0;
}

/// Invocations of a workgroup, 0 where specialization may change that.
static uint64_t countInvocations(const Context &context) {
  const Program &program = context.program();
  if (program.entryPoints.size() != 1 || findBuiltIn(program, spv::BuiltIn::WorkgroupSize))
    return 0;
  for (const Instruction &mode : program.executionModes) {
    bool byId = mode.opcode == spv::Op::OpExecutionModeId;
    auto kind = static_cast<spv::ExecutionMode>(mode.word(1));
    if (kind != (byId ? spv::ExecutionMode::LocalSizeId : spv::ExecutionMode::LocalSize))
      continue;
    uint64_t count = 1;
    for (const Operand &size : drop_begin(mode.operands, 2)) {
      if (byId && !isScalarConstant(context, size.word))
        return 0;
      count *= byId ? context.definitions().find(size.word)->word(0) : size.word;
    }
    return count;
  }
  return 0;
}

/// About: without padding.
static uint64_t bytesOf(const Context &context, Id type) {
  const Instruction &definition = *context.definitions().find(type);
  switch (definition.opcode) {
  case spv::Op::OpTypeBool:
    return 4;
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
    return definition.word(0) / 8;
  case spv::Op::OpTypeVector:
  case spv::Op::OpTypeMatrix:
    return definition.word(1) * bytesOf(context, definition.word(0));
  case spv::Op::OpTypeArray:
    return isScalarConstant(context, definition.word(1))
               ? context.definitions().find(definition.word(1))->word(0) *
                     bytesOf(context, definition.word(0))
               : maxWorkgroupBytes;
  default: {
    uint64_t bytes = 0;
    for (const Operand &member : definition.operands)
      bytes += bytesOf(context, member.word);
    return bytes;
  }
  }
}

bool canKeep(const Context &context, spv::StorageClass storage, Id type) {
  if (!is_contained(classes, storage) || !isPlainData(context, type))
    return false;
  if (storage != spv::StorageClass::Workgroup)
    return true;
  auto variables = count_if(context.program().globals, [](const Instruction &each) {
    return each.opcode == spv::Op::OpVariable &&
           each.word(0) == uint32_t(spv::StorageClass::Workgroup);
  });
  // With blocks in workgroup memory all that stands there must be one.
  bool hasBlocks = any_of(context.program().capabilities, [](const Instruction &each) {
    return each.word(0) == uint32_t(spv::Capability::WorkgroupMemoryExplicitLayoutKHR);
  });
  uint64_t count = countInvocations(context);
  return !hasBlocks && hasUsableIndex(context) && count &&
         count * bytesOf(context, type) <= maxWorkgroupBytes &&
         static_cast<size_t>(variables) < maxWorkgroupVariables;
}

spv::StorageClass pickStorage(const Context &context, Random &random, Id type) {
  spv::StorageClass storage = random.pick(ArrayRef(classes));
  return canKeep(context, storage, type) ? storage : spv::StorageClass::Function;
}

OwnMemory::OwnMemory(const Context &context, Emitter &emitter, Function &function,
                     spv::StorageClass storage, Id type)
    : m_storage(storage), m_type(type) {
  if (storage != spv::StorageClass::Workgroup) {
    m_variable = emitter.variable(function, storage, type);
    return;
  }
  Pool &pool = emitter.pool();
  Id count = pool.number(static_cast<uint32_t>(countInvocations(context)));
  m_variable = emitter.variable(function, storage, pool.arrayType(type, count));
  m_index = pool.builtIn(spv::BuiltIn::LocalInvocationIndex, pool.intType(32, false));
}

/// Returns a pointer to this invocation's memory; in workgroup memory the element is computed each
/// time.
Id OwnMemory::emitPointer(Emitter &emitter) const {
  if (!m_index)
    return m_variable;
  Pool &pool = emitter.pool();
  Id index = emitter.emit(spv::Op::OpLoad, pool.intType(32, false), {id(m_index)});
  return emitter.emit(spv::Op::OpAccessChain, pool.pointerType(m_storage, m_type),
                      {id(m_variable), id(index)});
}

/// Emits a store of this invocation's value.
void OwnMemory::emitStore(Emitter &emitter, Id value) const {
  Id pointer = emitPointer(emitter);
  emitter.emitVoid(spv::Op::OpStore, {id(pointer), id(value)});
}

void OwnMemory::emitLoad(Emitter &emitter, Id result) const {
  Id pointer = emitPointer(emitter);
  emitter.emitAs(result, spv::Op::OpLoad, m_type, {id(pointer)});
}

} // namespace assay::fuzz
