// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mesa's turnip as a compiler for Adreno GPUs, and its assembler and disassembler. Runs under
// qemu-user without any GPU (docs/turnip.md). Each call is a process of its own.
#pragma once

#include "harness/peer/turnip/Install.h"
#include "harness/peer/turnip/Submission.h"
#include "oracles/api/Case.h"
#include "llvm/ADT/StringRef.h"

namespace assay::turnip {

struct GuestAnswer;
struct Request;

/// A GPU that turnip compiles for.
struct Chip {
  llvm::StringLiteral target; ///< "a630".
  uint64_t number;            ///< As the kernel has it: freedreno_devices.py.
  Generation generation;
};
llvm::ArrayRef<Chip> chips();

/// The shaders of a case, or what the driver died of.
struct Compilation {
  std::vector<TurnipShader> shaders; ///< By pipeline; complete where \p death is empty.
  std::string death;
};

/// The code of one text, or what is wrong with the text.
struct Assembled {
  std::vector<uint64_t> code; ///< With the padding at the end.
  std::string disassembly;    ///< The driver's, a line for each instruction of \p code.
  std::string failure;        ///< "error at line 2: syntax error".
};

class TurnipPeer {
public:
  /// Unsupported when \p target is none of chips(), and when turnip is not installed.
  static llvm::Expected<TurnipPeer> create(llvm::StringRef target);

  /// Compiles every pipeline of \p input. \p environment: variables for the driver
  /// ("IR3_SHADER_DEBUG=fullsync"). Unsupported for what the driver does not offer.
  llvm::Expected<Compilation> compile(const Case &input, uint32_t subgroupSize,
                                      llvm::ArrayRef<std::string> environment = {}) const;

  /// The same for several cases, in less time: a result for each of \p inputs.
  llvm::Expected<std::vector<llvm::Expected<Compilation>>>
  compileAll(llvm::ArrayRef<const Case *> inputs, uint32_t subgroupSize,
             llvm::ArrayRef<std::string> environment = {}) const;

  /// The driver's assembler on each of \p texts, in one process for as long as it lives: a text
  /// with an error ends it.
  llvm::Expected<std::vector<Assembled>> assemble(llvm::ArrayRef<std::string> texts) const;
  /// The driver's disassembly of each word, without the line's end. Words that it does not know are
  /// "raw 0x" and both halves in hexadecimal, the low one first.
  llvm::Expected<std::vector<std::string>> disassemble(llvm::ArrayRef<uint64_t> words) const;

private:
  llvm::Expected<Request> makeRequest(const Case &input, uint32_t subgroupSize,
                                      llvm::ArrayRef<std::string> environment) const;
  llvm::Expected<Compilation> readCompilation(const Case &input, const Request &request,
                                              const GuestAnswer &answer) const;

  TurnipPeer(const Chip &chip, Installation installation)
      : m_chip(chip), m_installation(std::move(installation)) {}

  const Chip &m_chip;
  Installation m_installation;
};

/// Runs the driver once: whether it works, and what it calls itself.
llvm::Expected<std::string> tryTurnip();

} // namespace assay::turnip
