// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that the opcode families of the front-end share, and the rows of which their tables
// are made. One file per family; a family is an array of OpcodeRow listed in Dispatch.cpp.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/frontend/FrontendState.h"
#include "compiler/frontend/Pointer.h"
#include "compiler/lgc/Builder.h"
#include "compiler/spirv/Module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>
#include <optional>

namespace assay {

class Translator;

/// Where an interpolation function reads an input.
struct InputPlace {
  enum class Kind : uint8_t { AsDecorated, Centroid, Offset, Vertex };
  Kind kind = Kind::AsDecorated;
  llvm::Value *x = nullptr; ///< Of Offset: f32, in pixels from the pixel's center.
  llvm::Value *y = nullptr;
  uint32_t vertex = 0; ///< Of Vertex.
};

/// Weights of the second and third vertex at a place, f32 each.
struct InputWeights {
  llvm::Value *i = nullptr;
  llvm::Value *j = nullptr;
};

/// Makes the value of an instruction from those of its first operands; later operands are literals
/// that the handler reads from the instruction.
using ValueHandler = llvm::Expected<llvm::Value *> (*)(Translator &, const spirv::Instruction &,
                                                       llvm::ArrayRef<llvm::Value *>);
/// Does all of an instruction's work: resolves operands and defines the result itself.
using EffectHandler = llvm::Error (*)(Translator &, const spirv::Instruction &);

/// What is checked of the operands before a ValueHandler sees them. The class is that of scalars or
/// vectors: float (16, 32 or 64 bits), int (8 to 64 bits), bool.
enum class Shape : uint8_t {
  Free,         ///< Nothing: the handler looks itself.
  Float,        ///< Float operands, all of the result's type.
  Int,          ///< Int operands, all of the result's type.
  Bool,         ///< Bool operands, all of the result's type.
  FloatToAny,   ///< Float operands, all of one type.
  IntToAny,     ///< Int operands, all of one type.
  FloatVectors, ///< Float vectors, all of one type.
  Int32,        ///< 32-bit int operands, all of the result's type.
};

/// One opcode. \p effect goes before \p value inside functions; OpSpecConstantOp uses \p value.
struct OpcodeRow {
  /// \p values of a row that takes all its operands as values.
  static constexpr uint8_t AllOperands = 0xff;

  spv::Op opcode;
  uint8_t values = 0; ///< Leading operands that are ids of values.
  Shape shape = Shape::Free;
  ValueHandler value = nullptr;
  EffectHandler effect = nullptr;
};

/// The same for one instruction of an extended set; operands count from the first of the set's own.
struct ExtInstRow {
  uint32_t number;
  uint8_t values;
  Shape shape;
  const char *name;
  ValueHandler value;
  bool halfAsFloat = false; ///< f16 is computed in f32 and rounded once; there is no f64.
};

/// The LLVM side of one SPIR-V type.
struct TypeRecord {
  llvm::Type *value = nullptr;  ///< As an SSA value: bool is i1, a matrix an array of columns.
  llvm::Type *memory = nullptr; ///< In Function, Private, Workgroup memory: bool is i32, a buffer
                                ///< pointer as many i32 as it has.
  unsigned depth = 0;           ///< Nesting.
  uint64_t leaves = 1;          ///< Scalars and vectors in it; saturates.
};

/// Translates one entry point. The methods below are for the opcode families.
class Translator {
public:
  Translator(const ShaderDescription &shader, const spirv::Module &spirv,
             llvm::LLVMContext &context, Builder &builder, const FrontendState &state);

  /// The whole job; see translateShader. To be called once.
  llvm::Expected<std::unique_ptr<llvm::Module>> run();

  Builder &builder() { return m_builder; }
  const spirv::Module &spirv() const { return m_spirv; }
  llvm::LLVMContext &context() { return m_context; }
  llvm::Module &module() { return *m_module; }
  ShaderStage stage() const { return m_shader.stage; }

  // --- Types (Types.cpp)
  /// Record of type \p id; the reason where it is not supported.
  llvm::Expected<TypeRecord> type(spirv::Id id);
  llvm::Expected<llvm::Type *> valueType(spirv::Id id);
  /// Explicit offsets (blocks) rather than the natural layout of LLVM's types.
  bool hasExplicitLayout(spv::StorageClass storage) const;
  static llvm::Expected<unsigned> addressSpace(spv::StorageClass storage);

