// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of values: a result, or one use of it, becomes zero, another number, an operand, a
// constant, or a value that was there before.
#include "fuzz/program/Definitions.h"
#include "fuzz/program/Flow.h"
#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// A value of a function: where it is defined, parameters before everything.
struct Value {
  Id id = 0;
  size_t block = 0;
  bool isParameter = false;
};

/// The values of one function in its order, by type.
class EarlierValues {
public:
  EarlierValues(const Program &program, size_t function);
  /// The first value of \p type, apart from \p self, that reaches the place after whatever was
  /// added last, in \p block; 0 where there is none.
  Id find(Id type, size_t block, Id self) const;
  void add(const Instruction &instruction, size_t block);

private:
  Flow m_flow;
  DenseMap<Id, std::vector<Value>> m_values;
};
} // namespace

EarlierValues::EarlierValues(const Program &program, size_t function)
    : m_flow(program.functions[function]) {
  for (const Instruction &parameter : program.functions[function].parameters)
    m_values[parameter.type].push_back({parameter.result, 0, true});
}

void EarlierValues::add(const Instruction &instruction, size_t block) {
  if (instruction.type && instruction.result)
    m_values[instruction.type].push_back({instruction.result, block, false});
}

Id EarlierValues::find(Id type, size_t block, Id self) const {
  auto values = m_values.find(type);
  if (values == m_values.end() || !m_flow.isReachable(block))
    return 0;
  for (const Value &value : values->second)
    if (value.id != self && (value.isParameter || (m_flow.isReachable(value.block) &&
                                                   m_flow.dominates(value.block, block))))
      return value.id;
  return 0;
}

/// Whether the result may be another value: a variable is no value, and one that nobody uses needs
/// none.
static bool isReplaceable(const Instruction &instruction, const Definitions &definitions) {
  return instruction.result && instruction.type && instruction.opcode != spv::Op::OpVariable &&
         definitions.uses(instruction.result) > 0;
}

/// Calls \p visit for the results of all bodies that may be other values, the last first: what
/// feeds them then goes with them.
template <typename VisitT> static void forEachResult(const Program &program, VisitT visit) {
  Definitions definitions(program);
  for (const Function &function : reverse(program.functions))
    for (const Block &block : reverse(function.blocks))
      for (const Instruction &instruction : reverse(block.body))
        if (isReplaceable(instruction, definitions))
          visit(instruction, definitions);
}

// Results: at = the result, value = what takes its place.

/// Replaces uses of results by the values of the chances.
static void replaceResults(Program &program, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    replaceUses(program, chance.at, chance.value);
}

/// Proposes each operand of the same type in place of the result.
static std::vector<Chance> findOperandsForResults(const Program &program) {
  std::vector<Chance> chances;
  forEachResult(program, [&](const Instruction &instruction, const Definitions &definitions) {
    for (const Operand &operand : instruction.operands)
      if (operand.isId && operand.word != instruction.result &&
          definitions.typeOf(operand.word) == instruction.type)
        chances.push_back({instruction.result, 0, operand.word});
  });
  return chances;
}

/// The values of \p type that \p instruction is made of by way of values of other types: what was
/// compared, of a number that a comparison selects; the vector whose components make another.
static SmallVector<Id, 4> findOrigins(const Instruction &instruction,
                                      const Definitions &definitions) {
  constexpr size_t MostOrigins = 4, MostSteps = 16;
  SmallVector<Id, 4> origins;
  SmallVector<const Instruction *> open{&instruction};
  for (size_t i = 0; i < open.size() && open.size() < MostSteps; ++i)
    for (const Operand &operand : open[i]->operands) {
      if (!operand.isId || !definitions.place(operand.word))
        continue;
      const Instruction *definition = definitions.find(operand.word);
      if (definition->type != instruction.type && !is_contained(open, definition))
        open.push_back(definition);
      else if (i > 0 && definition->type == instruction.type && definition != &instruction &&
               origins.size() < MostOrigins && !is_contained(origins, operand.word))
        origins.push_back(operand.word);
    }
  return origins;
}

