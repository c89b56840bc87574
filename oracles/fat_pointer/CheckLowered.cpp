// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first check: walks everything a module consists of in search of types that a lowering must
// have removed. Rules.def says what each finding means.
#include "oracles/fat_pointer/FatPointerOracle.h"
#include "oracles/fat_pointer/FatTypes.h"
#include "oracles/fat_pointer/RebuiltResources.h"
#include "oracles/fat_pointer/Rules.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include <array>

using namespace llvm;
using namespace assay;

namespace {

/// More of one rule in one function (or outside of all) are counted, not listed.
constexpr unsigned listedPerRule = 8;
constexpr size_t quotedLength = 160; ///< Characters of a quoted value.

/// Walks one module and collects findings, place by place.
class LoweredChecker {
public:
  explicit LoweredChecker(const Module &module) : m_module(module), m_slots(&module) {}
  /// Returns the findings in the module in its order: globals, then each function. \p input is the
  /// module before the lowering, or null. It is compared for rebuilt resources only.
  std::vector<Finding> run(const Module *input);

private:
  /// Adds a finding at the current place, or only counts it above listedPerRule. \p what is part of
  /// the signature.
  void report(FatRule rule, StringRef what, const Twine &message);
  /// Ends the list of the place that was looked at, and begins that of another.
  void enter(std::string place);
  /// Returns the value as LLVM prints it, in quotation marks and cut off at quotedLength.
  std::string quote(const Value &value);
  std::string quote(Type *type);

  /// Checks named structs, variables, aliases, indirect functions and named metadata of the module.
  void checkGlobals();
  /// Checks the signature, the name, attributes and metadata of a function, and its body if it has
  /// one.
  void checkFunction(const Function &function);
  /// Checks arguments and instructions of a definition.
  void checkBody(const Function &function);
  /// Checks the result and types inside of an instruction, its operands, attributes, metadata and
  /// debug records.
  void checkInstruction(const Instruction &instruction);
  /// Checks allocated types, element types of GEPs and signatures of calls.
  void checkTypesInside(const Instruction &instruction);
  /// Checks the constants and the metadata among the operands. Instructions and arguments are
  /// checked where they are defined.
  void checkOperands(const User &user);
  /// Checks a constant and what it consists of. Each constant is reported once a function.
  void checkConstant(const Constant &constant);
  /// Checks type attributes such as byval. \p holder describes who has them.
  void checkAttributes(const AttributeList &attributes, StringRef holder);
  /// Checks metadata that is attached to a value or has a name; null is permitted.
  void checkAttached(const MDNode *node) {
    if (node)
      checkMetadata(node, FatRule::Meta);
  }
  /// Checks all metadata that \p metadata reaches. Each node is visited once in the module.
  void checkMetadata(const Metadata *metadata, FatRule rule);
  /// Checks the locations and addresses in the debug records that precede \p instruction.
  void checkDebugRecords(const Instruction &instruction);
  /// Reports resources that are put together from bits, if there are more than in the same function
  /// of \p input. Without \p input any is reported.
  void checkRebuilt(const Function &function, const Module *input);

  const Module &m_module;
  ModuleSlotTracker m_slots;
  FatTypes m_types;
  DenseSet<const Constant *> m_constants; ///< Visited in this function.
  DenseSet<const Metadata *> m_metadata;  ///< Visited in the module.
  std::string m_place;                    ///< "function f"; "module".
  std::array<unsigned, 32> m_counts = {}; ///< Findings of each rule at the place.
  std::vector<Finding> m_findings;
};

} // namespace

void LoweredChecker::report(FatRule rule, StringRef what, const Twine &message) {
  if (m_counts[static_cast<size_t>(rule)]++ < listedPerRule)
    m_findings.push_back(
        makeFatFinding(rule, m_place, what, getFatRule(rule).title + ": " + message));
}

void LoweredChecker::enter(std::string place) {
  for (auto [rule, count] : enumerate(m_counts)) {
    if (count > listedPerRule)
      m_findings.push_back(makeFatFinding(static_cast<FatRule>(rule), m_place, "more",
                                          "and " + Twine(count - listedPerRule) + " more"));
    count = 0;
  }
  m_place = std::move(place);
}

/// Returns \p text without leading spaces, cut off and in quotation marks.
static std::string shorten(std::string text) {
  size_t begin = text.find_first_not_of(' ');
  text.erase(0, begin == std::string::npos ? 0 : begin);
  if (text.size() > quotedLength)
    text = text.substr(0, quotedLength) + "...";
  return "'" + text + "'";
}

