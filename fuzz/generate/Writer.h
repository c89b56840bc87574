// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where constructs write: a function body with its control flow kept structured, the values that
// are in scope, and the resources of the module. It promises what the constructs rely on: that
// every value in scope dominates the place, and that budgets are kept.
#pragma once

#include "fuzz/generate/Generator.h"
#include "fuzz/program/Pool.h"
#include "support/Random.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::fuzz {

class Writer;

/// The bits of whole number \p value, below 2^11, in a float of \p width.
uint64_t floatBits(unsigned width, int value);

/// What a construct needs of the place where it stands: a set of these bits.
enum Needs : unsigned {
  Anywhere = 0,
  InEntryPoint = 1 << 0,
  InUniformFlow = 1 << 1, ///< In the entry point, where the whole workgroup comes by.
  Nests = 1 << 2,         ///< Writes bodies of its own.
  Turns = 1 << 3,         ///< May not be where much is repeated already.
  FewTurns = 1 << 4,      ///< Nor where anything is repeated often.
  AddsBuffer = 1 << 5,    ///< Drivers bound their number.
  AddsImage = 1 << 6,     ///< Images and texel buffers.
  Specializes = 1 << 7,   ///< Adds specialization constants.
  Calls = 1 << 8,         ///< There is a function to call.
  Leaves = 1 << 9,        ///< The function: of the entry point all invocations together.
  Once = 1 << 10,         ///< Of a case.
  Shares = 1 << 11,       ///< Has workgroup memory without layout,
  SharesBlock = 1 << 12,  ///< or with one.
};

/// One way to continue with a body (Constructs.def).
struct Construct {
  llvm::StringRef name;
  unsigned weight; ///< Among those that fit.
  unsigned needs;  ///< Of Needs.
  void (*write)(Writer &);
};
llvm::ArrayRef<Construct> constructs();

/// A value in scope.
struct Value {
  Id id = 0;
  Id type = 0;
  /// The same in all invocations of a workgroup.
  bool isUniform = false;
  /// Floats, vectors and matrices of them: a whole number of at most this magnitude, exact; 0: no
  /// promise, so that it may be stored but decide nothing.
  uint32_t magnitude = 0;
};

/// What a type is, as constructs ask.
struct TypeInfo {
  enum Kind : uint8_t { Bool, Int, Float, Vector, Matrix, Array, Struct, Other };
  Kind kind = Other;
  unsigned width = 0;    ///< Int, Float.
  bool isSigned = false; ///< Int.
  Id element = 0;        ///< Vector, Matrix (column), Array.
  unsigned count = 0;    ///< Of elements or members.
};

/// Whole numbers in floats stay below this, so that sums and products of two are exact in f32.
constexpr uint32_t maxMagnitude = 1 << 11;

class Writer {
public:
  Writer(GeneratedCase &generated, const Profile &profile);

  Random &random() { return m_random; }
  Pool &pool() { return m_pool; }
  const Profile &profile() const { return m_profile; }
  GeneratedCase &generated() { return m_generated; }
  const GeneratedCase &generated() const { return m_generated; }

  // Types.
  TypeInfo info(Id type) const;
  /// The component of a vector, the type itself of a scalar.
  Id scalarOf(Id type) const;
  /// \p scalar, or the vector of it that is as wide as \p like.
  Id withShapeOf(Id scalar, Id like);
  Id boolLike(Id like) { return withShapeOf(m_pool.boolType(), like); }
  /// An int or float that may be loaded and stored everywhere once its capabilities are there.
  Id randomNumber();
  /// A random type that this profile may use: a scalar; a scalar or vector; also aggregates.
  Id randomInt();
  Id randomScalar();
  Id randomNumeric();
  Id randomType(unsigned depth = 2);

  // Values.
  void add(Value value);
  /// Bits of a constant of \p width: few, many, one, none.
  uint64_t randomBits(unsigned width);
  /// Some value of \p type: one in scope, or else a constant.
  Value take(Id type);
  /// One in scope that \p accept accepts, if there is one.
  std::optional<Value> find(llvm::function_ref<bool(const Value &)> accept);
  /// A constant of \p type with interesting bits (whole small numbers for floats).
  Value constant(Id type);
  /// An index below \p count that is the same for the whole workgroup.
  Value takeUniformIndex(unsigned count);
  /// An index below \p count, which need not be a constant; never out of bounds.
  Value takeIndex(unsigned count);
  /// A bool that decides: of whole numbers only.
  Value takeCondition();

  // Code.
  /// Adds an instruction with a result; the value is not yet in scope.
  Id emit(spv::Op opcode, Id type, llvm::ArrayRef<Operand> operands);
  void emitVoid(spv::Op opcode, llvm::ArrayRef<Operand> operands);
  /// GLSL.std.450's number \p instruction.
  Id emitExtended(unsigned instruction, Id type, llvm::ArrayRef<Id> arguments);
  /// A variable of the function under construction.
  Id localVariable(Id type, Id initializer = 0);

