// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wave that runs assembly without a launch, for tests: registers and constants in, registers out.
#pragma once

#include "oracles/machine/adreno/Wave.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"
#include "gtest/gtest.h"

namespace assay::adreno {

/// A wave and all that it needs.
class TestWave {
public:
  /// Assembles \p text; "end" follows by itself. Lane n has n in r0.x, and all other registers hold
  /// 0xdeadbeef.
  explicit TestWave(llvm::StringRef text, Chip chip = Chip::A630, unsigned lanes = 64)
      : m_program(assembled(text, chip), chip),
        m_wave(m_program, environment(), lanes, lanes, 0, 0xdeadbeef) {
    m_wave.constants.assign(64, 0);
    for (unsigned lane = 0; lane < lanes; ++lane)
      m_wave.write(lane, 0, /*half=*/false, lane);
  }

  Wave &wave() { return m_wave; }
  /// May be changed before the run.
  WaveEnvironment &environment() {
    m_environment.arithmetic = &arithmetic;
    m_environment.memory = &memory;
    return m_environment;
  }
  /// Runs until the wave ends, or for \p budget instructions. Returns why it failed.
  std::string run(unsigned budget = 100'000) {
    for (; budget && m_wave.status == simt::WaveStatus::Running; --budget)
      m_wave.step();
    return budget ? m_wave.failure() : "budget";
  }
  /// "r1.y" or "hr1.y" of a lane, after the run.
  uint32_t operator()(llvm::StringRef name, unsigned lane = 0) const {
    bool half = name.consume_front("h");
    unsigned vector = 0;
    (void)name.substr(1).split('.').first.getAsInteger(10, vector);
    return m_wave.read(lane, vector * 4 + unsigned(llvm::StringRef("xyzw").find(name.back())),
                       half);
  }

  Arithmetic arithmetic;
  simt::AddressSpace memory;

private:
  static std::vector<uint64_t> assembled(llvm::StringRef text, Chip chip) {
    llvm::Expected<std::vector<uint64_t>> words = assemble((text + "\nend\n").str(), chip);
    if (words)
      return *words;
    ADD_FAILURE() << takeError(words.takeError()).message;
    return {};
  }

  WaveEnvironment m_environment;
  Program m_program;
  Wave m_wave;
};

} // namespace assay::adreno
