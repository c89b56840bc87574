// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/PassDiagnostics.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"

using namespace llvm;
using namespace assay;

namespace {
/// An AssayError on its way through LLVM's diagnostics.
class PassError : public DiagnosticInfo {
public:
  explicit PassError(const ErrorParts &parts)
      : DiagnosticInfo(getKindId(), DS_Error), m_parts(parts) {}

  const ErrorParts &getParts() const { return m_parts; }
  void print(DiagnosticPrinter &printer) const override { printer << m_parts.message; }
  static bool classof(const DiagnosticInfo *info) { return info->getKind() == getKindId(); }

private:
  /// The same number for the whole process.
  static int getKindId() {
    static const int id = getNextAvailablePluginDiagnosticKind();
    return id;
  }

  const ErrorParts &m_parts;
};
} // namespace

class DiagnosticCollector::Handler : public DiagnosticHandler {
public:
  explicit Handler(DiagnosticCollector &collector) : m_collector(collector) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    m_collector.consume(info);
    return true;
  }

private:
  DiagnosticCollector &m_collector;
};

/// For passes, which cannot return errors: the collector attached to the context gets it.
void assay::reportError(LLVMContext &context, Error error) {
  ErrorParts parts = takeError(std::move(error));
  context.diagnose(PassError(parts));
}

/// The collector must outlive the handler. Another handler that the context had is dropped.
void DiagnosticCollector::attach(LLVMContext &context) {
  context.setDiagnosticHandler(std::make_unique<Handler>(*this));
}

void DiagnosticCollector::consume(const DiagnosticInfo &info) {
  std::string message;
  raw_string_ostream os(message);
  DiagnosticPrinterRawOStream printer(os);
  info.print(printer);
  // Shaders have no source lines here; LLVM says so before each message.
  if (StringRef(message).starts_with("<unknown>:0:0: "))
    message.erase(0, strlen("<unknown>:0:0: "));
  if (info.getSeverity() == DS_Warning) {
    m_warnings.push_back({Severity::Warning, "llvm", message, {}});
    return;
  }
  if (info.getSeverity() != DS_Error)
    return;
  ErrorKind kind = ErrorKind::Unsupported;
  if (const auto *own = dyn_cast<PassError>(&info))
    kind = own->getParts().kind;
  else if (info.getKind() == DK_ResourceLimit)
    kind = ErrorKind::Limit;
  m_errors.push_back({kind, message});
}

Error DiagnosticCollector::takeFirstError() {
  std::vector<Entry> errors = std::move(m_errors);
  m_errors.clear();
  if (errors.empty())
    return Error::success();
  return make_error<AssayError>(errors.front().kind, errors.front().message);
}

std::vector<Diagnostic> DiagnosticCollector::takeWarnings() {
  std::vector<Diagnostic> warnings = std::move(m_warnings);
  m_warnings.clear();
  return warnings;
}
