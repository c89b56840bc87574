// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Compiler.h"

#include "compiler/api/Architecture.h"
#include "compiler/driver/Backends.h"
#include "compiler/driver/Passes.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/spirv/Module.h"
#include "compiler/spirv/ResourceInterface.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using testing::HasSubstr;

/// A shader with a storage buffer, push constants, shared memory and the instructions \p body
/// between %x, the word at the invocation's index, and %result, the word that is stored there.
static std::string makeText(StringRef body, unsigned sharedWords = 64) {
  constexpr const char *text = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %local %data %push %shared
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %local BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
OpMemberDecorate %constants 0 Offset 0
OpMemberDecorate %constants 1 Offset 4
OpDecorate %constants Block
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v3uint = OpTypeVector %uint 3
%in_v3uint = OpTypePointer Input %v3uint
%in_uint = OpTypePointer Input %uint
%id = OpVariable %in_v3uint Input
%local = OpVariable %in_uint Input
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_uint = OpTypePointer StorageBuffer %uint
%data = OpVariable %ptr_block StorageBuffer
%constants = OpTypeStruct %uint %float
%ptr_constants = OpTypePointer PushConstant %constants
%push_uint = OpTypePointer PushConstant %uint
%push_float = OpTypePointer PushConstant %float
%push = OpVariable %ptr_constants PushConstant
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c264 = OpConstant %uint 264
%count = OpConstant %uint {1}
%array = OpTypeArray %uint %count
%ptr_array = OpTypePointer Workgroup %array
%ptr_shared = OpTypePointer Workgroup %uint
%shared = OpVariable %ptr_array Workgroup
%main = OpFunction %void None %function
%entry = OpLabel
%gid = OpLoad %v3uint %id
%i = OpCompositeExtract %uint %gid 0
%place = OpAccessChain %ptr_uint %data %c0 %i
%x = OpLoad %uint %place
{0}
OpStore %place %result
OpReturn
OpFunctionEnd
)";
  return formatv(text, body, sharedWords);
}

static constexpr StringLiteral exchangeBody = R"(
%l = OpLoad %uint %local
%own = OpAccessChain %ptr_shared %shared %l
OpStore %own %x
OpControlBarrier %c2 %c2 %c264
%lx = OpBitwiseXor %uint %l %c1
%other = OpAccessChain %ptr_shared %shared %lx
%y = OpLoad %uint %other
%pf = OpAccessChain %push_float %push %c1
%f = OpLoad %float %pf
%yf = OpConvertUToF %float %y
%q = OpFDiv %float %yf %f
%result = OpConvertFToU %uint %q)";

static PipelineDescription makePipeline(StringRef text) {
  PipelineDescription pipeline;
  Expected<std::vector<uint32_t>> words = spirv::assemble(text);
  if (!words) {
    ADD_FAILURE() << takeError(words.takeError()).message << "\n" << text.str();
    return pipeline;
  }
  Expected<spirv::Module> module = spirv::decode(*words);
  EXPECT_TRUE(static_cast<bool>(module));
  Expected<ResourceLayout> layout = spirv::layoutFor(*module);
  EXPECT_TRUE(static_cast<bool>(layout));
  pipeline.addShader(ShaderStage::Compute).spirv = std::move(*words);
  pipeline.layout = std::move(*layout);
  return pipeline;
}

static CompileOptions makeOptions(StringRef target, unsigned level = 2, unsigned wave = 0) {
  CompileOptions options;
  options.target = cantFail(findTarget(target));
  options.optLevel = level;
  options.waveSize = wave;
  return options;
}

static std::string compileOrFail(Compiler &compiler, const PipelineDescription &pipeline,
                                 const CompileOptions &options, EmitPhase phase = EmitPhase::Elf) {
  Expected<CompileResult> result = compiler.compile(pipeline, options, phase);
  if (!result) {
    ADD_FAILURE() << takeError(result.takeError()).message;
    return "";
  }
  EXPECT_FALSE(result->output.empty());
  return {result->output.begin(), result->output.end()};
}

