// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sections of LLPC's .pipe files on fixed-function state: GraphicsPipelineState and
// VertexInputState. Names: LLPC, tool/vfx/vfxVkSection.h.
#pragma once

#include "compiler/api/GraphicsState.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>
#include <vector>

namespace assay::input {

class PipeGraphics {
public:
  PipeGraphics();

  /// A setting of [GraphicsPipelineState], without those that begin with "options.". InvalidInput
  /// for an unknown key or value.
  llvm::Error readState(llvm::StringRef key, llvm::StringRef value);
  /// A setting of [VertexInputState].
  llvm::Error readVertexInput(llvm::StringRef key, llvm::StringRef value);

  /// The state. InvalidInput where bindings or locations are given twice, or
  /// the number of samples is no power of two.
  llvm::Expected<GraphicsState> finish();
  /// What the file asks for that GraphicsState cannot say: "multiview".
  const std::vector<std::string> &unsupported() const { return m_unsupported; }

private:
  /// One colorBuffer[i].
  struct Target {
    ColorTarget state;
    bool blendsAlphaToColor = false; ///< blendSrcAlphaToColor.
  };
  llvm::Error readTarget(uint64_t index, llvm::StringRef member, llvm::StringRef value);
  llvm::Error readBinding(uint64_t index, llvm::StringRef member, llvm::StringRef value);
  llvm::Error readAttribute(uint64_t index, llvm::StringRef member, llvm::StringRef value);
  llvm::Error readDivisor(uint64_t index, llvm::StringRef member, llvm::StringRef value);
  llvm::Error readFormat(llvm::StringRef value, TexelFormat &format);
  void finishTargets();
  llvm::Error finishVertexInput();

  GraphicsState m_state;
  bool m_dualSource = false;            ///< dualSourceBlendEnable.
  std::map<uint64_t, Target> m_targets; ///< By index; there may be gaps.
  std::map<uint64_t, VertexInputBinding> m_bindings;
  std::map<uint64_t, VertexInputAttribute> m_attributes;
  std::map<uint64_t, std::pair<uint32_t, uint32_t>> m_divisors; ///< Binding, divisor.
  std::vector<std::string> m_unsupported;
};

} // namespace assay::input
