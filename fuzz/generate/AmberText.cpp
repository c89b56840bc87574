// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated cases as Amber scripts.
#include "compiler/spirv/Module.h"
#include "fuzz/generate/Generator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace llvm;

namespace assay::fuzz {

/// Returns Amber's name of a descriptor type; the table has the order of GeneratedBinding, which
/// ends with Unbound: that has no name.
static const char *kindName(GeneratedBinding kind) {
  static constexpr const char *names[] = {"storage",
                                          "uniform",
                                          "push_constant",
                                          "storage_image",
                                          "sampled_image",
                                          "combined_image_sampler",
                                          "uniform_texel_buffer",
                                          "storage_texel_buffer"};
  return names[size_t(kind)];
}

/// Prints the elements as decimal numbers, eight a line.
static void printData(raw_ostream &os, const GeneratedBuffer &buffer) {
  constexpr size_t PerLine = 8;
  for (size_t i = 0; i < buffer.words.size(); ++i)
    os << (i % PerLine ? " " : "  ") << buffer.words[i]
       << (i % PerLine == PerLine - 1 || i + 1 == buffer.words.size() ? "\n" : "");
}

/// True if all elements are 0, so that FILL is shorter than DATA.
static bool isZero(const GeneratedBuffer &buffer) {
  for (uint64_t word : buffer.words)
    if (word)
      return false;
  return true;
}

/// What is after the name of an image.
static void printShape(raw_ostream &os, const GeneratedImage &image) {
  os << " " << image.dimension << " WIDTH " << image.width;
  if (image.dimension != "DIM_1D")
    os << " HEIGHT " << image.height;
  if (image.dimension == "DIM_3D")
    os << " DEPTH " << image.depth;
  const std::pair<const char *, uint32_t> counts[] = {
      {"ARRAY_LAYERS", image.layers}, {"MIP_LEVELS", image.mipLevels}, {"SAMPLES", image.samples}};
  for (auto [name, count] : counts)
    if (count > 1)
      os << " " << name << " " << count;
}

/// Prints a BUFFER or IMAGE command with its contents.
static void printBuffer(raw_ostream &os, const GeneratedBuffer &buffer, StringRef suffix) {
  if (buffer.image) {
    os << "IMAGE " << buffer.name << suffix << " FORMAT " << buffer.dataType;
    printShape(os, *buffer.image);
  } else {
    os << "BUFFER " << buffer.name << suffix << " DATA_TYPE " << buffer.dataType;
  }
  bool isMultisampled = buffer.image && buffer.image->samples > 1; // Has one word for all.
  if (isZero(buffer) || isMultisampled) {
    if (!buffer.image)
      os << " SIZE " << buffer.words.size();
    os << " FILL " << (isMultisampled ? buffer.words.front() : 0) << "\n";
    return;
  }
  os << " DATA\n";
  printData(os, buffer);
  os << "END\n";
}

/// The buffers from the first of \p buffers on that share its binding.
static size_t arrayLength(ArrayRef<GeneratedBuffer> buffers) {
  const GeneratedBuffer &first = buffers.front();
  if (first.kind == GeneratedBinding::PushConstant)
    return 1;
  size_t count = 1;
  while (count < buffers.size() && buffers[count].kind == first.kind &&
         buffers[count].binding == first.binding)
    ++count;
  return count;
}

/// Prints a BIND command for each descriptor. Consecutive buffers of one binding become one
/// BUFFER_ARRAY; unbound buffers are skipped.
static void printBindings(raw_ostream &os, const GeneratedCase &generated, StringRef suffix) {
  for (ArrayRef<GeneratedBuffer> left = generated.buffers; !left.empty();) {
    const GeneratedBuffer &first = left.front();
    size_t count = arrayLength(left);
    ArrayRef<GeneratedBuffer> elements = left.take_front(count);
    left = left.drop_front(count);
    if (first.kind == GeneratedBinding::Unbound)
      continue;
    os << (count > 1 ? "  BIND BUFFER_ARRAY" : "  BIND BUFFER");
    for (const GeneratedBuffer &element : elements)
      os << " " << element.name << suffix;
    os << " AS " << kindName(first.kind);
    if (!first.sampler.empty())
      os << " SAMPLER " << first.sampler << suffix;
    if (first.kind != GeneratedBinding::PushConstant)
      os << " DESCRIPTOR_SET 0 BINDING " << first.binding;
    os << "\n";
  }
  for (const GeneratedSampler &sampler : generated.samplers)
    if (sampler.binding)
      os << "  BIND SAMPLER " << sampler.name << suffix << " DESCRIPTOR_SET 0 BINDING "
         << *sampler.binding << "\n";
}

/// Prints the first line, the origin and the requirements. Names that begin with VK_ are
/// extensions, others features.
static void printHeader(raw_ostream &os, const GeneratedCase &generated,
                        const std::set<std::string> &features) {
  os << "#!amber\n# Generated: seed " << generated.seed << ", profile " << generated.profile
     << ".\n\n";
  for (const std::string &feature : features)
    os << (StringRef(feature).starts_with("VK_") ? "DEVICE_EXTENSION " : "DEVICE_FEATURE ")
       << feature << "\n";
}

/// Prints SPIR-V words in hexadecimal, eight a line.
static void printWords(raw_ostream &os, ArrayRef<uint32_t> words) {
  constexpr size_t perLine = 8;
  for (auto [index, word] : enumerate(words)) {
    os << "0x";
    for (int shift = 28; shift >= 0; shift -= 4)
      os << hexdigit(word >> shift & 0xf, /*LowerCase=*/true);
    os << (index % perLine == perLine - 1 || index + 1 == words.size() ? '\n' : ' ');
  }
}

/// Prints the rest of a SHADER command: format, environment and module.
static void printModule(raw_ostream &os, const Program &program, ModuleForm form) {
  if (form == ModuleForm::Words) {
    os << "SPIRV-HEX TARGET_ENV spv1.6\n";
    return printWords(os, encodeAsAssembled(program));
  }
  // A program of ours that can't be printed is broken by us.
  os << "SPIRV-ASM TARGET_ENV spv1.6\n" << cantFail(spirv::disassemble(encode(program)));
}

/// All of a case but its features and its dispatch; names end in \p suffix.
static void printCase(raw_ostream &os, const GeneratedCase &generated, StringRef suffix,
                      ModuleForm form) {
  for (const GeneratedAddress &address : generated.addresses)
    os << "# ASSAY: ADDRESS_OF " << address.of << suffix << " IN " << address.in << suffix
       << " OFFSET " << address.offset << "\n";
  os << "\nSHADER compute shader" << suffix << " ";
  printModule(os, generated.program, form);
  os << "END\n\n";
  for (const GeneratedBuffer &buffer : generated.buffers)
    printBuffer(os, buffer, suffix);
  for (const GeneratedSampler &sampler : generated.samplers)
    os << "SAMPLER " << sampler.name << suffix << (sampler.settings.empty() ? "" : " ")
       << sampler.settings << "\n";
  os << "\nPIPELINE compute pipeline" << suffix << "\n  ATTACH shader" << suffix;
  for (const GeneratedSpecialization &each : generated.specialization)
    os << " SPECIALIZE " << each.id << " AS uint" << each.width << " " << each.bits;
  os << "\n";
  if (!generated.optimizations.empty()) {
    os << "  SHADER_OPTIMIZATION shader" << suffix << "\n";
    for (const std::string &pass : generated.optimizations)
      os << "    --" << pass << "\n";
    os << "  END\n";
  }
  printBindings(os, generated, suffix);
  os << "END\n\n";
}

/// Prints the dispatch.
static void printRun(raw_ostream &os, const GeneratedCase &generated, StringRef suffix) {
  os << "RUN pipeline" << suffix << " " << generated.groups[0] << " " << generated.groups[1] << " "
     << generated.groups[2] << "\n";
}

/// Returns a complete script of one case; \p form chooses how the module is written.
std::string printAmber(const GeneratedCase &generated, ModuleForm form) {
  std::string text;
  raw_string_ostream os(text);
  printHeader(os, generated, generated.features);
  printCase(os, generated, "", form);
  printRun(os, generated, "");
  return text;
}

/// What two runs of the same meaning must leave equal, bit by bit: not floats, whose precision
/// Vulkan leaves open, nor addresses.
static bool isComparable(const GeneratedCase &generated, const GeneratedBuffer &buffer) {
  for (const GeneratedAddress &address : generated.addresses)
    if (address.in == buffer.name)
      return false;
  return buffer.kind == GeneratedBinding::Storage && !buffer.image &&
         StringRef(buffer.dataType).starts_with("uint");
}

/// Runs both pipelines and compares buffer by buffer. Buffers that only the transformed case has
/// are not compared.
std::string printAmberPair(const GeneratedCase &original, const GeneratedCase &transformed,
                           ModuleForm form) {
  std::set<std::string> features = original.features;
  features.insert(transformed.features.begin(), transformed.features.end());
  constexpr StringRef suffix = "_t";
  std::string text;
  raw_string_ostream os(text);
  printHeader(os, original, features);
  printCase(os, original, "", form);
  printCase(os, transformed, suffix, form);
  printRun(os, original, "");
  printRun(os, transformed, suffix);
  for (const GeneratedBuffer &buffer : original.buffers)
    if (isComparable(original, buffer))
      os << "EXPECT " << buffer.name << " EQ_BUFFER " << buffer.name << suffix << "\n";
  return text;
}

} // namespace assay::fuzz
