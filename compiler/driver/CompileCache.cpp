// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/CompileCache.h"

#include "compiler/driver/PipelineHash.h"
#include "compiler/spirv/CanonicalHash.h"
#include "support/ByteCursor.h"
#include "support/Fault.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Returns a hash of everything that decides the ELF: build, meaning of the shader, layout,
/// robustness and options. Only Access2 counts of robustness, as it is what passes read. With
/// validation the words count as well. Errors are those of reading the meaning.
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

/// Output, number of diagnostics, then each diagnostic; hash chains are left out. parseCached()
/// reads the bytes.
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

/// Trailing bytes and unknown severities make the whole entry unreadable.
std::optional<CompileResult> assay::parseCached(ArrayRef<uint8_t> bytes) {
  ByteReader reader(bytes, CountSize::Wide); // The reverse of CanonicalBytes.
  CompileResult result;
  std::span<const uint8_t> output = reader.bytes();
  result.output.assign(output.begin(), output.end());
  uint64_t count = reader.wide();
  for (uint64_t i = 0; i < count && reader.isGood(); ++i) {
    Diagnostic diagnostic;
    uint64_t severity = reader.wide();
    if (severity > static_cast<uint64_t>(Severity::Error))
      return std::nullopt;
    diagnostic.severity = static_cast<Severity>(severity);
    diagnostic.id = reader.text();
    diagnostic.message = reader.text();
    diagnostic.location.file = reader.text();
    diagnostic.location.offset = reader.wide();
    diagnostic.location.resultId = static_cast<uint32_t>(reader.wide());
    diagnostic.location.line = static_cast<uint32_t>(reader.wide());
    result.diagnostics.push_back(std::move(diagnostic));
  }
  if (!reader.isGood() || !reader.atEnd())
    return std::nullopt;
  return result;
}
