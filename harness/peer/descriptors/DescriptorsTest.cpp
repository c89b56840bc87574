// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every descriptor that machine gcn builds for a peer's code, next to the one that the installed
// RADV builds for the same resource. Code of RADV may rely on any field of it. What differs on
// purpose is in the table of masks, each with its reason.
#include "oracles/machine/gcn/memory/Descriptors.h"
#include "harness/peer/descriptors/FakeAmdgpu.h"
#include "harness/peer/descriptors/RadvDescriptors.h"
#include "oracles/input/Glsl.h"
#include "support/Error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

namespace {
enum class Resource : uint8_t { Image, Sampler, Buffer, TexelBuffer };

/// Bits that are not compared.
struct Mask {
  Resource resource;
  uint8_t minGfx, maxGfx;
  uint8_t word;
  uint32_t bits;
  const char *reason;
};
} // namespace

static constexpr const char *Tiling =
    "tiling and pitch: the machine's images are linear and packed";
static constexpr const char *Speed = "PERF_MOD, a hint for the cache";
static constexpr const char *Compression = "compression: the machine's images have none";
static constexpr const char *Address = "the address";

static constexpr Mask Masks[] = {
    {Resource::Image, 9, 12, 0, ~0u, Address},
    {Resource::Image, 9, 12, 1, 0xff, Address},
    {Resource::Image, 9, 9, 2, 7u << 28, Speed},
    {Resource::Image, 9, 11, 3, 0x1fu << 20, Tiling},
    {Resource::Image, 12, 12, 3, 0x1fu << 20, Tiling},
    {Resource::Image, 9, 9, 4, 0xffffu << 13, Tiling},
    {Resource::Image, 10, 12, 5, 7u << 20, Speed},
    {Resource::Image, 9, 9, 5, 0x7ffu << 17, Compression},
    {Resource::Image, 9, 12, 6, ~0u, Compression},
    {Resource::Image, 9, 12, 7, ~0u, Compression},
};

static uint32_t comparedBits(Resource resource, unsigned gfxMajor, unsigned word) {
  uint32_t bits = ~0u;
  for (const Mask &mask : Masks)
    if (mask.resource == resource && mask.word == word && gfxMajor >= mask.minGfx &&
        gfxMajor <= mask.maxGfx)
      bits &= ~mask.bits;
  return bits;
}

namespace {
/// Compares on one chip, in a process of its own. What differs is kept once for each set of bits.
class Comparison {
public:
  Comparison(RadvDescriptors &radv, unsigned gfxMajor) : m_radv(radv), m_gfxMajor(gfxMajor) {}

  void compareImages();
  void compareSamplers();
  void compareBuffers();

  /// Differences and counts; true when there is no difference.
  bool report(raw_ostream &os) const;

private:
  void compare(Resource resource, const Twine &what, ArrayRef<uint32_t> own,
               ArrayRef<uint32_t> theirs);
  void fail(const Twine &what, Error error) {
    m_differences[(what + ": " + takeError(std::move(error)).message).str()];
  }
  void compareView(StringRef name, bool isStorage, ImageViewKind view, const ImageShape &shape);
  void compareImage(const CasePipeline &pipeline, StringRef name, ImageViewKind view,
                    const ImageShape &shape, TexelFormat format, uint32_t baseLevel);
  void compareSampler(const Sampler &sampler);
  void compareBuffer(BindingKind kind, uint64_t bytes, std::optional<TexelFormat> format);
  Expected<gcn::DescriptorWords> makeOwn(const Case &input, const CasePipeline &pipeline) const;

  RadvDescriptors &m_radv;
  unsigned m_gfxMajor;
  std::map<std::string, std::pair<unsigned, std::string>> m_differences;
  std::map<std::string, unsigned> m_compared;
};
} // namespace

static constexpr uint64_t BufferAddress = 0x123450000;

static std::string hex(ArrayRef<uint32_t> words) {
  std::string text;
  raw_string_ostream os(text);
  for (uint32_t word : words)
    os << ' ' << format_hex_no_prefix(word, 8);
  return text;
}

