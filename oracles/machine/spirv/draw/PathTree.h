// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that the fragments of a draw share. Computations that do not depend on a fragment's inputs
// have the same results for all fragments that take the same path through the shader. They are done
// once for each path. A fragment executes only the rest.
#pragma once

#include "oracles/machine/spirv/draw/CallTable.h"
#include "oracles/machine/spirv/draw/Fragment.h"

namespace assay::reference {

/// The invocation that steps of a tree work on.
struct PathRun : Invocation {
  CallTable *calls = nullptr;
};

/// The paths that fragments have taken, as a tree of steps with a fork at each condition that
/// depends on inputs. Each thread has a tree of its own, which lives as long as the draw. Results
/// of fragments do not depend on the contents of the tree.
class PathTree {
public:
  /// Whether the fragments of \p execution can share work: none reads values of others or writes to
  /// memory.
  static bool isFor(const Execution &execution);
  /// \p execution: runs fragments of the draw, and is not running one during run().
  explicit PathTree(Execution &execution);

  /// Runs the fragment at \p place, number \p lane of its quad. It must not be a helper. Returns an
  /// invocation with the outputs in its memory, valid until the next call. Returns null if the
  /// fragment needs a plain run; the execution's ending is unchanged then. Choices among several
  /// permitted values are noted as in a plain run (Execution::setWays()).
  Invocation *run(const FragmentPlace &place, uint32_t lane);
  /// Instructions that the shader has executed in the last run().
  uint64_t instructions() const { return m_instructions; }

private:
  friend class PathRecorder;

  /// How a node ends.
  enum class End : uint8_t {
    Fork,  ///< A condition or selector chooses the next node.
    Ended, ///< The fragment has ended.
    Plain  ///< What follows requires a plain run.
  };
  struct Child {
    uint64_t key; ///< Of a condition, 0 or 1; of a selector, its bits.
    uint32_t node;
  };
  /// Steps without a branch. References are to values of the path and to m_constants.
  struct Node {
    std::vector<Inst> steps;
    End end = End::Plain;
    bool isComplete = false;   ///< A recorder has reached its end.
    bool isSelector = false;   ///< The fork is at a switch.
    bool isKilled = false;     ///< The fragment is discarded.
    uint32_t decider = 0;      ///< Reference of the condition or selector.
    uint64_t instructions = 0; ///< Executed by the whole fragment, without calls by table.
    std::vector<Child> children;
    std::vector<uint32_t> outputs; ///< References, as Program::shaderOutputs.
    std::vector<uint32_t> counts;  ///< References to instruction counts of calls by table.
  };
  enum class Found : uint8_t { Ended, NewPath, Plain };

  Found follow(const FragmentPlace &place);
  void fillInputs(const FragmentPlace &place);
  void takeOutputs(const Node &node);
  void record(const FragmentPlace &place, uint32_t lane, Found &found);
  bool startOver();

  Execution &m_execution;
  std::vector<Node> m_nodes;
  std::vector<Scalar> m_constants;
  PathTable m_constantPlaces;         ///< In m_constants, by bits.
  std::vector<uint32_t> m_usedInputs; ///< Indices into Program::shaderInputs: the first values.
  size_t m_steps = 0;                 ///< Of all nodes.
  std::vector<Scalar> m_values;
  std::vector<Scalar> m_memory; ///< Of m_run: only outputs are ever set.
  PathRun m_run;
  /// Null until the tree has started over (startOver()).
  std::unique_ptr<CallTable> m_calls;
  uint64_t m_instructions = 0;
  int m_credit;
  bool m_isGivenUp = false; ///< All fragments need plain runs.
};

} // namespace assay::reference
