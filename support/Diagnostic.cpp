// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Diagnostic.h"

using namespace assay;

DiagnosticConsumer::~DiagnosticConsumer() = default;

void DiagnosticList::consume(Diagnostic diagnostic) {
  m_diagnostics.push_back(std::move(diagnostic));
}

std::string assay::formatDiagnostic(const Diagnostic &diagnostic) {
  static const char *const names[] = {"note", "warning", "error"};
  std::string text;
  const Location &where = diagnostic.location;
  if (!where.file.empty())
    text += where.file + ":";
  if (where.line)
    text += std::to_string(where.line) + ":";
  if (where.resultId)
    text += "%" + std::to_string(where.resultId) + ":";
  if (where.offset)
    text += "+" + std::to_string(where.offset) + ":";
  if (!text.empty())
    text += " ";
  text += std::string(names[static_cast<int>(diagnostic.severity)]) + ": " + diagnostic.message;
  if (!diagnostic.id.empty())
    text += " [" + diagnostic.id + "]";
  return text;
}