void Comparison::compare(Resource resource, const Twine &what, ArrayRef<uint32_t> own,
                         ArrayRef<uint32_t> theirs) {
  static constexpr StringLiteral Names[] = {"image", "sampler", "buffer", "texel buffer"};
  StringRef name = Names[unsigned(resource)];
  ++m_compared[name.str()];
  // RADV may have more words: those of a second plane, of FMASK.
  for (size_t i = 0; i < own.size(); ++i) {
    uint32_t theirWord = i < theirs.size() ? theirs[i] : 0;
    uint32_t bits = (own[i] ^ theirWord) & comparedBits(resource, m_gfxMajor, unsigned(i));
    if (!bits)
      continue;
    auto &row =
        m_differences[name.str() + " word " + std::to_string(i) + " bits 0x" + utohexstr(bits)];
    if (row.first++ == 0)
      row.second = what.str() + "\n    own: " + hex(own) + "\n    RADV:" + hex(theirs);
  }
}

bool Comparison::report(raw_ostream &os) const {
  for (const auto &[name, count] : m_compared)
    os << count << ' ' << name << "s compared\n";
  for (const auto &[text, row] : m_differences)
    os << text << ", " << row.first << " times: " << row.second << '\n';
  return m_differences.empty();
}

Expected<gcn::DescriptorWords> Comparison::makeOwn(const Case &input,
                                                   const CasePipeline &pipeline) const {
  // RADV describes lines as planes on GFX9.
  auto all = gcn::makeDescriptors(input, pipeline, {BufferAddress}, m_gfxMajor, m_gfxMajor == 9);
  if (!all)
    return all.takeError();
  return all->front();
}

// --- Images

void Comparison::compareImage(const CasePipeline &pipeline, StringRef name, ImageViewKind view,
                              const ImageShape &shape, TexelFormat format, uint32_t baseLevel) {
  bool isStorage = pipeline.bindings[0].kind == BindingKind::StorageImage;
  std::string what = (getTexelFormatInfo(format).name + " in " + name + ", level " +
                      Twine(baseLevel) + ", " + Twine(shape.samples) + " samples")
                         .str();
  auto theirs = m_radv.image(shape, view, format, baseLevel, isStorage);
  if (!theirs)
    return fail(what, theirs.takeError());
  if (theirs->empty())
    return;
  Case input;
  Buffer &buffer = input.buffers.emplace_back();
  buffer.texelFormat = format;
  buffer.image = shape;
  CasePipeline own = pipeline;
  own.bindings[0].baseMipLevel = baseLevel;
  auto words = makeOwn(input, own);
  if (!words) // It says so where a case has one.
    return consumeError(words.takeError());
  compare(Resource::Image, what, *words, *theirs);
}

static Expected<CasePipeline> makePipeline(StringRef type, bool isStorage) {
  std::string text = "#version 450\nlayout(local_size_x = 1) in;\n";
  text += isStorage ? "layout(set = 0, binding = 0, rgba8) uniform image"
                    : "layout(set = 0, binding = 0) uniform texture";
  text += type.str() + " t;\nvoid main() {}\n";
  auto spirv = input::compileGlsl(text, 1, input::ScriptFiles(""));
  if (!spirv)
    return spirv.takeError();
  CasePipeline pipeline;
  pipeline.description.addShader(ShaderStage::Compute).spirv = std::move(*spirv);
  pipeline.bindings.emplace_back().kind =
      isStorage ? BindingKind::StorageImage : BindingKind::SampledImage;
  return pipeline;
}

void Comparison::compareView(StringRef name, bool isStorage, ImageViewKind view,
                             const ImageShape &shape) {
  auto pipeline = makePipeline(name, isStorage);
  if (!pipeline)
    return fail(name, pipeline.takeError());
  std::string what = ((isStorage ? "image" : "texture") + name).str();
  for (uint32_t number = 1; number < 200; ++number)
    if (auto format = findTexelFormat(number))
      for (uint32_t level = 0; level < shape.mipLevels; ++level)
        compareImage(*pipeline, what, view, shape, *format, level);
}

