// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/system/fat_pointers/FunctionShader.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/PipelineState.h"
#include "oracles/fat_pointer/FatTypes.h"
#include "support/Error.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace assay;
using namespace assay::fat_pointers;

/// Calls \p visit for each scalar of \p type, with the indices that lead to it. Structures, arrays
/// and fixed vectors are entered in the order of their elements. Returns false, after some calls,
/// for a type with a part of another kind.
static bool forEachScalar(Type *type, SmallVectorImpl<unsigned> &path,
                          function_ref<void(Type *, ArrayRef<unsigned>)> visit) {
  unsigned count = 0;
  if (auto *structure = dyn_cast<StructType>(type))
    count = structure->getNumElements();
  else if (auto *array = dyn_cast<ArrayType>(type))
    count = static_cast<unsigned>(array->getNumElements());
  else if (auto *vector = dyn_cast<FixedVectorType>(type))
    count = vector->getNumElements();
  else if (type->isIntOrPtrTy() || type->isFloatingPointTy()) {
    visit(type, path);
    return true;
  } else
    return false;
  for (unsigned i = 0; i < count; ++i) {
    path.push_back(i);
    Type *element = type->isVectorTy() ? type->getScalarType()
                                       : type->getContainedType(type->isStructTy() ? i : 0);
    if (!forEachScalar(element, path, visit))
      return false;
    path.pop_back();
  }
  return true;
}

/// Each scalar begins at a dword, whatever its size. Unsupported for a type that forEachScalar()
/// does not know.
Expected<RecordLayout> RecordLayout::create(ArrayRef<Type *> types, const DataLayout &layout) {
  RecordLayout result;
  for (Type *type : types) {
    std::vector<Field> fields;
    SmallVector<unsigned, 4> path;
    bool isFixed = forEachScalar(type, path, [&](Type *scalar, ArrayRef<unsigned>) {
      unsigned bits = static_cast<unsigned>(layout.getTypeSizeInBits(scalar));
      fields.push_back({scalar, result.m_dwords, bits});
      result.m_dwords += divideCeil(bits, 32);
    });
    if (!isFixed)
      return unsupported("an argument or result with parts of no fixed size");
    result.m_fields.push_back(std::move(fields));
  }
  return result;
}

namespace {
/// The entry point under construction.
class EntryPoint {
public:
  /// Adds an empty entry point for a workgroup of \p lanes invocations to \p module.
  EntryPoint(Module &module, Function &callee, const FunctionShader &shader, unsigned lanes);
  /// Before build: the pointers into LDS that the function gets point into \p bytes of it.
  void addLds(uint64_t bytes);
  /// Emits the body: LDS is filled, the lanes of the push constant's count call the function, and
  /// LDS is copied back.
  void build();

private:
  using Field = RecordLayout::Field;
  /// The device address in the push constants at \p byte.
  Value *loadAddress(unsigned byte);
  /// \p isBefore: into LDS, before the function is called. Emits nothing for a function without
  /// pointers into LDS.
  void copyLds(Value *lane, bool isBefore);
  /// Emits the call in the current block.
  void callFunction(Value *lane);
  /// Address of the record of \p lane, of \p dwords dwords each.
  Value *getRecord(Value *base, unsigned dwords, Value *lane);
  /// The value of parameter \p index, from the record of \p lane, or of lane 0 for a parameter
  /// marked inreg.
  Value *loadArgument(unsigned index, Value *records, Value *lane);
  /// A scalar from its dwords. Pointers are made in the form in which the function would get them.
  Value *loadScalar(const Field &field, Value *record);
  /// The reverse: zero-extends \p value to whole dwords.
  void storeScalar(const Field &field, Value *value, Value *record);

  Function &m_callee;
  const FunctionShader &m_shader;
  Function *m_entry;
  GlobalVariable *m_lds = nullptr;
  Value *m_constants = nullptr; ///< Address of the push constants.
  IRBuilder<> m_builder;
};
} // namespace

/// \p callee and \p shader must outlive the value.
EntryPoint::EntryPoint(Module &module, Function &callee, const FunctionShader &shader,
                       unsigned lanes)
    : m_callee(callee), m_shader(shader), m_builder(module.getContext()) {
  auto *type = FunctionType::get(m_builder.getVoidTy(), false);
  m_entry = Function::Create(type, Function::ExternalLinkage, "main", module);
  m_entry->addFnAttr(Attribute::Convergent);
  m_entry->addFnAttr(Attribute::NoUnwind);
  setComputeEntryPoint(*m_entry, {{lanes, 1, 1}});
  m_builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "", m_entry));
}

