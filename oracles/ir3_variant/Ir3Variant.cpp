// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/ir3_variant/Ir3Variant.h"

#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <algorithm>

using namespace llvm;
using namespace assay;

static constexpr StringLiteral magic = "ASSAYIR3";
static constexpr uint32_t knownVersion = 1;

namespace {
/// Takes numbers off a file. Behind its end all are 0 and the file is broken.
class FileReader {
public:
  explicit FileReader(ArrayRef<uint8_t> bytes) : m_rest(bytes) {}

  uint64_t take(unsigned size) {
    if (m_rest.size() < size) {
      m_isBroken = true;
      return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i)
      value |= uint64_t(m_rest[i]) << 8 * i;
    m_rest = m_rest.drop_front(size);
    return value;
  }
  uint32_t takeWord() { return static_cast<uint32_t>(take(4)); }
  std::string takeText() {
    uint32_t size = takeCount(1);
    std::string text(m_rest.begin(), m_rest.begin() + size);
    m_rest = m_rest.drop_front(size);
    return text;
  }
  /// A number of things of \p size bytes, which must be there.
  uint32_t takeCount(unsigned size) {
    uint32_t count = takeWord();
    m_isBroken |= count > m_rest.size() / size;
    return m_isBroken ? 0 : count;
  }
  bool isWhole() const { return !m_isBroken && m_rest.empty(); }

private:
  ArrayRef<uint8_t> m_rest;
  bool m_isBroken = false;
};
} // namespace

bool assay::isIr3VariantFile(ArrayRef<uint8_t> bytes) {
  return toStringRef(bytes).starts_with(magic);
}

static void readLaunch(FileReader &file, Ir3Variant &variant) {
  turnip::Launch &launch = variant.launch;
  for (uint32_t *value :
       {&launch.fullRegisters, &launch.halfRegisters, &launch.branchStack, &launch.fibersPerWave,
        &launch.constantVec4s, &launch.localBytes, &launch.privateBytesPerFiber,
        &launch.localSize[0], &launch.localSize[1], &launch.localSize[2], &launch.localIdRegister,
        &launch.workgroupIdRegister, &variant.pushConstantDwords, &variant.groupCountDword,
        &variant.immediateDword})
    *value = file.takeWord();
  launch.mergedRegisters = true; // Of a6xx and later, for which alone there are variants.
  launch.localBytes = std::max(launch.localBytes, 1024U);
}

Expected<Ir3Variant> assay::readIr3Variant(ArrayRef<uint8_t> bytes) {
  if (!isIr3VariantFile(bytes))
    return invalidInput("no ir3 variant file");
  FileReader file(bytes.drop_front(magic.size()));
  if (uint32_t version = file.takeWord(); version != knownVersion)
    return invalidInput("an ir3 variant file of version " + Twine(version) +
                        "; this build reads version " + Twine(knownVersion));
  Ir3Variant variant;
  variant.target = file.takeText();
  readLaunch(file, variant);
  variant.immediates.resize(file.takeCount(4));
  for (uint32_t &value : variant.immediates)
    value = file.takeWord();
  variant.bindings.resize(file.takeCount(20));
  for (Ir3Binding &binding : variant.bindings)
    for (uint32_t *value :
         {&binding.set, &binding.binding, &binding.first, &binding.count, &binding.kind})
      *value = file.takeWord();
  variant.code.resize(file.takeCount(8));
  for (uint64_t &word : variant.code)
    word = file.take(8);
  variant.statistics = file.takeText();
  if (!file.isWhole())
    return invalidInput("a broken ir3 variant file");
  return variant;
}

/// Where buffer \p index of a case is.
static uint64_t addressOf(unsigned index) {
  return uint64_t(index + 1) << 32;
}
static uint64_t addressOfSet(uint32_t set) {
  return uint64_t(0x1000 + set) << 32;
}

static constexpr unsigned descriptorBytes = 64;

