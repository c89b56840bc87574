// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/pair/InterfaceMutations.h"

#include "fuzz/pair/ChangeProgram.h"
#include "fuzz/program/Definitions.h"
#include "fuzz/program/Pool.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace assay;
using fuzz::Id;
using fuzz::Pool;
using fuzz::Program;

/// Locations that mutations use; Vulkan guarantees 16 to fragment shaders.
static constexpr uint32_t mostLocations = 16;
/// Of 32 bits each (SPIR-V, decoration Component).
static constexpr uint32_t componentsOfLocation = 4;

namespace {
/// An input or output of one stage: a scalar or vector of 32 bits with a location.
struct Variable {
  Id id = 0;
  Id type = 0; ///< Of its value.
  bool isFloat = false;
  uint32_t count = 1; ///< Components.
  uint32_t location = 0, component = 0;

  bool isAt(const Variable &other) const {
    return location == other.location && component == other.component;
  }
};

/// A vertex output and the fragment input that reads it.
struct Exchange {
  Variable output, input;
};
} // namespace

/// Returns the global with this result, or null. The pointer is valid until globals change.
static const fuzz::Instruction *findGlobal(const Program &program, Id id) {
  auto found =
      llvm::find_if(program.globals, [&](const auto &global) { return global.result == id; });
  return found == program.globals.end() ? nullptr : &*found;
}

/// Fills in the type of \p variable; false for a type that mutations leave alone.
static bool describeType(const Program &program, Variable &variable) {
  const fuzz::Instruction *type = findGlobal(program, variable.type);
  if (type && type->opcode == spv::Op::OpTypeVector) {
    variable.count = type->word(1);
    type = findGlobal(program, type->word(0));
  }
  variable.isFloat = type && type->opcode == spv::Op::OpTypeFloat;
  bool isNumber = variable.isFloat || (type && type->opcode == spv::Op::OpTypeInt);
  return isNumber && type->word(0) == 32;
}

/// Lists the variables of a storage class that have a location and a type that describeType()
/// accepts; blocks, arrays, matrices and built-ins are left out.
static std::vector<Variable> listVariables(const Program &program, spv::StorageClass storage) {
  std::vector<Variable> variables;
  for (const fuzz::Instruction &global : program.globals) {
    if (global.opcode != spv::Op::OpVariable || global.word(0) != uint32_t(storage))
      continue;
    std::optional<uint32_t> location =
        fuzz::findDecoration(program, global.result, spv::Decoration::Location);
    const fuzz::Instruction *pointer = findGlobal(program, global.type);
    if (!location || !pointer)
      continue;
    Variable variable{global.result, pointer->word(1)};
    variable.location = *location;
    variable.component =
        fuzz::findDecoration(program, global.result, spv::Decoration::Component).value_or(0);
    if (describeType(program, variable))
      variables.push_back(variable);
  }
  return variables;
}

/// Lists the outputs of the vertex shader that mutations may change.
static std::vector<Variable> listOutputs(const Program &vertex) {
  return listVariables(vertex, spv::StorageClass::Output);
}

/// Lists the pairs with equal location, component, component count and base type.
static std::vector<Exchange> listExchanges(const Program &vertex, const Program &fragment) {
  std::vector<Exchange> exchanges;
  for (const Variable &output : listOutputs(vertex))
    for (const Variable &input : listVariables(fragment, spv::StorageClass::Input))
      if (input.isAt(output) && input.count == output.count && input.isFloat == output.isFloat)
        exchanges.push_back({output, input});
  return exchanges;
}

/// True for OpDecorate of \p target with \p decoration; group and member decorations do not count.
static bool isDecoration(const fuzz::Instruction &each, Id target, spv::Decoration decoration) {
  return each.opcode == spv::Op::OpDecorate && each.word(0) == target &&
         each.word(1) == static_cast<uint32_t>(decoration);
}

/// Removes a decoration from the variable; does nothing if it has none.
static void undecorate(Program &program, Id target, spv::Decoration decoration) {
  erase_if(program.decorations,
           [&](const fuzz::Instruction &each) { return isDecoration(each, target, decoration); });
}