/// Emits the extraction of the element at \p path from \p value, which may be a vector inside
/// aggregates. An empty path returns \p value itself.
static Value *extractAt(IRBuilder<> &builder, Value *value, ArrayRef<unsigned> path) {
  for (unsigned index : path)
    value = value->getType()->isVectorTy() ? builder.CreateExtractElement(value, uint64_t(index))
                                           : builder.CreateExtractValue(value, index);
  return value;
}

/// Returns \p value with \p element at \p path; an empty path replaces all of it.
static Value *insertAt(IRBuilder<> &builder, Value *value, Value *element,
                       ArrayRef<unsigned> path) {
  if (path.empty())
    return element;
  Value *inner = extractAt(builder, value, path.front());
  inner = insertAt(builder, inner, element, path.drop_front());
  return value->getType()->isVectorTy()
             ? builder.CreateInsertElement(value, inner, uint64_t(path.front()))
             : builder.CreateInsertValue(value, inner, path.front());
}

/// The result points into the same address space as \p base.
Value *EntryPoint::getRecord(Value *base, unsigned dwords, Value *lane) {
  Value *offset = m_builder.CreateMul(lane, m_builder.getInt32(dwords * 4));
  return m_builder.CreateGEP(m_builder.getInt8Ty(), base,
                             m_builder.CreateZExt(offset, m_builder.getInt64Ty()));
}

/// The load is invariant. A fat pointer is built from five dwords: the offset and then the
/// resource. A pointer into LDS is an offset from the start of the trial's variable.
Value *EntryPoint::loadScalar(const Field &field, Value *record) {
  unsigned dwords = divideCeil(field.bits, 32);
  Type *i32 = m_builder.getInt32Ty();
  Value *address = m_builder.CreateConstGEP1_32(i32, record, field.dword);
  LoadInst *words =
      m_builder.CreateAlignedLoad(FixedVectorType::get(i32, dwords), address, Align(4));
  words->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(m_builder.getContext(), {}));
  Value *bits = m_builder.CreateBitCast(words, m_builder.getIntNTy(dwords * 32));
  bool isFat = field.type->isPointerTy() && field.type->getPointerAddressSpace() == fatSpace;
  if (isFat) { // As a driver makes one: a resource, and an offset into it.
    Value *high = m_builder.CreateTrunc(m_builder.CreateLShr(bits, 32), m_builder.getIntNTy(128));
    Value *offset = m_builder.CreateTrunc(bits, i32);
    Value *resource = m_builder.CreateIntToPtr(high, m_builder.getPtrTy(resourceSpace));
    return m_builder.CreateGEP(m_builder.getInt8Ty(),
                               m_builder.CreateAddrSpaceCast(resource, field.type), offset);
  }
  bits = m_builder.CreateTrunc(bits, m_builder.getIntNTy(field.bits));
  // A pointer made of a number could not be one into a variable.
  if (m_lds && field.type == m_lds->getType())
    return m_builder.CreateGEP(m_builder.getInt8Ty(), m_lds, bits);
  return field.type->isPointerTy() ? m_builder.CreateIntToPtr(bits, field.type)
                                   : m_builder.CreateBitCast(bits, field.type);
}

/// A pointer is stored as the integer of its bits.
void EntryPoint::storeScalar(const Field &field, Value *value, Value *record) {
  unsigned dwords = divideCeil(field.bits, 32);
  Type *i32 = m_builder.getInt32Ty();
  Type *integer = m_builder.getIntNTy(field.bits);
  Value *bits = field.type->isPointerTy() ? m_builder.CreatePtrToInt(value, integer)
                                          : m_builder.CreateBitCast(value, integer);
  bits = m_builder.CreateZExt(bits, m_builder.getIntNTy(dwords * 32));
  Value *address = m_builder.CreateConstGEP1_32(i32, record, field.dword);
  m_builder.CreateAlignedStore(m_builder.CreateBitCast(bits, FixedVectorType::get(i32, dwords)),
                               address, Align(4));
}

