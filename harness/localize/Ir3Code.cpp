// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Ir3Code.h"

#include "oracles/ir3_variant/Ir3Variant.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

bool assay::isIr3Pass(StringRef pass) {
  return pass.starts_with("ir3-");
}

/// Both words in hexadecimal and as assembly.
static std::string describeWords(uint64_t is, uint64_t meant, adreno::Chip chip) {
  std::string text;
  raw_string_ostream os(text);
  os << "'" << adreno::printWord(meant, chip) << "' (" << format_hex(meant, 18)
     << ") is encoded as " << format_hex(is, 18) << ", which is '" << adreno::printWord(is, chip)
     << "'";
  return text;
}

Expected<std::optional<std::string>> assay::findEncodingError(StringRef variant,
                                                              StringRef assembly) {
  Expected<Ir3Variant> read = readIr3Variant(arrayRefFromStringRef(variant));
  if (!read)
    return unsupported(takeError(read.takeError()).message);
  std::optional<adreno::Chip> chip = adreno::findChip(read->target);
  if (!chip)
    return unsupported("no instruction set of " + read->target);
  Expected<std::vector<uint64_t>> words = adreno::assemble(assembly, *chip);
  if (!words)
    return unsupported("the assembly: " + takeError(words.takeError()).message);
  if (words->size() != read->code.size())
    return unsupported("code and assembly have " + Twine(read->code.size()) + " and " +
                       Twine(words->size()) + " instructions");
  for (auto [is, meant] : zip_equal(read->code, *words))
    if (is != meant)
      return describeWords(is, meant, *chip);
  return std::nullopt;
}
