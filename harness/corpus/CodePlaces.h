// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of the compiler's source that belong to addresses of the program.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include <string>

namespace assay {

/// Names places in a program by its debug info. What was asked once is remembered.
class CodePlaces {
public:
  /// \p program is the path of the program's file.
  explicit CodePlaces(std::string program);

  /// "compiler/lgc/Lower.cpp:12" for an address in that file (support/CodeCounts.h): the innermost
  /// line of a file below a folder \p root that was inlined there; empty where there is none. The
  /// same for builds of the same source in other folders.
  std::string describe(uint64_t address, llvm::StringRef root = "compiler");

private:
  std::string m_program;
  llvm::symbolize::LLVMSymbolizer m_symbolizer;
  llvm::DenseMap<uint64_t, std::string> m_known;
};

} // namespace assay
