// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Profile.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// The order is that of profileInTurn.
static const std::vector<Profile> &profiles() {
  static const std::vector<Profile> table = {
      {.name = "default", .leastStatements = 4},
      {.name = "small",
       .statements = 8,
       .leastStatements = 8,
       .depth = 2,
       .functions = 1,
       .workgroups = 1,
       .instructions = 400},
      {.name = "flow",
       .depth = 7,
       .weights = {{"flow-selection", 40},
                   {"flow-switch", 20},
                   {"flow-loop", 20},
                   {"flow-loop-exits", 30},
                   {"shared-exchange", 8},
                   {"bool-logic", 10}}},
      {.name = "memory",
       .weights = {{"memory-variable", 40},
                   {"memory-own-word", 30},
                   {"atomic-own", 15},
                   {"atomic-shared", 15},
                   {"shared-exchange", 25},
                   {"composite-take", 20},
                   {"order-atomic", 25},
                   {"order-exchange", 15},
                   {"order-barrier", 8}}},
      {.name = "floats",
       .weights = {{"float-arithmetic", 60},
                   {"float-compare", 20},
                   {"convert-number", 25},
                   {"float-divide", 25},
                   {"float-class", 15}}},
      {.name = "numbers",
       .weights = {{"extended-integer", 40},
                   {"extended-exact", 40},
                   {"extended-inexact", 20},
                   {"extended-parts", 15},
                   {"extended-pack", 20},
                   {"extended-double", 10},
                   {"extended-geometry", 15},
                   {"wide-carry", 30},
                   {"wide-field", 30},
                   {"wide-dot", 30},
                   {"matrix-build", 15},
                   {"matrix-product", 40},
                   {"matrix-inexact", 8}}},
      {.name = "webs",
       .depth = 6,
       .functions = 5,
       .weights = {{"web-rotation", 40},
                   {"web-fall-through", 40},
                   {"web-return", 25},
                   {"web-unreachable", 25},
                   {"flow-call", 20},
                   {"copy-object", 10},
                   {"copy-memory", 15}}},
      {.name = "layouts",
       .weights = {{"specialization-scalar", 30},
                   {"specialization-operation", 30},
                   {"specialization-composite", 15},
                   {"specialization-array", 10},
                   {"block-read", 50},
                   {"block-own", 40},
                   {"memory-result", 20},
                   {"composite-take", 30},
                   {"shared-blocks", 20}}},
      {.name = "subgroups",
       .weights = {{"subgroup-reduce", 40},
                   {"subgroup-vote", 20},
                   {"subgroup-ballot", 25},
                   {"subgroup-move", 40},
                   {"subgroup-old", 25},
                   {"subgroup-divergent", 35},
                   {"atomic-number", 25},
                   {"shared-structures", 20}}},
      {.name = "pointers",
       .weights = {{"pointer-choice", 40},
                   {"pointer-buffers", 30},
                   {"pointer-walk", 30},
                   {"pointer-shared", 30},
                   {"address-read", 30},
                   {"address-own", 30},
                   {"descriptor-read", 40},
                   {"descriptor-own", 40}}},
      {.name = "images",
       .weights = {{"image-read", 40},
                   {"image-own", 40},
                   {"image-atomic", 60},
                   {"image-fetch", 40},
                   {"image-query", 30},
                   {"image-sample", 60},
                   {"image-compare", 40},
                   {"image-gather", 40}}},
  };
  return table;
}

/// In the order of the profiles.
ArrayRef<StringRef> profileNames() {
  static const std::vector<StringRef> names = [] {
    std::vector<StringRef> result;
    for (const Profile &profile : profiles())
      result.push_back(profile.name);
    return result;
  }();
  return names;
}

/// Consecutive numbers have different profiles.
Profile profileInTurn(uint64_t number) {
  return profiles()[number % profiles().size()];
}

/// InvalidInput lists the names that exist.
Expected<Profile> findProfile(StringRef name) {
  for (const Profile &profile : profiles())
    if (profile.name == name)
      return profile;
  return invalidInput("no profile '" + name + "'; there are " + join(profileNames(), ", "));
}

} // namespace assay::fuzz