static ErrorParts compileError(Compiler &compiler, const PipelineDescription &pipeline,
                               const CompileOptions &options) {
  Expected<CompileResult> result = compiler.compile(pipeline, options, EmitPhase::Elf);
  if (result) {
    ADD_FAILURE() << "was compiled";
    return {ErrorKind::Environment, ""};
  }
  return takeError(result.takeError());
}

/// Shader number \p number of a family: no two alike, of many instruction mixes and lengths.
static PipelineDescription makeVariant(unsigned number) {
  static constexpr const char *operations[] = {"OpIAdd", "OpIMul", "OpBitwiseXor", "OpISub"};
  std::string body;
  std::string last = "%x";
  for (unsigned i = 0; i < 1 + number % 7; ++i) {
    const char *operation = operations[(number >> (i % 5)) % std::size(operations)];
    std::string value = formatv("%t{0}", i);
    body += formatv("{0} = {1} %uint {2} %{3}\n", value, operation, last, i % 2 ? "c264" : "i");
    last = value;
  }
  body += formatv("%result = OpIAdd %uint {0} %count\n", last);
  return makePipeline(makeText(number % 3 ? body : exchangeBody.str(), 64 + number));
}

TEST(Compiler, CompilesForEveryTargetLevelAndWaveSize) {
  Compiler compiler;
  PipelineDescription pipeline = makePipeline(makeText(exchangeBody));
  for (const TargetInfo &target : getTargets()) {
    for (unsigned level : {0, 2}) {
      for (unsigned wave : {32, 64}) {
        if (wave == 32 && !target.supportsWave32)
          continue;
        std::string text = compileOrFail(compiler, pipeline, makeOptions(target.name, level, wave),
                                         EmitPhase::Metadata);
        EXPECT_THAT(text, HasSubstr(formatv(".wavefront_size: {0:x}", wave).str()));
        EXPECT_THAT(text, HasSubstr(".lds_size:       0x200"));
        EXPECT_THAT(text, HasSubstr(".user_data_limit: 0x3"));
        EXPECT_THAT(text, HasSubstr(".spill_threshold: 0xffff"));
      }
    }
  }
}

TEST(Compiler, WavesAreOfTheSizeThatThePipelineRequires) {
  Compiler compiler;
  PipelineDescription pipeline = makePipeline(makeText(exchangeBody));
  for (auto [size, text] : {std::pair(32u, "size: 0x20\n"), {64u, "size: 0x40\n"}}) {
    pipeline.addShader(ShaderStage::Compute).requiredSubgroupSize = size;
    for (unsigned asked : {0, 32, 64})
      EXPECT_THAT(
          compileOrFail(compiler, pipeline, makeOptions("gfx1100", 2, asked), EmitPhase::Metadata),
          HasSubstr(std::string(".wavefront_") + text));
  }
  for (auto [target, size] : {std::pair("gfx900", 32u), {"gfx1100", 16u}, {"gfx1201", 128u}}) {
    pipeline.addShader(ShaderStage::Compute).requiredSubgroupSize = size;
    ErrorParts parts = compileError(compiler, pipeline, makeOptions(target));
    EXPECT_EQ(parts.kind, ErrorKind::Unsupported);
    EXPECT_EQ(parts.message, "subgroups of " + std::to_string(size) + " on " + target);
  }
}

TEST(Compiler, GivesEveryPhase) {
  Compiler compiler;
  PipelineDescription pipeline = makePipeline(makeText(exchangeBody));
  CompileOptions options = makeOptions("gfx1100");
  auto emit = [&](EmitPhase phase) { return compileOrFail(compiler, pipeline, options, phase); };
  EXPECT_EQ(emit(EmitPhase::Elf).substr(1, 3), "ELF");
  EXPECT_THAT(emit(EmitPhase::SpirvText), HasSubstr("OpEntryPoint GLCompute"));
  std::string lgc = emit(EmitPhase::Lgc);
  EXPECT_THAT(lgc, HasSubstr("call ptr addrspace(7) @lgc.load.buffer.desc(i32 0, i32 0"));
  EXPECT_THAT(lgc, HasSubstr("!lgc.pipeline.state"));
  std::string middle = emit(EmitPhase::Llvm);
  EXPECT_THAT(middle, HasSubstr("define amdgpu_cs void @_amdgpu_cs_main"));
  EXPECT_EQ(middle.find("@lgc."), std::string::npos);
  EXPECT_THAT(emit(EmitPhase::Assembly), HasSubstr("s_endpgm"));
}

