// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RADV as a compiler for one target: pipelines to RADV shaders. What it reads out of Mesa's
// binaries is believed only after known shaders gave known answers.
#pragma once

#include "compiler/api/Target.h"
#include "harness/peer/RadvDevice.h"

namespace assay {

/// The compiler called \p name ("aco", "radv-llvm"), or nothing.
std::optional<RadvCompiler> findRadvCompiler(llvm::StringRef name);

class RadvPeer {
public:
  /// Makes a device for \p target. A child process has compiled the known shaders before, once for
  /// each target and compiler. Unsupported when there is no device, when \p compiler does not know
  /// the target or dies, and when an answer is not the known one. LLVM in Mesa may end the process
  /// later, in compile(): for workers only.
  static llvm::Expected<std::unique_ptr<RadvPeer>> create(RadvCompiler compiler,
                                                          const TargetInfo &target);

  RadvDevice &device() { return *m_device; }
  RadvCompiler compiler() const { return m_compiler; }

  /// Compiles \p pipeline. Unsupported where the driver lays descriptors out in its own way.
  llvm::Expected<radv::RadvShader> compile(const RadvPipeline &pipeline);
  /// The shaders of a graphics pipeline: code to look at, not to run.
  llvm::Expected<std::vector<radv::RadvShader>>
  compileGraphics(const RadvModule &vertex, const RadvModule &fragment,
                  llvm::ArrayRef<radv::SetBinding> bindings, uint32_t pushConstantBytes);

private:
  RadvPeer(RadvCompiler compiler, const TargetInfo &target, std::unique_ptr<RadvDevice> device)
      : m_compiler(compiler), m_target(target), m_device(std::move(device)) {}
  llvm::Expected<radv::RadvShader> readBinary(llvm::ArrayRef<uint8_t> data) const;
  llvm::Error checkSets(llvm::ArrayRef<radv::SetBinding> bindings) const;

  RadvCompiler m_compiler;
  const TargetInfo &m_target;
  std::unique_ptr<RadvDevice> m_device;
};

/// Compiles shaders whose launch is known and compares; Unsupported with the first difference.
llvm::Error probeLayout(RadvPeer &peer, const TargetInfo &target);

} // namespace assay
