// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/Backend.h"

#include "compiler/ir3/VariantFile.h"
#include "compiler/ir3/ir/Printer.h"
#include "compiler/ir3/passes/Emit.h"
#include "compiler/ir3/passes/Variant.h"
#include "compiler/ir3/select/Uniforms.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/FloatMode.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Error.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"

using namespace llvm;
using namespace assay;

/// The one function with a body.
static Expected<Function *> findEntry(Module &module) {
  Function *entry = nullptr;
  for (Function &function : module)
    if (!function.isDeclaration()) {
      if (entry)
        return unsupported("a module with several functions");
      entry = &function;
    }
  if (!entry)
    return invalidInput("the module has no function");
  return entry;
}

/// The hardware flushes denormals and rounds to nearest even: turnip offers neither
/// shaderDenormPreserve nor shaderRoundingModeRTZ on these chips (Mesa 25.0, tu_device.cc,
/// tu_get_physical_device_properties_1_2).
static Error checkFloatMode(const Function &entry) {
  FloatMode mode = getFloatMode(entry);
  for (const FloatControl &control : {mode.single, mode.others}) {
    if (control.denormals == Denormals::Preserve)
      return unsupported("a shader for an Adreno GPU that preserves denormals");
    if (control.towardZero)
      return unsupported("a shader for an Adreno GPU that rounds toward zero");
  }
  return Error::success();
}

/// Sizes and places that the code depends on.
static Expected<ir3::Interface> makeInterface(Module &module, const Function &entry,
                                              const ir3::Compiler &compiler) {
  Expected<TrackedState> state = TrackedState::open(module, "ir3-select");
  if (!state)
    return state.takeError();
  Expected<ComputeMode> mode = getComputeMode(entry);
  if (!mode)
    return mode.takeError();
  ir3::Interface interface;
  ResourceLayout layout = state->getLayout();
  interface.bindings = compiler.hasSlots() ? ir3::placeInSlots(layout) : ir3::placeBindings(layout);
  interface.pushConstantDwords = layout.pushConstantDwords;
  interface.groupCountDword = static_cast<uint32_t>(alignTo(layout.pushConstantDwords, 4));
  interface.constDwords = interface.groupCountDword + 4;
  if (compiler.hasSlots()) {
    interface.workgroupIdDword = interface.constDwords;
    interface.constDwords += 4;
  }
  for (unsigned i = 0; i < 3; ++i)
    interface.localSize[i] = mode->workgroupSize[i];
  return interface;
}

/// Replaces the modes of earlier calls; all modes are accepted.
Error ir3::Backend::setDebugModes(const DebugModes &modes) {
  m_modes = modes;
  return Error::success();
}

/// What the debug modes and the gate of \p module's context ask for. \p trace receives the IR
/// after each pass.
ir3::CompileOptions ir3::Backend::makeOptions(Module &module, std::string &trace) const {
  CompileOptions options;
  options.optimize = m_optimize;
  options.spillAll = m_modes.spillAll;
  options.fullSync = m_modes.fullSync;
  options.fullNop = m_modes.fullNop;
  if (m_modes.noSchedule)
    options.schedule = Schedule::None;
  if (m_modes.printsPasses)
    options.observe = [&trace](StringRef pass, const Program &program) {
      trace += ("; after " + pass + "\n").str() + print(program) + "\n";
    };
  if (const OptPassGate &gate = module.getContext().getOptPassGate(); gate.isEnabled())
    // A second compilation has the answers of the first.
    options.mayRun = [&gate, answers = std::make_shared<StringMap<bool>>()](StringRef pass) {
      auto [entry, isNew] = answers->try_emplace(pass, false);
      if (isNew)
        entry->second = gate.shouldRunPass(pass, "function main");
      return entry->second;
    };
  return options;
}

/// Selects and compiles \p entry into \p program.
static Expected<ir3::ShaderVariant> compileEntry(Function &entry, const ir3::Interface &interface,
                                                 const ir3::CompileOptions &options,
                                                 ir3::Program &program) {
  program.constDwords = interface.constDwords;
  if (Error error = ir3::select(entry, interface, program))
    return std::move(error);
  return ir3::compileProgram(program, options);
}

/// Compiles with arrays in registers first, where the options say so. When the registers do not
/// suffice and the chip has private memory, it compiles once more with arrays there.
Expected<std::vector<uint8_t>> ir3::Backend::emit(Module &module, EmitPhase phase,
                                                  DiagnosticCollector &) {
  Expected<Function *> entry = findEntry(module);
  if (!entry)
    return entry.takeError();
  if (Error error = checkFloatMode(**entry))
    return std::move(error);
  Expected<Interface> interface = makeInterface(module, **entry, m_compiler);
  if (!interface)
    return interface.takeError();
  std::string trace;
  CompileOptions options = makeOptions(module, trace);
  auto mayRun = [&](StringRef pass) { return !options.mayRun || options.mayRun(pass); };
  if (m_optimize && mayRun("ir3-promote-uniforms"))
    promoteUniforms(**entry, m_compiler, *interface);
  interface->placesArrays =
      !m_compiler.hasPrivateMemory || (m_optimize && mayRun("ir3-place-arrays"));
  auto program = std::make_unique<Program>(m_compiler);
  Expected<ShaderVariant> variant = compileEntry(**entry, *interface, options, *program);
  if (!variant && !program->arrays.empty() && m_compiler.hasPrivateMemory) {
    ErrorParts parts = takeError(variant.takeError());
    if (parts.kind != ErrorKind::Limit)
      return make_error<AssayError>(parts.kind, parts.message);
    // The registers do not suffice, and arrays are never spilled: in private memory, they leave the
    // registers to values.
    trace.clear();
    interface->placesArrays = false;
    program = std::make_unique<Program>(m_compiler);
    variant = compileEntry(**entry, *interface, options, *program);
  }
  if (!variant)
    return variant.takeError();
  if (phase == EmitPhase::Assembly) {
    std::string text = m_modes.printsPasses ? trace
                       : m_modes.printsIr   ? print(*program)
                                            : emitAssembly(*program);
    return std::vector<uint8_t>(text.begin(), text.end());
  }
  if (phase == EmitPhase::Metadata) {
    std::string text = describeVariant(m_compiler, *variant, *interface);
    return std::vector<uint8_t>(text.begin(), text.end());
  }
  return writeVariant(m_compiler, *variant, *interface);
}

/// Optimizes at every level except 0.
Expected<std::unique_ptr<assay::Backend>> ir3::createBackend(const assay::CompileOptions &options) {
  const Compiler *compiler = findCompiler(options.target->name);
  if (!compiler)
    return unsupported("target '" + options.target->name + "': there is no back-end for it yet");
  return std::make_unique<Backend>(*compiler, options.optLevel != 0);
}