TEST(Compiler, BuildingAtOnceGivesWhatReplayingGives) {
  Compiler compiler;
  PipelineDescription pipeline = makePipeline(makeText(exchangeBody));
  for (unsigned level : {0, 2}) {
    CompileOptions options = makeOptions("gfx1030", level);
    std::string recorded = compileOrFail(compiler, pipeline, options);
    options.recordBuilder = false;
    EXPECT_EQ(compileOrFail(compiler, pipeline, options), recorded);
  }
}

TEST(Compiler, BytesDoNotDependOnWhatWasCompiledBefore) {
  constexpr unsigned count = 100;
  std::vector<PipelineDescription> pipelines;
  pipelines.reserve(count);
  for (unsigned i = 0; i < count; ++i)
    pipelines.push_back(makeVariant(i));
  CompileOptions options = makeOptions("gfx1100");
  std::vector<std::string> forwards(count);
  Compiler warm;
  for (unsigned i = 0; i < count; ++i)
    forwards[i] = compileOrFail(warm, pipelines[i], options);
  Compiler other;
  for (unsigned i = count; i-- > 0;)
    EXPECT_EQ(compileOrFail(other, pipelines[i], options), forwards[i]) << i;
  for (unsigned i = 0; i < count; i += 20) {
    Compiler cold;
    EXPECT_EQ(compileOrFail(cold, pipelines[i], options), forwards[i]) << i;
  }
}

/// Runs the middle-end on \p text and emits an ELF, as LLVM's own tools with the plugin would.
static std::string goOnFromText(StringRef text, const CompileOptions &options) {
  DiagnosticCollector diagnostics;
  LLVMContext context;
  diagnostics.attach(context);
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  auto backend = cantFail(createBackend(options));
  PassBuilder builder(backend->getTargetMachine());
  registerPasses(builder);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  cantFail(
      builder.parsePassPipeline(passes, options.optLevel == 0 ? "middle-end-o0" : "middle-end-o2"));
  passes.run(*module, modules);
  std::vector<uint8_t> elf = cantFail(backend->emit(*module, EmitPhase::Elf, diagnostics));
  return {elf.begin(), elf.end()};
}

TEST(Backends, EveryTargetThatIsCompiledForHasOne) {
  for (ArrayRef<TargetInfo> targets : {getTargets(), getAdrenoTargets()})
    for (const TargetInfo &target : targets) {
      CompileOptions options;
      options.target = &target;
      Expected<std::unique_ptr<Backend>> backend = createBackend(options);
      EXPECT_EQ(bool(backend), canCompileFor(target)) << target.name.str();
      if (!backend)
        EXPECT_EQ(takeError(backend.takeError()).kind, ErrorKind::Unsupported);
    }
}

TEST(Compiler, TextOfThePhasesLosesNothing) {
  Compiler compiler;
  for (unsigned number : {0, 3, 7}) {
    for (unsigned level : {0, 2}) {
      PipelineDescription pipeline = makeVariant(number);
      CompileOptions options = makeOptions("gfx1201", level);
      std::string lgc = compileOrFail(compiler, pipeline, options, EmitPhase::Lgc);
      EXPECT_EQ(goOnFromText(lgc, options), compileOrFail(compiler, pipeline, options))
          << number << " at level " << level;
    }
  }
}

TEST(Compiler, GoesOnFromIr) {
  Compiler compiler;
  PipelineDescription pipeline = makePipeline(makeText(exchangeBody));
  for (unsigned level : {0, 2}) {
    CompileOptions options = makeOptions("gfx1030", level);
    std::string lgc = compileOrFail(compiler, pipeline, options, EmitPhase::Lgc);
    Expected<CompileResult> result = compiler.compileIr(lgc, options, EmitPhase::Elf);
    ASSERT_TRUE(static_cast<bool>(result)) << takeError(result.takeError()).message;
    EXPECT_EQ(std::string(result->output.begin(), result->output.end()),
              compileOrFail(compiler, pipeline, options));
  }
}

