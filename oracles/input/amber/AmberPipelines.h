// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of PIPELINE and DERIVE_PIPELINE. Only the files that implement it include this.
#pragma once

#include "oracles/input/amber/AmberReader.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::input {

struct BindingKindRow;

/// Reads the body of one compute or graphics pipeline.
class AmberPipelineReader {
public:
  AmberPipelineReader(AmberReader &reader, llvm::StringRef name, bool isGraphics);

  /// Starts from \p parent instead of from nothing: what is said again replaces what it had.
  void inherit(const AmberPipeline &parent);
  /// Reads statements up to END. \p firstLine is the line of PIPELINE, for messages.
  llvm::Error readBody(unsigned firstLine);
  /// Adds the pipeline to the case and to the names.
  llvm::Error finish(unsigned line);

private:
  using Handler = llvm::Error (AmberPipelineReader::*)(LineCursor &);
  struct HandlerRow {
    llvm::StringRef keyword;
    Handler handler;
    bool isGraphics = false; ///< Not in a compute pipeline.
  };
  static llvm::ArrayRef<HandlerRow> handlers();

  /// The options after the kind of a BIND.
  struct BindOptions {
    std::optional<uint64_t> set;
    std::optional<uint64_t> binding;
    std::optional<uint64_t> baseMipLevel;
    std::vector<uint64_t> dynamicOffsets; ///< OFFSET, in bytes, one a buffer.
    std::vector<uint64_t> offsets;        ///< DESCRIPTOR_OFFSET, likewise.
    std::vector<uint64_t> ranges;         ///< DESCRIPTOR_RANGE, likewise.
  };

  llvm::Error readStatement(LineCursor &line);
  llvm::Error readAttach(LineCursor &line);
  /// Replaces the shader that its stage had.
  llvm::Error attach(const LineCursor &line, AttachedShader shader);
  llvm::Error readSpecialize(LineCursor &line, ShaderStage stage);
  /// Returns the attached shader that \p line names next.
  llvm::Expected<AttachedShader *> attachedNamed(LineCursor &line);
  llvm::Error readBind(LineCursor &line);
  llvm::Error readOptimization(LineCursor &line);
  llvm::Error readCompileOptions(LineCursor &line);
  llvm::Error readSubgroup(LineCursor &line);
  llvm::Error readSubgroupOption(LineCursor &line, ShaderStage stage);
  /// Skips arguments of kernels, which make the case unsupported.
  llvm::Error readForeign(LineCursor &line);
  llvm::Error readFramebufferSize(LineCursor &line);
  /// Gives bound images without a size that of the framebuffer.
  llvm::Error sizeImages(unsigned line);
  /// False if a shader has no module.
  llvm::Expected<bool> finishShaders(unsigned line);

  // AmberGraphics.cpp
  llvm::Error readBlock(LineCursor &line, llvm::StringRef name,
                        llvm::function_ref<llvm::Error(LineCursor &, llvm::StringRef)> readOption);
  llvm::Error readPolygonMode(LineCursor &line);
  llvm::Error readPatchControlPoints(LineCursor &line);
  llvm::Error readViewport(LineCursor &line);
  llvm::Error readDepth(LineCursor &line);
  llvm::Error readDepthOption(LineCursor &line, llvm::StringRef option);
  llvm::Error readStencil(LineCursor &line);
  llvm::Error readBlend(LineCursor &line);

  // AmberAttachments.cpp
  llvm::Error readColorAttachment(LineCursor &line, llvm::ArrayRef<AmberBuffer> buffers);
  llvm::Error readDepthAttachment(LineCursor &line, llvm::ArrayRef<AmberBuffer> buffers);
  llvm::Error readResolveTarget(LineCursor &line, llvm::ArrayRef<AmberBuffer> buffers);
  llvm::Error readVertexData(LineCursor &line);
  llvm::Error readVertexOptions(LineCursor &line, VertexInputBinding &binding,
                                VertexInputAttribute &attribute);
  llvm::Error readIndexData(LineCursor &line);
  llvm::Error makeTexels(const LineCursor &line, const AmberBuffer &buffer);
  llvm::Error addDefaultAttachment(const LineCursor &line);
  llvm::Error sizeLevel(const LineCursor &line, uint32_t level, ImageShape &shape) const;
  llvm::Error sizeAttachment(const LineCursor &line, unsigned buffer, uint32_t mipLevel);
  llvm::Error finishResolves(const LineCursor &line);
  /// Completes what depends on all statements of the body.
  llvm::Error finishAttachments(const LineCursor &line);
  llvm::Error finishSamples(const LineCursor &line);
  void finishTargets();

  // AmberBindings.cpp
  llvm::Error readBuffers(LineCursor &line, bool isArray);
  llvm::Error bindBuffers(LineCursor &line, const BindingKindRow &row,
                          llvm::ArrayRef<AmberBuffer> buffers);
  llvm::Error readSamplers(LineCursor &line, bool isArray);
  llvm::Expected<unsigned> samplerNamed(LineCursor &line);
  llvm::Error readBindOptions(LineCursor &line, BindOptions &options, size_t buffers);
  llvm::Error readPlace(LineCursor &line, BindOptions &options);
  /// Reads one number for each of \p count buffers. Ranges may be VK_WHOLE_SIZE.
  llvm::Error readNumbers(LineCursor &line, std::vector<uint64_t> &numbers, size_t count,
                          bool areRanges);
  llvm::Error checkOptions(const LineCursor &line, const BindingKindRow &row,
                           const BindOptions &options, size_t buffers);
  llvm::Error bindMemory(LineCursor &line, BufferBinding binding, const BindOptions &options,
                         size_t i);
  llvm::Error bindTexels(LineCursor &line, const BufferBinding &binding);
  llvm::Error bindImage(LineCursor &line, const BufferBinding &binding);
  /// Adds \p binding in place of what is bound there.
  llvm::Error placeBinding(LineCursor &line, const BufferBinding &binding);
  llvm::Expected<std::string> shaderNamed(LineCursor &line);

  AmberReader &m_reader;
  std::string m_name;
  CasePipeline m_pipeline; ///< What is read of it so far.
  bool m_isGraphics;
  std::vector<AttachedShader> m_shaders;
  ColorTarget m_blend;                   ///< Of all targets, without a format.
  std::vector<unsigned> m_resolves;      ///< Indices into Case::buffers, by location.
  std::optional<uint64_t> m_vertexCount; ///< Elements of the first VERTEX_DATA.
  bool m_viewportSaid = false;           ///< Else it is the whole framebuffer.
  unsigned m_attachedColors = 0;         ///< Bit n: location n is bound here, not by a parent.
  bool m_depthSaid = false;              ///< The next three likewise.
  bool m_resolveSaid = false;
  bool m_indexDataSaid = false;
  bool m_vertexDataSaid = false;
  bool m_opaque = false;  ///< Uses something that isn't read.
  size_t m_inherited = 0; ///< The first so many bindings may be replaced.
  uint32_t m_framebufferWidth = 250, m_framebufferHeight = 250; ///< Amber's defaults.
};

} // namespace assay::input
