// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The project's one error class, and the ways to make and to read it.
#pragma once

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace assay {

/// Why something could not be done. The kinds are those that a verdict must keep apart; anything
/// finer belongs into the message.
enum class ErrorKind {
  InvalidInput, ///< The input breaks its own specification.
  Unsupported,  ///< The input is valid, but we do not implement it yet.
  Limit,        ///< Out of time, memory or another declared bound.
  Environment,  ///< A file, process or tool on this machine failed.
  Internal,     ///< Our compiler broke a rule of its own; the input may be valid.
};

/// The only error class of the project.
class AssayError : public llvm::ErrorInfo<AssayError> {
public:
  AssayError(ErrorKind kind, const llvm::Twine &message) : m_kind(kind), m_message(message.str()) {}

  ErrorKind getKind() const { return m_kind; }
  const std::string &getMessage() const { return m_message; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  static char ID;

private:
  ErrorKind m_kind;
  std::string m_message;
};

llvm::Error invalidInput(const llvm::Twine &message);
llvm::Error unsupported(const llvm::Twine &message);
llvm::Error limitExceeded(const llvm::Twine &message);
llvm::Error environmentError(const llvm::Twine &message);
/// "internal error: " and \p message.
llvm::Error internalError(const llvm::Twine &message);

/// Puts "CONTEXT: " before the message of \p error and keeps its kind. Success stays success.
llvm::Error addContext(llvm::Error error, const llvm::Twine &context);

/// An error taken apart: its kind (Environment for a foreign error class) and its message.
struct ErrorParts {
  ErrorKind kind;
  std::string message;
};

/// Consumes \p error, which must be a failure.
ErrorParts takeError(llvm::Error error);

} // namespace assay
