// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workgroup memory: blocks with an explicit layout, which overlay each other in one place
// (SPV_KHR_workgroup_memory_explicit_layout), and zeroing what has an initializer.

#include "compiler/frontend/Scopes.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::TypeKind;

/// Returns true for Volatile and Coherent, which are treated alike.
static bool isVolatile(const spirv::Decoration &decoration) {
  return decoration.kind == spv::Decoration::Volatile ||
         decoration.kind == spv::Decoration::Coherent;
}

/// Returns whether \p inst is a Workgroup variable.
static bool isShared(const spirv::Module &module, const Inst &inst) {
  return inst.opcode == spv::Op::OpVariable &&
         module.type(inst.typeId).storageClass == spv::StorageClass::Workgroup;
}

/// Finds out whether any memory is volatile and whether Workgroup variables are blocks. Call it
/// before any variable is declared.
void Translator::surveyMemory() {
  for (const Inst &inst : m_spirv.globals) {
    m_hasVolatileMemory |= any_of(m_spirv.decorations(inst.resultId), isVolatile);
    if (const spirv::Type *type = m_spirv.findType(inst.resultId))
      for (uint32_t i = 0; i < type->members.size(); ++i)
        m_hasVolatileMemory |= any_of(m_spirv.memberDecorations(type->id, i), isVolatile);
    if (isShared(m_spirv, inst))
      m_hasSharedBlocks |=
          m_spirv.hasDecoration(m_spirv.type(inst.typeId).element, spv::Decoration::Block);
  }
  for (const spirv::Function &function : m_spirv.functions)
    for (const Inst &parameter : function.parameters)
      m_hasVolatileMemory |= any_of(m_spirv.decorations(parameter.resultId), isVolatile);
}

/// Returns the bytes that type \p id takes with explicit layout, without padding at the end; \p
/// layout is that of a matrix inside. Arrays may be sized by specialization constants. InvalidInput
/// for a type without a size.
Expected<uint64_t> Translator::explicitBytes(spirv::Id id, const spirv::MemberLayout &layout) {
  const spirv::Type &type = m_spirv.type(id);
  uint64_t count = type.count;
  uint64_t stride = 0;
  switch (type.kind) {
  case TypeKind::Int:
  case TypeKind::Float:
    return type.width / 8;
  case TypeKind::Pointer:
    return 8;
  case TypeKind::Struct: {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < type.members.size(); ++i) {
      spirv::MemberLayout member = m_spirv.memberLayout(id, i);
      Expected<uint64_t> size = explicitBytes(type.members[i], member);
      if (!size)
        return size;
      bytes = std::max(bytes, member.offset.value_or(0) + *size);
    }
    return bytes;
  }
  case TypeKind::Array: {
    Expected<uint32_t> length = constantInt(type.lengthId);
    if (!length)
      return length.takeError();
    count = *length;
    stride = type.arrayStride;
    break;
  }
  case TypeKind::Matrix: {
    uint64_t rows = m_spirv.type(type.element).count;
    count = layout.rowMajor ? rows : type.count;
    uint64_t perLine = layout.rowMajor ? type.count : rows;
    uint64_t scalar = m_spirv.type(m_spirv.type(type.element).element).width / 8;
    return uint64_t(layout.matrixStride) * (count - 1) + perLine * scalar;
  }
  case TypeKind::Vector:
    break;
  default:
    return invalidInput("%" + Twine(id) + " has no size in a block");
  }
  Expected<uint64_t> element = explicitBytes(type.element, layout);
  if (!element)
    return element;
  return (stride ? stride : *element) * (count - 1) + *element;
}

