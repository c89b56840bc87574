// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated cases as Amber scripts.
#include "compiler/spirv/Module.h"
#include "fuzz/generate/Generator.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace llvm;

namespace assay::fuzz {

static const char *kindName(GeneratedBinding kind) {
  static constexpr const char *names[] = {"storage", "uniform", "push_constant"};
  return names[size_t(kind)];
}

static void printData(raw_ostream &os, const GeneratedBuffer &buffer) {
  constexpr size_t PerLine = 8;
  for (size_t i = 0; i < buffer.words.size(); ++i)
    os << (i % PerLine ? " " : "  ") << buffer.words[i]
       << (i % PerLine == PerLine - 1 || i + 1 == buffer.words.size() ? "\n" : "");
}

static bool isZero(const GeneratedBuffer &buffer) {
  for (uint64_t word : buffer.words)
    if (word)
      return false;
  return true;
}

std::string printAmber(const GeneratedCase &generated) {
  std::string text;
  raw_string_ostream os(text);
  os << "#!amber\n# Generated: seed " << generated.seed << ", profile " << generated.profile
     << ".\n\n";
  for (const std::string &feature : generated.features)
    os << (StringRef(feature).starts_with("VK_") ? "DEVICE_EXTENSION " : "DEVICE_FEATURE ")
       << feature << "\n";
  // A program of ours that can't be printed is broken by us.
  os << "\nSHADER compute shader SPIRV-ASM TARGET_ENV spv1.6\n"
     << cantFail(spirv::disassemble(encode(generated.program))) << "END\n\n";
  for (const GeneratedBuffer &buffer : generated.buffers) {
    os << "BUFFER " << buffer.name << " DATA_TYPE " << buffer.dataType;
    if (isZero(buffer)) {
      os << " SIZE " << buffer.words.size() << " FILL 0\n";
    } else {
      os << " DATA\n";
      printData(os, buffer);
      os << "END\n";
    }
  }
  os << "\nPIPELINE compute pipeline\n  ATTACH shader";
  for (const GeneratedSpecialization &each : generated.specialization)
    os << " SPECIALIZE " << each.id << " AS uint" << each.width << " " << each.bits;
  os << "\n";
  for (const GeneratedBuffer &buffer : generated.buffers) {
    os << "  BIND BUFFER " << buffer.name << " AS " << kindName(buffer.kind);
    if (buffer.kind != GeneratedBinding::PushConstant)
      os << " DESCRIPTOR_SET 0 BINDING " << buffer.binding;
    os << "\n";
  }
  os << "END\n\nRUN pipeline " << generated.groups[0] << " " << generated.groups[1] << " "
     << generated.groups[2] << "\n";
  return text;
}

} // namespace assay::fuzz
