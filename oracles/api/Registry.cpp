// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/Registry.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

static constexpr Architecture amdGpu[] = {Architecture::AmdGpu};
static constexpr Architecture adreno[] = {Architecture::Adreno};
static constexpr Architecture all[] = {Architecture::AmdGpu, Architecture::Adreno};
static constexpr ArtifactType nothing[] = {ArtifactType::None};
static constexpr ArtifactType amdCode[] = {ArtifactType::PalElf, ArtifactType::RadvShader,
                                           ArtifactType::RadvGraphics};
static constexpr ArtifactType adrenoCode[] = {ArtifactType::Ir3Variant, ArtifactType::TurnipShader};
static constexpr ArtifactType ownAdrenoCode[] = {ArtifactType::Ir3Variant};
static constexpr ArtifactType turnipShader[] = {ArtifactType::TurnipShader};
static constexpr ArtifactType ir[] = {ArtifactType::Ir};
static constexpr ArtifactType own[] = {ArtifactType::PalElf, ArtifactType::Ir3Variant,
                                       ArtifactType::Ir};
static constexpr ArtifactType code[] = {ArtifactType::PalElf, ArtifactType::Ir3Variant};
static constexpr ArtifactType radvCode[] = {ArtifactType::RadvShader, ArtifactType::RadvGraphics};

static constexpr MachineInfo machineRows[] = {
    // The standard reference is the one that is meant where none is named.
    {.name = referenceMachine,
     .artifacts = nothing,
     .isReference = true,
     .isStandard = true,
     .canBeServed = true},
    {.name = "spirv-practical", .artifacts = nothing, .isReference = true, .canBeServed = true},
    {.name = "spirv-ieee", .artifacts = nothing, .isReference = true, .canBeServed = true},
    {.name = "gcn",
     .artifacts = amdCode,
     .architectures = amdGpu,
     .isStandard = true,
     .hasSchedules = true,
     .canBeServed = true},
    {.name = "adreno",
     .artifacts = adrenoCode,
     .architectures = adreno,
     .isStandard = true,
     .hasSchedules = true,
     .canBeServed = true},
    {.name = irMachine,
     .artifacts = ir,
     .architectures = amdGpu,
     .isChosen = false,
     .canBeServed = true},
    {.name = "vulkan:", .artifacts = nothing, .isFamily = true, .usesDrivers = true},
};

static constexpr CompilerInfo compilerRows[] = {
    {.name = ownCompiler,
     .artifacts = own,
     .architectures = all,
     .hasLevels = true,
     .hasLowerings = true,
     .isOwn = true},
    {.name = "assay-ngg",
     .artifacts = own,
     .architectures = amdGpu,
     .hasLevels = true,
     .hasLowerings = true,
     .isOwn = true},
    {.name = "assay-whole",
     .artifacts = own,
     .architectures = amdGpu,
     .hasLevels = true,
     .hasLowerings = true,
     .isOwn = true},
    {.name = "assay-unlinked",
     .artifacts = own,
     .architectures = amdGpu,
     .hasLevels = true,
     .hasLowerings = true,
     .isOwn = true},
    // The same with a debug mode of the ir3 passes (compiler/api/DebugModes.h).
    {.name = "assay-spillall",
     .artifacts = ownAdrenoCode,
     .architectures = adreno,
     .hasLevels = true,
     .isOwn = true},
    {.name = "assay-fullsync",
     .artifacts = ownAdrenoCode,
     .architectures = adreno,
     .hasLevels = true,
     .isOwn = true},
    {.name = "assay-fullnop",
     .artifacts = ownAdrenoCode,
     .architectures = adreno,
     .hasLevels = true,
     .isOwn = true},
    {.name = "assay-no-sched",
     .artifacts = ownAdrenoCode,
     .architectures = adreno,
     .hasLevels = true,
     .isOwn = true},
    {.name = commandCompiler,
     .artifacts = code,
     .architectures = all,
     .hasLevels = true,
     .isCommand = true},
    {.name = "aco", .artifacts = radvCode, .architectures = amdGpu, .usesDrivers = true},
    {.name = "aco-nongg", .artifacts = radvCode, .architectures = amdGpu, .usesDrivers = true},
    {.name = "radv-llvm", .artifacts = radvCode, .architectures = amdGpu, .usesDrivers = true},
    {.name = "radv-llvm-nongg",
     .artifacts = radvCode,
     .architectures = amdGpu,
     .usesDrivers = true},
    {.name = "turnip", .artifacts = turnipShader, .architectures = adreno, .usesDrivers = true},
    {.name = "turnip-fullsync",
     .artifacts = turnipShader,
     .architectures = adreno,
     .usesDrivers = true},
    {.name = "turnip-fullnop",
     .artifacts = turnipShader,
     .architectures = adreno,
     .usesDrivers = true},
};

