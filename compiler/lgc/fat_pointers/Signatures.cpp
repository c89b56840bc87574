// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/Signatures.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace assay;

/// Names, attributes and metadata move, too. Arguments without fat pointers are replaced at once.
Function *assay::remapSignature(Function &function, TypeMap &types) {
  if (!types.holdsFatPointer(function.getFunctionType()))
    return &function;
  Function *result = Function::Create(types.remap(function.getFunctionType()),
                                      function.getLinkage(), function.getAddressSpace());
  function.getParent()->getFunctionList().insert(function.getIterator(), result);
  result->copyAttributesFrom(&function);
  result->setAttributes(types.remap(function.getAttributes(), function.getFunctionType()));
  result->copyMetadata(&function, 0);
  function.clearMetadata();
  result->setComdat(function.getComdat());
  result->takeName(&function);
  function.replaceAllUsesWith(result);
  result->splice(result->begin(), &function);
  for (auto [old, argument] : zip(function.args(), result->args())) {
    argument.takeName(&old);
    if (!types.holdsFatPointer(old.getType()))
      old.replaceAllUsesWith(&argument);
  }
  return result;
}

/// An alias of a function whose type has changed.
static void remapAlias(GlobalAlias &alias, TypeMap &types) {
  auto *function = dyn_cast<FunctionType>(alias.getValueType());
  Type *type = function ? types.remap(function) : types.getMemoryType(alias.getValueType());
  if (type == alias.getValueType())
    return;
  GlobalAlias *result = GlobalAlias::create(type, alias.getAddressSpace(), alias.getLinkage(), "",
                                            alias.getAliasee(), alias.getParent());
  result->copyAttributesFrom(&alias);
  result->takeName(&alias);
  alias.replaceAllUsesWith(result);
  alias.eraseFromParent();
}

namespace {
/// Finds the constants that metadata wrap.
class MetadataWalk {
public:
  explicit MetadataWalk(TypeMap &types) : m_types(types) {}

  /// Visits named metadata, attachments and metadata operands of all functions.
  void visit(Module &module);
  ArrayRef<Constant *> getConstants() const { return m_constants; }

private:
  void visit(const Metadata *metadata);
  void visit(ArrayRef<std::pair<unsigned, MDNode *>> attachments);
  void visit(Function &function);

  TypeMap &m_types;
  SmallPtrSet<const Metadata *, 32> m_seen;
  SmallVector<Constant *, 4> m_constants;
};
} // namespace

/// Uses a work list; m_seen ends cycles.
void MetadataWalk::visit(const Metadata *start) {
  SmallVector<const Metadata *, 8> work = {start};
  while (!work.empty()) {
    const Metadata *metadata = work.pop_back_val();
    if (!metadata || !m_seen.insert(metadata).second)
      continue;
    if (auto *constant = dyn_cast<ConstantAsMetadata>(metadata)) {
      if (m_types.holdsFatPointer(constant->getType()))
        m_constants.push_back(constant->getValue());
    } else if (auto *node = dyn_cast<MDNode>(metadata)) {
      work.append(node->op_begin(), node->op_end());
    }
  }
}

void MetadataWalk::visit(ArrayRef<std::pair<unsigned, MDNode *>> attachments) {
  for (const auto &[kind, node] : attachments)
    visit(node);
}

/// Covers attachments of instructions, metadata operands, and constants in debug records.
void MetadataWalk::visit(Function &function) {
  SmallVector<std::pair<unsigned, MDNode *>, 4> attachments;
  for (Instruction &instruction : instructions(function)) {
    instruction.getAllMetadata(attachments);
    visit(attachments);
    for (const Use &operand : instruction.operands())
      if (auto *wrapped = dyn_cast<MetadataAsValue>(operand.get()))
        visit(wrapped->getMetadata());
    for (DbgVariableRecord &record : filterDbgVars(instruction.getDbgRecordRange()))
      for (Value *value : record.location_ops())
        if (auto *constant = dyn_cast_or_null<Constant>(value))
          visit(ConstantAsMetadata::get(constant));
  }
}

void MetadataWalk::visit(Module &module) {
  SmallVector<std::pair<unsigned, MDNode *>, 4> attachments;
  for (NamedMDNode &named : module.named_metadata())
    for (MDNode *node : named.operands())
      visit(node);
  for (GlobalObject &object : module.global_objects()) {
    object.getAllMetadata(attachments);
    visit(attachments);
  }
  for (Function &function : module)
    visit(function);
}

/// Null stays null; what else was a fat pointer is lost to metadata.
static Constant *remapConstant(Constant &constant, TypeMap &types) {
  Type *type = types.remap(constant.getType());
  return constant.isNullValue() ? Constant::getNullValue(type) : PoisonValue::get(type);
}

/// Replaces constants of fat pointers that only metadata refer to.
static void remapMetadata(Module &module, TypeMap &types) {
  MetadataWalk walk(types);
  walk.visit(module);
  for (Constant *constant : walk.getConstants())
    ValueAsMetadata::handleRAUW(constant, remapConstant(*constant, types));
}

/// Runs after all bodies have been split: intrinsics of fat pointers have no users then, and are
/// erased.
void assay::remapSymbols(Module &module, TypeMap &types) {
  for (GlobalAlias &alias : make_early_inc_range(module.aliases()))
    remapAlias(alias, types);
  for (Function &function : module) {
    function.setAttributes(types.remap(function.getAttributes(), function.getFunctionType()));
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        call->setAttributes(types.remap(call->getAttributes(), call->getFunctionType()));
  }
  remapMetadata(module, types);
  for (Function &function : make_early_inc_range(module))
    if (function.isIntrinsic() && function.use_empty() &&
        types.holdsFatPointer(function.getFunctionType()))
      function.eraseFromParent();
}
