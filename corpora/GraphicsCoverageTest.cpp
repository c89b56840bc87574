// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does corpora/graphics have a case for each value of the state of a draw? The values are rows of
// the tables of the readers and of formats: a new row needs a case.
#include "oracles/input/CaseReader.h"
#include "oracles/input/GraphicsNames.h"
#include "oracles/raster/RenderTarget.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <functional>
#include <gtest/gtest.h>
#include <set>

using namespace assay;
using namespace assay::input;

namespace {
/// A pipeline that some draw uses.
struct DrawnPipeline {
  const CasePipeline *pipeline;
  const GraphicsState &state() const { return pipeline->description.graphics; }
};
} // namespace

static std::vector<Case> readCases() {
  std::vector<Case> cases;
  std::error_code code;
  llvm::sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/graphics", code), end;
  for (; it != end && !code; it.increment(code)) {
    if (llvm::sys::path::extension(it->path()) != ".amber")
      continue;
    auto input = readCase(it->path(), it->path());
    EXPECT_TRUE(bool(input)) << (input ? "" : takeError(input.takeError()).message);
    if (input)
      cases.push_back(std::move(*input));
  }
  return cases;
}

static const std::vector<DrawnPipeline> &listPipelines() {
  static const std::vector<Case> Cases = readCases();
  static const std::vector<DrawnPipeline> All = [] {
    std::vector<DrawnPipeline> all;
    for (const Case &input : Cases) {
      std::set<unsigned> drawn;
      for (const Command &command : input.commands)
        if (const auto *draw = std::get_if<Draw>(&command))
          drawn.insert(draw->pipeline);
      for (unsigned pipeline : drawn)
        all.push_back({&input.pipelines[pipeline]});
    }
    return all;
  }();
  return All;
}

/// Each value of \p table but \p except must be one of \p collect's of some pipeline.
template <typename T, size_t N>
static void expectAll(const NamedValue<T> (&table)[N],
                      std::function<void(const GraphicsState &, std::set<T> &)> collect,
                      std::set<T> except = {}) {
  std::set<T> found;
  for (const DrawnPipeline &drawn : listPipelines())
    collect(drawn.state(), found);
  for (const NamedValue<T> &row : table)
    EXPECT_TRUE(found.count(row.value) || except.count(row.value))
        << "no case draws with " << row.name.str();
}

/// The blended targets of a pipeline.
static std::vector<ColorTarget> listBlended(const GraphicsState &state) {
  std::vector<ColorTarget> blended;
  for (const ColorTarget &target : state.colorTargets)
    if (target.blend && !target.advancedOp && !state.logicOp)
      blended.push_back(target);
  return blended;
}

TEST(GraphicsCoverage, BlendFactors) {
  using Factors = std::set<BlendFactor>;
  const BlendFactor ColorTarget::*members[] = {&ColorTarget::srcColor, &ColorTarget::dstColor,
                                               &ColorTarget::srcAlpha, &ColorTarget::dstAlpha};
  for (auto member : members)
    expectAll<BlendFactor>(blendFactors, [&](const GraphicsState &state, Factors &found) {
      for (const ColorTarget &target : listBlended(state))
        found.insert(target.*member);
    });
}

TEST(GraphicsCoverage, BlendOperations) {
  for (auto member : {&ColorTarget::colorOp, &ColorTarget::alphaOp})
    expectAll<BlendOp>(blendOps, [&](const GraphicsState &state, std::set<BlendOp> &found) {
      for (const ColorTarget &target : listBlended(state))
        found.insert(target.*member);
    });
}

TEST(GraphicsCoverage, LogicOperations) {
  std::set<LogicOp> found;
  for (const DrawnPipeline &drawn : listPipelines())
    if (drawn.state().logicOp)
      found.insert(*drawn.state().logicOp);
  EXPECT_EQ(found.size(), size_t(LogicOp::Set) + 1);
}

TEST(GraphicsCoverage, DepthComparisons) {
  expectAll<CompareOp>(compareOps, [](const GraphicsState &state, std::set<CompareOp> &found) {
    if (state.depthStencil.depthTest)
      found.insert(state.depthStencil.depthCompare);
  });
}

TEST(GraphicsCoverage, StencilComparisonsOfBothFaces) {
  for (auto face : {&DepthStencilState::front, &DepthStencilState::back})
    expectAll<CompareOp>(compareOps, [&](const GraphicsState &state, std::set<CompareOp> &found) {
      if (state.depthStencil.stencilTest)
        found.insert((state.depthStencil.*face).compare);
    });
}

TEST(GraphicsCoverage, StencilOperations) {
  for (auto member :
       {&StencilFaceState::pass, &StencilFaceState::fail, &StencilFaceState::depthFail})
    expectAll<StencilOp>(stencilOps, [&](const GraphicsState &state, std::set<StencilOp> &found) {
      if (state.depthStencil.stencilTest)
        found.insert(state.depthStencil.front.*member);
    });
}

TEST(GraphicsCoverage, TopologiesAndPolygonModes) {
  expectAll<PrimitiveTopology>(topologies,
                               [](const GraphicsState &state, std::set<PrimitiveTopology> &found) {
                                 found.insert(state.input.topology);
                               },
                               {PrimitiveTopology::PatchList}); // Tessellation does not run yet.
  expectAll<PolygonMode>(polygonModes,
                         [](const GraphicsState &state, std::set<PolygonMode> &found) {
                           found.insert(state.rasterization.polygonMode);
                         });
}

TEST(GraphicsCoverage, SampleCounts) {
  std::set<uint32_t> found;
  for (const DrawnPipeline &drawn : listPipelines())
    found.insert(drawn.state().multisample.samples);
  for (uint32_t samples : {1, 2, 4, 8})
    EXPECT_TRUE(found.count(samples)) << samples;
}

/// Formats without a case: lavapipe stores wrong numbers (bugs/lavapipe-snorm10-ends), or no driver
/// in use has them as an attachment.
static constexpr llvm::StringLiteral withoutCase[] = {
    "A2R10G10B10_SNORM_PACK32", "A2B10G10R10_SNORM_PACK32", "D16_UNORM_S8_UINT"};

/// Whether devices in use render to a format. None does with three components of whole bytes.
static bool isTarget(const TexelFormatInfo &format) {
  bool hasOddSize = format.bytes % 3 == 0;
  return raster::whyNotRenderable(format.format).empty() && !hasOddSize &&
         !llvm::is_contained(withoutCase, format.name);
}

TEST(GraphicsCoverage, Formats) {
  std::set<TexelFormat> found;
  for (const DrawnPipeline &drawn : listPipelines()) {
    for (const ColorTarget &target : drawn.state().colorTargets)
      found.insert(target.format);
    found.insert(drawn.state().depthStencilFormat);
  }
  constexpr uint32_t LastFormat = 130; // VK_FORMAT_D32_SFLOAT_S8_UINT; compressed ones follow.
  unsigned count = 0;
  for (uint32_t number = 1; number <= LastFormat; ++number) {
    std::optional<TexelFormat> format = findTexelFormat(number);
    if (!format || !isTarget(getTexelFormatInfo(*format)))
      continue;
    ++count;
    EXPECT_TRUE(found.count(*format))
        << "no case draws into " << getTexelFormatInfo(*format).name.str();
  }
  EXPECT_GT(count, 60u);
}
