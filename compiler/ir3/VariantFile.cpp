// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/VariantFile.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {
class FileWriter {
public:
  std::vector<uint8_t> bytes;

  void add(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i)
      bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
  }
  void addWord(uint64_t value) { add(value, 4); }
  void addText(StringRef text) {
    addWord(text.size());
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
};
} // namespace

static constexpr StringLiteral magic = "ASSAYIR3";
static constexpr uint32_t formatVersion = 1;

std::vector<uint8_t> ir3::writeVariant(const Compiler &compiler, const ShaderVariant &variant,
                                       const Interface &interface) {
  FileWriter file;
  file.bytes.assign(magic.begin(), magic.end());
  file.addWord(formatVersion);
  file.addText(compiler.name);
  for (uint32_t value :
       {variant.fullVectors, variant.halfVectors, variant.branchStack,
        uint32_t(compiler.threadsizeBase) << variant.doubleThreads, variant.constVectors,
        variant.localBytes, variant.privateBytes, interface.localSize[0], interface.localSize[1],
        interface.localSize[2], uint32_t(LocalIdRegister), uint32_t(WorkgroupIdRegister),
        interface.pushConstantDwords, interface.groupCountDword, variant.constBase})
    file.addWord(value);
  file.addWord(variant.constImmediates.size());
  for (uint32_t value : variant.constImmediates)
    file.addWord(value);
  file.addWord(interface.bindings.size());
  for (const BindingPlace &place : interface.bindings) {
    for (uint32_t value : {place.set, place.binding, place.first, place.count})
      file.addWord(value);
    file.addWord(static_cast<uint32_t>(place.kind));
  }
  file.addWord(variant.words.size());
  for (uint64_t word : variant.words)
    file.add(word, 8);
  file.addText(printStatistics(variant.statistics, ShaderStage::Compute));
  return file.bytes;
}

std::string ir3::describeVariant(const Compiler &compiler, const ShaderVariant &variant,
                                 const Interface &interface) {
  std::string text;
  raw_string_ostream os(text);
  os << "target: " << compiler.name
     << "\nstatistics: " << printStatistics(variant.statistics, ShaderStage::Compute)
     << "\nfull registers: " << variant.fullVectors << "\nhalf registers: " << variant.halfVectors
     << "\nbranch stack: " << variant.branchStack << "\nconst vectors: " << variant.constVectors
     << "\nworkgroup memory: " << variant.localBytes << "\nprivate memory: " << variant.privateBytes
     << "\npush constants: " << interface.pushConstantDwords << " dwords\nworkgroup counts: dword "
     << interface.groupCountDword << "\nimmediates: dword " << variant.constBase << ", "
     << variant.constImmediates.size() << " dwords\n";
  for (const BindingPlace &place : interface.bindings)
    os << "set " << place.set << ", binding " << place.binding << ": "
       << getDescriptorName(place.kind) << ", " << place.count << " from descriptor " << place.first
       << "\n";
  return text;
}