/// A6XX_TEX_CONST of a buffer of 32-bit elements: format R32_UINT, number of elements, type BUFFER
/// with the first element behind the aligned address, address (Mesa 25.0, a6xx.xml, as
/// tu_descriptor_set.cc fills it).
static void writeDescriptor(uint8_t *at, uint64_t address, uint64_t bytes) {
  constexpr uint32_t formatUint32 = 0x4b, typeBuffer = 4;
  uint32_t words[6] = {formatUint32 << 22,
                       static_cast<uint32_t>(bytes / 4),
                       typeBuffer << 29 | uint32_t(address % 64 / 4) << 16,
                       0,
                       static_cast<uint32_t>(address & ~uint64_t(63)),
                       static_cast<uint32_t>(address >> 32)};
  for (unsigned i = 0; i < 6; ++i)
    support::endian::write32le(at + 4 * i, words[i]);
}

static Error bind(const Ir3Variant &variant, const Case &input, const BufferBinding &binding,
                  turnip::TurnipShader &shader) {
  if (binding.kind == BindingKind::PushConstant)
    return Error::success();
  auto place = find_if(variant.bindings, [&](const Ir3Binding &each) {
    return each.set == binding.set && each.binding == binding.binding;
  });
  if (place == variant.bindings.end() || binding.arrayElement >= place->count)
    return Error::success(); // The shader does not use it.
  if (binding.kind != BindingKind::Storage && binding.kind != BindingKind::Uniform)
    return unsupported("images and texel buffers in shaders for " + variant.target);
  auto base = find_if(shader.bases,
                      [&](const turnip::BindlessBase &each) { return each.base == binding.set; });
  uint64_t size = input.buffers[binding.buffer].bytes.size();
  uint64_t offset = std::min(binding.offset, size);
  uint64_t range = std::min(binding.range, size - offset);
  writeDescriptor(&base->bytes[size_t(place->first + binding.arrayElement) * descriptorBytes],
                  addressOf(binding.buffer) + offset, range);
  return Error::success();
}

static void addLoads(const Ir3Variant &variant, turnip::TurnipShader &shader) {
  using turnip::DwordSource;
  turnip::Load push, counts, immediates;
  for (uint32_t i = 0; i < variant.pushConstantDwords; ++i)
    push.dwords.push_back({DwordSource::PushConstant, i});
  counts.first = variant.groupCountDword;
  for (uint32_t i = 0; i < 3; ++i)
    counts.dwords.push_back({DwordSource::GroupCount, i});
  immediates.first = variant.immediateDword;
  for (uint32_t value : variant.immediates)
    immediates.dwords.push_back({DwordSource::Value, value});
  // What the shader does not name may lie behind the end of its const file.
  for (turnip::Load *load : {&push, &counts, &immediates}) {
    uint64_t room = uint64_t(variant.launch.constantVec4s) * 4;
    load->dwords.resize(
        std::min<uint64_t>(load->dwords.size(), room > load->first ? room - load->first : 0));
    if (!load->dwords.empty())
      shader.loads.push_back(std::move(*load));
  }
}

Expected<turnip::TurnipShader> assay::bindVariant(const Ir3Variant &variant, const Case &input,
                                                  const CasePipeline &pipeline) {
  turnip::TurnipShader shader;
  shader.driver = "assay";
  shader.target = variant.target;
  shader.launch = variant.launch;
  shader.code = variant.code;
  for (const Ir3Binding &binding : variant.bindings) {
    auto base = find_if(shader.bases,
                        [&](const turnip::BindlessBase &each) { return each.base == binding.set; });
    if (base == shader.bases.end()) {
      shader.bases.push_back({binding.set, descriptorBytes, addressOfSet(binding.set), {}});
      base = std::prev(shader.bases.end());
    }
    size_t end = size_t(binding.first + binding.count) * descriptorBytes;
    base->bytes.resize(std::max(base->bytes.size(), end));
  }
  for (unsigned i = 0; i < input.buffers.size(); ++i)
    shader.resources.push_back({addressOf(i), input.buffers[i].bytes.size(), {}});
  for (const BufferBinding &binding : pipeline.bindings)
    if (Error error = bind(variant, input, binding, shader))
      return std::move(error);
  addLoads(variant, shader);
  if (Error error = turnip::verifyTurnipShader(shader))
    return std::move(error);
  return shader;
}
