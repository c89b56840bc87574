// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/draw/PathTree.h"

#include "oracles/machine/spirv/draw/PathRecorder.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

// Whether ways are worth it: each fragment on a way that is known earns, each new way and each
// plain run costs. Without credit, all fragments are run plainly.
static constexpr int FirstCredit = 4096, MostCredit = 16384, CostOfNew = 8, CostOfPlain = 4;
/// Bounds of a tree's memory: steps of all nodes, and constants.
static constexpr size_t MaxSteps = size_t(1) << 18, MaxConstants = size_t(1) << 18;

bool PathTree::isFor(const Execution &execution) {
  const Program &program = execution.program();
  return execution.expectsNoWrites() && !program.hasEffects && program.tangleSites.empty() &&
         program.inputs.empty();
}

PathTree::PathTree(Execution &execution)
    : m_execution(execution), m_nodes(1), m_memory(execution.program().privateSlots),
      m_credit(FirstCredit) {
  m_run.execution = &execution;
  m_run.stack = m_memory.data();
}

void PathTree::fillInputs(const FragmentPlace &place) {
  const Program &program = m_execution.program();
  for (uint32_t input : m_usedInputs)
    m_values[input] = place.inputs->getInput(program.shaderInputs[input], place, m_run);
}

void PathTree::takeOutputs(const Node &node) {
  const Program &program = m_execution.program();
  for (auto [output, reference] : zip_equal(program.shaderOutputs, node.outputs))
    m_memory[output.slot] = *m_run.at(reference);
  m_run.isKilled = node.isKilled;
  m_instructions = node.instructions;
}

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
      return Found::NewWay;
    node = &m_nodes[child->node];
  }
  return Found::NewWay;
}

Invocation *PathTree::run(const FragmentPlace &place, uint32_t lane) {
  if (m_credit < 0)
    return nullptr;
  m_run.localIndex = lane;
  m_run.fragment = &place;
  m_run.isUncertain = !place.get().coverage.certain;
  m_values.resize(std::max(m_values.size(), m_execution.program().shaderInputs.size()));
  Found found = follow(place);
  if (found == Found::NewWay) {
    m_credit -= CostOfNew;
    if (m_steps < MaxSteps && m_constants.size() < MaxConstants &&
        PathRecorder(*this).record(place, lane))
      found = follow(place);
  } else if (found == Found::Ended) {
    m_credit = std::min(m_credit + 1, MostCredit);
  } else {
    m_credit -= CostOfPlain;
  }
  return found == Found::Ended ? &m_run : nullptr;
}
