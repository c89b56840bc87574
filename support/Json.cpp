// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Json.h"

#include "support/Error.h"
#include "support/File.h"

using namespace llvm;
using namespace assay;

JsonFields::JsonFields(const json::Value &value, StringRef what)
    : m_object(value.getAsObject()), m_what(what) {
  if (!m_object)
    fail("is no object");
}

void JsonFields::read(StringRef name, std::string &field) {
  if (std::optional<StringRef> value = m_object ? m_object->getString(name) : std::nullopt)
    field = value->str();
  else
    fail("lacks the text '" + name + "'");
}

void JsonFields::readIfThere(StringRef name, std::string &field) {
  if (find(name))
    read(name, field);
}

void JsonFields::read(StringRef name, std::vector<std::string> &field) {
  const json::Array *array = readArray(name);
  if (!array)
    return;
  field.clear();
  for (const json::Value &value : *array) {
    if (std::optional<StringRef> text = value.getAsString())
      field.push_back(text->str());
    else
      fail("has something other than texts in '" + name + "'");
  }
}

const json::Array *JsonFields::readArray(StringRef name) {
  const json::Array *array = m_object ? m_object->getArray(name) : nullptr;
  if (!array)
    fail("lacks the list '" + name + "'");
  return array;
}

const json::Value *JsonFields::find(StringRef name) const {
  return m_object ? m_object->get(name) : nullptr;
}

void JsonFields::fail(const Twine &message) {
  if (m_message.empty())
    m_message = (m_what + " " + message).str();
}

Error JsonFields::takeError() const {
  return m_message.empty() ? Error::success() : invalidInput(m_message);
}

Expected<json::Value> assay::parseJson(StringRef text, const Twine &what) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return invalidInput(what + ": " + toString(value.takeError()));
  return value;
}

Expected<json::Value> assay::readJsonFile(const std::string &path, uint64_t maxBytes) {
  Expected<std::string> text = readFileText(path, maxBytes);
  if (!text)
    return text.takeError();
  return parseJson(*text, path);
}

void assay::writeTextAttribute(json::OStream &json, StringRef name, StringRef value) {
  json.attribute(name, json::fixUTF8(value));
}

void assay::writeTextsAttribute(json::OStream &json, StringRef name, ArrayRef<std::string> values) {
  json.attributeArray(name, [&] {
    for (const std::string &value : values)
      json.value(json::fixUTF8(value));
  });
}
