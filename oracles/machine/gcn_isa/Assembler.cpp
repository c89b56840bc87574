// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/Assembler.h"

#include "support/Error.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Null when LLVM was built without the target. Registers it at the first call.
static const Target *findAmdgpu(const Triple &triple) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
  });
  std::string message;
  return TargetRegistry::lookupTarget(triple, message);
}

/// \p context is the std::string to append to.
static void appendDiagnostic(const SMDiagnostic &diagnostic, void *context) {
  raw_string_ostream os(*static_cast<std::string *>(context));
  diagnostic.print(nullptr, os, /*ShowColors=*/false);
}

/// Returns an ELF of PAL's operating system, not linked. Errors of the assembler are invalid input
/// with its messages.
Expected<std::vector<uint8_t>> gcn::assembleElf(StringRef text, StringRef cpu, unsigned waveSize) {
  Triple triple("amdgcn--amdpal");
  const Target *target = findAmdgpu(triple);
  if (!target)
    return unsupported("LLVM without an AMDGPU target");
  std::string messages;
  SourceMgr sources;
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, "shader"), SMLoc());
  sources.setDiagHandler(appendDiagnostic, &messages);

  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<MCAsmInfo> info(target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<MCInstrInfo> instrs(target->createMCInstrInfo());
  StringRef features = waveSize == 64 ? "+wavefrontsize64" : "+wavefrontsize32";
  std::unique_ptr<MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, cpu, features));
  MCContext context(triple, info.get(), registers.get(), subtarget.get(), &sources);
  std::unique_ptr<MCObjectFileInfo> sections(target->createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(sections.get());

  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  std::unique_ptr<MCAsmBackend> backend(
      target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<MCObjectWriter> writer = backend->createObjectWriter(os);
  std::unique_ptr<MCCodeEmitter> emitter(target->createMCCodeEmitter(*instrs, context));
  std::unique_ptr<MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<MCAsmParser> parser(createMCAsmParser(sources, context, *streamer, *info));
  std::unique_ptr<MCTargetAsmParser> targetParser(
      target->createMCAsmParser(*subtarget, *parser, *instrs, options));
  parser->setTargetParser(*targetParser);
  bool failed = parser->Run(/*NoInitialTextSection=*/false);
  if (failed || context.hadError())
    return invalidInput("assembler: " + messages);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}