/// Replaces the variable's Location and Component decorations. Component 0 is left implicit.
static void move(Program &program, const Variable &variable, uint32_t location,
                 uint32_t component) {
  undecorate(program, variable.id, spv::Decoration::Location);
  undecorate(program, variable.id, spv::Decoration::Component);
  Pool pool(program);
  pool.decorate(variable.id, spv::Decoration::Location, {location});
  if (component)
    pool.decorate(variable.id, spv::Decoration::Component, {component});
}

/// A location that neither stage uses by a decoration; \p mostLocations where there is none.
static uint32_t findFreeLocation(const Program &vertex, const Program &fragment) {
  std::set<uint32_t> used;
  for (const Program *program : {&vertex, &fragment})
    for (const fuzz::Instruction &each : program->decorations) {
      bool isMember = each.opcode == spv::Op::OpMemberDecorate;
      if ((each.opcode == spv::Op::OpDecorate || isMember) &&
          each.word(isMember ? 2 : 1) == static_cast<uint32_t>(spv::Decoration::Location))
        // Matrices, arrays and wide vectors go on in the next ones.
        for (uint32_t i = 0; i < 4; ++i)
          used.insert(each.word(isMember ? 3 : 2) + i);
    }
  uint32_t location = 0;
  while (used.count(location))
    ++location;
  return std::min(location, mostLocations);
}

/// Moves an exchanged variable, of the vertex stage or of the fragment stage, to a free location.
static bool moveAway(PairInput &input, Random &random, bool ofVertex) {
  return changeStages(input.pipeline, [&](Program &vertex, Program &fragment) {
    std::vector<Exchange> exchanges = listExchanges(vertex, fragment);
    uint32_t location = findFreeLocation(vertex, fragment);
    if (exchanges.empty() || location == mostLocations)
      return false;
    const Exchange &exchange = random.pick(ArrayRef(exchanges));
    move(ofVertex ? vertex : fragment, ofVertex ? exchange.output : exchange.input, location, 0);
    return true;
  });
}

bool assay::applyInterfaceUnwritten(PairInput &input, Random &random) {
  return moveAway(input, random, /*ofVertex=*/true);
}

bool assay::applyInterfaceUnread(PairInput &input, Random &random) {
  return moveAway(input, random, /*ofVertex=*/false);
}

/// Returns the function of the first entry point, or null.
static fuzz::Function *findEntryFunction(Program &program) {
  return program.entryPoints.empty() ? nullptr
                                     : program.findFunction(program.entryPoints[0].word(1));
}

/// The constant is a float from 1 to 1.875, stored at the beginning of the entry function.
bool assay::applyInterfaceAdd(PairInput &input, Random &random) {
  return changeStages(input.pipeline, [&](Program &vertex, Program &fragment) {
    uint32_t location = findFreeLocation(vertex, fragment);
    fuzz::Function *entry = findEntryFunction(vertex);
    if (location == mostLocations || !entry || entry->blocks.empty())
      return false;
    Pool pool(vertex);
    Id type = pool.floatType(32);
    constexpr uint32_t one = 0x3f800000;
    Id value = pool.constant(type, one + (random.below(8) << 20));
    Id output =
        pool.variable(pool.pointerType(spv::StorageClass::Output, type), spv::StorageClass::Output);
    pool.decorate(output, spv::Decoration::Location, {location});
    fuzz::Block &first = entry->blocks.front();
    first.body.insert(first.body.begin() + static_cast<ptrdiff_t>(first.firstOrdinary()),
                      {spv::Op::OpStore, 0, 0, {fuzz::id(output), fuzz::id(value)}});
    return true;
  });
}

/// Calls \p visit for each store to \p variable itself, not to a part of it, which may change the
/// instruction; those for which it returns true are erased. Returns how many there were.
static unsigned visitStores(Program &program, Id variable,
                            function_ref<bool(fuzz::Instruction &)> visit) {
  unsigned count = 0;
  for (fuzz::Function &function : program.functions)
    for (fuzz::Block &block : function.blocks)
      erase_if(block.body, [&](fuzz::Instruction &each) {
        if (each.opcode != spv::Op::OpStore || each.word(0) != variable)
          return false;
        ++count;
        return visit(each);
      });
  return count;
}

