// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only way in which a pass reads the state of a pipeline: each getter adds what it returns to
// the hash chains of the functions that the pass works on.
#pragma once

#include "compiler/lgc/PipelineState.h"

namespace assay {

/// What the primitives of a topology are, by their number of vertices; patches count as points.
enum class PrimitiveKind : uint8_t { Points = 1, Lines = 2, Triangles = 3 };

/// The state of one module, for one run of one pass. A getter extends !llpc.hash of every function
/// of the module that has one (HashChain.h), once a datum. It returns no more than it hashes: a
/// fact that a pass needs only in part has a getter for that part.
class TrackedState {
public:
  /// \p pass is the pass's name in Passes.def. InvalidInput when \p module has no state or a row of
  /// it can't be read.
  static llvm::Expected<TrackedState> open(llvm::Module &module, llvm::StringRef pass);

  const TargetInfo &getTarget();
  unsigned getWaveSize();
  /// Whether robustness is Access2.
  bool hasRobustAccess2();

  /// Where a descriptor is in its set's table.
  struct DescriptorPlace {
    uint32_t offsetInDwords = 0; ///< Of the first array element.
    uint32_t strideInDwords = 0; ///< Between array elements.
  };
  /// Nothing when the layout has no such descriptor.
  std::optional<DescriptorPlace> findDescriptor(uint32_t set, uint32_t binding);
  /// Whether the descriptor is an image followed by its sampler.
  bool isCombined(uint32_t set, uint32_t binding);
  /// The user data entry with the address of a set's table; nothing when the layout has no such
  /// set.
  std::optional<uint32_t> findTableEntry(uint32_t set);
  uint32_t getPushConstantDwords();
  uint32_t getUserDataEntries(); ///< Of the layout, used or not.

  // Of graphics pipelines (GraphicsFacts); the defaults where the state has none.
  /// What a vertex shader reads at a location.
  struct Attribute {
    VertexInputAttribute attribute;
    VertexInputBinding binding;
  };
  /// Nothing when the state has no attribute there, or no binding for it.
  std::optional<Attribute> findAttribute(uint32_t location);
  PrimitiveKind getPrimitiveKind();
  bool usesNgg();
  bool discardsPrimitives(); ///< Nothing is rasterized.
  bool drawsPoints();        ///< Points, or polygons as points.
  bool provokesLast();       ///< The last vertex of a primitive provokes.
  /// Nothing when there is no color target at \p location.
  std::optional<TexelFormat> findTargetFormat(uint32_t location);
  bool blends(uint32_t location);        ///< The color target there.
  bool blendsByAlpha(uint32_t location); ///< Blending there reads the alpha of the shader.
  bool hasDualSource();
  bool hasAlphaToCoverage();
  uint32_t getSamples(); ///< Of a pixel.
  bool isUnlinked();     ///< No other stage and no format is known.
  bool isPerSample();    ///< The state asks for one invocation a sample.

  /// All of the layout.
  ResourceLayout getLayout();

  /// These two are not tracked: no code depends on them. Compiler writes them into the finished
  /// ELF.
  const Hash128 &getPipelineHash() const { return m_state.pipelineHash; }
  const Hash128 &getShaderHash() const { return m_state.shaderHash; }

private:
  TrackedState(llvm::Module &module, llvm::StringRef pass, PipelineState state)
      : m_module(&module), m_pass(pass), m_state(std::move(state)) {}
  void track(llvm::StringRef datum, llvm::ArrayRef<uint64_t> values);
  const TargetFacts *findTarget(uint32_t location) const;
  bool trackFlag(llvm::StringRef datum, bool GraphicsFacts::*flag);

  llvm::Module *m_module;
  llvm::StringRef m_pass;
  PipelineState m_state;
};

} // namespace assay
