// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For this folder's tests: one instruction, assembled, decoded and bound, run on a wave whose
// registers the test has set.
#pragma once

#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn_isa/Assembler.h"
#include "support/Error.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"
#include <memory>
#include <random>

namespace assay::gcn {

/// A program of \p text for one chip, and a wave that it runs on. Registers start random, always
/// the same; EXEC starts full.
class WaveBench {
public:
  static constexpr unsigned Vgprs = 128;

  WaveBench(llvm::StringRef target, unsigned waveSize, llvm::StringRef text, unsigned seed = 1) {
    unsigned gfxMajor = 0;
    target.drop_front(3).drop_back(2).getAsInteger(10, gfxMajor);
    ProgramOptions options{gfxMajor, waveSize, Vgprs, 102, target.str()};
    std::vector<uint8_t> code = assemble(target, waveSize, text);
    llvm::Expected<std::unique_ptr<Decoder>> decoder = Decoder::create(target, waveSize);
    if (!decoder) {
      ADD_FAILURE() << takeError(decoder.takeError()).message;
      return;
    }
    m_program =
        std::make_unique<Program>(options, **decoder, code, 0x1000, CodeRange{0, code.size()});
    m_group.program = m_program.get();
    m_group.waveCount = 1;
    wave = std::make_unique<Wave>(m_group, waveSize, Vgprs, gfxMajor);
    randomize(seed);
  }

  void randomize(unsigned seed) {
    std::mt19937 random(seed);
    for (LaneArray &lanes : wave->v)
      for (uint32_t &word : lanes)
        word = random();
    for (unsigned index = 0; index < 100; ++index)
      wave->s[index] = random();
    wave->setVcc((uint64_t(random()) << 32 | random()) & wave->laneMask());
    wave->setExec(wave->laneMask());
    wave->setMode(0xf0);
  }

  /// Runs all instructions once, one after the other.
  void step() {
    for (const MicroOp &op : m_program->ops().drop_back())
      op.run(*wave, op);
  }

  /// The same, which must go well: false when an instruction fails or is unsupported.
  bool run() {
    if (!wave)
      return false;
    step();
    EXPECT_EQ(m_group.failure.reason, "");
    return m_group.failure.kind == OutcomeKind::Completed;
  }

  std::string failure() const { return m_group.failure.reason; }
  /// One for each instruction of the text, and one after its end.
  llvm::ArrayRef<MicroOp> ops() const { return m_program->ops(); }
  /// The wave's workgroup: tests that reach memory give it some.
  Workgroup &group() { return m_group; }

  std::unique_ptr<Wave> wave;

private:
  static std::vector<uint8_t> assemble(llvm::StringRef target, unsigned waveSize,
                                       llvm::StringRef text) {
    auto elf = assembleElf((".text\n" + text + "\n").str(), target, waveSize);
    if (!elf) {
      ADD_FAILURE() << text.str() << ": " << takeError(elf.takeError()).message;
      return {};
    }
    llvm::StringRef bytes(reinterpret_cast<const char *>(elf->data()), elf->size());
    auto object = llvm::object::ObjectFile::createObjectFile({bytes, ""});
    if (!object) {
      ADD_FAILURE() << takeError(object.takeError()).message;
      return {};
    }
    for (const llvm::object::SectionRef &section : (*object)->sections())
      if (section.isText())
        if (llvm::Expected<llvm::StringRef> contents = section.getContents())
          return {contents->bytes_begin(), contents->bytes_end()};
    return {};
  }

  Workgroup m_group;
  std::unique_ptr<Program> m_program;
};

} // namespace assay::gcn
