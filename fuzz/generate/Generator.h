// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compute cases from a seed: valid, terminating, without undefined behaviour, and what they compute
// does not depend on the order of invocations.
#pragma once

#include "fuzz/generate/Profile.h"
#include "fuzz/program/Program.h"
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::fuzz {

/// How a buffer of a generated case is bound.
enum class GeneratedBinding : uint8_t {
  Storage,
  Uniform,
  PushConstant,
  StorageImage,
  SampledImage,
  CombinedImageSampler,
  UniformTexelBuffer,
  StorageTexelBuffer,
  Unbound ///< Reached by its address alone.
};
/// Whether what is so bound consists of texels.
constexpr bool isTexels(GeneratedBinding kind) {
  return kind >= GeneratedBinding::StorageImage && kind <= GeneratedBinding::StorageTexelBuffer;
}

/// Texels of an image; 1 where its dimension lacks one of the numbers.
struct GeneratedImage {
  std::string dimension; ///< Amber's: "DIM_2D". Cubes are DIM_2D with six layers each.
  uint32_t width = 1, height = 1, depth = 1, layers = 1, mipLevels = 1, samples = 1;
};

/// Buffers of one binding stand one after the other: the elements of a descriptor array.
struct GeneratedBuffer {
  std::string name;
  std::string dataType; ///< Amber's: "uint32", "float", "double"; of texels a format's name.
  GeneratedBinding kind = GeneratedBinding::Storage;
  uint32_t binding = 0; ///< Of set 0; not for push constants.
  /// An element each, its bits; of texels a component each, a whole number; one for all that is
  /// multisampled.
  std::vector<uint64_t> words;
  std::optional<GeneratedImage> image = std::nullopt; ///< Images have it, texel buffers not.
  std::string sampler = {};                           ///< CombinedImageSampler: its name.
};

struct GeneratedSampler {
  std::string name;
  std::string settings;                           ///< As Amber has them: "COMPARE on".
  std::optional<uint32_t> binding = std::nullopt; ///< Of set 0, where it is bound for itself.
};

/// The address of buffer \p of is in buffer \p in from byte \p offset on.
struct GeneratedAddress {
  std::string of, in;
  uint32_t offset = 0;
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
  std::vector<GeneratedSampler> samplers;
  std::vector<GeneratedAddress> addresses;
  uint32_t groups[3] = {1, 1, 1};
  std::vector<GeneratedSpecialization> specialization;
  /// Passes that whoever reads the case has spirv-opt run over the module, in order: its flags
  /// without dashes.
  std::vector<std::string> optimizations;
  std::set<std::string> features;   ///< Device features, as Amber spells them.
  std::set<std::string> constructs; ///< Names of those that took part.
};

/// The same seed and profile give the same case everywhere.
GeneratedCase generate(uint64_t seed, const Profile &profile);

/// How a script has its modules: for people, or as the words that an assembler makes of that text,
/// which are printed and read in a fraction of the time.
enum class ModuleForm { Assembly, Words };

/// The case as an Amber script, which every part of Assay reads; without EXPECTs, for the reference
/// says what is right. Both forms are the same case.
std::string printAmber(const GeneratedCase &generated, ModuleForm form = ModuleForm::Assembly);

/// One script with both: each has buffers of its own, and what they leave in the buffers of \p
/// original must be equal.
std::string printAmberPair(const GeneratedCase &original, const GeneratedCase &transformed,
                           ModuleForm form = ModuleForm::Assembly);

} // namespace assay::fuzz
