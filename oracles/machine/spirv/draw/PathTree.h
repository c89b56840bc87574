// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the fragments of a draw have in common. All of a fragment's run that does not depend on its
// inputs is the same for every fragment which takes the same way through the shader: it is done
// once for each way, and fragments execute what is left.
#pragma once

#include "oracles/machine/spirv/draw/CallTable.h"
#include "oracles/machine/spirv/draw/Fragment.h"

namespace assay::reference {

/// The invocation that steps of a tree work on.
struct PathRun : Invocation {
  CallTable *calls = nullptr;
};

/// The ways that fragments have taken, as a tree of steps with a fork at each condition that
/// depends on inputs. It is of one thread, and lives as long as the draw. Nothing that comes of a
/// fragment depends on what is in it.
class PathTree {
public:
  /// Whether fragments on \p execution can be run so: none sees others or writes to memory.
  static bool isFor(const Execution &execution);
  /// \p execution: runs fragments of the draw, and is not running one during run().
  explicit PathTree(Execution &execution);

  /// Runs the fragment at \p place, number \p lane of its quad, which is no helper. The invocation
  /// has its outputs in its memory, and stays as it is until the next call. Null: it has to be run
  /// as all others are; the execution's ending is what it was. Values of several count as chosen
  /// (Execution::setWays()).
  Invocation *run(const FragmentPlace &place, uint32_t lane);
  /// Instructions that the shader has executed in the last run().
  uint64_t instructions() const { return m_instructions; }

private:
  friend class PathRecorder;

  /// How a node ends.
  enum class End : uint8_t {
    Fork,  ///< Where it goes on depends on a condition or selector.
    Ended, ///< The fragment has ended.
    Plain  ///< Something follows that is only done in a plain run.
  };
  struct Child {
    uint64_t key; ///< Of a condition, 0 or 1; of a selector, its bits.
    uint32_t node;
  };
  /// Steps without a branch. References are of values of the way, and of m_constants.
  struct Node {
    std::vector<Inst> steps;
    End end = End::Plain;
    bool isComplete = false;   ///< Else nobody has come to its end.
    bool isSelector = false;   ///< The fork is at a switch.
    bool isKilled = false;     ///< The fragment is discarded.
    uint32_t decider = 0;      ///< Reference of the condition or selector.
    uint64_t instructions = 0; ///< Of the shader up to the end of the fragment.
    std::vector<Child> children;
    std::vector<uint32_t> outputs; ///< References, as Program::shaderOutputs.
    std::vector<uint32_t> counts;  ///< References to more instructions, of calls.
  };
  enum class Found : uint8_t { Ended, NewWay, Plain };

  Found follow(const FragmentPlace &place);
  void fillInputs(const FragmentPlace &place);
  void takeOutputs(const Node &node);
  void record(const FragmentPlace &place, uint32_t lane, Found &found);
  bool startOver();

  Execution &m_execution;
  std::vector<Node> m_nodes;
  std::vector<Scalar> m_constants;
  PathTable m_constantPlaces;         ///< In m_constants, by bits.
  std::vector<uint32_t> m_usedInputs; ///< Numbers in Program::shaderInputs: the first values.
  size_t m_steps = 0;                 ///< Of all nodes.
  std::vector<Scalar> m_values;
  std::vector<Scalar> m_memory; ///< Of m_run: only outputs are ever set.
  PathRun m_run;
  /// Null until ways with all that calls do in them have not been worth it.
  std::unique_ptr<CallTable> m_calls;
  uint64_t m_instructions = 0;
  int m_credit;
  bool m_isGivenUp = false; ///< All fragments are run plainly.
};

} // namespace assay::reference
