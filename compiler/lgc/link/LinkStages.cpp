// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/link/LinkStages.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/link/LinkPasses.h"
#include "support/Error.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>

using namespace llvm;
using namespace assay;

namespace assay {
/// Makes the views. The modules of two stages are never given to one pass.
class StageLinker {
public:
  explicit StageLinker(LinkObserver observer) : m_observer(observer) {}
  /// Takes a stage in and makes its interface. Unsupported for stages other than Vertex and
  /// Fragment.
  Error add(Module &module);
  Error run();

private:
  struct Stage {
    Module *module = nullptr;
    StageInterface interface;
  };
  /// Makes the interface of a stage again, after its module has changed.
  static Error refresh(Stage &stage);
  static void simplify(Module &module);
  void didRun(StringRef step, Module &module) const {
    if (m_observer)
      m_observer(step, module);
  }

  LinkObserver m_observer;
  std::optional<Stage> m_vertex, m_fragment;
};
} // namespace assay

/// Makes inputs or outputs of the built-ins that travel between stages. InvalidInput without one
/// entry point of a graphics stage.
static Error shareBuiltIns(Module &module) {
  Function *entry = findEntryPoint(module);
  if (!entry)
    return invalidInput("a stage needs one entry point");
  Expected<StageMode> mode = getStageMode(*entry);
  if (!mode)
    return mode.takeError();
  if (mode->stage == ShaderStage::Fragment)
    importBuiltIns(module);
  else if (mode->stage == ShaderStage::Vertex)
    exportBuiltIns(module);
  return Error::success();
}

Error StageLinker::add(Module &module) {
  removePoisonOutputs(module);
  if (Error error = shareBuiltIns(module))
    return error;
  didRun(removePoisonOutputsStep, module);
  Expected<StageInterface> interface = StageInterface::of(module);
  if (!interface)
    return interface.takeError();
  bool isVertex = interface->getStage() == ShaderStage::Vertex;
  if (!isVertex && interface->getStage() != ShaderStage::Fragment)
    return unsupported("linking " + getStageName(interface->getStage()) + " shaders");
  std::optional<Stage> &slot = isVertex ? m_vertex : m_fragment;
  if (slot)
    return invalidInput("two " + getStageName(interface->getStage()) + " shaders");
  slot = Stage{&module, std::move(*interface)};
  return Error::success();
}

Error StageLinker::refresh(Stage &stage) {
  return StageInterface::of(*stage.module).moveInto(stage.interface);
}

/// Folds what has become constant, and removes what computed the removed outputs.
void StageLinker::simplify(Module &module) {
  for (Function &function : module) {
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (Constant *constant = ConstantFoldInstruction(&instruction, module.getDataLayout())) {
        instruction.replaceAllUsesWith(constant);
        instruction.eraseFromParent();
      }
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(reverse(block)))
        if (isInstructionTriviallyDead(&instruction))
          instruction.eraseFromParent();
  }
}

Error StageLinker::run() {
  if (m_fragment && m_vertex) { // A fragment stage alone may follow any stage.
    TrackedView view(*m_fragment->module, linkInputsStep, &m_vertex->interface, nullptr);
    linkInputs(*m_fragment->module, view);
    simplify(*m_fragment->module);
    didRun(linkInputsStep, *m_fragment->module);
    if (Error error = refresh(*m_fragment))
      return error;
  }
  if (m_vertex) {
    TrackedView view(*m_vertex->module, linkOutputsStep, nullptr,
                     m_fragment ? &m_fragment->interface : nullptr);
    linkOutputs(*m_vertex->module, view);
    simplify(*m_vertex->module);
    didRun(linkOutputsStep, *m_vertex->module);
  }
  // Last: until here the vertex stage looks for places as the shaders have them.
  if (m_fragment) {
    packOwnInputs(*m_fragment->module, OwnInterface(m_fragment->interface));
    didRun(packInputsStep, *m_fragment->module);
  }
  return Error::success();
}

void assay::removePoisonOutputs(Module &module) {
  struct Remover : LgcVisitor<Remover> {
    void visitWriteOutputOp(WriteOutputOp &op) {
      if (isa<UndefValue>(op.getValue()))
        op.eraseFromParent();
    }
    void visitWriteStageBuiltInOp(WriteStageBuiltInOp &op) {
      if (isa<UndefValue>(op.getValue()))
        op.eraseFromParent();
    }
  };
  Remover().visit(module);
}

Error assay::linkStages(ArrayRef<Module *> modules, LinkObserver observer) {
  StageLinker linker(observer);
  for (Module *module : modules)
    if (Error error = linker.add(*module))
      return error;
  return linker.run();
}

/// Parameters that the hardware has; each location takes one.
static constexpr size_t MostParameters = 32;

Error assay::isolateStage(Module &module, LinkObserver observer) {
  removePoisonOutputs(module);
  if (Error error = shareBuiltIns(module))
    return error;
  if (observer)
    observer(removePoisonOutputsStep, module);
  Expected<StageInterface> interface = StageInterface::of(module);
  if (!interface)
    return interface.takeError();
  OwnInterface own(*interface);
  std::map<uint32_t, bool> locations;
  if (interface->getStage() == ShaderStage::Fragment)
    for (const InputRecord &input : own.getInputs()) {
      auto [known, isNew] =
          locations.try_emplace(input.place.location, isInterpolated(input.interpolation));
      if (known->second != isInterpolated(input.interpolation))
        return unsupported("unlinked inputs of location " + Twine(input.place.location) +
                           " that are flat and not flat");
    }
  else
    for (const OutputRecord &output : own.getOutputs())
      locations[output.place.location] = true;
  if (locations.size() > MostParameters)
    return unsupported(Twine(locations.size()) + " locations of an unlinked " +
                       getStageName(interface->getStage()) + " shader");
  return Error::success();
}
