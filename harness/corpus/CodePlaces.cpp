// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/corpus/CodePlaces.h"

using namespace llvm;
using namespace assay;

CodePlaces::CodePlaces(std::string program) : m_program(std::move(program)) {}

/// "compiler/lgc/Lower.cpp" of the path of a source; empty where it is not below \p root.
static StringRef cutRoot(StringRef path, StringRef root) {
  std::string folder = ("/" + root + "/").str();
  size_t at = path.rfind(folder);
  return at == StringRef::npos ? StringRef() : path.drop_front(at + 1);
}

std::string CodePlaces::describe(uint64_t address, StringRef root) {
  auto [known, isNew] = m_known.try_emplace(address);
  if (!isNew)
    return known->second;
  Expected<DIInliningInfo> frames = m_symbolizer.symbolizeInlinedCode(
      m_program, {address, object::SectionedAddress::UndefSection});
  if (!frames) {
    consumeError(frames.takeError()); // No debug info: then it has no name.
    return "";
  }
  for (uint32_t i = 0; i < frames->getNumberOfFrames(); ++i) {
    const DILineInfo &line = frames->getFrame(i);
    StringRef file = cutRoot(line.FileName, root);
    if (!file.empty() && line.Line)
      return known->second = file.str() + ":" + std::to_string(line.Line);
  }
  return "";
}
