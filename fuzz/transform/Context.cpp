// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/transform/Context.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

Context::Context(GeneratedCase generated, bool isBroken)
    : m_generated(std::move(generated)), m_isBroken(isBroken) {}

/// Snapshots are made again when they are first needed.
void Context::refresh() {
  m_definitions.reset();
  m_flows.clear();
  m_blocks.clear();
  m_onlyStored.reset();
}

const Definitions &Context::definitions() const {
  if (!m_definitions)
    m_definitions = std::make_unique<Definitions>(program());
  return *m_definitions;
}

const Flow &Context::flow(size_t function) const {
  return m_flows.try_emplace(function, program().functions[function]).first->second;
}

std::optional<Place> Context::findBlock(Id label) const {
  if (m_blocks.empty())
    for (auto [function, body] : enumerate(program().functions))
      for (auto [block, content] : enumerate(body.blocks))
        m_blocks[content.label] = {function, block, 0};
  auto found = m_blocks.find(label);
  return found == m_blocks.end() ? std::nullopt : std::optional(found->second);
}

/// Returns the place that the anchor names, or nothing where its id is gone or its block is too
/// short.
std::optional<Place> Context::locate(Anchor anchor) const {
  std::optional<Place> place = findBlock(anchor.id);
  if (const Place *defined = definitions().place(anchor.id))
    place = *defined;
  if (!place || anchor.offset >= block(*place).body.size() - place->index)
    return std::nullopt;
  place->index += anchor.offset;
  return place;
}

/// Returns an anchor for an existing place: the nearest preceding result of its block, or its
/// label.
Anchor Context::anchorOf(Place place) const {
  const Block &content = block(place);
  for (uint32_t offset = 0; offset <= place.index; ++offset)
    if (Id result = content.body[place.index - offset].result)
      return {result, offset};
  return {content.label, static_cast<uint32_t>(place.index)};
}

const Instruction *Context::at(Place place) const {
  const std::vector<Instruction> &body = block(place).body;
  return place.index < body.size() ? &body[place.index] : nullptr;
}

bool Context::isOnlyStored(Id id) const {
  if (!m_onlyStored) {
    m_onlyStored.emplace();
    for (const Instruction &each : program().decorations)
      if (each.opcode == spv::Op::OpDecorate &&
          each.word(1) == uint32_t(spv::Decoration::FPRoundingMode))
        m_onlyStored->insert(each.word(0));
  }
  return m_onlyStored->count(id);
}

/// In unreachable blocks only constants, parameters and values of the same block are available.
bool Context::isAvailable(Id id, Place place) const {
  if (isOnlyStored(id))
    return false;
  if (const Place *defined = definitions().place(id)) {
    if (defined->function != place.function)
      return false;
    if (defined->block == place.block)
      return defined->index < place.index;
    const Flow &flow = this->flow(place.function);
    return flow.isReachable(defined->block) && flow.isReachable(place.block) &&
           flow.dominates(defined->block, place.block);
  }
  const Instruction *definition = definitions().find(id);
  if (!definition || !definition->type || definition->opcode == spv::Op::OpFunction)
    return false;
  if (definition->opcode != spv::Op::OpFunctionParameter)
    return true;
  return any_of(program().functions[place.function].parameters,
                [&](const Instruction &each) { return each.result == id; });
}

/// In the order of parameters and instructions, so that a seed always picks the same one.
std::vector<Id> Context::valuesAt(Place place, Id type) const {
  std::vector<Id> values;
  const Function &function = program().functions[place.function];
  for (const Instruction &parameter : function.parameters)
    if (parameter.type == type)
      values.push_back(parameter.result);
  for (const Block &block : function.blocks)
    for (const Instruction &each : block.body)
      if (each.result && each.type == type && isAvailable(each.result, place))
        values.push_back(each.result);
  return values;
}

/// Returns the operands in function bodies that name \p id, in the order of the program. Names,
/// decorations and globals are not searched.
std::vector<Use> Context::usesOf(Id id) const {
  std::vector<Use> uses;
  for (auto [function, body] : enumerate(program().functions))
    for (auto [block, content] : enumerate(body.blocks))
      for (auto [index, each] : enumerate(content.body))
        for (auto [operand, word] : enumerate(each.operands))
          if (word.isId && word.word == id)
            uses.push_back({{function, block, index}, static_cast<unsigned>(operand)});
  return uses;
}

/// An operand of a phi belongs to the end of its predecessor.
Place Context::placeOf(const Use &use) const {
  const Instruction &instruction = *at(use.place);
  if (instruction.opcode != spv::Op::OpPhi)
    return use.place;
  std::optional<Place> from = findBlock(instruction.word(use.operand | 1));
  if (!from)
    return use.place;
  from->index = lastInsertion(block(*from));
  return *from;
}

/// True if a dead block dominates the place.
bool Context::isDead(Place place) const {
  if (m_deadBlocks.empty() || !isReachable(place))
    return false;
  const Flow &flow = this->flow(place.function);
  return any_of(m_deadBlocks, [&](Id label) {
    std::optional<Place> dead = findBlock(label);
    return dead && dead->function == place.function && flow.isReachable(dead->block) &&
           flow.dominates(dead->block, place.block);
  });
}

bool isInsertion(const Context &context, Place place) {
  const Block &block = context.block(place);
  return place.index >= firstInsertion(block) && place.index <= lastInsertion(block);
}

} // namespace assay::fuzz