  // --- Values (Values.cpp)
  /// The value of \p id. InvalidInput when it has none here; Unsupported with the reason when its
  /// definition is.
  llvm::Expected<llvm::Value *> value(spirv::Id id);
  /// The integer constant \p id, of any width; InvalidInput where it does not fit 32 bits.
  llvm::Expected<uint32_t> constantInt(spirv::Id id);
  /// SPIR-V type of value \p id, or 0.
  spirv::Id typeOf(spirv::Id id) const;
  /// Binds the result of \p inst; InvalidInput when the LLVM type is not that of its SPIR-V type.
  llvm::Error define(const spirv::Instruction &inst, llvm::Value *value);
  /// Binds a pointer result.
  llvm::Error definePointer(const spirv::Instruction &inst, llvm::Value *value,
                            const PointerInfo &info);
  llvm::Expected<Pointer> pointer(spirv::Id id);
  /// What is known of a pointer of which one can't tell where it comes from.
  PointerInfo unknownPointer() const;
  /// Value of the built-in that \p input says.
  llvm::Expected<llvm::Value *> readInput(const PointerInfo &input);
  /// Built-in \p builtIn (of spv::BuiltIn) of compute shaders, as SPIR-V type \p type.
  llvm::Expected<llvm::Value *> readBuiltIn(uint32_t builtIn, spirv::Id type);
  /// An alloca of \p type in the function's prologue.
  llvm::Value *createLocal(llvm::Type *type, const llvm::Twine &name);

  // --- Memory (MemoryAccess.cpp, AggregateCopy.cpp)
  /// \p pointer moved to element \p index (an integer) of its pointee.
  llvm::Expected<Pointer> step(const Pointer &pointer, llvm::Value *index);
  Pointer stepInDescriptors(const Pointer &pointer, llvm::Value *index);
  /// \p address, \p index (signed, of any width) times \p stride bytes on.
  llvm::Value *addBytes(llvm::Value *address, llvm::Value *index, uint64_t stride);
  /// \p base, of type \p pointerType, moved by \p count elements of the array it points into.
  llvm::Expected<Pointer> moveByElements(const Pointer &base, spirv::Id pointerType,
                                         llvm::Value *count);
  llvm::Expected<llvm::Value *> load(const Pointer &pointer);
  llvm::Error store(const Pointer &pointer, llvm::Value *value);
  /// From memory to memory, without a value between; arrays with many elements by a loop. The types
  /// may differ where they match logically.
  llvm::Error copy(const Pointer &target, const Pointer &source);
  /// Binds the result of \p inst to a copy of what \p source points at: how loads of aggregates
  /// with many parts are done, whose time LLVM would spend on the parts.
  llvm::Error defineInMemory(const spirv::Instruction &inst, const Pointer &source);
  /// Where the aggregate \p id lies, if defineInMemory made it.
  std::optional<Pointer> findInMemory(spirv::Id id) const;
  /// Binds the result of \p inst to the aggregate at \p place itself.
  llvm::Error aliasInMemory(const spirv::Instruction &inst, const Pointer &place);
  /// \p constant of SPIR-V type \p type as it lies in natural memory.
  llvm::Expected<llvm::Constant *> toMemory(llvm::Constant *constant, spirv::Id type);

  // --- Images (Image.cpp)
  /// An image, a sampler, or both: types whose values are descriptors.
  static bool isDescriptor(const spirv::Type &type);
  llvm::Expected<llvm::Value *> loadDescriptor(const Pointer &pointer);
  /// Remembers with which ImageFlags the image is used that \p inst has loaded.
  void noteImageLoad(const spirv::Instruction &inst, const Pointer &pointer);
  void setImageFlags(spirv::Id id, unsigned flags) { m_imageFlags[id] = flags; }
  unsigned imageFlags(spirv::Id id) const;
  void defineTexel(const spirv::Instruction &inst, const TexelPointer &texel) {
    m_texels[inst.resultId] = texel;
  }
  /// What \p id points at if OpImageTexelPointer made it, or null.
  const TexelPointer *findTexel(spirv::Id id) const;

  // --- Inputs at other places (Interpolation.cpp)
  /// The input that pointer \p id leads to, as its type: interpolated at \p place, or as a vertex
  /// provides it.
  llvm::Expected<llvm::Value *> readInputAt(spirv::Id id, const InputPlace &place);

  // --- Blocks and functions (ControlFlow.cpp, Function.cpp)
  llvm::Expected<llvm::BasicBlock *> block(spirv::Id label);
  llvm::Error addPhi(const spirv::Instruction &inst, llvm::PHINode *phi);
  /// The instance of function \p id for pointer arguments like \p parameters (one entry for each
  /// parameter; the values in them do not count). Its body is made later.
  llvm::Expected<llvm::Function *> instance(spirv::Id id, std::vector<PointerInfo> parameters);

