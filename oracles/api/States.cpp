// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/States.h"

using namespace llvm;
using namespace assay;

namespace {
struct StateRow {
  State state;
  StringLiteral name;
  bool isBad, isReducible, isDeath;
};
} // namespace

static constexpr StateRow rows[] = {
#define STATE(name, text, isBad, isReducible, isDeath)                                             \
  {State::name, text, isBad, isReducible, isDeath},
#include "oracles/api/States.def"
};

static constexpr bool areInOrder() {
  for (size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].state != static_cast<State>(i))
      return false;
  return std::size(rows) == stateCount;
}
static_assert(areInOrder(), "States.def has a row for each State, in their order");

static const StateRow &rowOf(State state) {
  return rows[static_cast<size_t>(state)];
}

StringRef assay::stateName(State state) {
  return rowOf(state).name;
}

std::optional<State> assay::parseState(StringRef name) {
  for (const StateRow &row : rows)
    if (row.name == name)
      return row.state;
  return std::nullopt;
}

bool assay::isBad(State state) {
  return rowOf(state).isBad;
}

bool assay::isReducible(State state) {
  return rowOf(state).isReducible;
}

bool assay::isDeath(State state) {
  return rowOf(state).isDeath;
}
