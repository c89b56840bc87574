// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/LowerFatPointers.h"

#include "harness/run/CommandWords.h"
#include "harness/worker/Command.h"
#include "harness/worker/RunPass.h"
#include "oracles/fat_pointer/FatTypes.h"
#include "support/Error.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace assay;

/// Triple of modules that name none.
static constexpr StringLiteral tripleName = "amdgcn--amdpal";
/// Size of ptr addrspace(7): a 128-bit descriptor and a 32-bit offset.
static constexpr unsigned fatBits = 160;

/// Accepts text and bitcode. InvalidInput, with the line where there is one, for what LLVM cannot
/// parse or its verifier refuses.
Expected<std::unique_ptr<Module>> assay::readModule(StringRef path, LLVMContext &context) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseIRFile(path, problem, context);
  if (!module) {
    // The file's own name is a chance name where it came from the standard input.
    std::string where =
        problem.getLineNo() > 0 ? "line " + std::to_string(problem.getLineNo()) + ": " : "";
    return invalidInput(where + problem.getMessage());
  }
  std::string text;
  raw_string_ostream os(text);
  if (verifyModule(*module, &os))
    return invalidInput("LLVM's verifier refuses it: " + StringRef(text).split('\n').first);
  return std::move(module);
}

/// Adds the data layout and the triple of the default AMD target where the module has none.
/// InvalidInput where its layout gives fat pointers another size.
Error assay::completeModule(Module &module) {
  if (module.getDataLayoutStr().empty()) {
    Expected<std::unique_ptr<Backend>> backend = makeBackend(defaultTarget(Architecture::AmdGpu));
    if (!backend)
      return backend.takeError();
    module.setDataLayout((*backend)->getTargetMachine()->createDataLayout());
  }
  if (module.getTargetTriple().empty())
    module.setTargetTriple(Triple(tripleName));
  unsigned bits = module.getDataLayout().getPointerSizeInBits(fatSpace);
  if (bits != fatBits)
    return invalidInput("its data layout gives ptr addrspace(7) " + Twine(bits) +
                        " bits instead of " + Twine(fatBits));
  return Error::success();
}

// A pass asks the function for its chip.
static void setChip(Module &module, const TargetMachine &machine) {
  for (Function &function : module)
    if (!function.isDeclaration() && !function.hasFnAttribute("target-cpu")) {
      function.addFnAttr("target-cpu", machine.getTargetCPU());
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    }
}

/// Runs the job's command on before.ll in the job's folder and reads after.ll. A file that is
/// missing or can't be read afterwards is a fail, because the command ended with status 0.
static std::optional<Stop> lowerByCommand(const Job &job, const Module &before,
                                          std::unique_ptr<Module> &after) {
  std::string in = job.folder + "/before.ll", out = job.folder + "/after.ll";
  std::error_code code;
  raw_fd_ostream os(in, code);
  if (code)
    return Stop{State::ToolError, in + ": " + code.message(), {}};
  before.print(os, nullptr);
  os.close();
  if (os.has_error())
    return Stop{State::ToolError, in + ": " + os.error().message(), {}};
  std::vector<std::string> words = fillCommand(
      job.command,
      {{placeholder::In, in}, {placeholder::Out, out}, {placeholder::Target, job.target}});
  if (std::optional<Stop> stop = runCompilerCommand(words, job.folder + "/command.log", job.folder))
    return stop;
  Expected<std::unique_ptr<Module>> module = readModule(out, before.getContext());
  if (!module)
    return Stop{
        State::Fail, "what the command wrote: " + takeError(module.takeError()).message, {}};
  if (Error error = completeModule(**module))
    return Stop{State::Fail, "what the command wrote: " + takeError(std::move(error)).message, {}};
  after = std::move(*module);
  return std::nullopt;
}

/// Leaves \p before as it is and sets \p after. A module that the pass refuses is Unsupported.
std::optional<Stop> assay::lowerFatPointers(const Job &job, FatLowering lowering,
                                            const Module &before, std::unique_ptr<Module> &after) {
  if (lowering == FatLowering::Command)
    return lowerByCommand(job, before, after);
  Expected<std::unique_ptr<Backend>> backend = makeBackend(job.target);
  if (!backend)
    return stopFor(backend.takeError(), "lower");
  TargetMachine &machine = *(*backend)->getTargetMachine();
  after = CloneModule(before);
  setChip(*after, machine);
  // Whatever a lowering says against the module, it does not lower it: that is no fault of the
  // input.
  StringRef name = lowering == FatLowering::Own ? "lower-buffer-fat-pointers"
                                                : "amdgpu-lower-buffer-fat-pointers";
  if (Error error = runPass(name, machine, *after)) {
    ErrorParts parts = takeError(std::move(error));
    bool isTool = parts.kind == ErrorKind::Environment;
    return Stop{isTool ? State::ToolError : State::Unsupported, parts.message, {}};
  }
  return std::nullopt;
}
