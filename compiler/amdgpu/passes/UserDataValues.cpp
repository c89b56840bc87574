// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/UserDataValues.h"

#include "compiler/lgc/Builder.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

Value *amdgpu::loadInvariant(IRBuilderBase &builder, Type *type, Value *address) {
  LoadInst *load = builder.CreateAlignedLoad(type, address, Align(4));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
  return load;
}

/// The high half comes from the program counter, which is read once.
Value *UserDataValues::makePointer(Value *low) {
  if (!m_highHalf) {
    Value *counter =
        m_builder.CreateIntrinsic(m_builder.getInt64Ty(), Intrinsic::amdgcn_s_getpc, {});
    m_highHalf = m_builder.CreateAnd(counter, 0xFFFFFFFF00000000);
  }
  Value *address =
      m_builder.CreateOr(m_highHalf, m_builder.CreateZExt(low, m_builder.getInt64Ty()));
  return m_builder.CreateIntToPtr(address, m_builder.getPtrTy(ConstantAddressSpace));
}

Value *UserDataValues::getSpillTable() {
  if (!m_spillTable)
    m_spillTable = makePointer(getArgument(m_layout.spillTable));
  return m_spillTable;
}

/// Entries in the spill table are loaded once.
Value *UserDataValues::getEntry(uint32_t entry) {
  if (std::optional<unsigned> index = m_layout.findEntry(entry))
    return getArgument(*index);
  Value *&value = m_entries[entry];
  if (!value) {
    Value *address =
        m_builder.CreateConstInBoundsGEP1_32(m_builder.getInt32Ty(), getSpillTable(), entry);
    value = loadInvariant(m_builder, m_builder.getInt32Ty(), address);
  }
  return value;
}

/// Nothing is erased here: the builder's place may be one of the instructions.
void UserDataValues::replacePushConstants(const UserDataReads &reads,
                                          SmallVectorImpl<Instruction *> &dead) {
  for (const PushConstantLoad &read : reads.pushConstantLoads) {
    read.load->replaceAllUsesWith(makeLoaded(read));
    dead.push_back(read.load);
  }
  // What addresses those loads is dead with them; what is left needs the table.
  for (PushConstantsPtrOp *op : reads.pushConstantPointers) {
    if (reads.use.needsSpillTable)
      op->replaceAllUsesWith(getSpillTable());
    else
      op->replaceAllUsesWith(PoisonValue::get(op->getType()));
    dead.push_back(op);
  }
}

/// The value that \p read loads, made of user data entries.
Value *UserDataValues::makeLoaded(const PushConstantLoad &read) {
  Type *type = read.load->getType();
  auto bits = static_cast<unsigned>(m_function.getDataLayout().getTypeSizeInBits(type));
  uint32_t first = read.byteOffset / 4;
  if (first && faultPlanted(Fault::PushConstantOffset))
    --first;
  if (bits % 32 != 0) {
    Value *part = m_builder.CreateLShr(getEntry(first), uint64_t(read.byteOffset % 4) * 8);
    return m_builder.CreateBitCast(m_builder.CreateTrunc(part, m_builder.getIntNTy(bits)), type);
  }
  if (bits == 32)
    return m_builder.CreateBitCast(getEntry(first), type);
  Value *dwords = PoisonValue::get(FixedVectorType::get(m_builder.getInt32Ty(), bits / 32));
  for (unsigned i = 0; i < bits / 32; ++i)
    dwords = m_builder.CreateInsertElement(dwords, getEntry(first + i), i);
  if (type->isPointerTy())
    return m_builder.CreateIntToPtr(m_builder.CreateBitCast(dwords, m_builder.getInt64Ty()), type);
  return m_builder.CreateBitCast(dwords, type);
}
