// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes of files that the peer turnip and its guest program exchange: numbers little endian,
// sequences preceded by their count. The guest is built for another architecture, without LLVM.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace assay::turnip {

class WireWriter {
public:
  void number(uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      m_bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  void word(uint32_t value) { number(value, 4); }
  void wide(uint64_t value) { number(value, 8); }
  void bytes(const void *data, size_t size) {
    wide(size);
    const auto *first = static_cast<const uint8_t *>(data);
    m_bytes.insert(m_bytes.end(), first, first + size);
  }
  void text(const std::string &text) { bytes(text.data(), text.size()); }
  const std::vector<uint8_t> &get() const { return m_bytes; }
  void clear() { m_bytes.clear(); }

private:
  std::vector<uint8_t> m_bytes;
};

/// Reads what WireWriter wrote. After the first missing byte every number is 0 and every sequence
/// is empty.
class WireReader {
public:
  WireReader(const uint8_t *data, size_t size) : m_next(data), m_rest(size) {}

  uint64_t number(unsigned bytes) {
    if (m_rest < bytes) {
      fail();
      return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
      value |= uint64_t(m_next[i]) << (8 * i);
    skip(bytes);
    return value;
  }
  uint32_t word() { return static_cast<uint32_t>(number(4)); }
  uint64_t wide() { return number(8); }
  std::vector<uint8_t> bytes() {
    uint64_t size = count(1);
    std::vector<uint8_t> result(m_next, m_next + size);
    skip(size);
    return result;
  }
  std::string text() {
    std::vector<uint8_t> data = bytes();
    return {data.begin(), data.end()};
  }
  /// A number of an enumeration with \p count values.
  uint8_t choice(unsigned count) {
    uint64_t value = number(1);
    if (value < count)
      return static_cast<uint8_t>(value);
    fail();
    return 0;
  }
  /// A count of things that have \p bytesEach bytes or more.
  uint64_t count(uint64_t bytesEach) {
    uint64_t value = wide();
    if (value <= m_rest / bytesEach)
      return value;
    fail();
    return 0;
  }
  bool isGood() const { return m_good; }
  bool atEnd() const { return m_rest == 0; }

private:
  void skip(size_t bytes) {
    m_next += bytes;
    m_rest -= bytes;
  }
  void fail() {
    m_good = false;
    m_rest = 0;
  }

  const uint8_t *m_next;
  size_t m_rest;
  bool m_good = true;
};

/// Writes members in the order of its calls; WireGet has the same calls, so that one function can
/// list the members of a structure for both.
class WirePut {
public:
  explicit WirePut(WireWriter &writer) : m_writer(writer) {}
  void operator()(const bool &value) { m_writer.number(value, 1); }
  void operator()(const uint32_t &value) { m_writer.word(value); }
  void operator()(const uint64_t &value) { m_writer.wide(value); }
  void operator()(const float &value) { m_writer.bytes(&value, sizeof value); }
  void operator()(const std::string &text) { m_writer.text(text); }
  void operator()(const std::vector<uint8_t> &bytes) { m_writer.bytes(bytes.data(), bytes.size()); }
  /// An enumeration with \p count values.
  template <typename Enum> void choice(const Enum &value, unsigned) {
    m_writer.number(static_cast<uint8_t>(value), 1);
  }
  template <typename T, typename Each> void sequence(const std::vector<T> &values, Each each) {
    m_writer.wide(values.size());
    for (const T &value : values)
      each(*this, value);
  }
  template <typename T, typename Each> void maybe(const std::optional<T> &value, Each each) {
    m_writer.number(value.has_value(), 1);
    if (value)
      each(*this, *value);
  }

private:
  WireWriter &m_writer;
};

class WireGet {
public:
  explicit WireGet(WireReader &reader) : m_reader(reader) {}
  void operator()(bool &value) { value = m_reader.choice(2) != 0; }
  void operator()(uint32_t &value) { value = m_reader.word(); }
  void operator()(uint64_t &value) { value = m_reader.wide(); }
  void operator()(float &value) {
    std::vector<uint8_t> bytes = m_reader.bytes();
    if (bytes.size() == sizeof value)
      std::memcpy(&value, bytes.data(), sizeof value);
  }
  void operator()(std::string &text) { text = m_reader.text(); }
  void operator()(std::vector<uint8_t> &bytes) { bytes = m_reader.bytes(); }
  template <typename Enum> void choice(Enum &value, unsigned count) {
    value = static_cast<Enum>(m_reader.choice(count));
  }
  template <typename T, typename Each> void sequence(std::vector<T> &values, Each each) {
    for (uint64_t count = m_reader.count(4); count > 0 && m_reader.isGood(); --count)
      each(*this, values.emplace_back());
  }
  template <typename T, typename Each> void maybe(std::optional<T> &value, Each each) {
    if (m_reader.choice(2))
      each(*this, value.emplace());
  }

private:
  WireReader &m_reader;
};

} // namespace assay::turnip