std::string LoweredChecker::quote(const Value &value) {
  std::string text;
  raw_string_ostream os(text);
  if (isa<Function, BasicBlock, Constant, Argument>(value))
    value.printAsOperand(os, /*PrintType=*/true, m_slots);
  else
    value.print(os, m_slots);
  return shorten(std::move(text));
}

std::string LoweredChecker::quote(Type *type) {
  std::string text;
  raw_string_ostream os(text);
  type->print(os, /*IsForDebug=*/false, /*NoDetails=*/true);
  return shorten(std::move(text));
}

/// Whether the types in \p suffix, as LLVM mangles overloaded intrinsics, have address space 7 or
/// 9: "p7", "v4p7", "a2p9", "sl_p7i32s".
static bool manglesFatPointer(StringRef suffix) {
  for (size_t at = suffix.find('p'); at != StringRef::npos; at = suffix.find('p', at + 1)) {
    StringRef space = suffix.substr(at + 1).take_while(isDigit);
    bool isStart = at == 0 || StringRef("._").contains(suffix[at - 1]) || isDigit(suffix[at - 1]) ||
                   suffix[at - 1] == 's';
    if (isStart && (space == "7" || space == "9"))
      return true;
  }
  return false;
}

/// Returns true for an intrinsic that is overloaded for a fat pointer. The base name does not
/// count.
static bool hasFatName(const Function &function) {
  StringRef name = function.getName();
  if (!name.consume_front("llvm."))
    return false;
  if (Intrinsic::ID id = function.getIntrinsicID())
    name.consume_front(Intrinsic::getBaseName(id).drop_front(strlen("llvm.")));
  return manglesFatPointer(name);
}

void LoweredChecker::checkConstant(const Constant &constant) {
  if (isa<GlobalValue>(constant) || !m_constants.insert(&constant).second)
    return;
  if (m_types.contains(constant.getType()))
    report(FatRule::Const, "value", "the constant " + quote(constant) + " is a fat pointer");
  if (const auto *gep = dyn_cast<GEPOperator>(&constant))
    if (m_types.contains(gep->getSourceElementType()))
      report(FatRule::Const, "element type",
             "the constant " + quote(constant) + " steps over fat pointers");
  checkOperands(constant);
}

void LoweredChecker::checkOperands(const User &user) {
  for (const Use &operand : user.operands()) {
    if (const auto *constant = dyn_cast<Constant>(operand))
      checkConstant(*constant);
    else if (const auto *metadata = dyn_cast<MetadataAsValue>(operand))
      checkMetadata(metadata->getMetadata(), FatRule::Meta);
  }
}

/// A graph of metadata can be deep and has cycles: a list of what is left to do instead of
/// recursion.
void LoweredChecker::checkMetadata(const Metadata *metadata, FatRule rule) {
  SmallVector<const Metadata *> left = {metadata};
  while (!left.empty()) {
    const Metadata *next = left.pop_back_val();
    if (!next || !m_metadata.insert(next).second)
      continue;
    if (const auto *node = dyn_cast<MDNode>(next))
      for (const MDOperand &operand : node->operands())
        left.push_back(operand.get());
    if (const auto *list = dyn_cast<DIArgList>(next))
      append_range(left, list->getArgs());
    const auto *value = dyn_cast<ValueAsMetadata>(next);
    if (!value)
      continue;
    if (m_types.contains(value->getType()))
      report(rule, rule == FatRule::Debug ? "debug" : "metadata",
             (rule == FatRule::Debug ? "a debug record" : "metadata") + Twine(" refers to ") +
                 quote(*value->getValue()));
    else if (const auto *constant = dyn_cast<Constant>(value->getValue()))
      checkConstant(*constant);
  }
}

void LoweredChecker::checkAttributes(const AttributeList &attributes, StringRef holder) {
  for (AttributeSet set : attributes)
    for (Attribute attribute : set)
      if (attribute.isTypeAttribute() && attribute.getValueAsType() &&
          m_types.contains(attribute.getValueAsType()))
        report(FatRule::Attr, "attribute",
               "the attribute " + Twine(attribute.getAsString()) + " of " + holder);
}

void LoweredChecker::checkDebugRecords(const Instruction &instruction) {
  for (const DbgVariableRecord &record :
       filterDbgVars(const_cast<Instruction &>(instruction).getDbgRecordRange())) {
    checkMetadata(record.getRawLocation(), FatRule::Debug);
    if (record.isDbgAssign())
      checkMetadata(record.getRawAddress(), FatRule::Debug);
  }
}

