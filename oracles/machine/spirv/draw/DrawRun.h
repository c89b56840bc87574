// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shaders of one draw on the reference machine, for oracles/raster.
#pragma once

#include "oracles/machine/spirv/draw/FragmentRun.h"

namespace assay::reference {

/// The bytes that a vertex binding reads.
struct VertexSource {
  const VertexInputBinding *layout = nullptr;
  BufferMemory *memory = nullptr; ///< Null: nothing is bound.
  uint64_t offset = 0;
};

/// What a draw's shaders get, apart from their resources.
struct DrawSetup {
  const GraphicsState *state = nullptr;
  std::vector<VertexSource> sources; ///< One a binding of the state.
  uint32_t firstInstance = 0;
  int32_t baseVertex = 0; ///< BaseVertex: vertexOffset, or firstVertex without indices.
  unsigned samples = 1;
  Robustness robustness = Robustness::None;
};

/// Runs vertex and fragment programs. An error from it means only that a run has ended, as its
/// ending() says, or that something is unsupported.
class DrawShaders final : public raster::ShaderExecutor, public FragmentInputs {
public:
  /// \p fragments: as of FragmentRun; empty without a fragment shader. \p maxInstructions: of
  /// fragments. \p setup and \p vertex must outlive this object.
  DrawShaders(const DrawSetup &setup, Execution &vertex,
              std::vector<std::unique_ptr<Execution>> fragments, uint64_t maxInstructions);

  llvm::Error runVertices(llvm::ArrayRef<raster::VertexInvocation> invocations,
                          llvm::MutableArrayRef<raster::VertexOutput> outputs) override;
  llvm::Error runFragments(const raster::FragmentPrimitive &primitive,
                           llvm::ArrayRef<raster::Quad> quads,
                           llvm::MutableArrayRef<raster::FragmentOutput> outputs) override;
  Scalar interpolateAt(const InterfaceScalar &scalar, const raster::FragmentPrimitive &primitive,
                       const raster::Place &place) const override;
  Scalar getInput(const InterfaceScalar &scalar, const FragmentPlace &place,
                  const Invocation &invocation) const override;

  /// Null without a fragment shader.
  const FragmentRun *fragments() const { return m_fragments.get(); }

private:
  /// Component of an attribute for one vertex. Undefined without an attribute; stops the run
  /// without a buffer.
  Scalar fetchAttribute(const InterfaceScalar &input, const raster::VertexInvocation &vertex);
  /// An input of the vertex shader: a built-in or a component of an attribute.
  Scalar vertexInput(const InterfaceScalar &input, const raster::VertexInvocation &vertex);
  /// Unsupported where an output that rasterization needs is undefined, or a position may be NaN.
  llvm::Error takeVertex(Invocation &invocation, raster::VertexOutput &output);
  const Scalar *findOutput(const InterfaceScalar &input, uint32_t vertex) const;

  const DrawSetup &m_setup;
  Execution &m_vertex;
  std::unique_ptr<FragmentRun> m_fragments;
  std::vector<Scalar> m_outputs; ///< Of all vertices, in the order of Program::shaderOutputs.
  std::vector<int> m_sourceOf;   ///< By fragment input: the number of the output, or -1.
  uint32_t m_nextGroup = 0;
};

} // namespace assay::reference
