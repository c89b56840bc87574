// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/Decoder.h"

#include "oracles/machine/gcn_isa/AsmText.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include <cstring>
#include <mutex>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// The longest instruction is 20 bytes; LLVM's decoder may look further than it was told.
constexpr uint64_t WindowBytes = 24;
constexpr uint64_t PaddingBytes = 32;

class LlvmDecoder final : public Decoder {
public:
  Error init(StringRef cpu, unsigned waveSize);
  Inst decode(ArrayRef<uint8_t> code, uint64_t offset) override;

private:
  std::string print(const MCInst &inst);

  MCTargetOptions m_options;
  std::unique_ptr<MCRegisterInfo> m_registers;
  std::unique_ptr<MCAsmInfo> m_asmInfo;
  std::unique_ptr<MCInstrInfo> m_instrs;
  std::unique_ptr<MCSubtargetInfo> m_subtarget;
  std::unique_ptr<MCContext> m_context;
  std::unique_ptr<MCDisassembler> m_disassembler;
  std::unique_ptr<MCInstPrinter> m_printer;
};

} // namespace

static void initializeLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
}

Error LlvmDecoder::init(StringRef cpu, unsigned waveSize) {
  initializeLlvm();
  Triple triple("amdgcn--amdpal");
  std::string message;
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return unsupported("LLVM without an AMDGPU target: " + message);
  m_registers.reset(target->createMCRegInfo(triple));
  m_asmInfo.reset(target->createMCAsmInfo(*m_registers, triple, m_options));
  m_instrs.reset(target->createMCInstrInfo());
  m_subtarget.reset(target->createMCSubtargetInfo(triple, "", ""));
  if (!m_subtarget->isCPUStringValid(cpu))
    return unsupported("decoder: LLVM does not know the chip " + cpu);
  StringRef features = waveSize == 64 ? "+wavefrontsize64" : "+wavefrontsize32";
  m_subtarget.reset(target->createMCSubtargetInfo(triple, cpu, features));
  m_context =
      std::make_unique<MCContext>(triple, m_asmInfo.get(), m_registers.get(), m_subtarget.get());
  m_disassembler.reset(target->createMCDisassembler(*m_subtarget, *m_context));
  m_printer.reset(target->createMCInstPrinter(triple, m_asmInfo->getAssemblerDialect(), *m_asmInfo,
                                              *m_instrs, *m_registers));
  if (!m_disassembler || !m_printer)
    return unsupported("decoder: LLVM has no disassembler for " + cpu);
  return Error::success();
}

std::string LlvmDecoder::print(const MCInst &inst) {
  std::string text;
  raw_string_ostream os(text);
  m_printer->printInst(&inst, 0, "", *m_subtarget, os);
  return text;
}

Inst LlvmDecoder::decode(ArrayRef<uint8_t> code, uint64_t offset) {
  uint8_t window[WindowBytes + PaddingBytes] = {};
  uint64_t left = code.size() - offset;
  uint64_t length = std::min(left, WindowBytes);
  std::memcpy(window, code.data() + offset, length);

  Inst result;
  result.words[0] = support::endian::read32le(window);
  result.words[1] = support::endian::read32le(window + 4);
  MCInst inst;
  uint64_t size = 0;
  // The padding is part of what LLVM sees: a literal cut off at the end crashes it.
  auto status = m_disassembler->getInstruction(inst, size, ArrayRef(window), offset, nulls());
  if (status == MCDisassembler::Success && size && size <= length) {
    std::string text = print(inst);
    // The printer says in a comment what the decoder should have refused.
    if (!StringRef(text).contains("/*Invalid"))
      parseAsmText(text, result);
  }
  result.pc = offset;
  result.size = result.valid ? static_cast<uint32_t>(size) : 4;
  for (Inst &half : result.dual) {
    half.pc = offset;
    half.size = result.size;
  }
  return result;
}

Decoder::~Decoder() = default;

std::vector<Inst> Decoder::decodeRange(ArrayRef<uint8_t> code, uint64_t begin, uint64_t end) {
  std::vector<Inst> result;
  for (uint64_t offset = begin; offset + 4 <= end;) {
    result.push_back(decode(code.take_front(end), offset));
    offset += result.back().size;
  }
  return result;
}

Expected<std::unique_ptr<Decoder>> Decoder::create(StringRef cpu, unsigned waveSize) {
  auto decoder = std::make_unique<LlvmDecoder>();
  if (Error error = decoder->init(cpu, waveSize))
    return std::move(error);
  return decoder;
}
