// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mesa's RADV on its null device: a peer compiler for AMD GPUs that needs none. Compiles compute
// pipelines with ACO or with LLVM.
#pragma once

#include "compiler/api/ResourceLayout.h"
#include "oracles/api/Case.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace assay {

enum class RadvCompiler { Aco, Llvm };

/// A Vulkan device of one GPU family. Creating it sets RADV's environment variables in this
/// process, which RADV reads only then: several devices may live side by side.
class RadvDevice {
public:
  /// \p family is RADV's name ("navi31"). Unsupported when RADV is not installed or Mesa is older
  /// than 25 (no gfx12, no null device for every family).
  static llvm::Expected<std::unique_ptr<RadvDevice>> create(llvm::StringRef family,
                                                            RadvCompiler compiler);
  ~RadvDevice();
  RadvDevice(const RadvDevice &) = delete;
  RadvDevice &operator=(const RadvDevice &) = delete;

  /// What the driver calls itself, with its version.
  const std::string &description() const;

  /// The first thing that \p input needs and this GPU's driver does not offer, or an empty string.
  /// A shader that needs it may end the process.
  llvm::Expected<std::string> findMissingFeature(const Case &input) const;

  /// Builds shader module and layouts of \p spirv; compilePipeline() then compiles it anew at each
  /// call, all caches off. \p layout as spirv::layoutFor gives it. What was prepared before is
  /// forgotten.
  llvm::Error prepare(llvm::ArrayRef<uint32_t> spirv, const std::string &entryPoint,
                      const ResourceLayout &layout);
  llvm::Error compilePipeline();

private:
  struct State;
  explicit RadvDevice(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace assay
