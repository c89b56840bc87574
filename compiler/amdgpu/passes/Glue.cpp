// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/Glue.h"

#include "compiler/amdgpu/passes/graphics/StageInputs.h"
#include "compiler/lgc/Builder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

static constexpr StringLiteral attributeName = "amdgpu-glue";

bool amdgpu::isGlue(const Function &entry) {
  return entry.hasFnAttribute(attributeName);
}

/// The attribute holds decimal numbers, separated by spaces.
SmallVector<uint32_t, 32> amdgpu::getGlueUserData(const Function &entry) {
  SmallVector<uint32_t, 32> numbers;
  SmallVector<StringRef, 32> words;
  entry.getFnAttribute(attributeName).getValueAsString().split(words, ' ', -1, false);
  for (StringRef word : words) {
    uint32_t number = 0;
    if (!word.getAsInteger(10, number))
      numbers.push_back(number);
  }
  return numbers;
}

/// A compute entry point has no stage mode and is never found.
Function *amdgpu::findStageOrGlue(Module &module, ShaderStage stage) {
  Function *entry = findEntryPoint(module);
  if (!entry)
    return nullptr;
  Expected<StageMode> mode = getStageMode(*entry);
  if (!mode) {
    consumeError(mode.takeError()); // A compute shader.
    return nullptr;
  }
  return mode->stage == stage ? entry : nullptr;
}

/// Reads each attribute and passes it on. A primitive shader's waves have lanes without a vertex.
static void makeFetch(IRBuilder<> &builder, const pal::GlueNeeds &needs, unsigned waveSize) {
  Function *entry = builder.GetInsertBlock()->getParent();
  LLVMContext &context = builder.getContext();
  BasicBlock *start = builder.GetInsertBlock(), *body = start, *end = start;
  if (needs.stage == pal::HardwareStage::Gs) {
    body = BasicBlock::Create(context, "body", entry);
    end = BasicBlock::Create(context, "end", entry);
    builder.CreateIntrinsic(Intrinsic::amdgcn_init_exec, {}, {builder.getInt64(~0ull)});
    Value *vertices = builder.CreateAnd(createStageInput(builder, StageInput::WaveInfo), 0xff);
    builder.CreateCondBr(builder.CreateICmpULT(createLaneNumber(builder, waveSize), vertices), body,
                         end);
    builder.SetInsertPoint(body);
  }
  SmallVector<Value *, 32> values;
  for (uint32_t place : needs.values)
    values.push_back(ReadInputOp::create(builder, place / 4, place % 4, uint64_t(InOutType::I32),
                                         uint64_t(Interpolation::Flat)));
  if (end != body) {
    builder.CreateBr(end);
    builder.SetInsertPoint(end);
    for (Value *&value : values) {
      PHINode *joined = builder.CreatePHI(value->getType(), 2);
      joined->addIncoming(value, body);
      joined->addIncoming(PoisonValue::get(value->getType()), start);
      value = joined;
    }
  }
  for (auto [place, value] : zip_equal(needs.values, values))
    WriteOutputOp::create(builder, place / 4, place % 4, 0, uint64_t(InOutType::I32), value);
}

/// Writes each color to where the fragment shader wrote it.
static void makeColors(IRBuilder<> &builder, const pal::GlueNeeds &needs) {
  constexpr size_t Numbers = 4;
  for (size_t i = 0; i + Numbers <= needs.values.size(); i += Numbers) {
    auto number =
        static_cast<uint32_t>(StageInput::ColorValue) + static_cast<uint32_t>(i / Numbers);
    WriteOutputOp::create(builder, needs.values[i], needs.values[i + 1], needs.values[i + 2],
                          needs.values[i + 3],
                          createStageInput(builder, static_cast<StageInput>(number)));
  }
}

/// The entry point is "main", of the Vertex or Fragment stage that \p needs are of.
Function *amdgpu::makeGlue(Module &module, const pal::GlueNeeds &needs, unsigned waveSize) {
  LLVMContext &context = module.getContext();
  bool isFragment = needs.stage == pal::HardwareStage::Ps;
  auto *type = FunctionType::get(Type::getVoidTy(context), false);
  Function *entry = Function::Create(type, Function::ExternalLinkage, "main", module);
  StageMode mode;
  mode.stage = isFragment ? ShaderStage::Fragment : ShaderStage::Vertex;
  setStageEntryPoint(*entry, mode);
  auto words = map_range(needs.userData, [](uint32_t number) { return utostr(number); });
  entry->addFnAttr(attributeName, join(words.begin(), words.end(), " "));
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  if (isFragment)
    makeColors(builder, needs);
  else
    makeFetch(builder, needs, waveSize);
  builder.CreateRetVoid();
  return entry;
}