/// Creates one global as large as the largest block, at which all Workgroup variables lie.
/// InvalidInput where some variable is no block; Unsupported from 2 GiB on.
Error Translator::createSharedBlocks() {
  if (!m_hasSharedBlocks)
    return Error::success();
  constexpr uint64_t Limit = uint64_t(1) << 31; // LLVM refuses what a target lacks far below.
  constexpr Align BlockAlign = Align::Constant<16>();
  uint64_t bytes = 4;
  bool isZeroed = false;
  for (const Inst &inst : m_spirv.globals) {
    if (!isShared(m_spirv, inst))
      continue;
    spirv::Id block = m_spirv.type(inst.typeId).element;
    if (!m_spirv.hasDecoration(block, spv::Decoration::Block))
      return invalidInput("Workgroup variable %" + Twine(inst.resultId) +
                          " is no block, but another is");
    Expected<uint64_t> size = explicitBytes(block);
    if (!size)
      return addContext(size.takeError(), describe(inst));
    bytes = std::max(bytes, *size);
    isZeroed |= inst.size() > 1;
  }
  if (bytes > Limit)
    return unsupported("Workgroup blocks of " + Twine(bytes) + " bytes");
  auto *type = ArrayType::get(m_builder.getInt8Ty(), alignTo(bytes, 4));
  auto *memory = new GlobalVariable(*m_module, type, false, GlobalValue::InternalLinkage,
                                    PoisonValue::get(type), "shared", nullptr,
                                    GlobalValue::NotThreadLocal, LocalAddressSpace);
  memory->setAlignment(BlockAlign);
  for (const Inst &inst : m_spirv.globals)
    if (isShared(m_spirv, inst))
      m_constants[inst.resultId] = memory;
  if (isZeroed)
    m_zeroedShared.push_back(memory);
  return Error::success();
}

/// Emits stores of zero to the first \p bytes bytes of \p variable. Each invocation stores every \p
/// invocations-th dword, beginning at dword \p first; all store the few bytes after the last whole
/// dword. The builder continues in a new block.
static void zeroTogether(Builder &builder, Value *variable, uint64_t bytes, Value *first,
                         uint32_t invocations) {
  BasicBlock *before = builder.GetInsertBlock();
  Function *function = before->getParent();
  auto dwords = static_cast<uint32_t>(bytes / 4);
  BasicBlock *loop = BasicBlock::Create(builder.getContext(), "zero.shared", function);
  BasicBlock *after = BasicBlock::Create(builder.getContext(), "zeroed", function);
  loop->moveAfter(before);
  after->moveAfter(loop);
  builder.CreateCondBr(builder.CreateICmpULT(first, builder.getInt32(dwords)), loop, after);
  builder.SetInsertPoint(loop);
  PHINode *index = builder.CreatePHI(builder.getInt32Ty(), 2);
  index->addIncoming(first, before);
  builder.CreateStore(builder.getInt32(0),
                      builder.CreateGEP(builder.getInt32Ty(), variable, index));
  Value *next = builder.CreateAdd(index, builder.getInt32(invocations));
  index->addIncoming(next, loop);
  builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt32(dwords)), loop, after);
  builder.SetInsertPoint(after);
  for (uint64_t byte = uint64_t(dwords) * 4; byte < bytes; ++byte)
    builder.CreateStore(builder.getInt8(0),
                        builder.CreateConstGEP1_64(builder.getInt8Ty(), variable, byte));
}

/// Zeroes the Workgroup variables with an initializer, at the start of the entry point. A barrier
/// follows, so that no invocation reads them sooner.
Error Translator::initializeWorkgroupMemory(const ComputeMode &mode) {
  if (m_zeroedShared.empty() || faultPlanted(Fault::ZeroingLeftOut))
    return Error::success();
  Instruction *end = m_prologue->getTerminator();
  BasicBlock *first = cast<BranchInst>(end)->getSuccessor(0);
  end->eraseFromParent();
  m_builder.SetInsertPoint(m_prologue);
  Value *index = m_builder.createReadBuiltIn(BuiltIn::LocalInvocationIndex);
  for (GlobalVariable *variable : m_zeroedShared) {
    uint64_t bytes = m_module->getDataLayout().getTypeAllocSize(variable->getValueType());
    zeroTogether(m_builder, variable, bytes, index, mode.getInvocations());
  }
  SyncScope::ID scope = m_context.getOrInsertSyncScopeID("workgroup");
  createFence(m_builder, AtomicOrdering::Release, scope, FencedMemory::Workgroup);
  m_builder.createBarrier();
  createFence(m_builder, AtomicOrdering::Acquire, scope, FencedMemory::Workgroup);
  m_builder.CreateBr(first);
  return Error::success();
}
