// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/RadvPeer.h"

#include "harness/peer/GraphicsRegisters.h"
#include "oracles/radv/SetLayout.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using radv::RadvShader;

namespace {
/// A target that RADV compiles for, and how RADV calls it.
struct FamilyRow {
  StringLiteral target;
  StringLiteral family; ///< RADV_FORCE_FAMILY.
  bool byLlvm; ///< Known to LLVM 15, which Debian's Mesa is built with; of the others it dies.
};

/// A compiler of the registry, and the settings that its name represents.
struct CompilerRow {
  StringLiteral name;
  RadvCompiler compiler;
  bool usesNgg;
};
} // namespace

/// Targets without a row are unsupported.
static constexpr FamilyRow families[] = {
    {"gfx900", "vega10", true},  {"gfx1010", "navi10", true},   {"gfx1030", "navi21", true},
    {"gfx1100", "navi31", true}, {"gfx1150", "gfx1150", false}, {"gfx1201", "gfx1201", false}};

/// The names that findRadvCompiler() knows.
static constexpr CompilerRow compilers[] = {{"aco", RadvCompiler::Aco, true},
                                            {"aco-nongg", RadvCompiler::Aco, false},
                                            {"radv-llvm", RadvCompiler::Llvm, true},
                                            {"radv-llvm-nongg", RadvCompiler::Llvm, false}};

std::optional<RadvSettings> assay::findRadvCompiler(StringRef name) {
  for (const CompilerRow &row : compilers)
    if (row.name == name)
      return RadvSettings{row.compiler, row.usesNgg};
  return std::nullopt;
}

/// The reverse of findRadvCompiler(). The wave size has no part in the name.
static StringRef nameOf(const RadvSettings &settings) {
  for (const CompilerRow &row : compilers)
    if (row.compiler == settings.compiler && row.usesNgg == settings.usesNgg)
      return row.name;
  llvm_unreachable("a compiler without a name");
}

/// Unsupported for a choice that \p target does not have.
static Error checkSettings(const RadvSettings &settings, const FamilyRow &row,
                           const TargetInfo &target) {
  if (settings.compiler == RadvCompiler::Llvm && !row.byLlvm)
    return unsupported("RADV-LLVM: the LLVM in Mesa does not know " + target.name);
  if (!settings.usesNgg && target.major != 10)
    return unsupported("RADV: only GFX10 has hardware stage VS and NGG; " + target.name +
                       " has one of them");
  if (settings.graphicsWaveSize == 32 && !target.supportsWave32)
    return unsupported("RADV: waves of 32 lanes on " + target.name);
  return Error::success();
}

Expected<std::unique_ptr<RadvPeer>> RadvPeer::create(const RadvSettings &settings,
                                                     const TargetInfo &target) {
  const auto *row =
      find_if(families, [&](const FamilyRow &each) { return each.target == target.name; });
  if (row == std::end(families))
    return unsupported("RADV: no family is known for " + target.name);
  if (Error error = checkSettings(settings, *row, target))
    return std::move(error);
  auto probe = [&](std::unique_ptr<RadvDevice> device) {
    RadvPeer peer(settings, target, std::move(device));
    if (Error error = probeLayout(peer, target))
      return error;
    return probeGraphicsLayout(peer, target);
  };
  if (Error error = RadvDevice::tryOut(row->family, settings, probe))
    return std::move(error);
  auto device = RadvDevice::create(row->family, settings);
  if (!device)
    return device.takeError();
  return std::unique_ptr<RadvPeer>(new RadvPeer(settings, target, std::move(*device)));
}

Expected<BinaryShader> RadvPeer::readBinary(ArrayRef<uint8_t> data,
                                            ArrayRef<radv::SetBinding> bindings) const {
  Expected<BinaryShader> result = readPipelineBinary(data);
  if (!result)
    return result.takeError();
  RadvShader &shader = result->shader;
  shader.compiler = nameOf(m_settings).str();
  shader.driver = m_device->description();
  shader.target = m_target.name.str();
  shader.bindings = bindings;
  return result;
}

