// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines and compilers as rows: their names and what is true of them. Code asks for a fact of a
// row and never compares a name; ci/check_names.py enforces it. A machine or compiler is added by a
// row here and a row in harness/worker/Machines.cpp or Compilers.cpp, which make them.
#pragma once

#include "compiler/api/Architecture.h"
#include "oracles/api/Artifact.h"
#include "oracles/api/Verdict.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace assay {

/// One machine, or a family of them.
struct MachineInfo {
  llvm::StringLiteral name; ///< "gcn". Of a family the beginning of all names: "vulkan:".
  /// What it runs: any of these. {None}: it takes SPIR-V.
  llvm::ArrayRef<ArtifactType> artifacts;
  llvm::ArrayRef<Architecture> architectures = {}; ///< Whose code it runs; none for SPIR-V.
  bool isFamily = false;
  bool isReference = false; ///< Its outcomes are what others are compared with.
  /// What runs the code of its architectures when no machine is named.
  bool isStandard = false;
  bool isChosen = true;      ///< Users may name it. Others are used by parts of the laboratory.
  bool hasSchedules = false; ///< It takes all that JobSchedule says, traces included.
  bool canBeServed = false;  ///< Workers that serve many jobs may run it.
  bool usesDrivers = false;  ///< The installed Vulkan drivers decide about results.
  bool isBuilt = true;       ///< False: planned; jobs on it are unsupported.

  bool needsCompiler() const { return artifacts.front() != ArtifactType::None; }
  bool takes(ArtifactType type) const;
  bool runs(Architecture architecture) const;
};

/// One compiler.
struct CompilerInfo {
  llvm::StringLiteral name;
  llvm::ArrayRef<ArtifactType> artifacts; ///< What it makes, for one or another architecture.
  llvm::ArrayRef<Architecture> architectures = {}; ///< For which it compiles.
  bool hasLevels = false;    ///< It has -O; others compile once, as in a driver.
  bool hasLowerings = false; ///< Its lowering of buffer fat pointers can be chosen.
  /// Assay's own: its passes can be watched and its steps judged, and it stays warm in a worker.
  bool isOwn = false;
  bool isCommand = false;   ///< The command line after --.
  bool usesDrivers = false; ///< It is part of an installed Vulkan driver.

  bool makes(ArtifactType type) const;
  bool compilesFor(Architecture architecture) const;
};

/// All rows, in the order in which help texts list them.
llvm::ArrayRef<MachineInfo> machines();
llvm::ArrayRef<CompilerInfo> compilers();

/// The row of the machine called \p name; null for a name that no row has. Of a family, the part
/// that names the member must not be empty.
const MachineInfo *findMachine(llvm::StringRef name);
const CompilerInfo *findCompiler(llvm::StringRef name);
/// Likewise; an unknown machine is one that is not built and needs a compiler, an unknown compiler
/// is one of which nothing is true.
const MachineInfo &machineOf(llvm::StringRef name);
const CompilerInfo &compilerOf(llvm::StringRef name);

/// The machine that runs the code of \p architecture when none is named.
const MachineInfo &standardMachine(Architecture architecture);
/// Whether \p machine is the one that runs the code of \p target when none is named. An unknown
/// target is taken for one of AMD's.
bool isStandardMachine(llvm::StringRef machine, llvm::StringRef target);

/// The member of a family that \p machine names ("lavapipe" of "vulkan:lavapipe"), else nothing.
std::optional<llvm::StringRef> familyMember(llvm::StringRef machine);

/// Whether \p compiler, \p machine and \p target go together: the machine takes what the compiler
/// makes, and both know the architecture of the target.
bool goTogether(const CompilerInfo &compiler, const MachineInfo &machine,
                Architecture architecture);

/// Names for messages and help texts: of the machines that users may name, of the compilers.
std::vector<llvm::StringRef> machineNames();
std::vector<llvm::StringRef> compilerNames();

/// The machine whose outcomes are the reference; that of IR; Assay's compiler; the command line
/// after
/// --. For code that assigns a name.
inline constexpr llvm::StringLiteral referenceMachine = "spirv", irMachine = "ir",
                                     ownCompiler = "assay", commandCompiler = "command";

/// Whether \p machine runs what a compiler made; the others take SPIR-V.
bool needsCompiler(llvm::StringRef machine);
/// Whether \p machine runs the IR that Assay's compiler makes on its way.
bool takesIr(llvm::StringRef machine);

/// True for the verdict of a run of the reference itself, and not of a compiler on some machine.
bool isReferenceRun(const Verdict &verdict);

} // namespace assay
