// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RAII around SPIRV-Tools' C interface, and its diagnostics as Errors.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <spirv-tools/libspirv.h>
#include <vector>

namespace assay::spirv {

/// A SPIRV-Tools context for Vulkan 1.3 that keeps quiet: messages come as diagnostics.
class ToolsContext {
public:
  ToolsContext();
  ~ToolsContext();
  ToolsContext(const ToolsContext &) = delete;
  ToolsContext &operator=(const ToolsContext &) = delete;
  spv_const_context get() const { return m_context; }

private:
  spv_context m_context;
};

/// Owns one spv_diagnostic (perhaps null).
class ToolsMessage {
public:
  explicit ToolsMessage(spv_diagnostic diagnostic) : m_diagnostic(diagnostic) {}
  ~ToolsMessage();
  ToolsMessage(const ToolsMessage &) = delete;
  ToolsMessage &operator=(const ToolsMessage &) = delete;

  /// "WHAT: line L: text". Unsupported, with the version, where SPIRV-Tools says that it does not
  /// know a name or number; InvalidInput otherwise.
  llvm::Error toError(const llvm::Twine &what) const;

private:
  spv_diagnostic m_diagnostic;
};

/// The words of a module as the installed SPIRV-Tools can parse them. They refuse an OpSource whose
/// language is newer than they are, on which nothing depends: it becomes Unknown. Refers to the
/// words that it is made of, which must live as long, unless it had to change some.
class ParsableWords {
public:
  /// \p words need not be a module; they are host-endian if they are.
  explicit ParsableWords(llvm::ArrayRef<uint32_t> words);
  ParsableWords(const ParsableWords &) = delete;
  ParsableWords &operator=(const ParsableWords &) = delete;

  const uint32_t *data() const { return m_words.data(); }
  size_t size() const { return m_words.size(); }

private:
  llvm::ArrayRef<uint32_t> m_words;
  std::vector<uint32_t> m_changed;
};

} // namespace assay::spirv