/// Proposes the values of findOrigins() in place of each result.
static std::vector<Chance> findOriginsForResults(const Program &program) {
  std::vector<Chance> chances;
  forEachResult(program, [&](const Instruction &instruction, const Definitions &definitions) {
    for (Id origin : findOrigins(instruction, definitions))
      chances.push_back({instruction.result, 0, origin});
  });
  return chances;
}

/// Proposes the first dominating value of the same type in place of each result.
static std::vector<Chance> findEarlierForResults(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (size_t i = 0; i < program.functions.size(); ++i) {
    EarlierValues earlier(program, i);
    for (auto [number, block] : enumerate(program.functions[i].blocks))
      for (const Instruction &instruction : block.body) {
        bool may = isReplaceable(instruction, definitions);
        if (Id id = may ? earlier.find(instruction.type, number, instruction.result) : 0)
          chances.push_back({instruction.result, 0, id});
        earlier.add(instruction, number);
      }
  }
  std::ranges::reverse(chances);
  return chances;
}

/// Proposes zero in place of each result of data.
static std::vector<Chance> findZerosForResults(const Program &program) {
  std::vector<Chance> chances;
  forEachResult(program, [&](const Instruction &instruction, const Definitions &) {
    if (isData(program, instruction.type))
      chances.push_back({instruction.result});
  });
  return chances;
}

/// Replaces the results by zero. Types are read first, as new constants invalidate the definitions.
static void zeroResults(Program &program, ArrayRef<Chance> chances) {
  Definitions definitions(program);
  std::vector<std::pair<Id, Id>> types;
  for (const Chance &chance : chances)
    types.push_back({chance.at, definitions.typeOf(chance.at)});
  Pool pool(program);
  for (auto [result, type] : types)
    replaceUses(program, result, zeroOf(pool, type));
}

/// Apart from zeros, which zero-results tries.
static bool isOtherConstant(const Instruction &instruction) {
  static constexpr spv::Op opcodes[] = {
      spv::Op::OpConstantTrue,      spv::Op::OpConstantComposite, spv::Op::OpSpecConstantTrue,
      spv::Op::OpSpecConstantFalse, spv::Op::OpSpecConstant,      spv::Op::OpSpecConstantComposite,
      spv::Op::OpSpecConstantOp};
  if (instruction.opcode == spv::Op::OpConstant)
    return any_of(instruction.operands, [](const Operand &operand) { return operand.word != 0; });
  return is_contained(opcodes, instruction.opcode);
}

/// The first few of each type that are not zero: what a bug needs of a value often stands there
/// already.
using Constants = DenseMap<Id, SmallVector<Id, 4>>;

/// Returns constants that the program has, by type.
static Constants otherConstants(const Program &program) {
  constexpr size_t MostOfType = 4;
  Constants constants;
  for (const Instruction &global : program.globals)
    if (isOtherConstant(global) && constants[global.type].size() < MostOfType)
      constants[global.type].push_back(global.result);
  return constants;
}

/// Proposes constants of the program in place of each result.
static std::vector<Chance> findConstantsForResults(const Program &program) {
  Constants constants = otherConstants(program);
  std::vector<Chance> chances;
  forEachResult(program, [&](const Instruction &instruction, const Definitions &) {
    for (Id constant : constants.lookup(instruction.type))
      chances.push_back({instruction.result, 0, constant});
  });
  return chances;
}

// Numbers for results: at = the result, index = the number's place in numbersOf() its type.

/// Bits of numbers that show what zero does not: one, and one with sign and all that a conversion
/// may lose.
static SmallVector<uint64_t, 2> numbersOf(const Instruction &type) {
  std::optional<uint64_t> one = oneOf(type);
  if (!one)
    return {};
  if (type.opcode == spv::Op::OpTypeInt)
    return {*one, maskTrailingOnes<uint64_t>(type.word(0))};
  // The sign, and the highest bit of the fraction: -1.5.
  unsigned width = type.word(0), fraction = width == 16 ? 10 : width == 32 ? 23 : 52;
  return {*one, *one | uint64_t(1) << (width - 1) | uint64_t(1) << (fraction - 1)};
}