void Comparison::compareImages() {
  using enum ImageDimension;
  struct {
    StringLiteral name;
    ImageViewKind view;
    ImageShape shape;
  } views[] = {
      {"1D", {Dim1D}, {Dim1D, 13, 1, 1, 1, 3, 1}},
      {"1DArray", {Dim1D, true}, {Dim1D, 13, 1, 1, 5, 2, 1}},
      {"2D", {Dim2D}, {Dim2D, 13, 7, 1, 1, 3, 1}},
      {"2D", {Dim2D}, {Dim2D, 4096, 16384, 1, 1, 1, 1}},
      {"2DArray", {Dim2D, true}, {Dim2D, 13, 7, 1, 5, 2, 1}},
      {"3D", {Dim3D}, {Dim3D, 13, 7, 6, 1, 3, 1}},
      {"Cube", {Dim2D, false, true}, {Dim2D, 12, 12, 1, 6, 2, 1}},
      {"CubeArray", {Dim2D, true, true}, {Dim2D, 12, 12, 1, 18, 2, 1}},
      {"2DMS", {Dim2D}, {Dim2D, 13, 7, 1, 1, 1, 2}},
      {"2DMS", {Dim2D}, {Dim2D, 13, 7, 1, 1, 1, 8}},
      {"2DMSArray", {Dim2D, true}, {Dim2D, 13, 7, 1, 3, 1, 4}},
  };
  for (const auto &each : views)
    for (bool isStorage : {false, true})
      compareView(each.name, isStorage, each.view, each.shape);
}

// --- Samplers

void Comparison::compareSampler(const Sampler &sampler) {
  Case input;
  input.samplers.push_back(sampler);
  CasePipeline pipeline;
  pipeline.bindings.emplace_back().kind = BindingKind::Sampler;
  auto own = makeOwn(input, pipeline);
  auto theirs = m_radv.sampler(sampler);
  std::string what;
  raw_string_ostream(what) << "filters " << int(sampler.magFilter) << int(sampler.minFilter)
                           << int(sampler.mipFilter) << ", addresses " << int(sampler.address[0])
                           << int(sampler.address[1]) << int(sampler.address[2]) << ", border "
                           << int(sampler.border) << ", compare "
                           << (sampler.compare ? int(*sampler.compare) : -1) << ", lod "
                           << sampler.minLod << " to " << sampler.maxLod << " by "
                           << sampler.lodBias;
  if (!own)
    fail(what, own.takeError());
  if (!theirs)
    fail(what, theirs.takeError());
  if (own && theirs)
    compare(Resource::Sampler, what, *own, *theirs);
}

static Sampler makeSampler(function_ref<void(Sampler &)> change) {
  Sampler sampler;
  change(sampler);
  return sampler;
}

void Comparison::compareSamplers() {
  for (unsigned filters = 0; filters < 8; ++filters)
    compareSampler(makeSampler([&](Sampler &sampler) {
      sampler.magFilter = Filter(filters & 1);
      sampler.minFilter = Filter(filters >> 1 & 1);
      sampler.mipFilter = Filter(filters >> 2 & 1);
    }));
  for (unsigned modes = 0; modes < 125; ++modes)
    for (unsigned border = 0; border < 6; ++border)
      compareSampler(makeSampler([&](Sampler &sampler) {
        sampler.address[0] = AddressMode(modes % 5);
        sampler.address[1] = AddressMode(modes / 5 % 5);
        sampler.address[2] = AddressMode(modes / 25);
        sampler.border = BorderColor(border);
      }));
  for (unsigned op = 0; op < 8; ++op)
    compareSampler(makeSampler([&](Sampler &sampler) { sampler.compare = CompareOp(op); }));
  compareSampler(makeSampler([](Sampler &sampler) {
    std::fill(std::begin(sampler.address), std::end(sampler.address), AddressMode::ClampToEdge);
    sampler.maxLod = 0;
    sampler.normalized = false;
  }));
  for (float lod : {0.0f, 0.25f, 0.3f, 1.0f, 2.498f, 7.999f, 14.0f, 15.5f, 16.0f, 1000.0f})
    for (float bias : {0.0f, 0.3f, -0.3f, 1.998f, -1.998f, 15.9f, -15.9f}) {
      compareSampler(makeSampler([&](Sampler &sampler) {
        sampler.maxLod = lod;
        sampler.lodBias = bias;
      }));
      compareSampler(makeSampler([&](Sampler &sampler) {
        sampler.minLod = lod;
        sampler.lodBias = bias;
      }));
    }
}