bool assay::applyInterfaceDrop(PairInput &input, Random &random) {
  return changeStages(input.pipeline, [&](Program &vertex, Program &) {
    std::vector<Variable> outputs = listOutputs(vertex);
    return !outputs.empty() && visitStores(vertex, random.pick(ArrayRef(outputs)).id,
                                           [](fuzz::Instruction &) { return true; }) != 0;
  });
}

/// Components are floats from 2 to 3.5, or the same bits as integers.
bool assay::applyInterfaceConstant(PairInput &input, Random &random) {
  return changeStages(input.pipeline, [&](Program &vertex, Program &) {
    std::vector<Variable> outputs = listOutputs(vertex);
    if (outputs.empty())
      return false;
    const Variable &output = random.pick(ArrayRef(outputs));
    Pool pool(vertex);
    const fuzz::Instruction *type = findGlobal(vertex, output.type);
    Id scalar = output.count > 1 ? type->word(0) : output.type;
    constexpr uint32_t two = 0x40000000;
    std::vector<Id> parts;
    for (uint32_t i = 0; i < output.count; ++i)
      parts.push_back(pool.constant(scalar, two + (random.below(4) << 21)));
    Id value = output.count > 1 ? pool.constantComposite(output.type, parts) : parts[0];
    return visitStores(vertex, output.id, [&](fuzz::Instruction &store) {
             store.operands[1] = fuzz::id(value);
             return false;
           }) != 0;
  });
}

/// Tries up to 16 pairs of variables.
bool assay::applyInterfaceReorder(PairInput &input, Random &random) {
  return changeStages(input.pipeline, [&](Program &vertex, Program &fragment) {
    std::vector<Exchange> exchanges = listExchanges(vertex, fragment);
    for (unsigned i = 0; i < 16 && exchanges.size() > 1; ++i) {
      const Exchange &one = random.pick(ArrayRef(exchanges));
      const Exchange &two = random.pick(ArrayRef(exchanges));
      if (one.output.id == two.output.id || one.output.count != two.output.count)
        continue;
      move(vertex, one.output, two.output.location, two.output.component);
      move(vertex, two.output, one.output.location, one.output.component);
      move(fragment, one.input, two.input.location, two.input.component);
      move(fragment, two.input, one.input.location, one.input.component);
      return true;
    }
    return false;
  });
}

/// An input without any of these is interpolated smoothly.
static constexpr spv::Decoration interpolations[] = {
    spv::Decoration::Flat, spv::Decoration::NoPerspective, spv::Decoration::Centroid,
    spv::Decoration::Sample};

/// Decoration Sample also adds the capability SampleRateShading.
bool assay::applyInterfaceInterpolation(PairInput &input, Random &random) {
  return changeStages(input.pipeline, [&](Program &vertex, Program &fragment) {
    std::vector<Exchange> exchanges = listExchanges(vertex, fragment);
    erase_if(exchanges, [](const Exchange &each) { return !each.input.isFloat; });
    if (exchanges.empty())
      return false;
    Id variable = random.pick(ArrayRef(exchanges)).input.id;
    bool hadNone = none_of(fragment.decorations, [&](const fuzz::Instruction &each) {
      return any_of(interpolations,
                    [&](spv::Decoration kind) { return isDecoration(each, variable, kind); });
    });
    for (spv::Decoration kind : interpolations)
      undecorate(fragment, variable, kind);
    if (!hadNone && random.oneIn(2))
      return true; // Back to smooth.
    Pool pool(fragment);
    spv::Decoration kind = interpolations[random.below(std::size(interpolations))];
    if (kind == spv::Decoration::Sample)
      pool.require(spv::Capability::SampleRateShading);
    pool.decorate(variable, kind);
    return true;
  });
}

/// Whether all uses of \p variable in functions are loads and stores of all of it.
static bool isUsedAsAWhole(const Program &program, Id variable) {
  for (const fuzz::Function &function : program.functions)
    for (const fuzz::Block &block : function.blocks)
      for (const fuzz::Instruction &each : block.body) {
        bool isUse = any_of(each.operands, [&](const fuzz::Operand &operand) {
          return operand.isId && operand.word == variable;
        });
        bool isAccess = each.opcode == spv::Op::OpLoad || each.opcode == spv::Op::OpStore;
        if (isUse && (!isAccess || each.word(0) != variable))
          return false;
      }
  return true;
}

