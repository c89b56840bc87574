// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The door of validate-elf: judges a PAL ELF, or an archive of them, by a catalogue of rules.
#pragma once

#include "oracles/api/Artifact.h"
#include "oracles/api/Verdict.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace assay {

/// Who wrote the metadata. The writers differ in habits, which are then no findings.
enum class ElfDialect { Auto, Llvm, Lgc, Sc };

struct ValidateOptions {
  std::string gfxip;             ///< "gfx1100": the ELF must be for it; empty: any known one.
  std::vector<std::string> only; ///< Rule ids or prefixes ("MD-"); empty: all rules.
  std::vector<std::string> skip; ///< As only; wins over it.
  ElfDialect dialect = ElfDialect::Auto; ///< Auto: by `.api` and the keys that are there.
  bool strict = false; ///< Also what every known writer does wrong without harm: see the rules.
  bool code = true;    ///< The rules on machine code, too: they cost the most.
  Severity failOn = Severity::Error; ///< The least severity that isSound() reports.
};

/// \p options as texts, one for each that is not the default: "gfxip=gfx1100", "only=MD-",
/// "strict".
std::vector<std::string> printValidateOptions(const ValidateOptions &options);
/// The reverse. InvalidInput for anything printValidateOptions() would not have written.
llvm::Expected<ValidateOptions> parseValidateOptions(llvm::ArrayRef<std::string> texts);
/// InvalidInput for an unknown rule or chip.
llvm::Error checkValidateOptions(const ValidateOptions &options);

/// True when none of \p findings is as severe as the options say.
bool isSound(llvm::ArrayRef<Finding> findings, const ValidateOptions &options);

/// "auto", "llvm", "lgc", "sc"; InvalidInput for another name.
llvm::Expected<ElfDialect> parseElfDialect(llvm::StringRef name);

/// All findings on \p bytes, in the order of the rules; members of an archive one after the other.
/// Broken bytes give findings, never an Error: that is for options naming an unknown rule or chip.
/// Each Finding has rule, severity, message, location ("offset 0x40", ".hardware_stages.cs",
/// "member NAME: ...") and a signature without numbers.
llvm::Expected<std::vector<Finding>> validateElf(llvm::ArrayRef<uint8_t> bytes,
                                                 const ValidateOptions &options);
llvm::Expected<std::vector<Finding>> validateElf(const Artifact &artifact,
                                                 const ValidateOptions &options);

/// One line per rule: id, level, title.
void printRules(llvm::raw_ostream &os);
/// The paragraph on rule \p id: level, what it demands, why, and the source. InvalidInput for an
/// unknown id.
llvm::Expected<std::string> explainRule(llvm::StringRef id);

} // namespace assay
