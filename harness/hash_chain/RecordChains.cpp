// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/hash_chain/RecordChains.h"

#include "compiler/driver/CompileCache.h"
#include "compiler/driver/PassWatcher.h"
#include "compiler/lgc/link/LinkStages.h"
#include "oracles/hash_chain/HashChainOracle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <map>

using namespace llvm;
using namespace assay;

/// Metadata of a function: the last step of its chain.
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

/// Numbers, in the order of the code, instead of the places of what \p stage exchanges with
/// another stage: until linking has chosen them they do not count.
static void numberPlaces(Module &module, ShaderStage stage) {
  constexpr StringLiteral reads[] = {"lgc.read.input", "lgc.interpolate.input",
                                     "lgc.read.vertex.input"};
  constexpr StringLiteral writes[] = {"lgc.write.output"};
  ArrayRef<StringLiteral> ops = stage == ShaderStage::Vertex ? ArrayRef(writes) : ArrayRef(reads);
  std::map<std::pair<Value *, Value *>, unsigned> numbers; // Of location and component.
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      const Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || none_of(ops, [&](StringRef op) { return callee->getName().starts_with(op); }))
        continue;
      auto number = static_cast<unsigned>(numbers.size());
      number = numbers.try_emplace({call->getArgOperand(0), call->getArgOperand(1)}, number)
                   .first->second;
      Type *type = call->getArgOperand(0)->getType();
      call->setArgOperand(0, ConstantInt::get(type, number));
      call->setArgOperand(1, ConstantInt::get(type, 0));
    }
}

/// The code alone: without chains, the pipeline's state and its hashes, names, and the places that
/// linking will choose.
static std::string printCode(const Module &module, std::optional<ShaderStage> unlinked) {
  std::unique_ptr<Module> copy = CloneModule(module);
  if (unlinked)
    numberPlaces(*copy, *unlinked);
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
/// Notes code and chain of the module after each pass, by stage.
class Recorder : public PassWatcher {
public:
  /// What is known of one shader.
  struct Shader {
    std::vector<PassRecord> passes;
    std::string own;       ///< Its interface before linking.
    std::string shown;     ///< The same as the next and the preceding stage see it.
    bool isLinked = false; ///< Places are those that linking has chosen.
  };

  bool mayRun(StringRef /*pass*/, StringRef /*unit*/) override { return true; }
  void willRun(StringRef /*pass*/) override {}
  void enterStage(ShaderStage stage) override { m_stage = stage; }
  void didRun(StringRef pass, const Module &module) override {
    Shader &shader = m_shaders[m_stage];
    shader.isLinked |=
        m_stage == ShaderStage::Compute || pass == linkOutputsStep || pass == packInputsStep;
    std::string code = printCode(module, shader.isLinked ? std::nullopt : std::optional(m_stage));
    shader.passes.push_back({pass.str(), CanonicalBytes().add(code).hash(), hashChains(module)});
    // The fragment stage is seen as constants of the vertex stage have left it.
    if (pass == removePoisonOutputsStep)
      shader.own = readInterface(module);
    if (pass == removePoisonOutputsStep || pass == linkInputsStep)
      shader.shown = readInterface(module);
  }
  /// Empty for a stage that was not compiled.
  Shader takeShader(ShaderStage stage) { return std::move(m_shaders[stage]); }

private:
  /// Canonical bytes of the stage's interface; empty where it can't be read.
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

/// The key of a cache, without the build.
static std::optional<Hash128> findKey(const PairInput &input) {
  CompileOptions options = input.options;
  options.validate = false; // The words do not count.
  Expected<Hash128> key = makeCacheKey(
      input.pipeline, input.pipeline.getShader(ShaderStage::Compute), options, /*build=*/{});
  if (key)
    return *key;
  consumeError(key.takeError()); // The compilation has reported it.
  return std::nullopt;
}

/// One record.
static Expected<PipelineRecord> recordCompute(Compiler &compiler, const PairInput &input,
                                              Recorder &recorder) {
  Expected<CompileResult> result = compiler.compile(input.pipeline, input.options, EmitPhase::Elf);
  if (!result)
    return result.takeError();
  ChainRecord record;
  record.passes = recorder.takeShader(ShaderStage::Compute).passes;
  record.chains = std::move(result->hashChains);
  record.code = std::move(result->output);
  record.key = findKey(input);
  return PipelineRecord{std::move(record)};
}

/// Without the fragment part that the compiler adds to a vertex shader alone.
static Expected<PipelineRecord> recordStages(Compiler &compiler, const PairInput &input,
                                             Recorder &recorder) {
  Expected<std::vector<CompiledPart>> parts = compiler.compileParts(input.pipeline, input.options);
  if (!parts)
    return parts.takeError();
  erase_if(*parts, [&](const CompiledPart &part) { return !input.pipeline.find(part.hash.stage); });
  PipelineRecord records;
  std::vector<std::string> shown;
  for (CompiledPart &part : *parts) {
    Recorder::Shader shader = recorder.takeShader(part.hash.stage);
    ChainRecord &record = records.emplace_back();
    record.stage = getStageName(part.hash.stage).str();
    record.chains = std::move(part.result.hashChains);
    record.passes = std::move(shader.passes);
    record.code = std::move(part.result.output);
    record.key = part.hash.hash;
    record.interface = std::move(shader.own);
    shown.push_back(std::move(shader.shown));
  }
  for (auto [index, record] : enumerate(records))
    for (auto [other, interface] : enumerate(shown))
      if (other != index)
        record.neighbours += interface;
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
