// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/turnip/TurnipShader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

static constexpr StringRef spaceNames[] = {"c", "shared c", "ubo "};

/// SP, TPL1 and HLSQ; what comes before is of the fixed pipeline.
static constexpr uint32_t FirstShaderRegister = 0xa800;

/// "r48.x", "none".
static std::string registerName(uint32_t number) {
  if (number / 4 == 63)
    return "none";
  return ("r" + Twine(number / 4) + "." + StringRef("xyzw").substr(number % 4, 1)).str();
}

static std::string dwordText(const LoadedDword &dword) {
  std::string number = std::to_string(dword.value);
  switch (dword.source) {
  case DwordSource::Value:
    return "0x" + utohexstr(dword.value, /*LowerCase=*/true);
  case DwordSource::PushConstant:
    return "push" + number;
  case DwordSource::GroupCount:
    return "groups" + number;
  case DwordSource::FirstGroup:
    return "first" + number;
  case DwordSource::Resource:
    return "byte" + number;
  }
  llvm_unreachable("a dword from nowhere");
}

static void printLoad(raw_ostream &os, const Load &load) {
  os << "load " << spaceNames[size_t(load.space)];
  if (load.space == LoadSpace::UniformBuffer)
    os << load.slot << " dword " << load.first;
  else
    os << load.first / 4 << "." << "xyzw"[load.first % 4];
  bool copies = any_of(
      load.dwords, [](const LoadedDword &dword) { return dword.source == DwordSource::Resource; });
  if (copies)
    os << " of resource " << load.slot;
  os << ":";
  for (const LoadedDword &dword : load.dwords)
    os << " " << dwordText(dword);
  os << "\n";
}

static void printLaunch(raw_ostream &os, const Launch &launch) {
  os << "full registers: " << launch.fullRegisters << "\nhalf registers: " << launch.halfRegisters
     << (launch.mergedRegisters ? " (merged)" : "") << "\nfibers a wave: " << launch.fibersPerWave
     << "\nworkgroup: " << launch.localSize[0] << " " << launch.localSize[1] << " "
     << launch.localSize[2] << "\nbranch stack: " << launch.branchStack
     << "\nconst vec4s: " << launch.constantVec4s
     << "\nshared constants: " << (launch.sharedConstants ? "yes" : "no")
     << "\nlocal bytes: " << launch.localBytes
     << "\nprivate bytes a fiber: " << launch.privateBytesPerFiber
     << (launch.privatePerWave ? " (per wave)" : "")
     << "\nearly preamble: " << (launch.earlyPreamble ? "yes" : "no")
     << "\nworkgroup id: " << registerName(launch.workgroupIdRegister)
     << "\nlocal id: " << registerName(launch.localIdRegister)
     << "\nlocal index: " << registerName(launch.localIndexRegister) << "\n";
}

std::string turnip::printStatistics(const TurnipShader &shader) {
  std::string text;
  raw_string_ostream os(text);
  ListSeparator separator;
  for (const Statistic &statistic : shader.statistics)
    if (statistic.value != 0)
      os << separator << statistic.name << " " << statistic.value;
  return text;
}

std::string turnip::printTurnipShader(const TurnipShader &shader) {
  std::string text;
  raw_string_ostream os(text);
  os << "driver: " << shader.driver << "\ntarget: " << shader.target
     << "\nstatistics: " << printStatistics(shader)
     << "\ninstructions with padding: " << shader.code.size() << "\n";
  printLaunch(os, shader.launch);
  for (const Load &load : shader.loads)
    printLoad(os, load);
  for (const BindlessBase &base : shader.bases) {
    os << "base " << base.base << ": " << base.bytes.size() << " bytes at "
       << format_hex(base.address, 11) << ", descriptors of " << base.descriptorBytes << "\n";
    for (size_t i = 0; i < base.bytes.size(); i += 32)
      os << "  " << format_hex_no_prefix(i, 4) << ": "
         << toHex(ArrayRef(base.bytes).slice(i).take_front(32), /*LowerCase=*/true) << "\n";
  }
  for (size_t i = 0; i < shader.resources.size(); ++i) {
    const ResourcePlace &resource = shader.resources[i];
    os << "resource " << i << ": " << resource.bytes << " bytes at "
       << format_hex(resource.address, 11) << "\n";
    for (const LevelPlace &level : resource.levels)
      os << "  level at byte " << level.offset << ": " << level.size << " bytes, rows "
         << level.rowPitch << ", layers " << level.arrayPitch << ", slices " << level.depthPitch
         << "\n";
  }
  for (const MemoryRange &range : shader.memory)
    os << "memory: " << range.bytes.size() << " bytes at " << format_hex(range.address, 11) << "\n";
  for (const auto &[number, value] : shader.registers)
    if (number >= FirstShaderRegister)
      os << "register " << format_hex(number, 6) << ": " << format_hex(value, 10) << "\n";
  return text;
}