static constexpr MachineInfo unknownMachine = {
    .name = "", .artifacts = code, .isChosen = false, .isBuilt = false};
static constexpr CompilerInfo unknownCompiler = {.name = "", .artifacts = code};

bool MachineInfo::takes(ArtifactType type) const {
  return is_contained(artifacts, type);
}

bool MachineInfo::runs(Architecture architecture) const {
  return is_contained(architectures, architecture);
}

bool CompilerInfo::makes(ArtifactType type) const {
  return is_contained(artifacts, type);
}

bool CompilerInfo::compilesFor(Architecture architecture) const {
  return is_contained(architectures, architecture);
}

ArrayRef<MachineInfo> assay::machines() {
  return machineRows;
}

ArrayRef<CompilerInfo> assay::compilers() {
  return compilerRows;
}

const MachineInfo *assay::findMachine(StringRef name) {
  const auto *row = find_if(machineRows, [&](const MachineInfo &each) {
    return each.isFamily ? name.starts_with(each.name) && name != each.name : name == each.name;
  });
  return row == std::end(machineRows) ? nullptr : row;
}

const CompilerInfo *assay::findCompiler(StringRef name) {
  const auto *row =
      find_if(compilerRows, [&](const CompilerInfo &each) { return name == each.name; });
  return row == std::end(compilerRows) ? nullptr : row;
}

const MachineInfo &assay::machineOf(StringRef name) {
  const MachineInfo *row = findMachine(name);
  return row ? *row : unknownMachine;
}

const CompilerInfo &assay::compilerOf(StringRef name) {
  const CompilerInfo *row = findCompiler(name);
  return row ? *row : unknownCompiler;
}

const MachineInfo &assay::standardMachine(Architecture architecture) {
  const auto *row = find_if(machineRows, [&](const MachineInfo &each) {
    return each.isStandard && each.runs(architecture);
  });
  assert(row != std::end(machineRows) && "each architecture has a machine");
  return *row;
}

bool assay::isStandardMachine(StringRef machine, StringRef target) {
  return machine == standardMachine(findArchitecture(target).value_or(Architecture::AmdGpu)).name;
}

std::optional<StringRef> assay::familyMember(StringRef machine) {
  const MachineInfo *row = findMachine(machine);
  if (!row || !row->isFamily)
    return std::nullopt;
  return machine.drop_front(row->name.size());
}

bool assay::goTogether(const CompilerInfo &compiler, const MachineInfo &machine,
                       Architecture architecture) {
  return compiler.compilesFor(architecture) && machine.runs(architecture) &&
         any_of(compiler.artifacts, [&](ArtifactType type) { return machine.takes(type); });
}

std::vector<StringRef> assay::machineNames() {
  std::vector<StringRef> names;
  for (const MachineInfo &row : machineRows)
    if (row.isChosen)
      names.push_back(row.name);
  return names;
}

std::vector<StringRef> assay::compilerNames() {
  std::vector<StringRef> names;
  for (const CompilerInfo &row : compilerRows)
    names.push_back(row.name);
  return names;
}

bool assay::needsCompiler(StringRef machine) {
  return machineOf(machine).needsCompiler();
}

bool assay::takesIr(StringRef machine) {
  return machineOf(machine).takes(ArtifactType::Ir);
}

bool assay::isReferenceRun(const Verdict &verdict) {
  return verdict.compiler.empty() && machineOf(verdict.machine).isReference;
}