Value *EntryPoint::loadArgument(unsigned index, Value *records, Value *lane) {
  bool isUniform = m_callee.hasParamAttribute(index, Attribute::InReg);
  Value *record = isUniform ? records : getRecord(records, m_shader.arguments.getDwords(), lane);
  Type *type = m_callee.getArg(index)->getType();
  Value *value = PoisonValue::get(type);
  size_t next = 0;
  SmallVector<unsigned, 4> path;
  forEachScalar(type, path, [&](Type *, ArrayRef<unsigned> at) {
    Value *scalar = loadScalar(m_shader.arguments.getFields(index)[next++], record);
    value = insertAt(m_builder, value, scalar, at);
  });
  return value;
}

/// The variable is an array of bytes, aligned to 16 and uninitialized; build() fills it.
void EntryPoint::addLds(uint64_t bytes) {
  auto *type = ArrayType::get(m_builder.getInt8Ty(), bytes);
  m_lds = new GlobalVariable(*m_entry->getParent(), type, /*isConstant=*/false,
                             GlobalValue::InternalLinkage, PoisonValue::get(type), "trial.lds",
                             nullptr, GlobalValue::NotThreadLocal, ldsSpace);
  m_lds->setAlignment(Align(16));
}

/// The address must be aligned to 8 bytes.
Value *EntryPoint::loadAddress(unsigned byte) {
  Value *at = m_builder.CreateConstInBoundsGEP1_32(m_builder.getInt8Ty(), m_constants, byte);
  return m_builder.CreateAlignedLoad(m_builder.getPtrTy(globalSpace), at, Align(8));
}

/// The first lane copies LDS from, or to, its buffer; all others wait. Barriers separate the copy
/// from the calls of all lanes. Leaves the builder in a block that all lanes reach.
void EntryPoint::copyLds(Value *lane, bool isBefore) {
  if (!m_lds)
    return;
  auto synchronize = [&] {
    SyncScope::ID scope = m_builder.getContext().getOrInsertSyncScopeID("workgroup");
    m_builder.CreateFence(AtomicOrdering::Release, scope);
    BarrierOp::create(m_builder);
    m_builder.CreateFence(AtomicOrdering::Acquire, scope);
  };
  if (!isBefore)
    synchronize();
  BasicBlock *copy = BasicBlock::Create(m_builder.getContext(), "copy", m_entry);
  BasicBlock *after = BasicBlock::Create(m_builder.getContext(), "copied", m_entry);
  m_builder.CreateCondBr(m_builder.CreateICmpEQ(lane, m_builder.getInt32(0)), copy, after);
  m_builder.SetInsertPoint(copy);
  Value *buffer = loadAddress(LdsByte);
  uint64_t bytes = m_lds->getValueType()->getArrayNumElements();
  if (isBefore)
    m_builder.CreateMemCpy(m_lds, m_lds->getAlign(), buffer, Align(4), bytes);
  else
    m_builder.CreateMemCpy(buffer, Align(4), m_lds, m_lds->getAlign(), bytes);
  m_builder.CreateBr(after);
  m_builder.SetInsertPoint(after);
  if (isBefore)
    synchronize();
}

/// Emits the call with the arguments of \p lane and stores its result, if there is one, into the
/// lane's record.
void EntryPoint::callFunction(Value *lane) {
  Value *arguments = loadAddress(ArgumentsByte);
  SmallVector<Value *, 8> values;
  for (unsigned i = 0; i < m_callee.arg_size(); ++i)
    values.push_back(loadArgument(i, arguments, lane));
  CallInst *call = m_builder.CreateCall(&m_callee, values);
  call->setCallingConv(m_callee.getCallingConv());
  if (m_shader.results.size() == 0)
    return;
  Value *record = getRecord(loadAddress(ResultsByte), m_shader.results.getDwords(), lane);
  size_t next = 0;
  SmallVector<unsigned, 4> path;
  forEachScalar(call->getType(), path, [&](Type *, ArrayRef<unsigned> at) {
    storeScalar(m_shader.results.getFields(0)[next++], extractAt(m_builder, call, at), record);
  });
}

