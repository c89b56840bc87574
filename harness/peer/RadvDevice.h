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

/// The two back-ends of RADV.
enum class RadvCompiler { Aco, Llvm };

/// How RADV compiles. It reads these settings when a device is created.
struct RadvSettings {
  RadvCompiler compiler = RadvCompiler::Aco;
  /// False: vertex shaders run as hardware stage VS on the chips that also have NGG, which are
  /// those of GFX10 (RADV_DEBUG=nongg).
  bool usesNgg = true;
  /// Of graphics shaders: 32 or 64 (RADV_PERFTEST=gewave32,pswave32). GFX9 has 64 only.
  uint32_t graphicsWaveSize = 64;

  bool operator==(const RadvSettings &) const = default;
};

/// One shader module and what a pipeline needs to know of it.
struct RadvModule {
  ShaderStage stage = ShaderStage::Compute;
  std::vector<uint32_t> spirv;
  std::string entryPoint = "main";
  std::vector<SpecializationValue> specialization;
  std::vector<uint32_t> specializationBytes; ///< Of each value: 1, 2, 4 or 8.
  uint32_t requiredSubgroupSize = 0;         ///< 0: the driver's choice.
  bool fullSubgroups = false;
};

/// A pipeline to be compiled.
struct RadvPipeline {
  /// One compute shader, or the shaders of a graphics pipeline in the order of ShaderStage.
  std::vector<RadvModule> stages;
  std::vector<radv::SetBinding> bindings; ///< By set and binding.
  uint32_t pushConstantBytes = 0;
  GraphicsState graphics;         ///< Of a graphics pipeline.
  uint32_t width = 0, height = 0; ///< Of its framebuffer.

  bool isGraphics() const { return stages.front().stage != ShaderStage::Compute; }
};

/// What RADV needs to know of \p source. A compute shader runs with subgroups of \p subgroupSize
/// (0: the driver's choice) unless it requires a size itself. A binding has the type that the case
/// binds, else one that the modules allow.
llvm::Expected<RadvPipeline> describeForRadv(const CasePipeline &source, uint32_t subgroupSize);

/// A Vulkan device of one GPU family. Creating it sets RADV's environment variables in this
/// process, which RADV reads only then: several devices may exist at the same time.
class RadvDevice {
public:
  /// \p family is RADV's name ("navi31"). Unsupported when RADV is not installed, when Mesa is
  /// older than 25 (no gfx12, no null device for every family), and when RADV dies: it aborts for a
  /// family that it does not know. A child process finds this out, once for each family and
  /// compiler.
  static llvm::Expected<std::unique_ptr<RadvDevice>> create(llvm::StringRef family,
                                                            const RadvSettings &settings);
  using Use = llvm::function_ref<llvm::Error(std::unique_ptr<RadvDevice>)>;
  /// Only the trial that create() begins with. The child also calls \p use with its device, and a
  /// failure or death there counts too; what the first call for a family and compiler found holds
  /// for all later ones.
  static llvm::Error tryOut(llvm::StringRef family, const RadvSettings &settings, Use use);
  ~RadvDevice();
  RadvDevice(const RadvDevice &) = delete;
  RadvDevice &operator=(const RadvDevice &) = delete;

  /// What the driver calls itself, with its version.
  const std::string &description() const;

  /// The first thing that \p input needs and this GPU's driver does not offer, or an empty string.
  /// A shader that needs it may end the process.
  llvm::Expected<std::string> findMissingFeature(const Case &input) const;
  /// Unsupported for the first format that this GPU cannot use where a graphics pipeline of
  /// \p input does.
  llvm::Error checkFormats(const Case &input) const;
  /// Whether pipelines may ask for subgroups of \p size.
  bool offersSubgroupSize(uint32_t size) const;

  /// Builds shader modules and layouts of \p pipeline. compilePipeline() then compiles it at each
  /// call; all caches are off. What was prepared earlier is forgotten.
  llvm::Error prepare(const RadvPipeline &pipeline);
  /// Compiles what was prepared and discards the result.
  llvm::Error compilePipeline();
  /// Compiles the same once more: the data of its pipeline binaries. Unsupported when this Mesa has
  /// no VK_KHR_pipeline_binary.
  llvm::Expected<std::vector<std::vector<uint8_t>>> captureBinaries();

  /// Byte offset of \p binding in the memory of its set, as the driver has it, for what was
  /// prepared. Unsupported when this Mesa has no VK_EXT_descriptor_buffer.
  llvm::Expected<uint64_t> bindingOffset(uint32_t set, uint32_t binding) const;
  /// Bytes of the memory of \p set. As bindingOffset().
  llvm::Expected<uint64_t> setBytes(uint32_t set) const;

private:
  /// May end the process.
  static llvm::Expected<std::unique_ptr<RadvDevice>>
  createHere(const std::string &icd, llvm::StringRef family, const RadvSettings &settings);
  /// Creates a device in a child process, and returns how that ended. Later calls for the same
  /// driver, family and settings return the first result.
  static llvm::Expected<vulkan::Trial> tryFamily(const std::string &icd, llvm::StringRef family,
                                                 const RadvSettings &settings, Use use);
  static llvm::Error explainDeath(const std::string &icd, llvm::StringRef family,
                                  llvm::StringRef death);

  struct State;
  explicit RadvDevice(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace assay
