// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file: magic, format number, then the members of RadvShader in their order, little endian.
#include "oracles/radv/RadvShader.h"

#include "support/Error.h"
#include "support/FileMagic.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::radv;

static constexpr uint32_t FormatNumber = 1;
/// SPI gives compute shaders 16 user SGPRs and the stages of graphics 32.
static constexpr uint32_t MaxUserSgprs = 32;
/// RADV's MAX_SETS.
static constexpr uint32_t MaxSets = 32;
static constexpr uint32_t MaxDescriptors = 1u << 20;
static constexpr uint32_t MaxCodeBytes = 1u << 26;

namespace {

class Writer {
public:
  void number(uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      m_bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  void word(uint32_t value) { number(value, 4); }
  void bytes(ArrayRef<uint8_t> data) {
    word(static_cast<uint32_t>(data.size()));
    m_bytes.insert(m_bytes.end(), data.begin(), data.end());
  }
  void text(StringRef text) { bytes(arrayRefFromStringRef(text)); }
  void raw(StringRef text) { m_bytes.insert(m_bytes.end(), text.begin(), text.end()); }
  std::vector<uint8_t> take() { return std::move(m_bytes); }

private:
  std::vector<uint8_t> m_bytes;
};

/// Reads what Writer wrote. After the first thing that is missing everything is 0 or empty.
class Reader {
public:
  explicit Reader(ArrayRef<uint8_t> bytes) : m_rest(bytes) {}

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
  ArrayRef<uint8_t> bytes() {
    uint32_t size = word();
    if (size > m_rest.size()) {
      fail();
      return {};
    }
    ArrayRef<uint8_t> result = m_rest.take_front(size);
    m_rest = m_rest.drop_front(size);
    return result;
  }
  /// A count of things of \p bytesEach bytes.
  uint32_t count(uint32_t bytesEach) {
    uint32_t value = word();
    return value > m_rest.size() / bytesEach ? static_cast<uint32_t>(fail()) : value;
  }
  std::string text() { return toStringRef(bytes()).str(); }
  bool isGood() const { return m_good; }
  bool atEnd() const { return m_rest.empty(); }

private:
  uint64_t fail() {
    m_good = false;
    m_rest = {};
    return 0;
  }

