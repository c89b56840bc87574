// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/VariantFile.h"

#include "support/ByteCursor.h"
#include "support/FileMagic.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// In the place of a dword of the const file.
static constexpr uint32_t NoConstant = ~0U;
/// The second field of the file. oracles/ir3_variant reads only the version that it knows.
static constexpr uint32_t formatVersion = 3;

/// Writes the header of dwords, then the counted tables: immediates, uniform ranges, bindings, code
/// words; the statistics line is last. The size of a wave is written with double threads applied.
std::vector<uint8_t> ir3::writeVariant(const Compiler &compiler, const ShaderVariant &variant,
                                       const Interface &interface) {
  ByteWriter file(CountSize::Word);
  file.raw(Ir3VariantMagic);
  file.word(formatVersion);
  file.text(compiler.name);
  for (uint32_t value :
       {variant.fullVectors, variant.halfVectors, variant.branchStack,
        uint32_t(compiler.threadsizeBase) << variant.doubleThreads, variant.constVectors,
        variant.localBytes, variant.privateBytes, interface.localSize[0], interface.localSize[1],
        interface.localSize[2], uint32_t(LocalIdRegister),
        uint32_t(interface.workgroupIdDword ? reg::None : WorkgroupIdRegister),
        interface.workgroupIdDword.value_or(NoConstant), interface.pushConstantDwords,
        interface.groupCountDword, variant.constBase})
    file.word(value);
  file.count(variant.constImmediates.size());
  for (uint32_t value : variant.constImmediates)
    file.word(value);
  file.count(interface.uniforms.size());
  for (const UniformRange &range : interface.uniforms)
    for (uint32_t value :
         {range.set, range.binding, range.element, range.firstByte, range.dwords, range.constDword})
      file.word(value);
  file.count(interface.bindings.size());
  for (const BindingPlace &place : interface.bindings) {
    for (uint32_t value : {place.set, place.binding, place.first, place.count})
      file.word(value);
    file.word(static_cast<uint32_t>(place.kind));
  }
  file.count(variant.words.size());
  for (uint64_t word : variant.words)
    file.wide(word);
  file.text(printStatistics(variant.statistics, ShaderStage::Compute));
  return file.take();
}

/// Lines of optional parts - the workgroup id, uniform data, bindings - are left out where there is
/// none.
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
  if (interface.workgroupIdDword)
    os << "workgroup id: dword " << *interface.workgroupIdDword << "\n";
  for (const UniformRange &range : interface.uniforms)
    os << "uniform data: dword " << range.constDword << ", " << range.dwords << " dwords from byte "
       << range.firstByte << " of set " << range.set << ", binding " << range.binding
       << ", element " << range.element << "\n";
  for (const BindingPlace &place : interface.bindings)
    os << "set " << place.set << ", binding " << place.binding << ": "
       << getDescriptorName(place.kind) << ", " << place.count << " from descriptor " << place.first
       << "\n";
  return text;
}
