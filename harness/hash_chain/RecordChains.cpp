// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/hash_chain/RecordChains.h"

#include "compiler/driver/PassWatcher.h"
#include "compiler/lgc/link/LinkStages.h"
#include "oracles/hash_chain/HashChainOracle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <map>

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

/// The code alone: without chains, the pipeline's state and its hashes, and names.
static std::string printCode(const Module &module) {
  std::unique_ptr<Module> copy = CloneModule(module);
  for (Function &function : *copy) {
    function.setMetadata(chainName, nullptr);
    stripValueNames(function);
  }
  stripSymbols(*copy);
  if (NamedMDNode *state = copy->getNamedMetadata(pipelineStateName))
    state->eraseFromParent();
  std::string text;
  raw_string_ostream os(text);
  if (NamedMDNode *metadata = copy->getNamedMetadata(metadataName)) {
    for (const MDNode *node : metadata->operands())
      for (const MDOperand &operand : node->operands())
        if (const auto *blob = dyn_cast<MDString>(operand))
          os << "; metadata "
             << toHex(toStringRef(maskHashes(arrayRefFromStringRef(blob->getString())))) << "\n";
    metadata->eraseFromParent();
  }
  copy->print(os, nullptr);
  return text;
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
  /// What is known of one shader.
  struct Shader {
    std::vector<PassRecord> passes;
    std::string code;      ///< After the last of them.
    std::string interface; ///< What it shows to the next and the preceding stage, as they see it.
  };

  bool mayRun(StringRef /*pass*/, StringRef /*unit*/) override { return true; }
  void willRun(StringRef /*pass*/) override {}
  void enterStage(ShaderStage stage) override { m_stage = stage; }
  void didRun(StringRef pass, const Module &module) override {
    Shader &shader = m_shaders[m_stage];
    shader.code = printCode(module);
    shader.passes.push_back(
        {pass.str(), CanonicalBytes().add(shader.code).hash(), hashChains(module)});
    // The fragment stage is seen as constants of the vertex stage have left it.
    if (pass == removePoisonOutputsStep || pass == linkInputsStep)
      shader.interface = readInterface(module);
  }
  Shader takeShader(ShaderStage stage) { return std::move(m_shaders[stage]); }

private:
  static std::string readInterface(const Module &module) {
    std::unique_ptr<Module> copy = CloneModule(module);
    Expected<StageInterface> interface = StageInterface::of(*copy);
    if (interface)
      return interface->getCanonicalBytes();
    consumeError(interface.takeError()); // Linking reports the same.
    return "";
  }

  ShaderStage m_stage = ShaderStage::Compute;
  std::map<ShaderStage, Shader> m_shaders;
};
} // namespace

static Expected<PipelineRecord> recordCompute(Compiler &compiler, const PairInput &input,
                                              Recorder &recorder) {
  Expected<CompileResult> result = compiler.compile(input.pipeline, input.options, EmitPhase::Elf);
  if (!result)
    return result.takeError();
  ChainRecord record;
  record.passes = recorder.takeShader(ShaderStage::Compute).passes;
  record.chains = std::move(result->hashChains);
  record.code = std::move(result->output);
  return PipelineRecord{std::move(record)};
}

static Expected<PipelineRecord> recordStages(Compiler &compiler, const PairInput &input,
                                             Recorder &recorder) {
  Expected<std::vector<CompiledStage>> stages =
      compiler.compileStages(input.pipeline, input.options);
  if (!stages)
    return stages.takeError();
  std::vector<Recorder::Shader> shaders;
  for (const CompiledStage &stage : *stages)
    shaders.push_back(recorder.takeShader(stage.hash.stage));
  PipelineRecord records;
  for (auto [index, stage] : enumerate(*stages)) {
    ChainRecord &record = records.emplace_back();
    record.stage = getStageName(stage.hash.stage).str();
    record.chains.push_back({record.stage, std::move(stage.chain)});
    record.passes = std::move(shaders[index].passes);
    record.code = arrayRefFromStringRef(shaders[index].code).vec();
    for (auto [other, shader] : enumerate(shaders))
      if (other != index)
        record.neighbours += shader.interface;
  }
  return records;
}

Expected<PipelineRecord> assay::recordChains(Compiler &compiler, const PairInput &input) {
  Recorder recorder;
  compiler.setPassWatcher(&recorder);
  Expected<PipelineRecord> records = input.pipeline.isGraphics()
                                         ? recordStages(compiler, input, recorder)
                                         : recordCompute(compiler, input, recorder);
  compiler.setPassWatcher(nullptr);
  return records;
}
