// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/CompileCache.h"

#include "compiler/driver/PipelineHash.h"
#include "compiler/spirv/CanonicalHash.h"
#include "support/Fault.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;

Expected<Hash128> assay::makeCacheKey(const PipelineDescription &pipeline,
                                      const ShaderDescription &shader,
                                      const CompileOptions &options, const Hash128 &build) {
  Expected<Hash128> meaning = spirv::hashMeaning(shader);
  if (!meaning)
    return meaning.takeError();
  CanonicalBytes bytes;
  bytes.add("compute").add(build).add(*meaning);
  // Code that the entry point does not reach may break the specification, and is then refused.
  if (options.validate) {
    CanonicalBytes words;
    for (uint32_t word : shader.spirv)
      words.add(uint64_t(word));
    bytes.add(words.hash());
  }
  addLayout(bytes, pipeline.layout);
  bytes.add(uint64_t(pipeline.robustness == Robustness::Access2));
  bytes.add(options.target->name);
  if (!faultPlanted(Fault::CacheForgetsLevel))
    bytes.add(uint64_t(options.optLevel));
  bytes.add(uint64_t(options.getWaveSize())).add(uint64_t(options.useLlvmLowering));
  bytes.add(uint64_t(options.palVersion));
  return bytes.hash();
}

std::vector<uint8_t> assay::printCached(const CompileResult &result) {
  CanonicalBytes bytes;
  bytes.add(toStringRef(result.output)).add(uint64_t(result.diagnostics.size()));
  for (const Diagnostic &each : result.diagnostics)
    bytes.add(uint64_t(each.severity))
        .add(each.id)
        .add(each.message)
        .add(each.location.file)
        .add(each.location.offset)
        .add(uint64_t(each.location.resultId))
        .add(uint64_t(each.location.line));
  return arrayRefFromStringRef(bytes.str()).vec();
}

namespace {
/// The reverse of CanonicalBytes. After a failure all numbers are 0 and all texts are empty.
class Reader {
public:
  explicit Reader(ArrayRef<uint8_t> bytes) : m_rest(bytes) {}

  uint64_t readNumber() {
    if (m_rest.size() < 8)
      return fail();
    uint64_t number = support::endian::read64le(m_rest.data());
    m_rest = m_rest.drop_front(8);
    return number;
  }
  StringRef readText() {
    uint64_t size = readNumber();
    if (size > m_rest.size())
      return fail(), StringRef();
    StringRef text = toStringRef(m_rest.take_front(size));
    m_rest = m_rest.drop_front(size);
    return text;
  }
  bool isAtEnd() const { return !m_hasFailed && m_rest.empty(); }
  bool hasFailed() const { return m_hasFailed; }

private:
  uint64_t fail() {
    m_hasFailed = true;
    m_rest = {};
    return 0;
  }

  ArrayRef<uint8_t> m_rest;
  bool m_hasFailed = false;
};
} // namespace

std::optional<CompileResult> assay::parseCached(ArrayRef<uint8_t> bytes) {
  Reader reader(bytes);
  CompileResult result;
  result.output = arrayRefFromStringRef(reader.readText()).vec();
  uint64_t count = reader.readNumber();
  for (uint64_t i = 0; i < count && !reader.hasFailed(); ++i) {
    Diagnostic diagnostic;
    uint64_t severity = reader.readNumber();
    if (severity > static_cast<uint64_t>(Severity::Error))
      return std::nullopt;
    diagnostic.severity = static_cast<Severity>(severity);
    diagnostic.id = reader.readText().str();
    diagnostic.message = reader.readText().str();
    diagnostic.location.file = reader.readText().str();
    diagnostic.location.offset = reader.readNumber();
    diagnostic.location.resultId = static_cast<uint32_t>(reader.readNumber());
    diagnostic.location.line = static_cast<uint32_t>(reader.readNumber());
    result.diagnostics.push_back(std::move(diagnostic));
  }
  if (!reader.isAtEnd())
    return std::nullopt;
  return result;
}
