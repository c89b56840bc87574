// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/StoreTrace.h"

#include "oracles/divergence/CodeTrace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <set>

using namespace llvm;
using namespace assay;

/// What a slice is cut to: further back, most of a shader is part of it.
static constexpr size_t mostSlice = 12;

/// By name, one for each dword: "v2", "s8".
using Registers = std::set<std::string>;

/// The registers that \p operand names: "v2", "s[8:11]", "vcc_lo".
static Registers registersOf(StringRef operand) {
  operand = operand.trim(" -|");
  operand = operand.take_until([](char c) { return c == ' ' || c == '|' || c == '.'; });
  Registers registers;
  char kind = operand.empty() ? 0 : operand.front();
  StringRef rest = operand.drop_front(std::min<size_t>(1, operand.size()));
  unsigned first, last;
  if ((kind == 'v' || kind == 's') && rest.consume_front("[")) {
    if (!rest.consumeInteger(10, first) && rest.consume_front(":") &&
        !rest.consumeInteger(10, last))
      for (unsigned i = first; i <= last; ++i)
        registers.insert(kind + std::to_string(i));
  } else if ((kind == 'v' || kind == 's') && !rest.getAsInteger(10, first)) {
    registers.insert(operand.str());
  } else if (operand.starts_with("vcc") || operand.starts_with("exec")) {
    registers.insert(operand.take_front(operand.find('_')).str());
  }
  return registers;
}

/// Of "pc 0x58: v_dual_x v4, v1 :: v_dual_y v5, v2" both, of others the one.
static SmallVector<StringRef, 2> instructionsOf(StringRef text) {
  SmallVector<StringRef, 2> instructions;
  text.split(": ").second.split(instructions, " :: ");
  return instructions;
}

/// The operands of one instruction, the result first.
static SmallVector<StringRef, 6> operandsOf(StringRef text) {
  SmallVector<StringRef, 6> operands;
  text.split(' ').second.split(operands, ", ");
  return operands;
}

/// By its name: to memory or LDS.
static bool isStore(StringRef instruction) {
  return instruction.contains("store") || instruction.contains("ds_write");
}

/// The first operand is the result, except for stores; some operations also read it.
static bool readsFirst(StringRef instruction) {
  StringRef name = instruction.split(' ').first;
  return isStore(name) || name.contains("mac") || name.contains("atomic");
}

/// All registers that the instruction, or both of a pair, reads.
static Registers readBy(StringRef text) {
  Registers registers;
  for (StringRef instruction : instructionsOf(text))
    for (auto [index, operand] : enumerate(operandsOf(instruction)))
      if (index > 0 || readsFirst(instruction))
        registers.merge(registersOf(operand));
  return registers;
}

/// The registers of the result; none for a store.
static Registers writtenBy(StringRef text) {
  Registers registers;
  for (StringRef instruction : instructionsOf(text)) {
    SmallVector<StringRef, 6> operands = operandsOf(instruction);
    if (!operands.empty() && !isStore(instruction))
      registers.merge(registersOf(operands.front()));
  }
  return registers;
}

/// Backwards from the last of \p steps, all of one wave.
static std::vector<std::string> sliceOf(ArrayRef<StringRef> steps) {
  std::vector<std::string> slice;
  Registers wanted = readBy(steps.back());
  for (StringRef step : reverse(steps.drop_back())) {
    Registers found;
    Registers written = writtenBy(step);
    std::set_intersection(written.begin(), written.end(), wanted.begin(), wanted.end(),
                          std::inserter(found, found.end()));
    if (found.empty())
      continue;
    slice.push_back(step.str());
    if (slice.size() == mostSlice)
      break;
    for (const std::string &name : found)
      wanted.erase(name);
    wanted.merge(readBy(step));
  }
  std::reverse(slice.begin(), slice.end());
  return slice;
}

std::optional<StoreOrigin> assay::findStore(StringRef trace, uint64_t address) {
  std::vector<TracedStep> steps = readCodeTrace(trace);
  const TracedStep *store = nullptr;
  unsigned lane = 0;
  for (const TracedStep &step : steps)
    for (const TracedAccess &access : step.accesses)
      if (access.writes && access.holds(address)) {
        store = &step;
        lane = access.lane;
      }
  if (!store)
    return std::nullopt;
  std::vector<StringRef> own;
  for (const TracedStep &step : steps) {
    if (step.group == store->group && step.wave == store->wave)
      own.push_back(step.text);
    if (&step == store)
      break;
  }
  return StoreOrigin{(store->group + " wave " + Twine(store->wave) + " lane " + Twine(lane)).str(),
                     store->text.str(), sliceOf(own)};
}
