// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/ir/FatPointerMutation.h"

#include "llvm/FuzzMutate/IRMutator.h"
#include "llvm/FuzzMutate/OpDescriptor.h"
#include "llvm/FuzzMutate/Operations.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;
using namespace llvm::fuzzerop;

namespace {
/// Collects the descriptors of all operations that may be injected.
struct Operations {
  explicit Operations(LLVMContext &context) : context(context) {}

  LLVMContext &context;
  std::vector<OpDescriptor> made;                       ///< In the order of the add functions.
  PointerType *fat = PointerType::get(context, 7);      ///< Buffer fat pointer.
  PointerType *resource = PointerType::get(context, 8); ///< Buffer resource.
  Type *word = Type::getInt32Ty(context);
  Type *number = Type::getIntNTy(context, 160); ///< As wide as a fat pointer.

  /// Creates the operation at the builder's position; its operands are of the types given to add().
  using Build = std::function<Value *(IRBuilder<> &, ArrayRef<Value *>)>;
  /// Adds a descriptor. A higher weight makes the injector choose the operation more often.
  void add(unsigned weight, ArrayRef<Type *> types, Build build);

  /// GEP, casts, comparisons, select and freeze: no access to memory.
  void addAddresses();
  /// Loads and stores of scalars, vectors, odd sizes, structs and fat pointers, volatile or not.
  void addPlainAccesses();
  /// Integer read-modify-write and compare-exchange of 8 to 64 bits in scope "agent".
  void addAtomics();
  /// memcpy, memmove and memset of fixed sizes, some not multiples of a dword.
  void addCopies();
  /// Vectors of two fat pointers: insert, extract, and GEP with a vector of offsets.
  void addVectors();
};
} // namespace

/// Values of \p type, or, where there is none, a constant: null of pointers, numbers.
static SourcePred ofType(Type *type) {
  return {[type](ArrayRef<Value *>, const Value *value) { return value->getType() == type; },
          [type](ArrayRef<Value *>, ArrayRef<Type *>) {
            std::vector<Constant *> constants = {Constant::getNullValue(type)};
            if (type->isIntegerTy())
              for (uint64_t number : {1, 4, 16})
                constants.push_back(ConstantInt::get(
                    type, APInt(64, number).zextOrTrunc(type->getIntegerBitWidth())));
            return constants;
          }};
}

void Operations::add(unsigned weight, ArrayRef<Type *> types, Build build) {
  SmallVector<SourcePred, 2> sources;
  for (Type *type : types)
    sources.push_back(ofType(type));
  made.push_back({weight, sources, [build](ArrayRef<Value *> values, BasicBlock::iterator at) {
                    IRBuilder<> builder(at->getParent(), at);
                    Value *made = build(builder, values);
                    // What has a value is used afterwards.
                    return made->getType()->isVoidTy() ? nullptr : made;
                  }});
}

void Operations::addAddresses() {
  for (bool inBounds : {false, true})
    add(3, {fat, word}, [=](IRBuilder<> &builder, ArrayRef<Value *> values) {
      Type *step = inBounds ? builder.getInt32Ty() : builder.getInt8Ty();
      return builder.CreateGEP(step, values[0], values[1], "",
                               inBounds ? GEPNoWrapFlags::inBounds() : GEPNoWrapFlags::none());
    });
  const std::pair<Instruction::CastOps, std::pair<Type *, Type *>> casts[] = {
      {Instruction::PtrToInt, {fat, number}},
      {Instruction::IntToPtr, {number, fat}},
      {Instruction::PtrToAddr, {fat, word}},
      {Instruction::AddrSpaceCast, {resource, fat}},
      {Instruction::AddrSpaceCast, {fat, resource}}};
  for (const auto &[operation, types] : casts)
    add(1, {types.first},
        [operation = operation, to = types.second](IRBuilder<> &builder, ArrayRef<Value *> values) {
          return builder.CreateCast(operation, values[0], to);
        });
  for (unsigned p = CmpInst::FIRST_ICMP_PREDICATE; p <= CmpInst::LAST_ICMP_PREDICATE; ++p)
    add(1, {fat, fat}, [p](IRBuilder<> &builder, ArrayRef<Value *> values) {
      return builder.CreateICmp(static_cast<CmpInst::Predicate>(p), values[0], values[1]);
    });
  add(2, {Type::getInt1Ty(context), fat, fat}, [](IRBuilder<> &builder, ArrayRef<Value *> values) {
    return builder.CreateSelect(values[0], values[1], values[2]);
  });
  add(1, {fat}, [](IRBuilder<> &builder, ArrayRef<Value *> values) {
    return builder.CreateFreeze(values[0]);
  });
}

/// Volatile accesses have a third of the others' weight.
void Operations::addPlainAccesses() {
  Type *types[] = {Type::getInt8Ty(context),
                   Type::getInt16Ty(context),
                   word,
                   Type::getInt64Ty(context),
                   Type::getFloatTy(context),
                   Type::getIntNTy(context, 24),
                   FixedVectorType::get(word, 2),
                   FixedVectorType::get(word, 3),
                   FixedVectorType::get(word, 4),
                   FixedVectorType::get(Type::getInt16Ty(context), 3),
                   StructType::get(Type::getInt8Ty(context), word),
                   number,
                   fat};
  for (Type *type : types)
    for (bool isVolatile : {false, true}) {
      Align align = type == fat ? Align(32) : Align(type->getScalarSizeInBits() % 32 ? 1 : 4);
      unsigned weight = isVolatile ? 1 : 3;
      add(weight, {fat}, [=](IRBuilder<> &builder, ArrayRef<Value *> values) {
        return builder.CreateAlignedLoad(type, values[0], align, isVolatile);
      });
      add(weight, {fat, type}, [=](IRBuilder<> &builder, ArrayRef<Value *> values) {
        return builder.CreateAlignedStore(values[1], values[0], align, isVolatile);
      });
    }
}

