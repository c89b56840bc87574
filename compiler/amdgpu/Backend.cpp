// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/Backend.h"

#include "compiler/amdgpu/CompareBitsOnce.h"
#include "compiler/amdgpu/FreezeLoadedIndices.h"
#include "compiler/amdgpu/KeepBallots.h"
#include "compiler/amdgpu/KeepLanesInLoops.h"
#include "compiler/amdgpu/KeepLoadsBeforeFences.h"
#include "compiler/amdgpu/KeepSmallLoadsInPlace.h"
#include "compiler/amdgpu/KeepWideLiterals.h"
#include "compiler/amdgpu/MaskFirstLanes.h"
#include "compiler/amdgpu/OptPointerPairs.h"
#include "compiler/amdgpu/RelaxMinMax.h"
#include "compiler/amdgpu/RestoreLanesFirst.h"
#include "compiler/amdgpu/WaitForInterpolation.h"
#include "compiler/amdgpu/WaitForOperandHalves.h"
#include "compiler/amdgpu/WaitForOwnCounters.h"
#include "compiler/pal/Metadata.h"
#include "compiler/pal/PixelMetadata.h"
#include "compiler/pal/RegisterMetadata.h"
#include "support/Error.h"
#include "llvm-c/Target.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace assay;

/// A pass manager and the buffer that it writes to.
struct amdgpu::Backend::Emitter {
  SmallVector<char, 0> buffer;
  raw_svector_ostream os{buffer};
  legacy::PassManager passes;
};

amdgpu::Backend::Backend(std::unique_ptr<TargetMachine> machine, const CompileOptions &options)
    : m_machine(std::move(machine)), m_target(*options.target), m_palVersion(options.palVersion) {}
amdgpu::Backend::~Backend() = default;

/// LLVM has no other switch for these than its command line, one for the process. A fatal error
/// where it has not \p name: the code would silently be another one.
static void setLlvmOption(StringRef name, StringRef value) {
  auto &options = cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found == options.end())
    report_fatal_error("LLVM 22 has no option " + name);
  found->second->addOccurrence(0, found->second->ArgStr, value, /*MultiArg=*/true);
}

/// Passes of the code generator that are off for good.
static void leaveOut() {
  // The optimiser of atomics: OptSharedAtomics runs it where it belongs.
  setLlvmOption("amdgpu-atomic-optimizer-strategy", "None");
  // It takes what set.inactive gives for the same in all lanes where its operands are, and reads
  // no lane where one is asked for (bugs/README.md).
  setLlvmOption("amdgpu-enable-uniform-intrinsic-combine", "false");
}

/// Returns LLVM's target for \p triple, or null with the reason in \p problem. The first call
/// registers the target and all workarounds; both last as long as the process.
static const Target *findLlvmTarget(const Triple &triple, std::string &problem) {
  static const bool initialized = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    leaveOut();
    amdgpu::compareBitsOnce();
    amdgpu::freezeLoadedIndices();
    amdgpu::keepBallots();
    amdgpu::keepLanesInLoops();
    amdgpu::keepLoadsBeforeFences();
    amdgpu::keepSmallLoadsInPlace();
    amdgpu::keepWideLiterals();
    amdgpu::maskFirstLanes();
    amdgpu::optPointerPairs();
    amdgpu::relaxMinMax();
    amdgpu::restoreLanesFirst();
    amdgpu::waitForInterpolation();
    amdgpu::waitForOperandHalves();
    amdgpu::waitForOwnCounters();
    return true;
  }();
  (void)initialized;
  return TargetRegistry::lookupTarget(triple, problem);
}

/// Environment where this LLVM lacks the target.
Expected<std::unique_ptr<assay::Backend>> amdgpu::createBackend(const CompileOptions &options) {
  Triple triple(findArchitectureInfo(Architecture::AmdGpu)->triple);
  std::string problem;
  const Target *target = findLlvmTarget(triple, problem);
  if (!target)
    return environmentError("LLVM: " + problem);
  std::string features;
  if (options.target->supportsWave32)
    features = "+wavefrontsize" + std::to_string(options.getWaveSize());
  // Above Less, LLVM runs a second set of optimisations of the IR: a tenth of the whole time, for
  // one percent of the executed instructions (corpora/compute, gfx900 and gfx1100).
  CodeGenOptLevel level = options.optLevel == 0 ? CodeGenOptLevel::None : CodeGenOptLevel::Less;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, options.target->name, features, TargetOptions(), Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return environmentError("LLVM has no machine for " + options.target->name);
  return std::make_unique<Backend>(std::move(machine), options);
}

