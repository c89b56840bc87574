// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/script/ScriptMutation.h"

#include "support/Random.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using namespace llvm;
using namespace assay;

/// A script without its line ends.
using Lines = std::vector<std::string>;

/// Words of both languages that decide what the words after them are.
static constexpr StringLiteral Words =
    "BUFFER IMAGE SAMPLER PIPELINE STRUCT SHADER compute DATA_TYPE FORMAT STD140 STD430 "
    "SIZE FILL DATA SERIES_FROM INC_BY WIDTH HEIGHT DEPTH ARRAY_LAYERS MIP_LEVELS SAMPLES "
    "DIM_1D DIM_2D DIM_3D ATTACH ENTRY_POINT SPECIALIZE AS SUBGROUP REQUIRED_SIZE "
    "VARYING_SIZE BIND BUFFER_ARRAY storage uniform push_constant storage_image "
    "sampled_image storage_texel_buffer uniform_texel_buffer combined_image_sampler "
    "DESCRIPTOR_SET BINDING BASE_MIP_LEVEL DESCRIPTOR_OFFSET DESCRIPTOR_RANGE "
    "DERIVE_PIPELINE FROM END RUN REPEAT COPY TO CLEAR EXPECT IDX EQ NE LT TOLERANCE "
    "EQ_BUFFER RMSE_BUFFER EQ_HISTOGRAM_EMD_BUFFER EQ_RGB EQ_RGBA int8 uint64 float "
    "double float16 vec3<int16> mat2x3<float> R32_UINT R8G8B8A8_UNORM D32_SFLOAT "
    "graphics vertex fragment geometry PASSTHROUGH color LOCATION depth_stencil resolve "
    "FRAMEBUFFER_SIZE VIEWPORT MIN_DEPTH MAX_DEPTH VERTEX_DATA INDEX_DATA RATE instance STRIDE "
    "POLYGON_MODE PATCH_CONTROL_POINTS STENCIL BLEND TEST on off WRITE CLAMP COMPARE_OP BOUNDS "
    "BIAS FAIL_OP PASS_OP REFERENCE COMPARE_MASK SRC_COLOR_FACTOR DST_ALPHA_FACTOR COLOR_OP "
    "ALPHA_OP src_alpha hsl_hue less keep DRAW_RECT DRAW_GRID DRAW_ARRAY POS CELLS INDEXED "
    "START_IDX COUNT START_INSTANCE INSTANCE_COUNT TRIANGLE_LIST PATCH_LIST POINT_LIST "
    "CLEAR_COLOR CLEAR_DEPTH CLEAR_STENCIL D24_UNORM_S8_UINT D32_SFLOAT_S8_UINT "
    "R32G32B32_SFLOAT draw rect ortho patch arrays indexed instanced clear depth stencil "
    "relative all rgb rgba framebuffer depthstencil fbsize cullMode topology logicOp "
    "DEVICE_FEATURE OFFSET ssbo ubo subdata layout probe ~= == [test] [require] "
    "0x7fffffff -1 1e300 nan";
/// Numbers at limits of sizes and formats.
static constexpr uint64_t Numbers[] = {
    0, 1, 2, 3, 4, 8, 15, 16, 31, 32, 33, 64, 127, 255, 256, 65535, 65536, 2147483647, 4294967295};

static Lines splitLines(StringRef script) {
  Lines lines;
  for (StringRef line : split(script, '\n'))
    lines.push_back(line.str());
  return lines;
}

static std::string joinLines(const Lines &lines) {
  return join(lines, "\n");
}

/// The index of a line, seldom one of a shader: those hardly ever survive a change.
static size_t pickLine(const Lines &lines, Random &random) {
  std::vector<size_t> others;
  bool isShader = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    StringRef line = lines[i];
    isShader |= line.starts_with("SHADER ") || (line.starts_with("[") && line.contains(" shader"));
    if (!isShader)
      others.push_back(i);
    isShader &= line != "END" && !line.starts_with("[test]") &&
                !line.starts_with("[vertex data]") && !line.starts_with("[require]");
  }
  return others.empty() || random.oneIn(8) ? random.below(lines.size())
                                           : others[random.below(others.size())];
}

/// Lines [begin, end) that go together: from a line that opens a block to its END, or a few.
static std::pair<size_t, size_t> pickLines(const Lines &lines, Random &random) {
  static constexpr StringLiteral Openers[] = {"SHADER ", "PIPELINE ", "STRUCT ",
                                              "BUFFER ", "REPEAT ",   "DERIVE_PIPELINE "};
  size_t begin = pickLine(lines, random);
  if (random.oneIn(2)) {
    std::vector<size_t> heads;
    for (size_t i = 0; i < lines.size(); ++i)
      if (any_of(Openers, [&](StringRef word) { return StringRef(lines[i]).starts_with(word); }))
        heads.push_back(i);
    if (!heads.empty()) {
      begin = heads[random.below(heads.size())];
      for (size_t end = begin; end < lines.size(); ++end)
        if (lines[end] == "END")
          return {begin, end + 1};
    }
  }
  size_t end = begin + 1 + (random.oneIn(4) ? random.below(4) : 0);
  return {begin, std::min(end, lines.size())};
}

