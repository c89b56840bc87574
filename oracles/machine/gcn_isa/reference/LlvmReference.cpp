// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A batch of words is decoded by a forked child, which leaves its results in shared memory. Where
// they end early, the child crashed at the next word, and another child goes on after it.
#include "oracles/machine/gcn_isa/reference/LlvmReference.h"

#include "support/Error.h"
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
#include "llvm/Support/Errno.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace assay::gcn {

/// One result. A longer text is cut.
struct ReferenceSlot {
  ReferenceStatus status;
  uint8_t size;
  uint16_t length;
  char text[508];
};

/// Shared with the child.
struct ReferenceArena {
  static constexpr size_t Capacity = 4096;
  std::atomic<uint32_t> done;
  ReferenceSlot slots[Capacity];
};

} // namespace assay::gcn

/// LLVM's parts, in the order in which they refer to each other.
struct LlvmReference::Target {
  MCTargetOptions options;
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> asmInfo;
  std::unique_ptr<MCInstrInfo> instrs;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstPrinter> printer;
  ReferenceArena *arena = nullptr;

  ~Target() {
    if (arena)
      munmap(arena, sizeof(ReferenceArena));
  }
};

/// A child that has not finished its batch by then is stuck.
constexpr unsigned ChildSeconds = 60;
/// Zeros after the words, since LLVM may read further.
constexpr unsigned PaddingDwords = 14;

LlvmReference::LlvmReference() : m_target(std::make_unique<Target>()) {}
LlvmReference::~LlvmReference() = default;

/// Null when LLVM was built without the target. Registers it at the first call.
static const llvm::Target *findTarget(const Triple &triple) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  std::string message;
  return TargetRegistry::lookupTarget(triple, message);
}

/// Unsupported when LLVM lacks the target or the chip.
Expected<std::unique_ptr<LlvmReference>> LlvmReference::create(StringRef cpu, StringRef features) {
  Triple triple("amdgcn--amdpal");
  const llvm::Target *target = findTarget(triple);
  if (!target)
    return unsupported("LLVM without an AMDGPU target");
  std::unique_ptr<LlvmReference> reference(new LlvmReference);
  LlvmReference::Target &own = *reference->m_target;
  own.registers.reset(target->createMCRegInfo(triple));
  own.asmInfo.reset(target->createMCAsmInfo(*own.registers, triple, own.options));
  own.instrs.reset(target->createMCInstrInfo());
  own.subtarget.reset(target->createMCSubtargetInfo(triple, "", ""));
  if (!own.subtarget->isCPUStringValid(cpu))
    return unsupported("LLVM does not know the chip " + cpu);
  own.subtarget.reset(target->createMCSubtargetInfo(triple, cpu, features));
  own.context = std::make_unique<MCContext>(triple, own.asmInfo.get(), own.registers.get(),
                                            own.subtarget.get());
  own.disassembler.reset(target->createMCDisassembler(*own.subtarget, *own.context));
  own.printer.reset(target->createMCInstPrinter(triple, own.asmInfo->getAssemblerDialect(),
                                                *own.asmInfo, *own.instrs, *own.registers));
  void *memory = mmap(nullptr, sizeof(ReferenceArena), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return unsupported("no memory to share with a child");
  own.arena = static_cast<ReferenceArena *>(memory);
  return reference;
}

/// Tabs and runs of blanks as one blank, none in front.
static std::string squeezeBlanks(StringRef text) {
  std::string result;
  for (char c : text) {
    bool isBlank = c == ' ' || c == '\t' || c == '\n';
    if (!isBlank)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  while (!result.empty() && result.back() == ' ')
    result.pop_back();
  return result;
}

/// Decodes from \p first on and ends the process.
void LlvmReference::runChild(ArrayRef<Words> words, size_t first, ReferenceArena &arena) {
  alarm(ChildSeconds);
  close(2); // What LLVM says when it crashes is expected.
  for (size_t i = first; i < words.size(); ++i) {
    uint8_t bytes[(MaxWords + PaddingDwords) * 4] = {};
    for (unsigned w = 0; w < MaxWords; ++w)
      support::endian::write32le(bytes + 4 * w, words[i].dwords[w]);
    MCInst inst;
    uint64_t size = 0;
    auto status = m_target->disassembler->getInstruction(inst, size, bytes, 0, nulls());
    ReferenceSlot &slot = arena.slots[i];
    slot.status = status == MCDisassembler::Success    ? ReferenceStatus::Good
                  : status == MCDisassembler::SoftFail ? ReferenceStatus::Soft
                                                       : ReferenceStatus::Fail;
    slot.size = static_cast<uint8_t>(size);
    slot.length = 0;
    if (status != MCDisassembler::Fail) {
      std::string text;
      raw_string_ostream os(text);
      m_target->printer->printInst(&inst, 0, "", *m_target->subtarget, os);
      text = squeezeBlanks(text);
      slot.length = static_cast<uint16_t>(std::min(text.size(), sizeof(slot.text)));
      std::memcpy(slot.text, text.data(), slot.length);
    }
    arena.done.store(static_cast<uint32_t>(i + 1), std::memory_order_release);
  }
  _exit(0);
}

/// One result for each of \p words; words that crash LLVM keep the initial status.
std::vector<ReferenceResult> LlvmReference::decode(ArrayRef<Words> words) {
  std::vector<ReferenceResult> results;
  results.reserve(words.size());
  ReferenceArena &arena = *m_target->arena;
  while (!words.empty()) {
    ArrayRef<Words> batch = words.take_front(ReferenceArena::Capacity);
    size_t done = 0;
    std::vector<ReferenceResult> part(batch.size());
    while (done < batch.size()) {
      arena.done.store(static_cast<uint32_t>(done));
      pid_t child = fork();
      if (child < 0)
        report_fatal_error("fork: " + Twine(std::strerror(errno)));
      if (child == 0)
        runChild(batch, done, arena);
      int status = 0;
      sys::RetryAfterSignal(-1, waitpid, child, &status, 0);
      size_t end = arena.done.load(std::memory_order_acquire);
      for (; done < end; ++done) {
        const ReferenceSlot &slot = arena.slots[done];
        part[done] = {slot.status, slot.size, std::string(slot.text, slot.length)};
      }
      ++done; // The one that crashed, which part says already.
    }
    std::move(part.begin(), part.end(), std::back_inserter(results));
    words = words.drop_front(batch.size());
  }
  return results;
}