/// For a vector: one in all components, and in the first alone.
enum class OfVector : uint32_t { All, First, Count };

/// Returns how many numbers there are for values of the type; 0 for types that are no numbers.
static uint32_t countNumbers(const Instruction &type, const Definitions &definitions) {
  if (type.opcode != spv::Op::OpTypeVector)
    return static_cast<uint32_t>(numbersOf(type).size());
  return oneOf(*definitions.find(type.word(0))) ? uint32_t(OfVector::Count) : 0;
}

/// Proposes each number of numbersOf() in place of the results.
static std::vector<Chance> findNumbersForResults(const Program &program) {
  std::vector<Chance> chances;
  forEachResult(program, [&](const Instruction &instruction, const Definitions &definitions) {
    if (const Instruction *type = definitions.find(instruction.type))
      for (uint32_t i = 0; i < countNumbers(*type, definitions); ++i)
        chances.push_back({instruction.result, i});
  });
  return chances;
}

/// Returns constant number \p index of the type, added if missing.
static Id makeNumber(Pool &pool, const Instruction &type, uint32_t index) {
  if (type.opcode != spv::Op::OpTypeVector)
    return pool.constant(type.result, numbersOf(type)[index]);
  Instruction component = pool.definition(type.word(0));
  Id one = pool.constant(component.result, *oneOf(component));
  bool isAll = static_cast<OfVector>(index) == OfVector::All;
  SmallVector<Id, 4> parts(type.word(1), isAll ? one : zeroOf(pool, component.result));
  parts[0] = one;
  return pool.constantComposite(type.result, parts);
}

/// Replaces the results by their numbers.
static void setResultsToNumbers(Program &program, ArrayRef<Chance> chances) {
  Definitions definitions(program);
  std::vector<Instruction> types;
  for (const Chance &chance : chances)
    types.push_back(*definitions.typeInstruction(chance.at));
  Pool pool(program);
  for (auto [chance, type] : zip_equal(chances, types))
    replaceUses(program, chance.at, makeNumber(pool, type, chance.index));
}

// Loads of what was just stored: at = the load, value = the value.

/// Proposes the value of the latest store in the same block to the same pointer id. Stores by other
/// pointers in between are ignored: meaning need not be kept.
static std::vector<Chance> findForwards(const Program &program) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks) {
      DenseMap<Id, Id> stored;
      for (const Instruction &instruction : block.body) {
        if (instruction.opcode == spv::Op::OpStore)
          stored[instruction.word(0)] = instruction.word(1);
        Id value = instruction.opcode == spv::Op::OpLoad ? stored.lookup(instruction.word(0)) : 0;
        if (value && definitions.uses(instruction.result) > 0)
          chances.push_back({instruction.result, 0, value});
      }
    }
  return chances;
}

// Loads of a variable that is stored to once, wherever: at = the load, value = the value.

/// Proposes the stored value for each load by a pointer that a single store names.
static std::vector<Chance> findSingleStores(const Program &program) {
  DenseMap<Id, Id> stored;
  DenseMap<Id, unsigned> stores;
  forEachInstruction(program, [&](const Instruction &instruction) {
    if (instruction.opcode != spv::Op::OpStore)
      return;
    stored[instruction.word(0)] = instruction.word(1);
    ++stores[instruction.word(0)];
  });
  std::vector<Chance> chances;
  forEachResult(program, [&](const Instruction &instruction, const Definitions &) {
    if (instruction.opcode != spv::Op::OpLoad || stores.lookup(instruction.word(0)) != 1)
      return;
    // In a loop, a load may be what is stored.
    if (Id value = stored.lookup(instruction.word(0)); value != instruction.result)
      chances.push_back({instruction.result, 0, value});
  });
  return chances;
}

// Operands: at = label, index = place in the block, value = number of the operand.

