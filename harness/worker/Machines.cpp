// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Machines.h"

#include "compiler/api/Target.h"
#include "oracles/api/Registry.h"
#include "oracles/machine/adreno/AdrenoMachine.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/gcn/graphics/Draws.h"
#include "oracles/machine/ir/IrMachine.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "oracles/machine/vulkan/VulkanMachine.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

using MachineOr = Expected<std::unique_ptr<Machine>>;

namespace {
/// How one machine, or one family of machines, is created.
struct MachineRow {
  StringLiteral name; ///< Of the registry.
  /// \p name is the full name, which for a family includes the member.
  MachineOr (*create)(StringRef name, StringRef target);
};
} // namespace

/// A machine for one target.
template <std::unique_ptr<Machine> (*Create)(const TargetInfo &)>
static MachineOr createFor(StringRef, StringRef target) {
  Expected<const TargetInfo *> info = findAmdTarget(target);
  if (!info)
    return info.takeError();
  return Create(**info);
}

/// Creates the GCN machine with the loader of draws, which it does not link by itself.
static std::unique_ptr<Machine> createGcn(const TargetInfo &target) {
  return createGcnMachine(target, gcn::loadDraws);
}

/// The name selects nothing: there is one such machine for each target.
static MachineOr createAdreno(StringRef, StringRef target) {
  return createAdrenoMachine(target);
}

/// Creates the reference, which runs SPIR-V and needs no target.
template <Precision Assumed> static MachineOr createReference(StringRef, StringRef) {
  SpirvMachineOptions options;
  options.precision = Assumed;
  return createSpirvMachine(options);
}

/// Creates a machine of family "vulkan:". \p name must have a member part.
static MachineOr createDriver(StringRef name, StringRef) {
  return createVulkanMachine(*familyMember(name));
}

/// Machines of the registry that this build has.
static constexpr MachineRow rows[] = {{referenceMachine, createReference<Precision::Vulkan>},
                                      {"spirv-practical", createReference<Precision::Practical>},
                                      {"spirv-ieee", createReference<Precision::Ieee>},
                                      {"gcn", createFor<createGcn>},
                                      {"adreno", createAdreno},
                                      {irMachine, createFor<createIrMachine>},
                                      {"vulkan:", createDriver}};

/// Null for a machine that the registry or this build does not have.
static const MachineRow *findRow(StringRef name) {
  const MachineInfo *info = findMachine(name);
  const auto *row =
      find_if(rows, [&](const MachineRow &each) { return info && each.name == info->name; });
  return row == std::end(rows) ? nullptr : row;
}

bool assay::canCreateMachine(StringRef name) {
  return findRow(name);
}

/// Unsupported for machines that this build does not have.
MachineOr assay::createMachine(StringRef name, StringRef target) {
  const MachineRow *row = findRow(name);
  if (!row)
    return unsupported("machine '" + name + "' is not built yet");
  return row->create(name, target);
}
