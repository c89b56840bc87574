// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the fields of the files of this folder are written and read.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay::radv {

/// Numbers are little endian; texts and bytes follow their length.
class FileWriter {
public:
  void number(uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      m_bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  void word(uint32_t value) { number(value, 4); }
  void bytes(llvm::ArrayRef<uint8_t> data) {
    word(static_cast<uint32_t>(data.size()));
    m_bytes.insert(m_bytes.end(), data.begin(), data.end());
  }
  void text(llvm::StringRef text) { bytes(llvm::arrayRefFromStringRef(text)); }
  void raw(llvm::StringRef text) { m_bytes.insert(m_bytes.end(), text.begin(), text.end()); }
  std::vector<uint8_t> take() { return std::move(m_bytes); }

private:
  std::vector<uint8_t> m_bytes;
};

/// Reads what FileWriter wrote. After the first field that is missing, everything is 0 or empty.
class FileReader {
public:
  explicit FileReader(llvm::ArrayRef<uint8_t> bytes) : m_rest(bytes) {}

  uint64_t number(unsigned bytes) {
    if (m_rest.size() < bytes)
      return fail();
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value |= uint64_t(m_rest[i]) << (8 * i);
    m_rest = m_rest.drop_front(bytes);
    return value;
  }
  uint32_t word() { return static_cast<uint32_t>(number(4)); }
  /// A number of an enumeration with \p count values.
  uint8_t choice(unsigned count) {
    uint64_t value = number(1);
    return static_cast<uint8_t>(value < count ? value : fail());
  }
  llvm::ArrayRef<uint8_t> bytes() {
    uint32_t size = word();
    if (size > m_rest.size()) {
      fail();
      return {};
    }
    llvm::ArrayRef<uint8_t> result = m_rest.take_front(size);
    m_rest = m_rest.drop_front(size);
    return result;
  }
  /// A count of things of \p bytesEach bytes.
  uint32_t count(uint32_t bytesEach) {
    uint32_t value = word();
    return value > m_rest.size() / bytesEach ? static_cast<uint32_t>(fail()) : value;
  }
  std::string text() { return llvm::toStringRef(bytes()).str(); }
  bool isGood() const { return m_good; }
  bool atEnd() const { return m_rest.empty(); }

private:
  uint64_t fail() {
    m_good = false;
    m_rest = {};
    return 0;
  }

  llvm::ArrayRef<uint8_t> m_rest;
  bool m_good = true;
};

} // namespace assay::radv
