// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How passes, which cannot return an Error, say that something is wrong: by LLVM's diagnostics,
// which whoever runs the passes collects and turns into an Error again. (A context without a
// handler of its own ends the process at the first error.)
#pragma once

#include "compiler/lgc/Builder.h"
#include "support/Diagnostic.h"
#include "support/Error.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/LLVMContext.h"
#include <vector>

namespace assay {

/// Reports \p error, which must be a failure, to \p context's handler. The caller leaves the module
/// well-formed: later passes run on it.
void reportError(llvm::LLVMContext &context, llvm::Error error);

/// What a context was told since the last take.
class DiagnosticCollector {
public:
  /// Becomes \p context's handler; must outlive its use.
  void attach(llvm::LLVMContext &context);
  bool hasError() const { return !m_errors.empty(); }
  /// The first error, with the kind it was reported with (an error of LLVM's own: Limit for an
  /// exceeded resource, else Unsupported); success if there was none. Forgets all.
  llvm::Error takeFirstError();
  /// Warnings, in order; forgets them.
  std::vector<Diagnostic> takeWarnings();

private:
  class Handler;
  void consume(const llvm::DiagnosticInfo &info);

  struct Entry {
    ErrorKind kind;
    std::string message;
  };
  std::vector<Entry> m_errors;
  std::vector<Diagnostic> m_warnings;
};

} // namespace assay