void EntryPoint::build() {
  m_constants = PushConstantsPtrOp::create(m_builder);
  Value *lane = ReadBuiltInOp::create(m_builder, m_builder.getInt32Ty(),
                                      static_cast<uint64_t>(BuiltIn::LocalInvocationIndex));
  copyLds(lane, /*isBefore=*/true);
  Value *countAt =
      m_builder.CreateConstInBoundsGEP1_32(m_builder.getInt8Ty(), m_constants, LaneCountByte);
  Value *count = m_builder.CreateAlignedLoad(m_builder.getInt32Ty(), countAt, Align(4));
  BasicBlock *inside = BasicBlock::Create(m_builder.getContext(), "inside", m_entry);
  BasicBlock *end = BasicBlock::Create(m_builder.getContext(), "end", m_entry);
  m_builder.CreateCondBr(m_builder.CreateICmpULT(lane, count), inside, end);
  m_builder.SetInsertPoint(inside);
  callFunction(lane);
  m_builder.CreateBr(end);
  m_builder.SetInsertPoint(end);
  copyLds(lane, /*isBefore=*/false);
  m_builder.CreateRetVoid();
}

/// Removes from \p module all that \p entry does not need, and marks \p function to be inlined into
/// it. Functions that \p function calls keep their attributes.
static void strip(Module &module, Function &function, const Function *entry) {
  for (GlobalObject &object : module.global_objects())
    if (!object.isDeclaration() && &object != entry)
      object.setLinkage(GlobalValue::InternalLinkage);
  function.removeFnAttr(Attribute::NoInline);
  function.removeFnAttr(Attribute::OptimizeNone);
  function.addFnAttr(Attribute::AlwaysInline);
  ModuleAnalysisManager analyses;
  PassBuilder().registerModuleAnalyses(analyses);
  GlobalDCEPass().run(module, analyses);
}

/// Returns a pipeline with push constants and no descriptor sets: buffers are reached by addresses
/// from the push constants.
static PipelineState makeState(const CompileOptions &options) {
  PipelineState state;
  state.target = options.target;
  state.waveSize = options.getWaveSize();
  state.layout = makeResourceLayout({}, PushConstantBytes);
  // Trials go to the ends of buffers: neighbouring accesses must not become one that is outside as
  // a whole.
  state.robustness = Robustness::Access2;
  return state;
}

/// Whether \p type is a pointer into LDS itself; parts of aggregates do not count.
static bool isInLds(const Type *type) {
  return type->isPointerTy() && type->getPointerAddressSpace() == ldsSpace;
}

/// Whether anything of \p arguments is a pointer into LDS.
static bool holdsLdsPointer(const RecordLayout &arguments) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (any_of(arguments.getFields(i), [](auto &field) { return isInLds(field.type); }))
      return true;
  return false;
}

/// InvalidInput for a function without a body; Unsupported for types without a fixed size, and for
/// pointers into LDS where the module has variables there.
Expected<FunctionShader> fat_pointers::makeShader(const Module &functions, StringRef name,
                                                  const CompileOptions &options, unsigned lanes,
                                                  uint64_t ldsBytes) {
  std::unique_ptr<Module> module = CloneModule(functions);
  Function *callee = module->getFunction(name);
  if (!callee || callee->isDeclaration())
    return invalidInput("no function " + name + " with a body");
  SmallVector<Type *, 1> returned;
  if (!callee->getReturnType()->isVoidTy())
    returned.push_back(callee->getReturnType());
  FunctionShader shader;
  const DataLayout &layout = module->getDataLayout();
  auto arguments = RecordLayout::create(callee->getFunctionType()->params(), layout);
  if (!arguments)
    return arguments.takeError();
  shader.arguments = std::move(*arguments);
  auto results = RecordLayout::create(returned, layout);
  if (!results)
    return results.takeError();
  shader.results = std::move(*results);
  EntryPoint entry(*module, *callee, shader, lanes);
  shader.usesLds = holdsLdsPointer(shader.arguments);
  if (shader.usesLds &&
      any_of(functions.globals(), [](auto &each) { return isInLds(each.getType()); }))
    return unsupported("pointers into LDS next to variables there");
  if (shader.usesLds)
    entry.addLds(ldsBytes);
  entry.build();
  // After the call is there: what nothing calls goes.
  strip(*module, *callee, findComputeEntryPoint(*module));
  makeState(options).write(*module);
  raw_string_ostream os(shader.ir);
  module->print(os, nullptr);
  return shader;
}
