// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the project's decoder and LLVM's agree on some words, and what excuses that they do not.
#pragma once

#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "oracles/machine/gcn_isa/reference/LlvmReference.h"
#include <map>

namespace assay::gcn {

/// Two decodings that differ.
struct Difference {
  Chip chip;
  const Inst &own;
  const ReferenceResult &reference;
  bool hasReservedBits; ///< \p own has bits set that mean nothing to it.

  /// LLVM refuses the words, warns about them or crashes on them.
  bool isOwnAlone() const { return own.valid && reference.status != ReferenceStatus::Good; }
};

/// One kind of difference that is known; each has its heading in docs/errata-amdgpu.md.
struct KnownDifference {
  llvm::StringLiteral id; ///< The heading's anchor.
  /// Whether the difference is of this kind; may accept more than the heading describes.
  bool (*explains)(const Difference &difference);
};
llvm::ArrayRef<KnownDifference> knownDifferences();
/// Those of memory, image and export formats.
llvm::ArrayRef<KnownDifference> knownMemoryDifferences();

/// Counts of a comparison, for its report.
struct CompareCounts {
  uint64_t words = 0;
  uint64_t valid = 0;    ///< Both decode, and agree.
  uint64_t invalid = 0;  ///< Neither decodes.
  uint64_t reserved = 0; ///< Reserved bits are set; LLVM refuses, or warns.
  uint64_t encoded = 0;  ///< Encoded again to the same words.
  std::map<llvm::StringRef, uint64_t> known;
  std::map<const InstForm *, uint64_t> validByForm; ///< Of valid: by the row of the table.
};

/// Compares on one chip and wave size.
class InstCompare {
public:
  /// Starts LLVM's disassembler for the chip; fails as LlvmReference::create() does. \p waveSize is
  /// 32 or 64.
  static llvm::Expected<InstCompare> create(Chip chip, unsigned waveSize);

  /// Decodes all of \p words both ways. Returns texts of unexplained differences, at most \p limit.
  std::vector<std::string> compare(llvm::ArrayRef<Words> words, size_t limit = 20);
  /// Of all calls of compare() so far.
  const CompareCounts &counts() const { return m_counts; }
  Chip chip() const { return m_chip; }

  /// \p words with the reserved bits cleared, when they decode: what an assembler would write.
  Words clearReserved(const Words &words) const;
  /// What the project's decoder makes of \p words, at address 0.
  Inst decode(const Words &words) const;

private:
  InstCompare(Chip chip, unsigned waveSize, std::unique_ptr<LlvmReference> reference);
  /// Counts one comparison, and describes the difference; "" if there is none or a known one.
  std::string compareOne(const Words &words, const ReferenceResult &reference);
  /// Encodes \p own again; describes how the result differs from \p words, "" if it does not.
  std::string checkRoundTrip(const Words &words, const Inst &own);
  std::string describe(const Words &words, const Inst &own, const ReferenceResult &reference,
                       const llvm::Twine &what) const;

  Chip m_chip;
  unsigned m_waveSize;
  std::unique_ptr<LlvmReference> m_reference;
  std::unique_ptr<TableDecoder> m_decoder;
  CompareCounts m_counts;
};

/// Whether \p own says what \p parsed does, which is made of LLVM's text; what differs, else "".
std::string compareInst(const Inst &own, const Inst &parsed);

} // namespace assay::gcn
