// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/StoreTrace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <set>

using namespace llvm;
using namespace assay;

/// What a slice is cut to: further back, most of a shader is part of it.
static constexpr size_t mostSlice = 12;

namespace {
/// A line "group 0,0,0 wave 0 pc 0x58: v_add ...".
struct Step {
  StringRef wave; ///< "group 0,0,0 wave 0".
  StringRef text; ///< "pc 0x58: v_add ...".
};

/// A line "    writes global 0x100 step 0x4, 4 bytes, lanes 2-6 step 2: ...", or with "atomic" for
/// "writes", or ", lane 3, 4 times: ..." (oracles/machine/gcn/Trace.cpp).
struct Write {
  uint64_t address = 0, step = 0, bytes = 0;
  unsigned firstLane = 0, laneStep = 0;
  unsigned count = 1; ///< Accesses.
};
using Registers = std::set<std::string>;
} // namespace

static std::optional<Step> parseStep(StringRef line) {
  size_t at = line.find(" pc 0x");
  if (!line.starts_with("group ") || at == StringRef::npos)
    return std::nullopt;
  return Step{line.take_front(at), line.drop_front(at + 1)};
}

static bool takeHex(StringRef &text, uint64_t &number) {
  return text.consume_front("0x") && !text.consumeInteger(16, number);
}

static std::optional<Write> parseWrite(StringRef line) {
  Write write;
  line = line.ltrim();
  if ((!line.consume_front("writes global ") && !line.consume_front("atomic global ")) ||
      !takeHex(line, write.address))
    return std::nullopt;
  if (line.consume_front(" step ") && !takeHex(line, write.step))
    return std::nullopt;
  if (!line.consume_front(", ") || line.consumeInteger(10, write.bytes) ||
      !line.consume_front(" bytes, lane"))
    return std::nullopt;
  line.consume_front("s");
  if (!line.consume_front(" ") || line.consumeInteger(10, write.firstLane))
    return std::nullopt;
  unsigned lastLane = write.firstLane;
  if (line.consume_front("-")) {
    if (line.consumeInteger(10, lastLane))
      return std::nullopt;
    write.laneStep = 1;
    if (line.consume_front(" step ") &&
        (line.consumeInteger(10, write.laneStep) || !write.laneStep))
      return std::nullopt;
    write.count = 1 + (lastLane - write.firstLane) / write.laneStep;
  } else if (line.consume_front(", ") && line.consumeInteger(10, write.count)) {
    return std::nullopt;
  }
  return write;
}

static std::optional<unsigned> findLane(const Write &write, uint64_t address) {
  for (unsigned i = 0; i < write.count; ++i)
    if (address - (write.address + write.step * i) < write.bytes)
      return write.firstLane + write.laneStep * i;
  return std::nullopt;
}

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

static SmallVector<StringRef, 6> operandsOf(StringRef text) {
  SmallVector<StringRef, 6> operands;
  text.split(' ').second.split(operands, ", ");
  return operands;
}

static bool isStore(StringRef instruction) {
  return instruction.contains("store") || instruction.contains("ds_write");
}

/// The first operand is the result, but for stores; some operations also read it.
static bool readsFirst(StringRef instruction) {
  StringRef name = instruction.split(' ').first;
  return isStore(name) || name.contains("mac") || name.contains("atomic");
}

static Registers readBy(StringRef text) {
  Registers registers;
  for (StringRef instruction : instructionsOf(text))
    for (auto [index, operand] : enumerate(operandsOf(instruction)))
      if (index > 0 || readsFirst(instruction))
        registers.merge(registersOf(operand));
  return registers;
}

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
  std::vector<Step> steps;
  size_t writer = 0; ///< One behind; 0: none.
  unsigned lane = 0;
  while (!trace.empty()) {
    auto [line, rest] = trace.split('\n');
    trace = rest;
    if (std::optional<Step> step = parseStep(line)) {
      steps.push_back(*step);
    } else if (std::optional<Write> write = parseWrite(line); write && !steps.empty()) {
      if (std::optional<unsigned> found = findLane(*write, address)) {
        writer = steps.size();
        lane = *found;
      }
    }
  }
  if (!writer)
    return std::nullopt;
  const Step &store = steps[writer - 1];
  std::vector<StringRef> own;
  for (const Step &step : ArrayRef(steps).take_front(writer))
    if (step.wave == store.wave)
      own.push_back(step.text);
  return StoreOrigin{(store.wave + " lane " + Twine(lane)).str(), store.text.str(), sliceOf(own)};
}