  // --- Dispatch (Dispatch.cpp)
  /// Translates \p inst; errors name it.
  llvm::Error translate(const spirv::Instruction &inst);
  /// The value of an instruction whose row has a ValueHandler; Unsupported for any other.
  llvm::Expected<llvm::Value *> evaluate(const spirv::Instruction &inst);
  llvm::Expected<llvm::Value *> callExtInst(const ExtInstRow &row, const spirv::Instruction &inst);

  /// The specialization value for \p specId, if the pipeline gives one.
  std::optional<uint64_t> specialization(uint32_t specId) const;

private:
  friend class FunctionTranslator;

  llvm::Error translateGlobals();
  llvm::Error translateGlobal(const spirv::Instruction &inst);
  llvm::Error translateType(const spirv::Type &type);
  llvm::Expected<TypeRecord> makeType(const spirv::Type &type);
  llvm::Expected<TypeRecord> makeVector(const spirv::Type &type);
  llvm::Expected<TypeRecord> makeMatrix(const spirv::Type &type);
  llvm::Expected<TypeRecord> makeArray(const spirv::Type &type);
  llvm::Expected<TypeRecord> makeStruct(const spirv::Type &type);
  llvm::Expected<TypeRecord> makeDescriptor(const spirv::Type &type);
  llvm::Value *descriptorAddress(const BufferReference &reference);
  llvm::Error translateGlobalVariable(const spirv::Instruction &inst);
  void surveyMemory();
  llvm::Error createSharedBlocks();
  llvm::Expected<uint64_t> explicitBytes(spirv::Id type, const spirv::MemberLayout &layout = {});
  llvm::Expected<llvm::Value *> resourceValue(const spirv::Instruction &variable);
  llvm::Expected<PointerInfo> variableInfo(const spirv::Instruction &variable);
  llvm::Error checkModule(const spirv::EntryPoint &entry);
  llvm::Expected<ComputeMode> computeMode(const spirv::EntryPoint &entry);
  llvm::Expected<llvm::Value *> flushed(Shape shape, llvm::Expected<llvm::Value *> result);
  llvm::Expected<llvm::Value *> evaluateRow(const OpcodeRow &row, const spirv::Instruction &inst);
  llvm::Expected<llvm::SmallVector<llvm::Value *, 8>> operandValues(const spirv::Instruction &inst,
                                                                    size_t first, size_t count);
  llvm::Error initializeWorkgroupMemory(const ComputeMode &mode);
  llvm::Error translateFunctions(const spirv::Function &entry, const ComputeMode &mode);
  llvm::Error markEntryPoint(llvm::Function &main, const ComputeMode &mode);
  llvm::Expected<StageMode> stageMode() const;
  bool asksForSamples(spirv::Id id) const;
  bool isInterfaceVariable(const spirv::Instruction &variable) const;
  llvm::Error copyInterface(bool isInput);
  llvm::Error addInterface(llvm::Function &main);
  llvm::Error readInputInto(const spirv::Instruction &variable, llvm::Value *memory,
                            const InputPlace &place);
  InputWeights weightsAt(bool isLinear, llvm::Value *x, llvm::Value *y);
  llvm::GlobalVariable *weightPlane(bool isLinear);
  void fillWeightPlanes();
  llvm::Error forEachIndex(uint64_t count, llvm::function_ref<llvm::Error(llvm::Value *)> body);
  bool isStoredAtOnce(const spirv::Instruction &load) const;

  const ShaderDescription &m_shader;
  const spirv::Module &m_spirv;
  llvm::LLVMContext &m_context;
  Builder &m_builder;
  const FrontendState &m_state;
  std::unique_ptr<llvm::Module> m_module;

  // Module scope.
  const spirv::EntryPoint *m_entry = nullptr;
  llvm::DenseMap<spirv::Id, TypeRecord> m_types;
  llvm::DenseMap<spirv::Id, llvm::Constant *> m_constants; ///< Constants, globals with an address.
  llvm::DenseMap<spirv::Id, std::string> m_refused;        ///< Why a global is unsupported.
  std::vector<std::unique_ptr<FunctionInstance>> m_instances; ///< In the order of their calls.
  std::vector<llvm::GlobalVariable *> m_zeroedShared; ///< Workgroup variables with an initializer.
  bool m_hasSharedBlocks = false;                     ///< Workgroup variables are blocks.
  bool m_hasVolatileMemory = false; ///< Something in the module is Volatile or Coherent.

  FloatMode m_floatMode;
  /// Weights at the pixel's center and their derivatives, of perspective and linear inputs.
  llvm::GlobalVariable *m_weightPlanes[2] = {};

