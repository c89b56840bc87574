// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random programs on values: structured control flow with loops whose phis permute, vectors with
// shared components, half registers, arrays and relative constants.
#pragma once

#include "compiler/ir3/ir/Builder.h"
#include <random>

namespace assay::ir3 {

struct GeneratorOptions {
  unsigned statements = 20; ///< At the top level; nested ones are extra.
  unsigned values = 8;      ///< How many recent values sources are chosen from.
  bool hasFlow = true, hasArrays = true, hasHalves = true;
  bool placesOutputs = false; ///< In outputRegisters.
};

/// The registers of outputs, where the test chooses them; inputs are in some of them.
constexpr uint16_t outputRegisters[] = {2, 0, 1, 9, 4, 30};

/// Fills an empty program. Programs depend on the options and the seed only.
class Generator {
public:
  Generator(Program &program, const GeneratorOptions &options, uint64_t seed)
      : m_program(program), m_options(options), m_random(seed),
        m_builder(program, program.createBlock()) {}

  /// Ends with some values as outputs.
  void run() {
    for (uint16_t number : {0, 1, 2})
      m_values.push_back(m_builder.input(number));
    if (m_options.hasArrays)
      initializeArray();
    addStatements(m_options.statements, 0);
    std::vector<Register> outputs;
    for (uint16_t number : outputRegisters) {
      Register value = pick()->value();
      outputs.push_back(m_options.placesOutputs ? m_builder.output(value, number)->value() : value);
    }
    m_builder.end(outputs);
  }

private:
  /// Returns a number below \p count, which is not 0.
  unsigned random(unsigned count) { return unsigned(m_random() % count); }
  /// One of the most recent values.
  Instruction *pick() {
    size_t window = std::min<size_t>(m_values.size(), m_options.values);
    return m_values[m_values.size() - 1 - random(unsigned(window))];
  }
  /// An immediate, a constant, or mostly a value.
  Register pickSource() {
    switch (random(8)) {
    case 0:
      return Register::immediate(random(2) ? random(900) : unsigned(m_random()));
    case 1:
      return Register::constant(random(16));
    default:
      return pick()->value();
    }
  }

  /// Creates the array of all array accesses and stores to each of its 4 elements, so that no load
  /// reads an undefined one.
  void initializeArray() {
    m_array = m_program.createArray(4);
    for (unsigned i = 0; i < 4; ++i)
      m_builder.storeArray(m_array, i, nullptr, pickSource());
  }
  /// a0.x from the low bits of a value, scaled to stay below 4.
  Instruction *address() {
    Instruction *masked = m_builder.create(Opcode::AndB, {pick()->value(), Register::immediate(3)});
    return m_builder.moveAddress(m_builder.move(masked->value(), U32, U16)->value());
  }

  /// An operation on full registers that Interpreter.h knows.
  void addAlu() {
    static constexpr Opcode Two[] = {Opcode::AddU, Opcode::SubU, Opcode::AndB, Opcode::OrB,
                                     Opcode::XorB, Opcode::MinU, Opcode::MaxU, Opcode::MullU};
    switch (random(4)) {
    case 0:
      m_values.push_back(m_builder.create(random(2) ? Opcode::MadshM16 : Opcode::SelB32,
                                          {pickSource(), pickSource(), pickSource()}));
      break;
    default:
      m_values.push_back(m_builder.create(Two[random(8)], {pickSource(), pickSource()}));
    }
  }
  /// A sum of two halves, converted from values and back.
  void addHalf() {
    Instruction *narrow = m_builder.move(pick()->value(), U32, U16);
    Instruction *other = m_builder.move(pick()->value(), U32, U16);
    Instruction *sum = m_builder.create(Opcode::AddU, {narrow->value(), other->value()}, true);
    m_values.push_back(m_builder.move(sum->value(), U16, U32));
  }
  /// Collects of values that other collects have at other places, and their components.
  void addVector() {
    std::vector<Register> sources;
    for (unsigned i = 0, size = 2 + random(3); i < size; ++i)
      sources.push_back(pickSource());
    Instruction *vector = m_builder.collect(sources);
    for (unsigned i = 0; i < sources.size(); ++i)
      if (random(2))
        m_values.push_back(m_builder.split(vector, i));
    m_values.push_back(m_builder.split(vector, random(unsigned(sources.size()))));
  }
  /// A load or store, half of them at an address that is computed.
  void addArrayAccess() {
    Instruction *where = random(2) ? address() : nullptr;
    unsigned offset = where ? 0 : random(4);
    if (random(2))
      m_builder.storeArray(m_array, offset, where, pickSource());
    else
      m_values.push_back(m_builder.loadArray(m_array, offset, where));
  }
  /// A read of a constant relative to a0.x. The address is computed in front of the move.
  void addRelativeConst() {
    Instruction *move = m_builder.move(Register::relativeConst(int(random(8))));
    Block &block = *m_builder.block();
    block.instructions.pop_back();
    Instruction *where = address();
    move->address = where;
    block.instructions.push_back(move);
    m_values.push_back(move);
  }
  /// A comparison of two values, for a branch.
  Instruction *condition() {
    return m_builder.compare(Opcode::CmpsU, Condition(random(6)), pick()->value(), pick()->value());
  }

