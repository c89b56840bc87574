// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Profile.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace assay::fuzz {

static constexpr StringRef names[] = {"default", "small", "flow",    "memory",   "floats",
                                      "numbers", "webs",  "layouts", "subgroups"};

ArrayRef<StringRef> profileNames() {
  return names;
}

Expected<Profile> findProfile(StringRef name) {
  if (!is_contained(names, name))
    return invalidInput("no profile '" + name + "'; there are " + join(ArrayRef(names), ", "));
  Profile profile;
  profile.name = name.str();
  if (name == "small") {
    profile.statements = 8;
    profile.depth = 2;
    profile.functions = 1;
    profile.instructions = 400;
    profile.workgroups = 1;
  } else if (name == "flow") {
    profile.depth = 7;
    profile.weights = {{"flow-selection", 40},  {"flow-switch", 20},    {"flow-loop", 20},
                       {"flow-loop-exits", 30}, {"shared-exchange", 8}, {"bool-logic", 10}};
  } else if (name == "memory") {
    profile.weights = {{"memory-variable", 40}, {"memory-own-word", 30}, {"atomic-own", 15},
                       {"atomic-shared", 15},   {"shared-exchange", 25}, {"composite-take", 20}};
  } else if (name == "floats") {
    profile.weights = {{"float-arithmetic", 60}, {"float-compare", 20}, {"convert-number", 25}};
  } else if (name == "numbers") {
    profile.weights = {{"extended-integer", 40}, {"extended-exact", 40}, {"extended-inexact", 20},
                       {"extended-parts", 15},   {"extended-pack", 20},  {"wide-carry", 30},
                       {"wide-field", 30},       {"wide-dot", 30},       {"matrix-build", 15},
                       {"matrix-product", 40},   {"matrix-inexact", 8}};
  } else if (name == "webs") {
    profile.weights = {{"web-rotation", 40},    {"web-fall-through", 40}, {"web-return", 25},
                       {"web-unreachable", 25}, {"flow-call", 20},        {"copy-object", 10},
                       {"copy-memory", 15}};
    profile.depth = 6;
    profile.functions = 5;
  }
  if (name == "layouts")
    profile.weights = {{"specialization-scalar", 30},
                       {"specialization-operation", 30},
                       {"specialization-composite", 15},
                       {"specialization-array", 10},
                       {"block-read", 50},
                       {"block-own", 40},
                       {"memory-result", 20},
                       {"composite-take", 30}};
  if (name == "subgroups")
    profile.weights = {{"subgroup-reduce", 40}, {"subgroup-vote", 20}, {"subgroup-ballot", 25},
                       {"subgroup-move", 40},   {"atomic-number", 25}, {"shared-structures", 20}};
  return profile;
}

} // namespace assay::fuzz