  // Control flow. All keep it structured; what a body adds to the scope is gone after it.
  /// if (condition) yes else no; the caller makes the phis after it.
  void select(const Value &condition, llvm::function_ref<void()> yes,
              llvm::function_ref<void()> no);
  /// for (i = 0; i < count; ++i) body(i), \p most being the greatest that count may be.
  void loop(const Value &count, unsigned most, llvm::function_ref<void(Value)> body);
  /// Blocks for constructs with a shape of their own.
  Id newLabel() { return m_program.fresh(); }
  Id currentLabel() const;
  void begin(Id label);
  void branch(Id target) { emitVoid(spv::Op::OpBranch, {fuzz::id(target)}); }
  /// A phi at the beginning of the current block; operands may be filled in later by setPhi.
  Id phi(Id type, llvm::ArrayRef<std::pair<Id, Id>> valuesAndLabels);
  void setPhi(Id phi, llvm::ArrayRef<std::pair<Id, Id>> valuesAndLabels);
  /// Around a nested body: what it adds to the scope goes with it; \p uniform tells whether all
  /// invocations of the workgroup enter it together; \p repeats how often it runs at most.
  void nested(bool uniform, unsigned repeats, llvm::function_ref<void()> body);

  /// Some statements by the constructs' weights, until about \p count or the budget is used up.
  void statements(unsigned count);

  bool isUniformFlow() const { return m_isUniform; }
  /// Someone has left a loop or function early: from there on flow is no longer uniform.
  void loseUniformity() { m_isUniform = false; }
  bool isInEntryPoint() const { return m_inEntryPoint; }
  /// Of the function under construction.
  Id resultType() const { return m_function->definition.type; }
  bool mayNest() const { return m_depth < m_profile.depth && m_budget > 200; }
  uint64_t repeats() const { return m_repeats; }
  /// Whether \p construct may stand here.
  bool fits(const Construct &construct) const;

  // Resources, made when first asked for.
  /// A fresh word of a buffer that all invocations may change by atomics.
  Value sharedCounterPointer();
  /// Pointer (StorageBuffer) to a word that only this invocation touches.
  Value ownWordPointer();
  /// A word of the input buffer that is the same for all, and one that is not.
  Value loadUniformInput();
  Value loadInput();
  /// The array of workgroup memory with a word for each invocation, and this invocation's number.
  Id sharedWords();
  Value localIndex() const { return m_localIndex; }
  Value globalIndex() const { return m_globalIndex; }
  unsigned invocationsPerGroup() const { return m_invocations; }
  /// A new buffer of its own binding, whose only block is of type \p block (undecorated as Block
  /// so far); \p words as Amber's \p dataType. The variable; for \p kind PushConstant at most one.
  Id newBuffer(GeneratedBinding kind, Id block, llvm::StringRef dataType,
               std::vector<uint64_t> words);
  /// A variable of set 0 with elements of \p type for \p elements, which are bound in this order
  /// and get names and binding here: one, an array of as many, or one of no declared length.
  enum class ArrayForm : uint8_t { None, Sized, Runtime };
  Id newResource(Id type, std::vector<GeneratedBuffer> elements, ArrayForm form = ArrayForm::None);
  /// Gives it a name, which is returned, and no variable.
  std::string addBuffer(GeneratedBuffer buffer);
  /// A variable of its own; or one to be combined with an image, by its name.
  Id newSampler(llvm::StringRef settings);
  std::string addSampler(llvm::StringRef settings);
  /// Loads a built-in input other than LocalInvocationIndex and WorkgroupId.
  Id loadBuiltIn(spv::BuiltIn builtIn, Id type);
  /// Puts \p value among the results of the case: each invocation into places of its own.
  void store(const Value &value);

  struct Callee {
    Id function;
    Id result;
    std::vector<Id> parameters;
  };
  llvm::ArrayRef<Callee> callees() const { return m_callees; }

  /// Workgroup variables are all blocks with explicit layout, or none is. The first to ask decides.
  bool mayShare(bool asBlocks) const { return m_sharesBlocks.value_or(asBlocks) == asBlocks; }
  void share(bool asBlocks) { m_sharesBlocks = asBlocks; }

private:
  Id newVariable(Id type, spv::StorageClass storage, std::optional<uint32_t> binding);
  friend class Assembler; // Generator.cpp: frame of module and functions.
  GeneratedCase &m_generated;
  Program &m_program;
  const Profile &m_profile;
  Random m_random;
  Pool m_pool;
  Function *m_function = nullptr;
  std::vector<Value> m_scope;
  std::vector<Callee> m_callees;
  bool m_isUniform = true;
  bool m_inEntryPoint = false;
  unsigned m_depth = 0;
  uint64_t m_repeats = 1; ///< How often the current place may run.
  int64_t m_budget = 0;   ///< Of executed instructions that are left.
  unsigned m_invocations = 1;
  Value m_localIndex, m_globalIndex;
  Id m_output[3] = {}, m_input = 0, m_uniforms = 0, m_own = 0, m_counters = 0, m_shared = 0;
  unsigned m_outputs[3] = {}, m_ownWords = 0, m_counterWords = 0;
  std::vector<Id> m_types;
  std::optional<bool> m_sharesBlocks;
  std::map<spv::BuiltIn, Id> m_builtIns;
};

} // namespace assay::fuzz