/// Returns the pass manager of \p slot, made at the first call. Environment where LLVM can't write
/// that type of file.
Expected<amdgpu::Backend::Emitter *> amdgpu::Backend::getEmitter(Slot slot) {
  std::unique_ptr<Emitter> &place = m_emitters[size_t(slot)];
  if (place)
    return place.get();
  auto emitter = std::make_unique<Emitter>();
  CodeGenFileType type =
      slot == Slot::Assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  if (m_machine->addPassesToEmitFile(emitter->passes, emitter->os, nullptr, type))
    return environmentError("LLVM cannot emit this type of file");
  place = std::move(emitter);
  return place.get();
}

namespace {
/// The graphics stages of a module.
struct StageCount {
  unsigned pixel = 0, others = 0;
};
} // namespace

/// Counts the functions of \p module by their calling convention; compute shaders do not count.
static StageCount countStages(const Module &module) {
  StageCount count;
  for (const Function &function : module) {
    CallingConv::ID convention = function.getCallingConv();
    count.pixel += convention == CallingConv::AMDGPU_PS;
    count.others += convention == CallingConv::AMDGPU_VS || convention == CallingConv::AMDGPU_GS;
  }
  return count;
}

/// A module with one pixel shader alone and metadata of PAL 3.0 is emitted with its version hidden,
/// which is put back into the ELF afterwards (compiler/pal/PixelMetadata.h).
Expected<std::vector<uint8_t>> amdgpu::Backend::runEmitter(Module &module, bool isAssembly,
                                                           DiagnosticCollector &diagnostics) {
  StageCount stages = countStages(module);
  bool isVersion3 = m_palVersion == PalVersion::V3_0;
  bool isHidden = isVersion3 && !isAssembly && stages.pixel == 1 && stages.others == 0;
  if (isHidden)
    if (Error error = pal::hideVersion(module))
      return std::move(error);
  Slot slot = isAssembly ? Slot::Assembly : isHidden ? Slot::PixelObject : Slot::Object;
  Expected<Emitter *> emitter = getEmitter(slot);
  if (!emitter)
    return emitter.takeError();
  (*emitter)->buffer.clear();
  (*emitter)->passes.run(module);
  if (Error error = diagnostics.takeFirstError())
    return addContext(std::move(error), "LLVM");
  std::vector<uint8_t> bytes((*emitter)->buffer.begin(), (*emitter)->buffer.end());
  if (isHidden)
    return pal::restoreVersion(bytes, m_target);
  if (isVersion3 && stages.pixel != 0) // The reason is in compiler/pal/PixelMetadata.h.
    m_emitters[size_t(slot)].reset();
  return bytes;
}

/// Returns an ELF, assembler text, or the metadata as text. Unsupported where the module uses what
/// it does not define.
Expected<std::vector<uint8_t>> amdgpu::Backend::emit(Module &module, EmitPhase phase,
                                                     DiagnosticCollector &diagnostics) {
  if (Error error = verifyAllDefined(module))
    return std::move(error);
  if (m_palVersion == PalVersion::V2_6)
    if (Error error = pal::useRegisterMetadata(module, m_target))
      return std::move(error);
  bool isAssembly = phase == EmitPhase::Assembly;
  Expected<std::vector<uint8_t>> bytes = runEmitter(module, isAssembly, diagnostics);
  if (!bytes || isAssembly)
    return bytes;
  if (Error error = verifyNoUndefinedSymbols(*bytes))
    return std::move(error);
  if (phase != EmitPhase::Metadata)
    return bytes;
  Expected<std::string> text = pal::printElfMetadata(*bytes);
  if (!text)
    return text.takeError();
  return std::vector<uint8_t>(text->begin(), text->end());
}

/// Unsupported names all functions and variables that are used, but not defined.
Error amdgpu::verifyAllDefined(const Module &module) {
  std::string names;
  for (const GlobalValue &value : module.global_values()) {
    bool isIntrinsic = isa<Function>(value) && cast<Function>(value).isIntrinsic();
    if (value.isDeclaration() && !isIntrinsic && !value.use_empty())
      names += (names.empty() ? "" : ", ") + value.getName().str();
  }
  if (names.empty())
    return Error::success();
  return unsupported("used, but not defined: " + names);
}

/// Returns Unsupported with the names of all undefined symbols, and InvalidInput for bytes that are
/// not an ELF.
Error amdgpu::verifyNoUndefinedSymbols(ArrayRef<uint8_t> elf) {
  MemoryBufferRef buffer(toStringRef(elf), "elf");
  Expected<object::ELF64LEObjectFile> file = object::ELF64LEObjectFile::create(buffer);
  if (!file)
    return invalidInput(toString(file.takeError()));
  std::string names;
  for (const object::ELFSymbolRef &symbol : file->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return invalidInput(toString(flags.takeError()));
    if (!(*flags & object::SymbolRef::SF_Undefined))
      continue;
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return invalidInput(toString(name.takeError()));
    names += (names.empty() ? "" : ", ") + name->str();
  }
  if (names.empty())
    return Error::success();
  return unsupported("undefined symbols in the ELF: " + names);
}
