// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole draw (docs/draws.md). The model does everything but run shaders: a machine does that
// through ShaderExecutor, and keeps all inputs and outputs that are not named here.
#pragma once

#include "compiler/api/GraphicsState.h"
#include "oracles/raster/Coverage.h"
#include "oracles/raster/InputAssembly.h"
#include "oracles/raster/Interpolation.h"
#include "oracles/raster/RenderTarget.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <vector>

namespace assay::raster {

/// One run of the vertex shader.
struct VertexInvocation {
  uint32_t vertexIndex = 0; ///< VertexIndex.
  uint32_t instance = 0;    ///< From 0; InstanceIndex is firstInstance more.
};

/// The built-in outputs of one run of the vertex shader.
struct VertexOutput {
  std::array<Range, 4> position = {}; ///< Clip coordinates x, y, z, w.
  Range pointSize = Range::point(1);
  llvm::SmallVector<Range, 0> clipDistances, cullDistances;
  uint32_t layer = 0;
  uint32_t viewportIndex = 0;
};

enum class PrimitiveKind : uint8_t { Point, Line, Triangle };

/// What all fragments of a primitive have in common.
struct FragmentPrimitive {
  /// Of what was rasterized. Lines and points of a triangle (PolygonMode) interpolate over the
  /// triangle's edge or corner: \p vertices are those of the line or point.
  PrimitiveKind kind = PrimitiveKind::Triangle;
  /// Numbers of invocations, as many as the kind has; the weights are in this order.
  std::array<uint32_t, 3> vertices = {};
  /// The number of the invocation that inputs with Flat come from.
  uint32_t provoking = 0;
  uint32_t instance = 0;
  uint32_t primitiveId = 0;
  uint32_t number = 0; ///< Of all of the draw: the index of its AssembledPrimitive.
  /// FrontFacing; always Yes for points and lines that are not edges of triangles.
  Answer isFrontFacing = Answer::Yes;
  uint32_t layer = 0;
  uint32_t viewportIndex = 0;
  Interpolation interpolation;
  /// Points: the centre and the size in pixels.
  Place pointCenter;
  Range pointSize = Range::point(1);

  /// PointCoord at a place.
  Place getPointCoord(const Place &place) const;
};

/// One pixel of a quad.
struct Fragment {
  /// Of the primitive and the state's sample mask: SampleMask as an input; with early tests, what
  /// passed them. A sample that is possible but not certain is drawn or not: both are right.
  Coverage coverage;
  /// No sample may be covered: runs for the derivatives of its neighbours only.
  bool isHelper = true;
  Place centroid; ///< Where inputs with Centroid are interpolated.
  Range depth;    ///< FragCoord.z: depth at the centre, or at the sample.
};

/// Fragments at (x, y), (x + 1, y), (x, y + 1) and (x + 1, y + 1); x and y are even.
struct Quad {
  int32_t x = 0, y = 0;
  /// SampleId where the shader runs per sample; coverage has no other sample then.
  std::optional<uint8_t> sample = std::nullopt;
  std::array<Fragment, 4> fragments;

  /// Where FragCoord and all inputs without Centroid are evaluated: the pixel's centre, or the
  /// sample of \p samples samples.
  Place getPlace(unsigned fragment, unsigned samples) const;
};

struct ColorOutput {
  uint32_t location = 0;
  uint32_t index = 0; ///< 1: the second source of dual-source blending.
  Color value = {};   ///< Components that are not written are open.
};

/// What a run of the fragment shader leaves. The default writes nothing.
struct FragmentOutput {
  /// No: discarded, terminated or demoted. Maybe: both are right.
  Answer isKept = Answer::Yes;
  llvm::SmallVector<ColorOutput, 1> colors;
  std::optional<Component> depth = std::nullopt;
  std::optional<uint32_t> stencilReference = std::nullopt;
  std::optional<uint32_t> sampleMask = std::nullopt; ///< Bits of samples that stay covered.
  /// Further results, of which each is right too; they have no others. The texel gets alternatives.
  std::vector<FragmentOutput> others = {};
  /// The results differ by nothing but the texels that a nearest filter took.
  bool othersAreTexels = false;
};

/// A primitive before anything is known of its vertices.
struct AssembledPrimitive {
  std::array<uint32_t, 3> vertices = {}; ///< Numbers of invocations.
  uint8_t vertexCount = 3;
  uint8_t provoking = 0; ///< Index into \p vertices.
  uint32_t primitiveId = 0;
};

/// Runs the shaders of one draw.
class ShaderExecutor {
public:
  virtual ~ShaderExecutor() = default;

