// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mesa's RADV on its null device: a peer compiler for AMD GPUs that needs none. Compiles pipelines
// with ACO or with LLVM, and hands out their pipeline binaries.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/machine/vulkan/DriverTrial.h"
#include "oracles/radv/RadvShader.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace assay {

enum class RadvCompiler { Aco, Llvm };

/// One shader module and what a pipeline needs to know of it.
struct RadvModule {
  std::vector<uint32_t> spirv;
  std::string entryPoint = "main";
  std::vector<SpecializationValue> specialization;
  std::vector<uint32_t> specializationBytes; ///< Of each value: 1, 2, 4 or 8.
  uint32_t requiredSubgroupSize = 0;         ///< 0: the driver's choice.
  bool fullSubgroups = false;
};

/// A compute pipeline to be compiled.
struct RadvPipeline {
  RadvModule shader;
  std::vector<radv::SetBinding> bindings; ///< By set and binding.
  uint32_t pushConstantBytes = 0;
};

/// What RADV needs to know of \p source. Its shader runs with subgroups of \p subgroupSize (0: the
/// driver's choice) unless it requires a size itself. A binding has the type that the case binds,
/// else one that the module allows.
llvm::Expected<RadvPipeline> describeForRadv(const CasePipeline &source, uint32_t subgroupSize);

/// A Vulkan device of one GPU family. Creating it sets RADV's environment variables in this
/// process, which RADV reads only then: several devices may live side by side.
class RadvDevice {
public:
  /// \p family is RADV's name ("navi31"). Unsupported when RADV is not installed, when Mesa is
  /// older than 25 (no gfx12, no null device for every family), and when RADV dies: it aborts for a
  /// family that it does not know. A child process finds this out, once for each family and
  /// compiler.
  static llvm::Expected<std::unique_ptr<RadvDevice>> create(llvm::StringRef family,
                                                            RadvCompiler compiler);
  using Use = llvm::function_ref<llvm::Error(std::unique_ptr<RadvDevice>)>;
  /// Only the trial that create() begins with. The child also calls \p use with its device, and a
  /// failure or death there counts too; what the first call for a family and compiler found holds
  /// for all later ones.
  static llvm::Error tryOut(llvm::StringRef family, RadvCompiler compiler, Use use);
  ~RadvDevice();
  RadvDevice(const RadvDevice &) = delete;
  RadvDevice &operator=(const RadvDevice &) = delete;

  /// What the driver calls itself, with its version.
  const std::string &description() const;

  /// The first thing that \p input needs and this GPU's driver does not offer, or an empty string.
  /// A shader that needs it may end the process.
  llvm::Expected<std::string> findMissingFeature(const Case &input) const;
  /// Whether pipelines may ask for subgroups of \p size.
  bool offersSubgroupSize(uint32_t size) const;

  /// Builds shader module and layouts of \p pipeline; compilePipeline() then compiles it anew at
  /// each call, all caches off. What was prepared before is forgotten.
  llvm::Error prepare(const RadvPipeline &pipeline);
  llvm::Error compilePipeline();
  /// Compiles the same once more: the data of its pipeline binaries. Unsupported when this Mesa has
  /// no VK_KHR_pipeline_binary.
  llvm::Expected<std::vector<std::vector<uint8_t>>> captureBinaries();

  /// A pipeline of \p vertex and \p fragment without descriptors' contents: for looking at code.
  /// Inputs of the vertex shader are all of type vec4, color attachments of 8 bits normalized.
  llvm::Expected<std::vector<std::vector<uint8_t>>>
  captureGraphics(const RadvModule &vertex, const RadvModule &fragment,
                  llvm::ArrayRef<radv::SetBinding> bindings, uint32_t pushConstantBytes);

  /// Byte offset of \p binding in the memory of its set, as the driver has it, for what was
  /// prepared. Unsupported when this Mesa has no VK_EXT_descriptor_buffer.
  llvm::Expected<uint64_t> bindingOffset(uint32_t set, uint32_t binding) const;
  llvm::Expected<uint64_t> setBytes(uint32_t set) const;

private:
  /// May end the process.
  static llvm::Expected<std::unique_ptr<RadvDevice>>
  createHere(const std::string &icd, llvm::StringRef family, RadvCompiler compiler);
  static llvm::Expected<vulkan::Trial> tryFamily(const std::string &icd, llvm::StringRef family,
                                                 RadvCompiler compiler, Use use);
  static llvm::Error explainDeath(const std::string &icd, llvm::StringRef family,
                                  llvm::StringRef death);

  struct State;
  explicit RadvDevice(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace assay