/// Asks the driver where it puts each binding of what was prepared.
Error RadvPeer::checkSets(ArrayRef<radv::SetBinding> bindings) const {
  for (const radv::SetBinding &binding : bindings) {
    radv::SetLayout layout = radv::layOutSet(bindings, binding.set);
    const auto *placed = find_if(ArrayRef(layout.bindings), [&](const radv::PlacedBinding &each) {
      return each.binding == binding.binding;
    });
    Expected<uint64_t> offset = m_device->bindingOffset(binding.set, binding.binding);
    if (!offset)
      return offset.takeError();
    Expected<uint64_t> bytes = m_device->setBytes(binding.set);
    if (!bytes)
      return bytes.takeError();
    if (*offset != placed->offset || *bytes != layout.bytes)
      return unsupported("this Mesa lays out descriptor sets in a way that is not known: binding " +
                         Twine(binding.binding) + " at byte " + Twine(*offset) + " of " +
                         Twine(*bytes) + ", not at " + Twine(placed->offset) + " of " +
                         Twine(layout.bytes));
  }
  return Error::success();
}

Expected<std::vector<BinaryShader>> RadvPeer::compileAll(const RadvPipeline &pipeline) {
  for (const RadvModule &stage : pipeline.stages) {
    const uint32_t size = stage.requiredSubgroupSize;
    const bool isOffered = stage.stage == ShaderStage::Compute
                               ? m_device->offersSubgroupSize(size)
                               : size == m_settings.graphicsWaveSize;
    if (size && !isOffered)
      return unsupported("RADV: subgroups of " + Twine(size) + " on " + m_target.name);
  }
  if (Error error = m_device->prepare(pipeline))
    return std::move(error);
  if (Error error = checkSets(pipeline.bindings))
    return std::move(error);
  auto binaries = m_device->captureBinaries();
  if (!binaries)
    return binaries.takeError();
  std::vector<BinaryShader> shaders;
  for (const std::vector<uint8_t> &data : *binaries) {
    Expected<BinaryShader> shader = readBinary(data, pipeline.bindings);
    if (!shader)
      return shader.takeError();
    shaders.push_back(std::move(*shader));
  }
  return shaders;
}

Expected<RadvShader> RadvPeer::compile(const RadvPipeline &pipeline) {
  Expected<std::vector<BinaryShader>> shaders = compileAll(pipeline);
  if (!shaders)
    return shaders.takeError();
  if (shaders->size() != 1 || shaders->front().shader.stage != radv::Stage::Compute)
    return unsupported("RADV: a compute pipeline of " + Twine(shaders->size()) +
                       " binaries, or without a compute shader");
  return std::move(shaders->front().shader);
}

Expected<radv::RadvGraphics> RadvPeer::compileGraphics(const RadvPipeline &pipeline) {
  Expected<std::vector<BinaryShader>> shaders = compileAll(pipeline);
  if (!shaders)
    return shaders.takeError();
  std::optional<BinaryShader> vertex, pixel;
  for (BinaryShader &shader : *shaders) {
    std::optional<BinaryShader> &place =
        shader.shader.stage == radv::Stage::Vertex ? vertex : pixel;
    if (place || shader.shader.stage == radv::Stage::Compute)
      return unsupported("RADV: a graphics pipeline with two shaders of a stage");
    place = std::move(shader);
  }
  if (!vertex)
    return unsupported("RADV: a graphics pipeline without a vertex shader");
  Expected<radv::RadvGraphics> result =
      linkStages(std::move(*vertex), std::move(pixel), pipeline.graphics, m_target);
  if (!result)
    return result.takeError();
  if (Error error = radv::verifyRadvGraphics(*result))
    return unsupported("this Mesa lays out pipeline binaries in a way that is not known: " +
                       takeError(std::move(error)).message);
  return result;
}