  // The function being translated.
  const spirv::Function *m_function = nullptr;
  llvm::BasicBlock *m_prologue = nullptr; ///< Allocas and descriptors; then the entry block.
  llvm::DenseMap<spirv::Id, llvm::Value *> m_values;
  llvm::DenseMap<spirv::Id, spirv::Id> m_valueTypes;
  llvm::DenseMap<spirv::Id, PointerInfo> m_pointers;
  llvm::DenseMap<spirv::Id, llvm::BasicBlock *> m_blocks;
  llvm::DenseMap<spirv::Id, llvm::BasicBlock *> m_blockEnds; ///< LLVM block of the terminator.
  std::vector<std::pair<const spirv::Instruction *, llvm::PHINode *>> m_phis;
  llvm::DenseMap<spirv::Id, Pointer> m_inMemory;
  llvm::DenseMap<spirv::Id, unsigned> m_imageFlags;
  llvm::DenseMap<spirv::Id, TexelPointer> m_texels;
  llvm::DenseMap<uint32_t, unsigned> m_mentions; ///< How often a word is an operand.
  /// Found when the first function is done.
  std::optional<llvm::DenseSet<spirv::Id>> m_subgroupFunctions;
  const spirv::Instruction *m_next = nullptr; ///< After the one being translated, in its block.
};

/// Whether \p number is of a built-in (of spv::BuiltIn) that every stage may read, and which
/// Translator::readBuiltIn reads.
bool isBuiltInOfAllStages(uint32_t number);

/// "OpIAdd (%12, word 80, line 4)"; what is unknown is left out.
std::string describe(const spirv::Instruction &inst);

/// Applies \p make to each component of the (equally long) vectors \p args, or once to scalars.
llvm::Value *
forEachComponent(Builder &builder, llvm::ArrayRef<llvm::Value *> args,
                 llvm::function_ref<llvm::Value *(llvm::ArrayRef<llvm::Value *>)> make);

/// Returns in each lane the value that \p lane, an i32, names there, which may differ from lane to
/// lane. InvalidInput for a value that is neither numbers nor bools.
llvm::Expected<llvm::Value *> readLanes(Builder &builder, llvm::Value *value, llvm::Value *lane);

/// \p constant splatted to \p type, a scalar or vector of float or int.
llvm::Constant *floatConstant(llvm::Type *type, double constant);
llvm::Constant *intConstant(llvm::Type *type, uint32_t constant);

/// \p index, an integer of any width, as i32: SPIR-V takes indices as signed.
llvm::Expected<llvm::Value *> createIndex(Builder &builder, llvm::Value *index);

/// \p value, a physical pointer or 64 bits, as the other (\p type).
llvm::Expected<llvm::Value *> bitcastPointer(Builder &builder, llvm::Value *value,
                                             llvm::Type *type);

// The families, in the order of the chapters of the SPIR-V specification.
llvm::ArrayRef<OpcodeRow> constantOpcodes();
llvm::ArrayRef<OpcodeRow> memoryOpcodes();
llvm::ArrayRef<OpcodeRow> pointerOpcodes();
llvm::ArrayRef<OpcodeRow> functionOpcodes();
llvm::ArrayRef<OpcodeRow> imageOpcodes();
llvm::ArrayRef<OpcodeRow> imageSampleOpcodes();
llvm::ArrayRef<OpcodeRow> conversionOpcodes();
llvm::ArrayRef<OpcodeRow> compositeOpcodes();
llvm::ArrayRef<OpcodeRow> arithmeticOpcodes();
llvm::ArrayRef<OpcodeRow> matrixOpcodes();
llvm::ArrayRef<OpcodeRow> dotProductOpcodes();
llvm::ArrayRef<OpcodeRow> bitOpcodes();
llvm::ArrayRef<OpcodeRow> relationalOpcodes();
llvm::ArrayRef<OpcodeRow> controlFlowOpcodes();
llvm::ArrayRef<OpcodeRow> atomicOpcodes();
llvm::ArrayRef<OpcodeRow> barrierOpcodes();
llvm::ArrayRef<OpcodeRow> clockOpcodes();
llvm::ArrayRef<OpcodeRow> subgroupOpcodes();
llvm::ArrayRef<OpcodeRow> extInstOpcodes();
llvm::ArrayRef<OpcodeRow> miscellaneousOpcodes();
llvm::ArrayRef<OpcodeRow> derivativeOpcodes();
llvm::ArrayRef<OpcodeRow> imageImplicitOpcodes();
llvm::ArrayRef<OpcodeRow> imageSparseOpcodes();
llvm::ArrayRef<OpcodeRow> groupOpcodes(); ///< Of SPV_AMD_shader_ballot.

} // namespace assay
