// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/DriverBugs.h"

#include "compiler/spirv/Module.h"
#include "llvm/ADT/DenseSet.h"

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;
using spirv::TypeKind;

namespace {
/// One known bug. \p mayMeet looks at the module only: true does not mean that the result is wrong.
struct DriverBug {
  VkDriverId driver;
  StringLiteral name;
  VersionTuple good; ///< The first version measured without the bug; all older ones count as bad.
  bool (*mayMeet)(const spirv::Module &module);
  StringLiteral reason;
};

/// Types of the ids of one function and of the module.
class ValueTypes {
public:
  /// Notes the types of parameters and results of one function.
  ValueTypes(const spirv::Module &module, const spirv::Function &function) : m_module(module) {
    for (const spirv::Instruction &parameter : function.parameters)
      m_types[parameter.resultId] = parameter.typeId;
    for (const spirv::Block &block : function.blocks)
      for (const spirv::Instruction &instruction : block.instructions)
        m_types[instruction.resultId] = instruction.typeId;
  }
  /// The type of \p value; null where it has none.
  const spirv::Type *find(spirv::Id value) const {
    if (auto it = m_types.find(value); it != m_types.end())
      return m_module.findType(it->second);
    const spirv::Instruction *global = m_module.findGlobal(value);
    return global ? m_module.findType(global->typeId) : nullptr;
  }

private:
  const spirv::Module &m_module;
  DenseMap<spirv::Id, spirv::Id> m_types;
};
} // namespace

/// Whether the last index of access chain \p chain selects a component of a vector.
static bool selectsComponent(const spirv::Module &module, const spirv::Type &base,
                             const spirv::Instruction &chain) {
  const spirv::Type *at = module.findType(base.element);
  for (spirv::Id index : drop_begin(chain.operands)) {
    if (!at || at->kind == TypeKind::Vector)
      break;
    const spirv::Instruction *constant = module.findGlobal(index);
    if (at->kind != TypeKind::Struct)
      at = module.findType(at->element);
    else if (constant && constant->size() && constant->operand(0) < at->members.size())
      at = module.findType(at->members[constant->operand(0)]);
    else
      return false;
  }
  return at && at->kind == TypeKind::Vector &&
         module.type(module.type(chain.typeId).element).kind != TypeKind::Vector;
}

/// A component is read of a vector that is in memory of a device address.
static bool loadsComponentByAddress(const spirv::Module &module) {
  for (const spirv::Function &function : module.functions) {
    ValueTypes types(module, function);
    DenseSet<spirv::Id> components;
    for (const spirv::Block &block : function.blocks)
      for (const spirv::Instruction &each : block.instructions) {
        bool isChain =
            each.opcode == spv::Op::OpAccessChain || each.opcode == spv::Op::OpInBoundsAccessChain;
        const spirv::Type *base = isChain ? types.find(each.operand(0)) : nullptr;
        if (base && base->storageClass == spv::StorageClass::PhysicalStorageBuffer &&
            selectsComponent(module, *base, each))
          components.insert(each.resultId);
        if (each.opcode == spv::Op::OpLoad && components.contains(each.operand(0)))
          return true;
      }
  }
  return false;
}

/// An instruction that returns a residency code reads through a sampled image.
static bool samplesSparsely(const spirv::Module &module) {
  using spv::Op;
  static constexpr Op sampling[] = {Op::OpImageSparseFetch,
                                    Op::OpImageSparseGather,
                                    Op::OpImageSparseDrefGather,
                                    Op::OpImageSparseSampleImplicitLod,
                                    Op::OpImageSparseSampleExplicitLod,
                                    Op::OpImageSparseSampleDrefImplicitLod,
                                    Op::OpImageSparseSampleDrefExplicitLod};
  for (const spirv::Function &function : module.functions)
    for (const spirv::Block &block : function.blocks)
      for (const spirv::Instruction &each : block.instructions)
        if (is_contained(sampling, each.opcode))
          return true;
  return false;
}

/// Of a bug that is in all versions that were measured.
static constexpr VersionTuple noVersion(~0u >> 1);

/// Smallest case of the first row: store a vec3 through a device address, then load its .y alone.
/// Mesa 22.3.6 loads .x; case address-structures of corpora/compute has it.
static constexpr DriverBug bugs[] = {
    {VK_DRIVER_ID_MESA_LLVMPIPE, "lavapipe", VersionTuple(25, 0, 7), loadsComponentByAddress,
     "loads a wrong component of a vector that was stored through a device address"},
    // bugs/lavapipe-sparse-fetch.
    {VK_DRIVER_ID_MESA_LLVMPIPE, "lavapipe", noVersion, samplesSparsely,
     "dies of a fetch, sample or gather with a residency code"},
};

/// Whether \p driver is the bug's and older than the first good version. A driver without a Mesa
/// version is never bad.
static bool isBad(const DriverBug &bug, const DriverVersion &driver) {
  return driver.driver == bug.driver && !driver.mesa.empty() && driver.mesa < bug.good;
}

/// The first bug that any shader may meet is returned. Errors are those of decoding a module.
Expected<std::string> assay::vulkan::findDriverBug(const Case &input, const DriverVersion &driver) {
  for (const DriverBug &bug : bugs) {
    if (!isBad(bug, driver))
      continue;
    for (const CasePipeline &pipeline : input.pipelines)
      for (const ShaderDescription &shader : pipeline.description.stages) {
        Expected<spirv::Module> module = spirv::decode(shader.spirv);
        if (!module)
          return module.takeError();
        if (bug.mayMeet(*module))
          return (bug.name + " " + driver.mesa.getAsString() + ": known bug: " + bug.reason).str();
      }
  }
  return std::string();
}
