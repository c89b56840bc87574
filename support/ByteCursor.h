// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes and reads the fields of binary files: numbers little endian, sequences preceded by their
// count. Without LLVM: programs for other architectures use it too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

/// Bytes of the number that precedes a sequence.
enum class CountSize : uint8_t { Word = 4, Wide = 8 };

class ByteWriter {
public:
  explicit ByteWriter(CountSize countSize) : m_countSize(countSize) {}

  /// The low \p bytes bytes of \p value.
  void number(uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      m_bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  void word(uint32_t value) { number(value, 4); }
  void wide(uint64_t value) { number(value, 8); }
  void count(uint64_t value) { number(value, static_cast<unsigned>(m_countSize)); }
  void bytes(std::span<const uint8_t> data) {
    count(data.size());
    m_bytes.insert(m_bytes.end(), data.begin(), data.end());
  }
  void text(std::string_view text) {
    count(text.size());
    raw(text);
  }
  /// Without its size.
  void raw(std::string_view text) { m_bytes.insert(m_bytes.end(), text.begin(), text.end()); }

  const std::vector<uint8_t> &get() const { return m_bytes; }
  std::vector<uint8_t> take() { return std::move(m_bytes); }
  void clear() { m_bytes.clear(); }

private:
  CountSize m_countSize;
  std::vector<uint8_t> m_bytes;
};

/// Reads what ByteWriter wrote. After the first field that is missing or out of range every number
/// is 0 and every sequence is empty.
class ByteReader {
public:
  ByteReader(std::span<const uint8_t> bytes, CountSize countSize)
      : m_rest(bytes), m_countSize(countSize) {}

  uint64_t number(unsigned bytes) {
    if (m_rest.size() < bytes)
      return fail();
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value |= uint64_t(m_rest[i]) << (8 * i);
    m_rest = m_rest.subspan(bytes);
    return value;
  }
  uint32_t word() { return static_cast<uint32_t>(number(4)); }
  uint64_t wide() { return number(8); }
  /// A number of an enumeration with \p count values, of one byte.
  uint8_t choice(unsigned count) {
    uint64_t value = number(1);
    return static_cast<uint8_t>(value < count ? value : fail());
  }
  /// A count of things that have \p bytesEach bytes or more.
  uint64_t count(uint64_t bytesEach) {
    uint64_t value = number(static_cast<unsigned>(m_countSize));
    return value <= m_rest.size() / bytesEach ? value : fail();
  }
  /// A part of what is read.
  std::span<const uint8_t> bytes() {
    uint64_t size = count(1);
    std::span<const uint8_t> result = m_rest.first(size);
    m_rest = m_rest.subspan(size);
    return result;
  }
  std::string text() {
    std::span<const uint8_t> data = bytes();
    return {data.begin(), data.end()};
  }

  bool isGood() const { return m_good; }
  bool atEnd() const { return m_rest.empty(); }
  /// Nothing else can be read. Returns 0.
  uint64_t fail() {
    m_good = false;
    m_rest = {};
    return 0;
  }

private:
  std::span<const uint8_t> m_rest;
  CountSize m_countSize;
  bool m_good = true;
};

} // namespace assay
