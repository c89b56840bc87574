// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file: magic, format number, then the members of RadvShader in their order, little endian.
#include "oracles/radv/RadvShader.h"

#include "support/ByteCursor.h"
#include "support/Error.h"
#include "support/FileMagic.h"

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

std::vector<uint8_t> radv::writeRadvShader(const RadvShader &shader) {
  ByteWriter writer(CountSize::Word);
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

static RadvShader readFields(ByteReader &reader) {
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
    range.data = UserData(reader.choice(userDataCount));
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
  std::span<const uint8_t> code = reader.bytes();
  shader.code.assign(code.begin(), code.end());
  return shader;
}

Expected<RadvShader> radv::readRadvShader(ArrayRef<uint8_t> bytes) {
  if (!toStringRef(bytes).starts_with(RadvShaderMagic))
    return invalidInput("this is no RADV shader: wrong magic number");
  ByteReader reader(bytes.drop_front(RadvShaderMagic.size()), CountSize::Word);
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
