// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Case under construction: the checks that both script languages share.
#pragma once

#include "oracles/api/Case.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace assay::input {

class CaseBuilder {
public:
  Case &get() { return m_case; }
  const Case &get() const { return m_case; }

  /// Adds "\p what (line N)" to the reasons why the case can't be run.
  void addUnsupported(const llvm::Twine &what, unsigned line);
  /// Turns an Unsupported error into such a reason; any other stays an error.
  llvm::Error noteUnsupported(llvm::Error error, unsigned line);

  /// Adds what a device must have, once.
  void addFeature(llvm::StringRef name);
  /// Gives all pipelines the robustness that the features ask for.
  void applyRobustness();

  /// Adds a buffer of zeros and gives its index. Limit when all buffers together get too big.
  llvm::Expected<unsigned> addBuffer(llvm::StringRef name, const DataFormat &format,
                                     uint64_t bytes);
  /// Resizes a buffer, new bytes zero, within the same limit.
  llvm::Error resizeBuffer(unsigned index, uint64_t bytes);

  /// Adds a command; Limit above maxCommands.
  llvm::Error addCommand(Command command);
  /// Adds a dispatch; Limit above maxGroups. \p groups has three numbers.
  llvm::Error addDispatch(unsigned pipeline, llvm::ArrayRef<uint64_t> groups, unsigned line);
  /// Adds an expectation of values. InvalidInput when they reach beyond the buffer.
  llvm::Error addValues(Expectation expectation);

private:
  llvm::Error reserveBytes(uint64_t bytes);

  Case m_case;
  uint64_t m_totalBytes = 0;
};

} // namespace assay::input
