// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/hash_chain/RecordChains.h"

#include "compiler/driver/PassWatcher.h"
#include "oracles/hash_chain/HashChainOracle.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace assay;

static constexpr StringLiteral chainName = "llpc.hash";
/// The state of the pipeline, read or not.
static constexpr StringLiteral pipelineStateName = "lgc.pipeline.state";
/// PAL metadata of the ELF, an MDString; it has the hashes of the pipeline and of the shader.
static constexpr StringLiteral metadataName = "amdgpu.pal.metadata.msgpack";

/// Without names of values, which no code depends on.
static void stripValueNames(Function &function) {
  for (Argument &argument : function.args())
    argument.setName("");
  for (BasicBlock &block : function) {
    block.setName("");
    for (Instruction &instruction : block)
      instruction.setName("");
  }
}

/// Numbers instead of names for what has a body, and nothing that is not used.
static void stripSymbols(Module &module) {
  for (GlobalVariable &variable : make_early_inc_range(module.globals()))
    if (variable.use_empty() && variable.hasLocalLinkage())
      variable.eraseFromParent();
  unsigned number = 0;
  for (GlobalVariable &variable : module.globals())
    variable.setName("assay.variable" + Twine(number++));
  for (Function &function : module)
    if (!function.isDeclaration())
      function.setName("assay.function" + Twine(number++));
}

static Hash128 hashCode(const Module &module) {
  std::unique_ptr<Module> copy = CloneModule(module);
  for (Function &function : *copy) {
    function.setMetadata(chainName, nullptr);
    stripValueNames(function);
  }
  stripSymbols(*copy);
  if (NamedMDNode *state = copy->getNamedMetadata(pipelineStateName))
    state->eraseFromParent();
  CanonicalBytes bytes;
  if (NamedMDNode *metadata = copy->getNamedMetadata(metadataName)) {
    for (const MDNode *node : metadata->operands())
      for (const MDOperand &operand : node->operands())
        if (const auto *blob = dyn_cast<MDString>(operand))
          bytes.add(toStringRef(maskHashes(arrayRefFromStringRef(blob->getString()))));
    metadata->eraseFromParent();
  }
  std::string text;
  raw_string_ostream os(text);
  copy->print(os, nullptr);
  return bytes.add(text).hash();
}

/// The numbers of the functions' last steps, in the form that docs/hash-chains.md describes.
static Hash128 hashChains(const Module &module) {
  CanonicalBytes bytes;
  for (const Function &function : module) {
    const MDNode *node = function.getMetadata(chainName);
    if (!node)
      continue;
    for (const MDOperand &operand : node->operands())
      if (auto *number = mdconst::dyn_extract_or_null<ConstantInt>(operand))
        bytes.add(number->getZExtValue());
  }
  return bytes.hash();
}

namespace {
class Recorder : public PassWatcher {
public:
  explicit Recorder(std::vector<PassRecord> &passes) : m_passes(passes) {}

  bool mayRun(StringRef /*pass*/, StringRef /*unit*/) override { return true; }
  void willRun(StringRef /*pass*/) override {}
  void didRun(StringRef pass, const Module &module) override {
    m_passes.push_back({pass.str(), hashCode(module), hashChains(module)});
  }

private:
  std::vector<PassRecord> &m_passes;
};
} // namespace

Expected<ChainRecord> assay::recordChains(Compiler &compiler, const PairInput &input) {
  ChainRecord record;
  Recorder recorder(record.passes);
  compiler.setPassWatcher(&recorder);
  Expected<CompileResult> result = compiler.compile(input.pipeline, input.options, EmitPhase::Elf);
  compiler.setPassWatcher(nullptr);
  if (!result)
    return result.takeError();
  record.chains = std::move(result->hashChains);
  record.elf = std::move(result->output);
  return record;
}