  /// A branch with one or two arms, which join in two phis. Values of the arms are not visible
  /// after it.
  void addIf(unsigned depth) {
    Instruction *test = condition();
    Block *start = m_builder.block();
    Block *then = m_program.createBlock();
    size_t known = m_values.size();
    m_builder.setBlock(then);
    addStatements(1 + random(4), depth + 1);
    Instruction *fromThen = pick(), *secondThen = pick();
    Block *thenEnd = m_builder.block();
    m_values.resize(known);
    Block *otherwise = random(2) ? m_program.createBlock() : nullptr;
    Block *otherEnd = start;
    if (otherwise) {
      m_builder.setBlock(otherwise);
      addStatements(1 + random(4), depth + 1);
      otherEnd = m_builder.block();
    }
    Instruction *fromOther = pick(), *secondOther = pick();
    m_values.resize(known);
    Block *join = m_program.createBlock();
    m_builder.setBlock(start);
    m_builder.branch(test->value(), then, otherwise ? otherwise : join, random(2));
    m_builder.setBlock(thenEnd);
    m_builder.jump(join);
    if (otherwise) {
      m_builder.setBlock(otherEnd);
      m_builder.jump(join);
    }
    m_builder.setBlock(join);
    addPhi(fromThen, thenEnd, fromOther, otherEnd);
    addPhi(secondThen, thenEnd, secondOther, otherEnd);
  }
  /// A phi of two predecessors.
  void addPhi(Instruction *one, Block *oneFrom, Instruction *other, Block *otherFrom) {
    Instruction *phi = m_builder.phi();
    Builder::addPhiSource(phi, one->value(), oneFrom);
    Builder::addPhiSource(phi, other->value(), otherFrom);
    m_values.push_back(phi);
  }

  /// A loop of few iterations whose phis are permuted on the way around: swaps and lost copies.
  void addLoop(unsigned depth) {
    Block *before = m_builder.block();
    Block *body = m_program.createBlock();
    Instruction *zero = m_builder.move(Register::immediate(0));
    std::vector<Instruction *> starts, phis;
    for (unsigned i = 0, count = 2 + random(2); i < count; ++i)
      starts.push_back(pick());
    m_builder.jump(body);
    m_builder.setBlock(body);
    Instruction *counter = m_builder.phi();
    for (Instruction *start : starts) {
      phis.push_back(m_builder.phi());
      Builder::addPhiSource(phis.back(), start->value(), before);
      m_values.push_back(phis.back());
    }
    size_t known = m_values.size();
    addStatements(1 + random(4), depth + 1);
    Instruction *next = m_builder.create(Opcode::AddU, {counter->value(), Register::immediate(1)});
    Instruction *changed = pick();
    Instruction *again =
        m_builder.compare(Opcode::CmpsU, Lt, next->value(), Register::immediate(1 + random(4)));
    Block *latch = m_builder.block();
    Builder::addPhiSource(counter, zero->value(), before);
    Builder::addPhiSource(counter, next->value(), latch);
    for (size_t i = 0; i < phis.size(); ++i)
      Builder::addPhiSource(
          phis[i], random(4) ? phis[(i + 1) % phis.size()]->value() : changed->value(), latch);
    Block *after = m_program.createBlock();
    m_builder.branch(again->value(), body, after);
    m_builder.setBlock(after);
    m_values.resize(known);
    m_values.push_back(next);
  }

  /// Appends \p count random statements. Flow is nested to a depth of 3 at most. A statement that
  /// the options or the depth exclude becomes one of another kind.
  void addStatements(unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; ++i) {
      unsigned kind = random(16);
      if (kind < 2 && depth < 3 && m_options.hasFlow)
        kind ? addIf(depth) : addLoop(depth);
      else if (kind < 5)
        addVector();
      else if (kind < 6 && m_options.hasHalves)
        addHalf();
      else if (kind < 8 && m_options.hasArrays)
        addArrayAccess();
      else if (kind < 9 && m_options.hasArrays)
        addRelativeConst();
      else
        addAlu();
    }
  }

  Program &m_program;
  const GeneratorOptions &m_options;
  std::mt19937_64 m_random;
  Builder m_builder;
  unsigned m_array = 0;                ///< The id of the only array.
  std::vector<Instruction *> m_values; ///< Visible here, the latest at the end.
};

} // namespace assay::ir3
