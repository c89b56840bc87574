// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/RadvPeer.h"

#include "harness/peer/PipelineBinary.h"
#include "oracles/radv/SetLayout.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using radv::RadvShader;

namespace {
struct FamilyRow {
  StringLiteral target;
  StringLiteral family; ///< RADV_FORCE_FAMILY.
  bool byLlvm; ///< Known to LLVM 15, which Debian's Mesa is built with; of the others it dies.
};

struct CompilerRow {
  StringLiteral name;
  RadvCompiler compiler;
};
} // namespace

static constexpr FamilyRow families[] = {
    {"gfx900", "vega10", true},  {"gfx1010", "navi10", true},   {"gfx1030", "navi21", true},
    {"gfx1100", "navi31", true}, {"gfx1150", "gfx1150", false}, {"gfx1201", "gfx1201", false}};

static constexpr CompilerRow compilers[] = {{"aco", RadvCompiler::Aco},
                                            {"radv-llvm", RadvCompiler::Llvm}};

std::optional<RadvCompiler> assay::findRadvCompiler(StringRef name) {
  for (const CompilerRow &row : compilers)
    if (row.name == name)
      return row.compiler;
  return std::nullopt;
}

static StringRef nameOf(RadvCompiler compiler) {
  for (const CompilerRow &row : compilers)
    if (row.compiler == compiler)
      return row.name;
  llvm_unreachable("a compiler without a name");
}

Expected<std::unique_ptr<RadvPeer>> RadvPeer::create(RadvCompiler compiler,
                                                     const TargetInfo &target) {
  const auto *row =
      find_if(families, [&](const FamilyRow &each) { return each.target == target.name; });
  if (row == std::end(families))
    return unsupported("RADV: no family is known for " + target.name);
  if (compiler == RadvCompiler::Llvm && !row->byLlvm)
    return unsupported("RADV-LLVM: the LLVM in Mesa does not know " + target.name);
  auto probe = [&](std::unique_ptr<RadvDevice> device) {
    RadvPeer peer(compiler, target, std::move(device));
    return probeLayout(peer, target);
  };
  if (Error error = RadvDevice::tryOut(row->family, compiler, probe))
    return std::move(error);
  auto device = RadvDevice::create(row->family, compiler);
  if (!device)
    return device.takeError();
  return std::unique_ptr<RadvPeer>(new RadvPeer(compiler, target, std::move(*device)));
}

Expected<RadvShader> RadvPeer::readBinary(ArrayRef<uint8_t> data) const {
  Expected<RadvShader> shader = readPipelineBinary(data);
  if (!shader)
    return shader.takeError();
  shader->compiler = nameOf(m_compiler).str();
  shader->driver = m_device->description();
  shader->target = m_target.name.str();
  return shader;
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

Expected<RadvShader> RadvPeer::compile(const RadvPipeline &pipeline) {
  uint32_t size = pipeline.shader.requiredSubgroupSize;
  if (size && !m_device->offersSubgroupSize(size))
    return unsupported("RADV: subgroups of " + Twine(size) + " on " + m_target.name);
  if (Error error = m_device->prepare(pipeline))
    return std::move(error);
  if (Error error = checkSets(pipeline.bindings))
    return std::move(error);
  auto binaries = m_device->captureBinaries();
  if (!binaries)
    return binaries.takeError();
  if (binaries->size() != 1)
    return unsupported("RADV: a compute pipeline of " + Twine(binaries->size()) + " binaries");
  Expected<RadvShader> shader = readBinary(binaries->front());
  if (!shader)
    return shader.takeError();
  if (shader->stage != radv::Stage::Compute)
    return unsupported("RADV: a compute pipeline without a compute shader");
  shader->bindings = pipeline.bindings;
  return shader;
}

Expected<std::vector<RadvShader>> RadvPeer::compileGraphics(const RadvModule &vertex,
                                                            const RadvModule &fragment,
                                                            ArrayRef<radv::SetBinding> bindings,
                                                            uint32_t pushConstantBytes) {
  auto binaries = m_device->captureGraphics(vertex, fragment, bindings, pushConstantBytes);
  if (!binaries)
    return binaries.takeError();
  std::vector<RadvShader> shaders;
  for (const std::vector<uint8_t> &data : *binaries) {
    Expected<RadvShader> shader = readBinary(data);
    if (!shader)
      return shader.takeError();
    shaders.push_back(std::move(*shader));
  }
  return shaders;
}