/// Types that are in an instruction next to that of its result.
void LoweredChecker::checkTypesInside(const Instruction &instruction) {
  Type *inside = nullptr;
  if (const auto *alloca = dyn_cast<AllocaInst>(&instruction))
    inside = alloca->getAllocatedType();
  else if (const auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
    inside = gep->getSourceElementType();
  else if (const auto *call = dyn_cast<CallBase>(&instruction))
    inside = call->getFunctionType();
  if (inside && m_types.contains(inside))
    report(FatRule::Type, "inside", "the type " + quote(inside) + " in " + quote(instruction));
}

void LoweredChecker::checkInstruction(const Instruction &instruction) {
  if (m_types.contains(instruction.getType()))
    report(FatRule::Type, "result", "the result of " + quote(instruction));
  checkTypesInside(instruction);
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    checkAttributes(call->getAttributes(), quote(instruction));
  checkOperands(instruction);
  checkDebugRecords(instruction);
  SmallVector<std::pair<unsigned, MDNode *>> attached;
  instruction.getAllMetadata(attached);
  for (const auto &[kind, node] : attached)
    checkAttached(node);
}

void LoweredChecker::checkBody(const Function &function) {
  m_slots.incorporateFunction(function);
  for (const Argument &argument : function.args())
    if (m_types.contains(argument.getType()))
      report(FatRule::Type, "argument", "the argument " + quote(argument));
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      checkInstruction(instruction);
}

void LoweredChecker::checkFunction(const Function &function) {
  enter(("function " + function.getName()).str());
  // Constants are shared by functions: each tells of its own.
  m_constants.clear();
  if (m_types.contains(function.getFunctionType()))
    report(FatRule::Decl, function.isDeclaration() ? "declaration" : "definition",
           "the signature " + quote(function.getFunctionType()));
  if (hasFatName(function))
    report(FatRule::Name, "intrinsic", "the name '" + function.getName() + "'");
  checkAttributes(function.getAttributes(), "the function");
  checkOperands(function);
  SmallVector<std::pair<unsigned, MDNode *>> attached;
  function.getAllMetadata(attached);
  for (const auto &[kind, node] : attached)
    checkAttached(node);
  if (!function.isDeclaration())
    checkBody(function);
}

void LoweredChecker::checkGlobals() {
  enter("module");
  for (const StructType *type : m_module.getIdentifiedStructTypes())
    if (m_types.contains(const_cast<StructType *>(type)))
      report(FatRule::Struct, "struct", "the struct " + quote(const_cast<StructType *>(type)));
  for (const GlobalVariable &variable : m_module.globals()) {
    if (m_types.contains(variable.getValueType()) || m_types.contains(variable.getType()))
      report(FatRule::Global, "variable", "the variable @" + variable.getName());
    checkOperands(variable);
    SmallVector<std::pair<unsigned, MDNode *>> attached;
    variable.getAllMetadata(attached);
    for (const auto &[kind, node] : attached)
      checkAttached(node);
  }
  for (const GlobalAlias &alias : m_module.aliases()) {
    if (m_types.contains(alias.getValueType()) || m_types.contains(alias.getType()))
      report(FatRule::Global, "alias", "the alias @" + alias.getName());
    checkOperands(alias);
  }
  for (const GlobalIFunc &ifunc : m_module.ifuncs()) {
    if (m_types.contains(ifunc.getValueType()))
      report(FatRule::Global, "ifunc", "the indirect function @" + ifunc.getName());
    checkOperands(ifunc);
  }
  for (const NamedMDNode &named : m_module.named_metadata())
    for (const MDNode *node : named.operands())
      checkAttached(node);
}

void LoweredChecker::checkRebuilt(const Function &function, const Module *input) {
  std::vector<const Instruction *> rebuilt = findRebuiltResources(function);
  const Function *before = input ? input->getFunction(function.getName()) : nullptr;
  size_t allowed = before ? findRebuiltResources(*before).size() : 0;
  if (rebuilt.size() <= allowed)
    return;
  for (const Instruction *instruction : rebuilt)
    report(FatRule::Rebuilt, "rebuilt",
           quote(*instruction) + " puts a resource together from the bits of one" +
               (before ? " (" + Twine(rebuilt.size()) + " times here, " + Twine(allowed) +
                             " in the input)"
                       : Twine("")));
}

std::vector<Finding> LoweredChecker::run(const Module *input) {
  checkGlobals();
  for (const Function &function : m_module) {
    checkFunction(function);
    checkRebuilt(function, input);
  }
  enter("");
  return std::move(m_findings);
}

std::vector<Finding> assay::checkLowered(const Module &module, const Module *input) {
  return LoweredChecker(module).run(input);
}

bool assay::hasFatPointers(const Module &module) {
  std::vector<Finding> findings = LoweredChecker(module).run(&module);
  return !findings.empty();
}