static ptrdiff_t offset(size_t index) {
  return static_cast<ptrdiff_t>(index);
}

/// Removes a block or a few lines.
static void removeLines(Lines &lines, Random &random) {
  auto [begin, end] = pickLines(lines, random);
  lines.erase(lines.begin() + offset(begin), lines.begin() + offset(end));
}

/// Inserts a copy of a block or a few lines after themselves or anywhere.
static void repeatLines(Lines &lines, Random &random) {
  auto [begin, end] = pickLines(lines, random);
  Lines copy(lines.begin() + offset(begin), lines.begin() + offset(end));
  size_t at = random.oneIn(2) ? end : random.below(lines.size() + 1);
  lines.insert(lines.begin() + offset(at), copy.begin(), copy.end());
}

/// Exchanges two lines, which may be the same.
static void swapLines(Lines &lines, Random &random) {
  size_t first = pickLine(lines, random); // One draw after the other.
  std::swap(lines[first], lines[pickLine(lines, random)]);
}

/// A number where there was one, in its way of writing.
static std::string makeNumber(StringRef old, Random &random) {
  uint64_t value = 0;
  if (old.getAsInteger(0, value))
    return old.contains('.') ? std::to_string(random.below(9)) + ".5" : "";
  if (random.oneIn(2))
    return std::to_string(random.below(6));
  uint64_t number =
      random.oneIn(2) ? random.pick<uint64_t>(Numbers) : random.number(value, 4294967295);
  return old.starts_with("0x") ? "0x" + utohexstr(number, true) : std::to_string(number);
}

/// A word of \p text.
static std::string pickWord(StringRef text, Random &random) {
  SmallVector<StringRef, 8> words;
  SplitString(text, words);
  return words.empty() ? "" : words[random.below(words.size())].str();
}

/// Another number in the place of one of a line.
static void changeNumber(Lines &lines, Random &random) {
  std::string &line = lines[pickLine(lines, random)];
  SmallVector<StringRef, 8> words;
  SplitString(line, words);
  std::vector<size_t> numbers;
  for (size_t i = 0; i < words.size(); ++i)
    if (isDigit(words[i].front()))
      numbers.push_back(i);
  if (numbers.empty())
    return;
  size_t which = numbers[random.below(numbers.size())];
  std::string number = makeNumber(words[which], random);
  words[which] = number;
  line = join(words, " ");
}

/// Inserts, removes or replaces one word of a line. The new word is a number if the old one is,
/// else one of the languages or of another line.
static void changeWord(Lines &lines, Random &random) {
  std::string &line = lines[pickLine(lines, random)];
  SmallVector<StringRef, 8> words;
  SplitString(line, words);
  if (words.empty())
    return;
  size_t which = random.below(words.size());
  std::string word = makeNumber(words[which], random);
  if (word.empty() || random.oneIn(8))
    word = pickWord(random.oneIn(2) ? StringRef(Words) : StringRef(lines[pickLine(lines, random)]),
                    random);
  std::vector<std::string> changed;
  for (StringRef each : words)
    changed.push_back(each.str());
  switch (random.below(4)) {
  case 0:
    changed.insert(changed.begin() + offset(which), word);
    break;
  case 1:
    changed.erase(changed.begin() + offset(which));
    break;
  default:
    changed[which] = word;
    break;
  }
  line = join(changed, " ");
}

/// A script without lines first becomes the line "#!amber".
std::string assay::fuzz::mutateScript(StringRef script, uint64_t seed) {
  using Mutation = void (*)(Lines &, Random &);
  // One as often as it stands here.
  static constexpr Mutation Mutations[] = {changeNumber, changeNumber, changeNumber, changeNumber,
                                           changeWord,   changeWord,   changeWord,   changeWord,
                                           removeLines,  repeatLines,  swapLines};
  Random random(seed);
  Lines lines = splitLines(script);
  for (size_t count = 1 + random.below(3); count > 0; --count) {
    if (lines.empty())
      lines.emplace_back("#!amber");
    random.pick<Mutation>(Mutations)(lines, random);
  }
  return joinLines(lines);
}

/// Inserts the lines at any place of \p into.
std::string assay::fuzz::mixScripts(StringRef into, StringRef from, uint64_t seed) {
  Random random(seed);
  Lines lines = splitLines(into), others = splitLines(from);
  auto [begin, end] = pickLines(others, random);
  size_t at = random.below(lines.size() + 1);
  lines.insert(lines.begin() + offset(at), others.begin() + offset(begin),
               others.begin() + offset(end));
  return joinLines(lines);
}
