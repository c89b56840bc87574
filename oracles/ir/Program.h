// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions made ready to run: operands resolved to slots, branches to places, constants to values,
// opcodes and intrinsics to handlers. One Program belongs to one run.
#pragma once

#include "oracles/ir/Shape.h"
#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/IR/Instructions.h"

namespace llvm {
class ConstantExpr;
} // namespace llvm

namespace assay::ir {

class ExecutionLog;
class Machine;
struct Inst;
struct Lane;

/// Does an instruction for all lanes of the machine's group.
using Handler = void (*)(Machine &machine, const Inst &inst);

/// What stands around a run: calls that mean something only there.
class Environment {
public:
  virtual ~Environment() = default;
  /// What a call of \p callee, an intrinsic or a declaration, does; null: what the interpreter's
  /// tables say.
  virtual Handler findCall(const llvm::Function &callee) const = 0;
  /// Whether a call of \p callee, which findCall knows, takes lanes away: those that its handler
  /// leaves are at another place, or done.
  virtual bool endsLanes(const llvm::Function & /*callee*/) const { return false; }
  /// \p inst has written \p bytes at \p address, which is not in scratch, for \p lane.
  virtual void didWrite(const Inst &inst, const Lane &lane, uint64_t address,
                        uint64_t bytes) const = 0;
  /// Lanes of a wave, those among them that never run.
  virtual unsigned waveSize() const = 0;
  /// Gets all that the run does; null: nobody wants to know.
  virtual ExecutionLog *log() const { return nullptr; }
  /// LogStep::thread of lane 0.
  virtual uint64_t firstThread() const { return 0; }
};

/// Where scalars of an operand stand: constants for all lanes, or slots in a frame.
struct Operand {
  const Scalar *constant = nullptr;
  uint32_t slot = 0;
  uint32_t count = 0;
};

/// A way from a block into another: what its phis take, then where to go on.
struct Edge {
  struct Move {
    uint32_t slot;
    Operand source;
  };
  uint32_t target = 0; ///< Index of an instruction.
  std::vector<Move> moves;
};

/// Instruction flags that turn results into poison (or, for a test, are asked).
enum InstFlags : uint32_t {
  NoUnsignedWrap = 1 << 0,
  NoSignedWrap = 1 << 1,
  Exact = 1 << 2,
  Disjoint = 1 << 3,
  NonNegative = 1 << 4,
  SameSign = 1 << 5,
  NoNans = 1 << 6,
  NoInfs = 1 << 7,
  IsVolatile = 1 << 8,
  IsInvariant = 1 << 9,
};

/// One instruction.
struct Inst {
  Handler run = nullptr;
  const llvm::Instruction *ir = nullptr;
  llvm::SmallVector<Operand, 3> operands;
  uint32_t slot = 0;  ///< Of the result.
  uint32_t count = 0; ///< Scalars of the result.
  uint32_t bits = 0;  ///< Of the result's first scalar.
  uint32_t flags = 0; ///< InstFlags.
  /// What becomes of denormal floats, as the function's attributes say: input for operands of the
  /// first one's type, output for the result. IEEE for what is of integers.
  llvm::DenormalMode denormals = llvm::DenormalMode::getIEEE();
  bool ends = false;             ///< Lanes may be at different places afterwards.
  const Shape *shape = nullptr;  ///< Of the result.
  const Shape *source = nullptr; ///< Of the first operand.
  std::vector<int64_t> table;    ///< Shuffle mask, scales of a getelementptr, ...
  std::vector<Edge> edges;       ///< Of a terminator.
};

/// A function. Blocks are one after the other in an order in which loops are contiguous; a place
/// is an index into insts.
struct Code {
  const llvm::Function *function = nullptr;
  unsigned number = 0; ///< In the order of first use, from 1.
  uint32_t slots = 0;  ///< Scalars of a frame.
  std::vector<Inst> insts;
  std::vector<Operand> parameters;   ///< Slots of the arguments.
  std::string problem;               ///< Why it can't run, if it can't.
  std::vector<std::string> problems; ///< Of single instructions, for when they run.
};

/// Where globals and functions are in memory; what constants need.
class SymbolAddresses {
public:
  virtual ~SymbolAddresses() = default;
  /// 0 for what has no address.
  virtual uint64_t addressOf(const llvm::GlobalValue &value) = 0;
};

/// Functions and constants of one run, made ready when they are first used.
class Program {
public:
  Program(Machine &machine, const llvm::DataLayout &layout, SymbolAddresses &symbols)
      : m_machine(machine), m_shapes(layout), m_symbols(symbols) {}
  ~Program();

  /// \p function, made ready at its first use.
  const Code &get(const llvm::Function &function);
  /// The value of \p constant, which stays where it is; null if it has none (Code::problem).
  const Scalar *constant(const llvm::Constant *constant, std::string &problem);
  Shapes &shapes() { return m_shapes; }
  const Environment *environment() const;

private:
  friend class CodeBuilder;
  bool evaluate(const llvm::Constant &constant, Value &result, std::string &problem);
  bool evaluateExpression(const llvm::ConstantExpr &expression, Value &result,
                          std::string &problem);

  Machine &m_machine;
  Shapes m_shapes;
  SymbolAddresses &m_symbols;
  llvm::DenseMap<const llvm::Function *, std::unique_ptr<Code>> m_codes;
  llvm::DenseMap<const llvm::Constant *, std::unique_ptr<Value>> m_constants;
};

/// The blocks of \p function that can be reached, in the order in which lanes wait for each other:
/// topological except for back edges, the blocks of a loop together.
std::vector<const llvm::BasicBlock *> orderBlocks(const llvm::Function &function);

/// The handler of \p instruction in \p environment (or null); never null (one that stops the run
/// where it is not known).
Handler findHandler(const llvm::Instruction &instruction, const Environment *environment);

} // namespace assay::ir