  /// The primitives of the draw, in their order; called once, before runVertices. For those that
  /// run vertices primitive by primitive.
  virtual void takePrimitives(llvm::ArrayRef<AssembledPrimitive> primitives) { (void)primitives; }

  /// Runs the vertex shader for all vertices of the draw; called once. The number of an invocation
  /// is its index into \p invocations. An error ends the draw.
  virtual llvm::Error runVertices(llvm::ArrayRef<VertexInvocation> invocations,
                                  llvm::MutableArrayRef<VertexOutput> outputs) = 0;

  /// Runs the fragment shader for quads of one primitive, which overlap in no sample. Calls are in
  /// the order of primitives. Fragment f of quad q leaves its output in outputs[4 * q + f]; those
  /// of helpers have no effect.
  virtual llvm::Error runFragments(const FragmentPrimitive &primitive, llvm::ArrayRef<Quad> quads,
                                   llvm::MutableArrayRef<FragmentOutput> outputs) = 0;
};

/// A fragment on its way into the targets.
struct FragmentEvent {
  const FragmentPrimitive &primitive;
  const Quad &quad;
  unsigned fragment = 0; ///< In the quad.
  const FragmentOutput &output;
};

/// Sees what happens to some texels.
class FragmentObserver {
public:
  virtual ~FragmentObserver() = default;
  /// Whether the fragments of this pixel are to be seen.
  virtual bool watches(uint32_t x, uint32_t y, uint32_t layer) const = 0;
  /// Around tests, blending and writes of a fragment that is no helper.
  virtual void beforeFragment(const FragmentEvent &event) = 0;
  virtual void afterFragment(const FragmentEvent &event) = 0;
};

struct DrawInput {
  const GraphicsState *state = nullptr;
  /// Of listVertices.
  llvm::ArrayRef<DrawVertex> vertices;
  uint32_t instanceCount = 1;
  /// Depth and stencil tests come before the shader: it has EarlyFragmentTests. May be set too for
  /// a shader that has no effect but its colours and never discards.
  bool earlyTests = false;
  /// The shader uses SampleId, SamplePosition, or an input with Sample. It runs for each sample
  /// then, and where the state's sample shading asks for more than one.
  bool perSample = false;
  /// False: depth and stencil only; runFragments is not called.
  bool hasFragmentShader = true;
  /// Of a machine that is one implementation: corners of triangles have one of the positions that
  /// implementations may choose, so that triangles with a common edge leave no sample between them.
  bool isDefinite = false;
  FragmentObserver *observer = nullptr; ///< Null: no observer.
};

/// Targets of a draw, not owned. All have the same number of samples; no texel outside of width and
/// height is touched.
struct Framebuffer {
  uint32_t width = 0, height = 0;
  std::vector<RenderTarget *> color; ///< Index = location; null where there is none.
  RenderTarget *depthStencil = nullptr;
};

/// Whether the fragment shader runs once per sample.
bool runsPerSample(const DrawInput &input);

/// Draws. Unsupported: state that the model lacks, or positions so imprecise that nothing can be
/// said ("imprecise: ..."). Targets keep what was drawn until then.
llvm::Error drawPrimitives(const DrawInput &input, ShaderExecutor &shaders,
                           const Framebuffer &framebuffer);

} // namespace assay::raster
