// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes of files that the peer turnip and its guest program exchange: numbers little endian,
// sequences preceded by their count. The guest is built for another architecture, without LLVM.
#pragma once

#include "support/ByteCursor.h"
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace assay::turnip {

class WireWriter : public ByteWriter {
public:
  WireWriter() : ByteWriter(CountSize::Wide) {}
  void bytes(const void *data, size_t size) {
    ByteWriter::bytes({static_cast<const uint8_t *>(data), size});
  }
};

class WireReader : public ByteReader {
public:
  WireReader(const uint8_t *data, size_t size) : ByteReader({data, size}, CountSize::Wide) {}
  std::vector<uint8_t> bytes() {
    std::span<const uint8_t> data = ByteReader::bytes();
    return {data.begin(), data.end()};
  }
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
