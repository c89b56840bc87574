// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/api/DebugModes.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

namespace {
struct ModeRow {
  StringLiteral name;
  bool DebugModes::*member;
};
} // namespace

static constexpr ModeRow modeRows[] = {
    {"spillall", &DebugModes::spillAll},
    {"fullsync", &DebugModes::fullSync},
    {"fullnop", &DebugModes::fullNop},
    {"no-sched", &DebugModes::noSchedule},
};

bool DebugModes::any() const {
  return *this != DebugModes();
}

std::vector<std::string> assay::debugModeNames() {
  std::vector<std::string> names;
  for (const ModeRow &row : modeRows)
    names.push_back(row.name.str());
  return names;
}

Expected<DebugModes> assay::parseDebugMode(StringRef name) {
  const auto *row = find_if(modeRows, [&](const ModeRow &each) { return each.name == name; });
  if (row == std::end(modeRows))
    return invalidInput("no debug mode is called '" + name + "'; known are " +
                        join(debugModeNames(), ", "));
  DebugModes modes;
  modes.*row->member = true;
  return modes;
}
