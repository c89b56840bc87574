// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading JSON objects whose shape is known, with one error for the first thing that is not so.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// Reads fields of one JSON object. A field that is missing or of another type is remembered and
/// left as it was; takeError() has the first.
class JsonFields {
public:
  /// \p value and \p what (which names the object in messages) must outlive this.
  JsonFields(const llvm::json::Value &value, llvm::StringRef what);

  void read(llvm::StringRef name, std::string &field);
  void read(llvm::StringRef name, std::vector<std::string> &field);
  /// Of what older files lack: no error where there is none.
  void readIfThere(llvm::StringRef name, std::string &field);
  template <typename T> void readNumber(llvm::StringRef name, T &field) {
    const llvm::json::Value *value = find(name);
    if (std::optional<uint64_t> number = value ? value->getAsUINT64() : std::nullopt)
      field = static_cast<T>(*number);
    else if (std::optional<int64_t> negative = value ? value->getAsInteger() : std::nullopt)
      field = static_cast<T>(*negative);
    else
      fail("lacks the number '" + name + "'");
  }
  /// Null, and an error, when there is none.
  const llvm::json::Array *readArray(llvm::StringRef name);
  /// Null when there is none; no error.
  const llvm::json::Value *find(llvm::StringRef name) const;

  void fail(const llvm::Twine &message);
  /// InvalidInput with the first thing that was wrong, or success.
  llvm::Error takeError() const;

private:
  const llvm::json::Object *m_object;
  llvm::StringRef m_what;
  std::string m_message;
};

/// JSON, or InvalidInput whose message begins with \p what.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text, const llvm::Twine &what);
/// Of the file \p path, of at most \p maxBytes.
llvm::Expected<llvm::json::Value> readJsonFile(const std::string &path,
                                               uint64_t maxBytes = uint64_t(1) << 30);

/// Writes a text attribute; what is no UTF-8 becomes U+FFFD.
void writeTextAttribute(llvm::json::OStream &json, llvm::StringRef name, llvm::StringRef value);

/// The same for a list of texts.
void writeTextsAttribute(llvm::json::OStream &json, llvm::StringRef name,
                         llvm::ArrayRef<std::string> values);

} // namespace assay
