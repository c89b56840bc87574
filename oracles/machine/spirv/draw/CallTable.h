// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls of a fragment shader's functions have returned. Neighbours often ask for the same: a
// function of one coordinate has few arguments in an image.
#pragma once

#include "oracles/machine/spirv/Execution.h"
#include "llvm/ADT/DenseMap.h"
#include <unordered_map>

namespace assay::reference {

/// Numbers that say how something is made, to find it again.
using PathKey = std::vector<uint32_t>;
/// Hashes of such keys.
struct PathKeyHash {
  size_t operator()(const PathKey &key) const;
};
using PathTable = std::unordered_map<PathKey, uint32_t, PathKeyHash>;
/// All that is known of \p count scalars.
PathKey keyOf(const Scalar *values, uint32_t count);

/// What a call takes and gives.
struct CallShape {
  struct Argument {
    uint32_t reference = 0; ///< Of the caller.
    uint32_t slot = 0;      ///< In the function's frame.
    uint32_t count = 0;
    uint32_t pointee = 0; ///< Scalars that a pointer leads to; 0: it is none.
    /// Scalars that it brings: itself, or what it points to.
    uint32_t getScalars() const { return pointee ? pointee : count; }
  };
  uint32_t number = 0;
  uint32_t function = 0;
  std::vector<Argument> arguments;
  uint32_t scalars = 0;  ///< Of all arguments.
  uint32_t returned = 0; ///< Scalars that the function returns.
  /// All scalars that come of it: what it returns, what each pointer leads to then, and the number
  /// of instructions.
  uint32_t results = 0;
};

/// Results of functions that see nothing but their arguments and what nobody writes to, and change
/// nothing else. Only those with a loop are here. Of one thread and one draw.
class CallTable {
public:
  /// \p execution: as of PathTree.
  explicit CallTable(Execution &execution);
  /// Whether the shader calls such a function.
  bool mayBeUsed() const { return !m_shapes.empty(); }
  /// Null: the call is of another function.
  const CallShape *findShape(const Inst &call) const;
  /// CallShape::results of the call of shape \p number with \p arguments, as long as nothing else
  /// is found. Null: only a plain run can say what comes of it.
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
  llvm::DenseMap<const Inst *, uint32_t> m_numbers; ///< In m_shapes.
  std::vector<PathTable> m_places;                  ///< Of results in m_results, by shape.
  std::vector<Scalar> m_results;
  std::vector<Scalar> m_last; ///< Where m_results is full.
};

} // namespace assay::reference