// --- Buffers

void Comparison::compareBuffer(BindingKind kind, uint64_t bytes,
                               std::optional<TexelFormat> format) {
  std::vector<uint32_t> theirs = m_radv.buffer(kind, BufferAddress, bytes, format);
  if (theirs.empty())
    return;
  Case input;
  Buffer &buffer = input.buffers.emplace_back();
  buffer.bytes.resize(bytes);
  buffer.texelFormat = format;
  CasePipeline pipeline;
  pipeline.bindings.emplace_back().kind = kind;
  auto own = makeOwn(input, pipeline);
  if (!own)
    return consumeError(own.takeError());
  bool isTexel = format.has_value();
  compare(isTexel ? Resource::TexelBuffer : Resource::Buffer,
          Twine(bytes) + " bytes" + (isTexel ? " of " + getTexelFormatInfo(*format).name : ""),
          *own, theirs);
}

void Comparison::compareBuffers() {
  for (uint64_t bytes : {4u, 16u, 252u, 4096u}) {
    compareBuffer(BindingKind::Storage, bytes, std::nullopt);
    compareBuffer(BindingKind::Uniform, bytes, std::nullopt);
    for (uint32_t number = 1; number < 200; ++number)
      for (BindingKind kind : {BindingKind::UniformTexelBuffer, BindingKind::StorageTexelBuffer})
        if (auto format = findTexelFormat(number))
          compareBuffer(kind, bytes, format);
  }
}

// --- One process for each chip: the driver may end it.

static constexpr int Skipped = 77;
static constexpr StringLiteral DeviceMade = "device made\n";

static int compareChip(const FakeChip &chip, raw_fd_ostream &os) {
  useFakeChip(chip);
  auto radv = RadvDescriptors::create();
  if (!radv) {
    os << takeError(radv.takeError()).message;
    return Skipped;
  }
  os << DeviceMade;
  os.flush();
  unsigned gfxMajor = 0;
  chip.target.drop_front(3).drop_back(2).getAsInteger(10, gfxMajor);
  Comparison comparison(**radv, gfxMajor);
  comparison.compareImages();
  comparison.compareSamplers();
  comparison.compareBuffers();
  return comparison.report(os) ? 0 : 1;
}

class Descriptors : public testing::TestWithParam<FakeChip> {};

TEST_P(Descriptors, AreThoseOfRadv) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    raw_fd_ostream os(ends[1], /*shouldClose=*/true);
    int code = compareChip(GetParam(), os);
    os.flush();
    _exit(code);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && !StringRef(text).contains(DeviceMade))
    GTEST_SKIP() << "RADV does not make a device of this chip: signal " << WTERMSIG(status);
  ASSERT_TRUE(WIFEXITED(status)) << "RADV ended by signal " << WTERMSIG(status) << ": " << text;
  if (WEXITSTATUS(status) == Skipped)
    GTEST_SKIP() << text;
  EXPECT_EQ(WEXITSTATUS(status), 0) << text;
  for (StringRef count :
       {" images compared", " samplers compared", " buffers compared", " texel buffers compared"})
    EXPECT_TRUE(StringRef(text).contains(count)) << text;
}

INSTANTIATE_TEST_SUITE_P(Chips, Descriptors, testing::ValuesIn(fakeChips()),
                         [](const auto &info) { return info.param.target.str(); });