/// Those of whose type \p may says yes. A value that is used once is its result's business.
static std::vector<Chance> findOperands(const Program &program,
                                        function_ref<bool(const Instruction &type)> may) {
  std::vector<Chance> chances;
  Definitions definitions(program);
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      for (auto [index, instruction] : enumerate(block.body))
        for (auto [number, operand] : enumerate(instruction.operands))
          if (operand.isId && definitions.place(operand.word) &&
              definitions.uses(operand.word) > 1 && definitions.typeOf(operand.word) &&
              may(*definitions.typeInstruction(operand.word)))
            chances.push_back(
                {block.label, static_cast<uint32_t>(index), static_cast<uint32_t>(number)});
  std::ranges::reverse(chances);
  return chances;
}

/// Proposes zero for single uses of values of data.
static std::vector<Chance> findZerosForOperands(const Program &program) {
  return findOperands(program,
                      [&](const Instruction &type) { return isData(program, type.result); });
}

/// Proposes one for single uses of numbers.
static std::vector<Chance> findOnesForOperands(const Program &program) {
  return findOperands(program, [](const Instruction &type) { return oneOf(type).has_value(); });
}

/// Operands become what \p makeNumber makes of their type.
static void setOperands(Program &program, ArrayRef<Chance> chances,
                        function_ref<Id(Pool &, const Instruction &type)> makeNumber) {
  for (const Chance &chance : chances) {
    Operand &operand = findBlock(program, chance.at)->body[chance.index].operands[chance.value];
    Instruction type = *Definitions(program).typeInstruction(operand.word);
    Pool pool(program);
    operand.word = makeNumber(pool, type);
  }
}

/// Sets the operands to zero.
static void zeroOperands(Program &program, ArrayRef<Chance> chances) {
  setOperands(program, chances,
              [](Pool &pool, const Instruction &type) { return zeroOf(pool, type.result); });
}

/// Sets the operands to one.
static void setOperandsToOne(Program &program, ArrayRef<Chance> chances) {
  setOperands(program, chances, [](Pool &pool, const Instruction &type) {
    return pool.constant(type.result, *oneOf(type));
  });
}

// Indices of access chains that something else needs, too: at = the chain, index = number of the
// operand, value = a constant.

/// Proposes constants of the program for computed indices with other uses.
static std::vector<Chance> findConstantsForIndices(const Program &program) {
  Constants constants = otherConstants(program);
  std::vector<Chance> chances;
  forEachResult(program, [&](const Instruction &chain, const Definitions &definitions) {
    if (!isAccessChain(chain.opcode))
      return;
    for (auto [number, operand] : enumerate(chain.operands))
      if (number > 0 && definitions.place(operand.word) && definitions.uses(operand.word) > 1)
        for (Id constant : constants.lookup(definitions.typeOf(operand.word)))
          chances.push_back({chain.result, static_cast<uint32_t>(number), constant});
  });
  return chances;
}

/// Sets the indices of the chains.
static void setIndices(Program &program, ArrayRef<Chance> chances) {
  for (Function &function : program.functions)
    for (Block &block : function.blocks)
      for (Instruction &instruction : block.body)
        for (const Chance &chance : chances)
          if (instruction.result == chance.at)
            instruction.operands[chance.index].word = chance.value;
}

ArrayRef<ProgramReduction> valueReductions() {
  static constexpr ProgramReduction rows[] = {
      {"forward-single-stores", findSingleStores, replaceResults},
      {"forward-stores", findForwards, replaceResults},
      {"zero-results", findZerosForResults, zeroResults},
      {"operands-for-results", findOperandsForResults, replaceResults},
      {"origins-for-results", findOriginsForResults, replaceResults},
      {"earlier-for-results", findEarlierForResults, replaceResults},
      {"numbers-for-results", findNumbersForResults, setResultsToNumbers},
      {"constants-for-results", findConstantsForResults, replaceResults},
      {"zero-operands", findZerosForOperands, zeroOperands},
      {"one-operands", findOnesForOperands, setOperandsToOne},
      {"constants-for-indices", findConstantsForIndices, setIndices},
  };
  return rows;
}

} // namespace assay::fuzz
