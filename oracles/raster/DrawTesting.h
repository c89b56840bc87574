// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests of draws: shaders that are C++ functions, and a small framebuffer.
#pragma once

#include "oracles/raster/Draw.h"
#include "oracles/raster/TexelCodec.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>

namespace assay::raster {

/// Vertex i has output vertices[i] (of its VertexIndex); fragments call a function.
class FunctionShaders : public ShaderExecutor {
public:
  using FragmentShader =
      std::function<FragmentOutput(const FragmentPrimitive &, const Quad &, unsigned fragment)>;

  std::vector<VertexOutput> vertices;
  FragmentShader shade;
  unsigned fragmentRuns = 0; ///< Without helpers.

  llvm::Error runVertices(llvm::ArrayRef<VertexInvocation> invocations,
                          llvm::MutableArrayRef<VertexOutput> outputs) override {
    for (size_t i = 0; i < invocations.size(); ++i)
      outputs[i] = vertices[invocations[i].vertexIndex];
    return llvm::Error::success();
  }
  llvm::Error runFragments(const FragmentPrimitive &primitive, llvm::ArrayRef<Quad> quads,
                           llvm::MutableArrayRef<FragmentOutput> outputs) override {
    for (size_t i = 0; i < quads.size(); ++i)
      for (unsigned f = 0; f < 4; ++f) {
        fragmentRuns += !quads[i].fragments[f].isHelper;
        outputs[4 * i + f] = shade(primitive, quads[i], f);
      }
    return llvm::Error::success();
  }
};

/// A vertex at exact clip coordinates.
inline VertexOutput makeVertex(double x, double y, double z = 0, double w = 1) {
  VertexOutput output;
  output.position = {Range::point(x), Range::point(y), Range::point(z), Range::point(w)};
  return output;
}

/// A colour of exact components.
inline Color makeColor(double r, double g, double b, double a) {
  return {Component::point(r), Component::point(g), Component::point(b), Component::point(a)};
}

/// The output of a fragment that writes \p color to location 0.
inline FragmentOutput writeColor(const Color &color) {
  FragmentOutput output;
  output.colors.push_back({0, 0, color});
  return output;
}

/// The format called \p name, Undefined for an unknown name.
inline TexelFormat formatOf(llvm::StringRef name) {
  return findTexelFormat(name).value_or(TexelFormat::Undefined);
}

/// A draw of a list of triangles into one colour target, white unless changed.
struct TestDraw {
  explicit TestDraw(uint32_t width = 16, uint32_t height = 16, llvm::StringRef format = "R8_UNORM",
                    uint32_t samples = 1)
      : width(width), height(height) {
    state.viewport = {0, 0, float(width), float(height), 0, 1};
    state.multisample.samples = samples;
    state.colorTargets.resize(1);
    state.colorTargets[0].format = formatOf(format);
    color = std::make_unique<RenderTarget>(formatOf(format), width, height, 1, samples);
    shaders.shade = [](const FragmentPrimitive &, const Quad &, unsigned) {
      return writeColor(makeColor(1, 1, 1, 1));
    };
  }
  /// Adds a depth and stencil target of the draw's size and samples.
  void addDepthStencil(llvm::StringRef format) {
    state.depthStencilFormat = formatOf(format);
    depthStencil = std::make_unique<RenderTarget>(formatOf(format), width, height, 1,
                                                  state.multisample.samples);
  }
  /// Two triangles over pixels [x0, x1) x [y0, y1), at depth \p z.
  void addRect(double x0, double y0, double x1, double y1, double z = 0) {
    auto at = [&](double x, double y) {
      return makeVertex(x / width * 2 - 1, y / height * 2 - 1, z);
    };
    for (const VertexOutput &vertex :
         {at(x0, y0), at(x1, y0), at(x0, y1), at(x0, y1), at(x1, y0), at(x1, y1)})
      shaders.vertices.push_back(vertex);
  }
  /// Draws all vertices as one list into the targets.
  llvm::Error run() {
    std::vector<DrawVertex> list = listVertices(0, uint32_t(shaders.vertices.size()));
    input.state = &state;
    input.vertices = list;
    Framebuffer framebuffer{width, height, {color.get()}, depthStencil.get()};
    return drawPrimitives(input, shaders, framebuffer);
  }
  /// The first component of a pixel's sample as stored; -1 if it is not exact.
  double get(uint32_t x, uint32_t y, uint32_t sample = 0) const {
    TexelAlternatives texel = color->getTexel(color->indexOf(x, y, 0, sample));
    return texel.size() == 1 && texel[0][0].isExact() ? texel[0][0].range.lo : -1;
  }
  /// How many texels are the number \p value exactly.
  unsigned count(double value) const {
    unsigned result = 0;
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x)
        for (uint32_t sample = 0; sample < color->samples(); ++sample)
          result += get(x, y, sample) == value;
    return result;
  }

  uint32_t width, height;
  GraphicsState state;
  DrawInput input;
  FunctionShaders shaders;
  std::unique_ptr<RenderTarget> color, depthStencil;
};

} // namespace assay::raster
