// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of calls to a fragment shader's functions. Neighbouring fragments often call a function
// with the same arguments: a function of one coordinate has few different arguments in an image.
#pragma once

#include "oracles/machine/spirv/Execution.h"
#include "llvm/ADT/DenseMap.h"
#include <unordered_map>

namespace assay::reference {

/// Identifies a value in a table.
using PathKey = std::vector<uint32_t>;
/// Hashes of such keys.
struct PathKeyHash {
  size_t operator()(const PathKey &key) const;
};
using PathTable = std::unordered_map<PathKey, uint32_t, PathKeyHash>;
/// The key of \p count scalars, with all of their members.
PathKey keyOf(const Scalar *values, uint32_t count);

/// Arguments and results of a call.
struct CallShape {
  struct Argument {
    uint32_t reference = 0; ///< Of the caller.
    uint32_t slot = 0;      ///< In the function's frame.
    uint32_t count = 0;
    uint32_t pointee = 0; ///< Scalars that a pointer points to; 0: not a pointer.
    /// Scalars in the key: the value, or what it points to.
    uint32_t getScalars() const { return pointee ? pointee : count; }
  };
  uint32_t number = 0;
  uint32_t function = 0;
  std::vector<Argument> arguments;
  uint32_t scalars = 0;  ///< Of all arguments.
  uint32_t returned = 0; ///< Scalars that the function returns.
  /// All scalars of a result: the returned value, the memory that each pointer points to after the
  /// call, and the number of instructions.
  uint32_t results = 0;
};

/// Results of functions that read only their arguments and read-only memory, and write only through
/// their arguments. Functions without a loop are not worth a table. A table belongs to one thread
/// and one draw.
class CallTable {
public:
  /// \p execution as for PathTree.
  explicit CallTable(Execution &execution);
  /// Whether the shader calls such a function.
  bool mayBeUsed() const { return !m_shapes.empty(); }
  /// Null: the table does not hold results of this call.
  const CallShape *findShape(const Inst &call) const;
  /// Returns the CallShape::results scalars of the call of shape \p number with \p arguments, valid
  /// until the next call. Executes the function if the table does not have them. Null: a plain run
  /// is required.
  const Scalar *find(uint32_t number, const Scalar *arguments);

private:
  /// What a function does.
  struct Purity {
    bool isPure = false;
    bool hasLoop = false;
  };
  Purity purityOf(uint32_t function);
  bool isPure(const Inst &inst, Purity &purity);
  bool isOwnMemory(uint32_t reference) const;
  void addShape(const Inst &call);
  bool execute(const CallShape &shape, const Scalar *arguments, std::vector<Scalar> &results);
  bool start(const CallShape &shape, const Scalar *arguments, Invocation &run);

  Execution &m_execution;
  const Program &m_program;
  llvm::DenseMap<uint32_t, Purity> m_purity;
  std::vector<CallShape> m_shapes;
  llvm::DenseMap<const Inst *, uint32_t> m_numbers; ///< Indices into m_shapes.
  std::vector<PathTable> m_places;                  ///< By shape: indices into m_results.
  std::vector<Scalar> m_results;
  std::vector<Scalar> m_last; ///< Of the last call executed.
};

} // namespace assay::reference