/// Makes \p variable one of \p type; what is loaded and stored is converted bit by bit.
static void retype(Program &program, const Variable &variable, Id type, spv::StorageClass storage) {
  Id pointer = Pool(program).pointerType(storage, type);
  for (fuzz::Function &function : program.functions)
    for (fuzz::Block &block : function.blocks)
      for (size_t i = 0; i < block.body.size(); ++i) {
        fuzz::Instruction &each = block.body[i];
        bool isLoad = each.opcode == spv::Op::OpLoad, isStore = each.opcode == spv::Op::OpStore;
        if ((!isLoad && !isStore) || each.word(0) != variable.id)
          continue;
        Id bits = program.fresh();
        fuzz::Instruction cast{spv::Op::OpBitcast,
                               isLoad ? each.type : type,
                               isLoad ? each.result : bits,
                               {fuzz::id(isLoad ? bits : each.word(1))}};
        if (isLoad)
          each.type = type, each.result = bits;
        else
          each.operands[1] = fuzz::id(bits);
        block.body.insert(block.body.begin() + static_cast<ptrdiff_t>(i + isLoad), cast);
        ++i;
      }
  // Types come first: the new one may have been added at the end.
  auto place = llvm::find_if(program.globals,
                             [&](const auto &global) { return global.result == variable.id; });
  fuzz::Instruction moved = *place;
  moved.type = pointer;
  program.globals.erase(place);
  program.globals.push_back(std::move(moved));
}

/// Returns the type of \p count components of 32 bits, added where the module has none: float, or
/// uint.
static Id makeType(Program &program, bool isFloat, uint32_t count) {
  Pool pool(program);
  Id scalar = isFloat ? pool.floatType(32) : pool.intType(32, /*isSigned=*/false);
  return count > 1 ? pool.vectorType(scalar, count) : scalar;
}

bool assay::applyInterfaceRetype(PairInput &input, Random &random) {
  return changeStages(input.pipeline, [&](Program &vertex, Program &fragment) {
    std::vector<Exchange> exchanges = listExchanges(vertex, fragment);
    erase_if(exchanges, [&](const Exchange &each) {
      return !isUsedAsAWhole(vertex, each.output.id) || !isUsedAsAWhole(fragment, each.input.id);
    });
    if (exchanges.empty())
      return false;
    const Exchange &exchange = random.pick(ArrayRef(exchanges));
    bool isFloat = !exchange.output.isFloat;
    retype(vertex, exchange.output, makeType(vertex, isFloat, exchange.output.count),
           spv::StorageClass::Output);
    retype(fragment, exchange.input, makeType(fragment, isFloat, exchange.input.count),
           spv::StorageClass::Input);
    for (spv::Decoration kind : interpolations)
      undecorate(fragment, exchange.input.id, kind);
    Pool(fragment).decorate(exchange.input.id, spv::Decoration::Flat);
    return true;
  });
}

/// Moves an exchange to other components of its location, or next to another one in its location.
bool assay::applyInterfacePacking(PairInput &input, Random &random) {
  return changeStages(input.pipeline, [&](Program &vertex, Program &fragment) {
    std::vector<Exchange> exchanges = listExchanges(vertex, fragment);
    std::set<std::pair<uint32_t, uint32_t>> used;
    for (const auto &list :
         {listOutputs(vertex), listVariables(fragment, spv::StorageClass::Input)})
      for (const Variable &each : list)
        for (uint32_t i = 0; i < each.count; ++i)
          used.insert({each.location, each.component + i});
    for (unsigned i = 0; i < 32 && !exchanges.empty(); ++i) {
      const Exchange &exchange = random.pick(ArrayRef(exchanges));
      const Variable &home = random.pick(ArrayRef(exchanges)).output;
      // Types of one location must be alike.
      if (home.isFloat != exchange.output.isFloat || exchange.output.count > 3)
        continue;
      auto component =
          static_cast<uint32_t>(random.below(componentsOfLocation - exchange.output.count + 1));
      bool isFree = true;
      for (uint32_t c = 0; c < exchange.output.count; ++c)
        isFree &= !used.count({home.location, component + c});
      if (!isFree)
        continue;
      move(vertex, exchange.output, home.location, component);
      move(fragment, exchange.input, home.location, component);
      return true;
    }
    return false;
  });
}