TEST(Compiler, RefusesIrThatDoesNotFit) {
  Compiler compiler;
  CompileOptions options = makeOptions("gfx1030");
  std::string lgc =
      compileOrFail(compiler, makePipeline(makeText(exchangeBody)), options, EmitPhase::Lgc);
  auto refuse = [&](StringRef ir, const CompileOptions &asked, EmitPhase phase) {
    Expected<CompileResult> result = compiler.compileIr(ir, asked, phase);
    EXPECT_FALSE(static_cast<bool>(result));
    ErrorParts parts = takeError(result.takeError());
    EXPECT_EQ(parts.kind, ErrorKind::InvalidInput);
    return parts.message;
  };
  EXPECT_THAT(refuse("", options, EmitPhase::Elf), HasSubstr("lgc.pipeline.state"));
  EXPECT_THAT(refuse("nonsense", options, EmitPhase::Elf), HasSubstr("line 1"));
  EXPECT_THAT(refuse("define i32 @f() {\n ret void\n}", options, EmitPhase::Elf),
              HasSubstr("line 2"));
  EXPECT_THAT(refuse(lgc, makeOptions("gfx1100"), EmitPhase::Elf), HasSubstr("is for gfx1030"));
  EXPECT_THAT(refuse(lgc, makeOptions("gfx1030", 2, 64), EmitPhase::Elf), HasSubstr("waves of 32"));
  EXPECT_THAT(refuse(lgc, options, EmitPhase::Lgc), HasSubstr("past the phase"));
}

TEST(Compiler, TargetsTakeTurns) {
  PipelineDescription pipeline = makePipeline(makeText(exchangeBody));
  std::vector<std::string> first;
  Compiler compiler;
  for (unsigned round = 0; round < 2; ++round) {
    unsigned index = 0;
    for (const TargetInfo &target : getTargets()) {
      std::string elf = compileOrFail(compiler, pipeline, makeOptions(target.name));
      if (round == 0)
        first.push_back(elf);
      else
        EXPECT_EQ(elf, first[index++]) << target.name.str();
    }
  }
}

TEST(Compiler, RejectsBrokenInput) {
  Compiler compiler;
  PipelineDescription pipeline = makePipeline(makeText(exchangeBody));
  EXPECT_EQ(compileError(compiler, pipeline, makeOptions("gfx900", 2, 32)).kind,
            ErrorKind::InvalidInput);
  PipelineDescription other = pipeline;
  other.addShader(ShaderStage::Compute).entryPoint = "nobody";
  EXPECT_EQ(compileError(compiler, other, makeOptions("gfx900")).kind, ErrorKind::InvalidInput);
  other = pipeline;
  other.getShader(ShaderStage::Compute).spirv.resize(20);
  EXPECT_EQ(compileError(compiler, other, makeOptions("gfx900")).kind, ErrorKind::InvalidInput);
  other = pipeline;
  other.layout = {};
  ErrorParts parts = compileError(compiler, other, makeOptions("gfx900"));
  EXPECT_EQ(parts.kind, ErrorKind::InvalidInput);
  EXPECT_THAT(parts.message, HasSubstr("the resource layout has no"));
}

TEST(Compiler, SurvivesAnErrorOfLlvm) {
  Compiler compiler;
  PipelineDescription good = makePipeline(makeText(exchangeBody));
  PipelineDescription tooBig = makePipeline(makeText(exchangeBody, 20000));
  CompileOptions options = makeOptions("gfx1030");
  std::string before = compileOrFail(compiler, good, options);
  ErrorParts parts = compileError(compiler, tooBig, options);
  EXPECT_EQ(parts.kind, ErrorKind::Limit) << parts.message;
  EXPECT_EQ(compileOrFail(compiler, good, options), before);
}

#ifdef ASSAY_FAULTS
static void compileWithFault(StringRef fault) {
  cantFail(plantFault(fault));
  Compiler compiler;
  consumeError(compiler.compile({}, makeOptions("gfx1100"), EmitPhase::Elf).takeError());
}

TEST(CompilerDeathTest, ActsOnPlantedFaults) {
  EXPECT_EXIT(compileWithFault("compile-crash"), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_DEATH(compileWithFault("compile-fatal-error"), "as planted");
}
#endif
