// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a part of Assay has to say about its input, for people and for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

enum class Severity { Note, Warning, Error };

/// Where in an input: a word of a SPIR-V module, a line of a script, a byte of an ELF. Zero =
/// unknown.
struct Location {
  std::string file;
  uint64_t offset = 0;   ///< Word offset (SPIR-V), byte offset (ELF).
  uint32_t resultId = 0; ///< SPIR-V result id.
  uint32_t line = 0;     ///< Source line, from 1.
};

/// One thing said. \p id is a stable kebab-case name that tests and signatures match.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string id;
  std::string message;
  Location location;
};

/// Receives diagnostics from the parts below; given from the top, never a global stream.
class DiagnosticConsumer {
public:
  virtual ~DiagnosticConsumer();
  virtual void consume(Diagnostic diagnostic) = 0;
};

/// Keeps everything, in order.
class DiagnosticList : public DiagnosticConsumer {
public:
  void consume(Diagnostic diagnostic) override;
  const std::vector<Diagnostic> &get() const { return m_diagnostics; }

private:
  std::vector<Diagnostic> m_diagnostics;
};

/// "file:line: error: text [id]", without a line end. Parts that are unknown are left out.
std::string formatDiagnostic(const Diagnostic &diagnostic);

} // namespace assay
