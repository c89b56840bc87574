// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/draw/PathTree.h"

#include "oracles/machine/spirv/draw/PathRecorder.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

// Credit decides whether the tree is worth its cost. Each fragment on a known path earns credit.
// Each new path, the instructions executed to record it, and each plain run cost credit. When no
// credit is left, the tree starts over with a table of calls; the second time it gives up.
static constexpr int FirstCredit = 2048, MostCredit = 16384, CostOfNew = 8, CostOfPlain = 4;
static constexpr uint64_t InstructionsPerCost = 4096;
/// Bounds of a tree's memory: steps of all nodes, and constants.
static constexpr size_t MaxSteps = size_t(1) << 18, MaxConstants = size_t(1) << 18;

/// True for shaders without effects, subgroup operations and built-in inputs, while nothing writes
/// what they read.
bool PathTree::isFor(const Execution &execution) {
  const Program &program = execution.program();
  return execution.expectsNoWrites() && !program.hasEffects && program.tangleSites.empty() &&
         program.inputs.empty();
}

/// Starts with an incomplete root node. Steps run in an invocation of the tree; private variables
/// are its whole memory.
PathTree::PathTree(Execution &execution)
    : m_execution(execution), m_nodes(1), m_memory(execution.program().privateSlots),
      m_credit(FirstCredit) {
  m_run.execution = &execution;
  m_run.stack = m_memory.data();
}

/// Reads only the inputs that a step, decision or output of the tree uses.
void PathTree::fillInputs(const FragmentPlace &place) {
  const Program &program = m_execution.program();
  for (uint32_t input : m_usedInputs)
    m_values[input] = place.inputs->getInput(program.shaderInputs[input], place, m_run);
}

/// Copies the outputs of a finished path to where FragmentRun reads them, and computes its number
/// of instructions, including those of calls by table.
void PathTree::takeOutputs(const Node &node) {
  const Program &program = m_execution.program();
  for (auto [output, reference] : zip_equal(program.shaderOutputs, node.outputs))
    m_memory[output.slot] = *m_run.at(reference);
  m_run.isKilled = node.isKilled;
  m_instructions = node.instructions;
  for (uint32_t count : node.counts)
    m_instructions += m_run.at(count)->bits;
}

/// Walks from the root along the decisions of this fragment. NewPath means that a node lacks a
/// child for the decision, or is incomplete; Plain that the fragment has to run without the tree.
PathTree::Found PathTree::follow(const FragmentPlace &place) {
  m_run.base[0] = m_values.data();
  m_run.base[1] = m_constants.data();
  fillInputs(place);
  for (const Node *node = &m_nodes.front(); node->isComplete;) {
    for (const Inst &step : node->steps)
      if (step.run(m_run, step) != Status::Next) {
        m_execution.abandonGroup(); // The plain run says what is wrong.
        return Found::Plain;
      }
    if (node->end == End::Plain)
      return Found::Plain;
    if (node->end == End::Ended) {
      takeOutputs(*node);
      return Found::Ended;
    }
    const Scalar &decider = *m_run.at(node->decider);
    if (decider.isPoison())
      return Found::Plain;
    uint64_t key = node->isSelector ? decider.bits : decider.bits != 0;
    auto child = find_if(node->children, [&](const Child &each) { return each.key == key; });
    if (child == node->children.end())
      return Found::NewPath;
    node = &m_nodes[child->node];
  }
  return Found::NewPath;
}

/// Records a new path if there is room, and follows it.
void PathTree::record(const FragmentPlace &place, uint32_t lane, Found &found) {
  m_credit -= CostOfNew;
  if (m_steps >= MaxSteps || m_constants.size() >= MaxConstants) {
    m_credit = -1;
    return;
  }
  PathRecorder recorder(*this);
  bool isKnown = recorder.record(place, lane);
  m_credit -= static_cast<int>(recorder.instructions() / InstructionsPerCost);
  if (isKnown)
    found = follow(place);
}

/// Discards all paths. Paths recorded from now on look calls up in a table. False: they already
/// did, or the shader has no such calls.
bool PathTree::startOver() {
  if (m_calls)
    return false;
  m_calls = std::make_unique<CallTable>(m_execution);
  m_run.calls = m_calls.get();
  m_nodes.assign(1, Node());
  m_constants.clear();
  m_constantPlaces.clear();
  m_steps = 0;
  m_credit = FirstCredit;
  return m_calls->mayBeUsed();
}

/// Returns the finished invocation, valid until the next call, or null where the fragment has to
/// run without the tree. Successful runs earn credit and plain ones cost it; without credit the
/// tree starts over or is given up.
Invocation *PathTree::run(const FragmentPlace &place, uint32_t lane) {
  if (m_isGivenUp)
    return nullptr;
  if (m_credit < 0 && !startOver()) {
    m_isGivenUp = true;
    return nullptr;
  }
  m_run.localIndex = lane;
  m_run.fragment = &place;
  m_run.isUncertain = !place.get().coverage.certain;
  m_values.resize(std::max(m_values.size(), m_execution.program().shaderInputs.size()));
  Found found = follow(place);
  if (found == Found::NewPath)
    record(place, lane, found);
  else
    m_credit = found == Found::Ended ? std::min(m_credit + 1, MostCredit) : m_credit - CostOfPlain;
  return found == Found::Ended ? &m_run : nullptr;
}
