// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RADV as a compiler for one target: pipelines to RADV shaders. What it reads out of Mesa's
// binaries is believed only after known shaders gave known answers.
#pragma once

#include "compiler/api/Target.h"
#include "harness/peer/PipelineBinary.h"
#include "harness/peer/RadvDevice.h"

namespace assay {

/// The settings of the compiler called \p name ("aco", "radv-llvm", and these with "-nongg"), or
/// nothing.
std::optional<RadvSettings> findRadvCompiler(llvm::StringRef name);

class RadvPeer {
public:
  /// Makes a device for \p target. A child process has compiled the known shaders before, once for
  /// each target and compiler. Unsupported when there is no device, when the compiler of \p
  /// settings does not know the target or dies, when the target has no choice that \p settings
  /// make, and when an answer is not the known one. LLVM in Mesa may end the process later, in
  /// compile(): for workers only.
  static llvm::Expected<std::unique_ptr<RadvPeer>> create(const RadvSettings &settings,
                                                          const TargetInfo &target);

  RadvDevice &device() { return *m_device; }
  const RadvSettings &settings() const { return m_settings; }

  /// Compiles the compute pipeline \p pipeline. Unsupported where the driver lays descriptors out
  /// in its own way.
  llvm::Expected<radv::RadvShader> compile(const RadvPipeline &pipeline);
  /// The same for a graphics pipeline.
  llvm::Expected<radv::RadvGraphics> compileGraphics(const RadvPipeline &pipeline);

private:
  RadvPeer(const RadvSettings &settings, const TargetInfo &target,
           std::unique_ptr<RadvDevice> device)
      : m_settings(settings), m_target(target), m_device(std::move(device)) {}
  llvm::Expected<std::vector<BinaryShader>> compileAll(const RadvPipeline &pipeline);
  llvm::Expected<BinaryShader> readBinary(llvm::ArrayRef<uint8_t> data,
                                          llvm::ArrayRef<radv::SetBinding> bindings) const;
  llvm::Error checkSets(llvm::ArrayRef<radv::SetBinding> bindings) const;

  RadvSettings m_settings;
  const TargetInfo &m_target;
  std::unique_ptr<RadvDevice> m_device;
};

/// Compiles shaders whose launch is known and compares; Unsupported with the first difference.
llvm::Error probeLayout(RadvPeer &peer, const TargetInfo &target);
/// The same with graphics pipelines whose registers are known.
llvm::Error probeGraphicsLayout(RadvPeer &peer, const TargetInfo &target);

} // namespace assay