void Operations::addAtomics() {
  const AtomicOrdering orderings[] = {AtomicOrdering::Monotonic, AtomicOrdering::AcquireRelease,
                                      AtomicOrdering::SequentiallyConsistent};
  unsigned agent = context.getOrInsertSyncScopeID("agent");
  for (unsigned bits : {8, 16, 32, 64}) {
    Type *type = Type::getIntNTy(context, bits);
    Align align(bits / 8);
    for (unsigned op = AtomicRMWInst::FIRST_BINOP; op <= AtomicRMWInst::LAST_BINOP; ++op) {
      auto operation = static_cast<AtomicRMWInst::BinOp>(op);
      if (AtomicRMWInst::isFPOperation(operation))
        continue;
      AtomicOrdering ordering = orderings[op % 3];
      add(1, {fat, type}, [=](IRBuilder<> &builder, ArrayRef<Value *> values) {
        return builder.CreateAtomicRMW(operation, values[0], values[1], align, ordering, agent);
      });
    }
    add(1, {fat, type, type}, [=](IRBuilder<> &builder, ArrayRef<Value *> values) {
      return builder.CreateAtomicCmpXchg(values[0], values[1], values[2], align,
                                         AtomicOrdering::AcquireRelease, AtomicOrdering::Monotonic,
                                         agent);
    });
  }
}

/// All with alignment 1.
void Operations::addCopies() {
  for (unsigned bytes : {1, 7, 16, 20, 48}) {
    add(1, {fat, fat}, [=](IRBuilder<> &builder, ArrayRef<Value *> values) {
      return builder.CreateMemCpy(values[0], Align(1), values[1], Align(1), bytes);
    });
    add(1, {fat, fat}, [=](IRBuilder<> &builder, ArrayRef<Value *> values) {
      return builder.CreateMemMove(values[0], Align(1), values[1], Align(1), bytes);
    });
    add(1, {fat, Type::getInt8Ty(context)}, [=](IRBuilder<> &builder, ArrayRef<Value *> values) {
      return builder.CreateMemSet(values[0], values[1], bytes, Align(1));
    });
  }
}

void Operations::addVectors() {
  Type *pair = FixedVectorType::get(fat, 2);
  for (uint64_t index : {0, 1}) {
    add(1, {pair, fat}, [=](IRBuilder<> &builder, ArrayRef<Value *> values) {
      return builder.CreateInsertElement(values[0], values[1], index);
    });
    add(1, {pair}, [=](IRBuilder<> &builder, ArrayRef<Value *> values) {
      return builder.CreateExtractElement(values[0], index);
    });
  }
  add(1, {pair, FixedVectorType::get(word, 2)}, [](IRBuilder<> &builder, ArrayRef<Value *> values) {
    return builder.CreateGEP(builder.getInt8Ty(), values[0], values[1]);
  });
}

/// The types that FuzzMutate may choose for new values.
static std::vector<TypeGetter> listTypes() {
  return {Type::getInt1Ty,
          Type::getInt8Ty,
          Type::getInt16Ty,
          Type::getInt32Ty,
          Type::getInt64Ty,
          Type::getFloatTy,
          [](LLVMContext &context) -> Type * { return PointerType::get(context, 7); }};
}

/// FuzzMutate chooses among injection, deletion, modification, phis, control flow and sinking.
void assay::fuzz::mutateFatPointers(Module &module, unsigned seed, size_t maxSize) {
  Operations operations(module.getContext());
  operations.addAddresses();
  operations.addPlainAccesses();
  operations.addAtomics();
  operations.addCopies();
  operations.addVectors();
  describeFuzzerIntOps(operations.made);
  describeFuzzerControlFlowOps(operations.made);
  std::vector<std::unique_ptr<IRMutationStrategy>> strategies;
  strategies.push_back(std::make_unique<InjectorIRStrategy>(std::move(operations.made)));
  strategies.push_back(std::make_unique<InstDeleterIRStrategy>());
  strategies.push_back(std::make_unique<InstModificationIRStrategy>());
  strategies.push_back(std::make_unique<InsertPHIStrategy>());
  strategies.push_back(std::make_unique<InsertCFGStrategy>());
  strategies.push_back(std::make_unique<SinkInstructionStrategy>());
  IRMutator(listTypes(), std::move(strategies))
      .mutateModule(module, static_cast<int>(seed), maxSize);
}

/// All that the chosen function does not use is made internal and removed by GlobalDCE prior to
/// linking.
void assay::fuzz::mixFatPointers(Module &module, std::unique_ptr<Module> from, unsigned seed) {
  SmallVector<Function *> candidates;
  for (Function &function : *from)
    if (!function.isDeclaration())
      candidates.push_back(&function);
  if (candidates.empty())
    return;
  Function *chosen = candidates[seed % candidates.size()];
  std::string base = chosen->getName().str(), name = base;
  for (unsigned number = 2; module.getNamedValue(name); ++number)
    name = base + "." + std::to_string(number);
  // All else becomes the chosen one's own, and goes where it does not need it.
  for (GlobalValue &value : from->global_values())
    if (!value.isDeclaration() && &value != chosen)
      value.setLinkage(GlobalValue::InternalLinkage);
  chosen->setName(name);
  chosen->setLinkage(GlobalValue::ExternalLinkage);
  ModuleAnalysisManager analyses;
  GlobalDCEPass().run(*from, analyses);
  // What can't be linked, the context's handler of diagnostics hears of.
  Linker::linkModules(module, std::move(from));
}
