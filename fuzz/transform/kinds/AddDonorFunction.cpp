// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// add-donor-function: the program gets a function of another one, which nobody calls yet.
// Precondition: the text is a module of Donor.h, and no pass of optimize-module stumbles on it.
// Effect: none. Text: the module. No numbers.
#include "fuzz/transform/Cloning.h"
#include "fuzz/transform/Donor.h"
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// Chooses a function of one of the donors or of a newly generated program. None where it depends
/// on more than its arguments.
std::optional<Step> AddDonorFunction::propose(const Context &context, Random &random) {
  std::optional<Program> generated;
  const Program *donor = nullptr;
  if (!context.donors().empty() && random.oneIn(2)) {
    donor = &random.pick(context.donors());
  } else {
    Profile profile = cantFail(findProfile(random.pick(profileNames())));
    generated = generate(random.next(), profile).program;
    donor = &*generated;
  }
  const Function &function = random.pick(ArrayRef(donor->functions));
  std::optional<Program> extracted = extractFunction(*donor, function.result());
  if (!extracted || function.definition.type == 0)
    return std::nullopt;
  Step step;
  step.text = printDonor(*extracted);
  return step;
}

/// Parses and validates the module again: the text may come from a file.
bool AddDonorFunction::isApplicable(const Context &context, const Step &step) {
  std::optional<Program> donor = parseDonor(step.text);
  return donor && isFoldedSafely(context.generated(), *donor);
}

namespace {
/// Brings globals and functions of a donor into a program.
class Transplant {
public:
  Transplant(Context &context, const Program &donor)
      : m_generated(context.edit()), m_donor(donor), m_names(m_generated.program) {}

  /// The new name of the donor's last function. \p isBroken: constants of the program get the
  /// numbers of the donor's.
  Id run(bool isBroken) {
    Program &program = m_generated.program;
    for (const Instruction &each : m_donor.capabilities) {
      auto capability = static_cast<spv::Capability>(each.word(0));
      Pool(program).require(capability);
      if (StringRef feature = donorFeature(capability).value_or(""); !feature.empty())
        m_generated.features.insert(feature.str());
    }
    for (const Instruction &each : m_donor.imports)
      m_names.rename(each.result, Pool(program).import(each.string(0)));
    for (const Instruction &each : m_donor.globals)
      addGlobal(each, isBroken);
    for (const Function &function : drop_begin(m_donor.functions))
      nameFunction(function);
    for (const Function &function : drop_begin(m_donor.functions))
      addFunction(function);
    addDecorations();
    return m_names.nameOf(m_donor.functions.back().result());
  }

private:
  /// A decorated type or constant may differ from one with equal operands.
  bool isDecorated(Id id) const {
    return any_of(m_generated.program.decorations,
                  [&](const Instruction &each) { return each.word(0) == id; });
  }

  /// Types but structures must not be declared twice; constants need not.
  void addGlobal(const Instruction &global, bool isBroken) {
    Program &program = m_generated.program;
    Instruction copy = m_names.clone(global);
    if (isBroken && copy.opcode == spv::Op::OpConstant)
      for (Instruction &each : program.globals)
        if (each.opcode == copy.opcode && each.type == copy.type)
          each.operands = copy.operands;
    for (const Instruction &each : program.globals)
      if (each.opcode == copy.opcode && each.opcode != spv::Op::OpTypeStruct &&
          each.type == copy.type && each.operands == copy.operands && !isDecorated(each.result))
        return m_names.rename(global.result, each.result);
    copy.result = m_names.renew(global.result);
    program.globals.push_back(std::move(copy));
  }

  /// Gives new ids to the function before its body is copied, as functions may call each other.
  void nameFunction(const Function &function) {
    m_names.renew(function.result());
    for (const Instruction &parameter : function.parameters)
      m_names.renew(parameter.result);
    for (const Block &block : function.blocks)
      m_names.renewAll(block);
  }

  /// Appends a copy with the new ids.
  void addFunction(const Function &function) {
    Function copy{m_names.clone(function.definition), {}, {}};
    for (const Instruction &parameter : function.parameters)
      copy.parameters.push_back(m_names.clone(parameter));
    for (const Block &block : function.blocks)
      copy.blocks.push_back(m_names.clone(block));
    m_generated.program.functions.push_back(std::move(copy));
  }

  void addDecorations() {
    for (const Instruction &each : m_donor.decorations)
      m_generated.program.decorations.push_back(m_names.clone(each));
  }

  GeneratedCase &m_generated;
  const Program &m_donor;
  Cloner m_names; ///< From donor to program.
};
} // namespace

/// Broken: constants of the program change.
void AddDonorFunction::apply(Context &context, const Step &step) {
  Program donor = *parseDonor(step.text);
  context.addSafeFunction(Transplant(context, donor).run(context.isBroken()));
}

} // namespace assay::fuzz