  ArrayRef<uint8_t> m_rest;
  bool m_good = true;
};

} // namespace

bool radv::isRadvFile(ArrayRef<uint8_t> bytes) {
  return toStringRef(bytes).starts_with(RadvShaderMagic);
}

std::vector<uint8_t> radv::writeRadvShader(const RadvShader &shader) {
  Writer writer;
  writer.raw(RadvShaderMagic);
  writer.word(FormatNumber);
  writer.text(shader.compiler);
  writer.text(shader.driver);
  writer.text(shader.target);
  writer.number(static_cast<uint8_t>(shader.stage), 1);
  for (uint32_t word : {shader.rsrc1, shader.rsrc2, shader.rsrc3, shader.sgprs, shader.vgprs,
                        shader.ldsUnits, shader.scratchBytesPerWave, shader.waveSize})
    writer.word(word);
  for (uint32_t size : shader.blockSize)
    writer.word(size);
  writer.number(shader.inlinePushMask, 8);
  writer.word(static_cast<uint32_t>(shader.userData.size()));
  for (const UserRange &range : shader.userData) {
    writer.number(static_cast<uint8_t>(range.data), 1);
    for (uint32_t word : {range.set, range.first, range.count})
      writer.word(word);
  }
  writer.word(static_cast<uint32_t>(shader.bindings.size()));
  for (const SetBinding &binding : shader.bindings) {
    writer.number(static_cast<uint8_t>(binding.type), 1);
    for (uint32_t word : {binding.set, binding.binding, binding.count})
      writer.word(word);
  }
  writer.word(shader.execBytes);
  writer.bytes(shader.code);
  return writer.take();
}

static RadvShader readFields(Reader &reader) {
  RadvShader shader;
  shader.compiler = reader.text();
  shader.driver = reader.text();
  shader.target = reader.text();
  shader.stage = Stage(reader.choice(3));
  for (uint32_t *word : {&shader.rsrc1, &shader.rsrc2, &shader.rsrc3, &shader.sgprs, &shader.vgprs,
                         &shader.ldsUnits, &shader.scratchBytesPerWave, &shader.waveSize})
    *word = reader.word();
  for (uint32_t &size : shader.blockSize)
    size = reader.word();
  shader.inlinePushMask = reader.number(8);
  shader.userData.resize(reader.count(13));
  for (UserRange &range : shader.userData) {
    range.data = UserData(reader.choice(6));
    for (uint32_t *word : {&range.set, &range.first, &range.count})
      *word = reader.word();
  }
  shader.bindings.resize(reader.count(13));
  for (SetBinding &binding : shader.bindings) {
    binding.type = DescriptorType(reader.choice(descriptorTypeCount));
    for (uint32_t *word : {&binding.set, &binding.binding, &binding.count})
      *word = reader.word();
  }
  shader.execBytes = reader.word();
  ArrayRef<uint8_t> code = reader.bytes();
  shader.code.assign(code.begin(), code.end());
  return shader;
}

Expected<RadvShader> radv::readRadvShader(ArrayRef<uint8_t> bytes) {
  if (!isRadvFile(bytes))
    return invalidInput("this is no RADV shader: wrong magic number");
  Reader reader(bytes.drop_front(RadvShaderMagic.size()));
  if (uint32_t number = reader.word(); number != FormatNumber)
    return invalidInput("RADV shader: format " + Twine(number) + ", this build reads " +
                        Twine(FormatNumber));
  RadvShader shader = readFields(reader);
  if (!reader.isGood() || !reader.atEnd())
    return invalidInput("RADV shader: truncated or damaged");
  if (Error error = verifyRadvShader(shader))
    return std::move(error);
  return shader;
}

static Error verifyUserData(const RadvShader &shader) {
  uint64_t taken = 0;
  for (const UserRange &range : shader.userData) {
    if (range.count == 0 || range.first >= MaxUserSgprs || range.count > MaxUserSgprs - range.first)
      return invalidInput("RADV shader: user SGPRs " + Twine(range.first) + " and " +
                          Twine(range.count) + " on");
    uint64_t mask = ((uint64_t(1) << range.count) - 1) << range.first;
    if (taken & mask)
      return invalidInput("RADV shader: user SGPR " + Twine(range.first) + " has two meanings");
    taken |= mask;
    bool isSet = range.data == UserData::DescriptorSet;
    if (isSet ? range.set >= MaxSets : range.set != 0)
      return invalidInput("RADV shader: user data of descriptor set " + Twine(range.set));
  }
  return Error::success();
}

static Error verifyBindings(const RadvShader &shader) {
  uint64_t descriptors = 0;
  for (size_t i = 0; i < shader.bindings.size(); ++i) {
    const SetBinding &binding = shader.bindings[i];
    descriptors += binding.count;
    if (binding.set >= MaxSets || descriptors > MaxDescriptors)
      return invalidInput("RADV shader: binding " + Twine(binding.binding) + " of set " +
                          Twine(binding.set));
    if (i == 0)
      continue;
    const SetBinding &before = shader.bindings[i - 1];
    if (std::pair(before.set, before.binding) >= std::pair(binding.set, binding.binding))
      return invalidInput("RADV shader: bindings are not in ascending order");
  }
  return Error::success();
}

Error radv::verifyRadvShader(const RadvShader &shader) {
  if (shader.code.size() > MaxCodeBytes || shader.execBytes > shader.code.size() ||
      shader.execBytes % 4 || shader.execBytes == 0)
    return invalidInput("RADV shader: " + Twine(shader.execBytes) + " bytes of instructions in " +
                        Twine(shader.code.size()) + " bytes of code");
  if (shader.waveSize != 32 && shader.waveSize != 64)
    return invalidInput("RADV shader: waves of " + Twine(shader.waveSize) + " lanes");
  if (Error error = verifyUserData(shader))
    return error;
  return verifyBindings(shader);
}
