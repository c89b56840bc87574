// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compute cases from a seed: valid, terminating, without undefined behaviour, and what they compute
// does not depend on the order of invocations.
#pragma once

#include "fuzz/generate/Profile.h"
#include "fuzz/program/Program.h"
#include <set>
#include <string>
#include <vector>

namespace assay::fuzz {

/// How a buffer of a generated case is bound.
enum class GeneratedBinding : uint8_t { Storage, Uniform, PushConstant };

struct GeneratedBuffer {
  std::string name;
  std::string dataType; ///< Amber's: "uint32", "float", "double".
  GeneratedBinding kind = GeneratedBinding::Storage;
  uint32_t binding = 0;        ///< Of set 0; not for push constants.
  std::vector<uint64_t> words; ///< An element each, its bits.
};

/// A value that the pipeline gives to a specialization constant.
struct GeneratedSpecialization {
  uint32_t id = 0;    ///< SpecId.
  unsigned width = 0; ///< Of the constant; a bool's is 32.
  uint64_t bits = 0;
};

/// A case as the generator knows it: transformations work on `program`, the rest stays.
struct GeneratedCase {
  uint64_t seed = 0;
  std::string profile;
  Program program;
  std::vector<GeneratedBuffer> buffers;
  uint32_t groups[3] = {1, 1, 1};
  std::vector<GeneratedSpecialization> specialization;
  std::set<std::string> features;   ///< Device features, as Amber spells them.
  std::set<std::string> constructs; ///< Names of those that took part.
};

/// The same seed and profile give the same case everywhere.
GeneratedCase generate(uint64_t seed, const Profile &profile);

/// The case as an Amber script, which every part of Assay reads; without EXPECTs, for the reference
/// says what is right.
std::string printAmber(const GeneratedCase &generated);

} // namespace assay::fuzz
