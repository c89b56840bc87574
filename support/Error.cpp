// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Error.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

char AssayError::ID = 0;

void AssayError::log(raw_ostream &os) const {
  os << m_message;
}

Error assay::invalidInput(const Twine &message) {
  return make_error<AssayError>(ErrorKind::InvalidInput, message);
}

Error assay::unsupported(const Twine &message) {
  return make_error<AssayError>(ErrorKind::Unsupported, message);
}

Error assay::limitExceeded(const Twine &message) {
  return make_error<AssayError>(ErrorKind::Limit, message);
}

Error assay::environmentError(const Twine &message) {
  return make_error<AssayError>(ErrorKind::Environment, message);
}

Error assay::internalError(const Twine &message) {
  return make_error<AssayError>(ErrorKind::Internal, "internal error: " + message);
}

Error assay::addContext(Error error, const Twine &context) {
  if (!error)
    return error;
  ErrorParts parts = takeError(std::move(error));
  return make_error<AssayError>(parts.kind, context + ": " + parts.message);
}

ErrorParts assay::takeError(Error error) {
  ErrorParts parts{ErrorKind::Environment, ""};
  handleAllErrors(
      std::move(error),
      [&](const AssayError &e) {
        if (parts.message.empty())
          parts.kind = e.getKind();
        parts.message += (parts.message.empty() ? "" : "; ") + e.getMessage();
      },
      [&](const ErrorInfoBase &e) {
        parts.message += (parts.message.empty() ? "" : "; ") + e.message();
      });
  return parts;
}
