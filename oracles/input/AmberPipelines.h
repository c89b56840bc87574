// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of PIPELINE and DERIVE_PIPELINE. Only the two files that implement it include this.
#pragma once

#include "oracles/input/AmberReader.h"

namespace assay::input {

struct BindingKindRow;

/// Reads the body of one compute pipeline.
class AmberPipelineReader {
public:
  AmberPipelineReader(AmberReader &reader, llvm::StringRef name) : m_reader(reader), m_name(name) {
    m_pipeline.name = m_name;
  }

  /// Starts from \p parent instead of from nothing: what is said again replaces what it had.
  void inherit(const CasePipeline &parent, const AmberPipeline &declared);
  llvm::Error readBody(unsigned firstLine);
  /// Adds the pipeline to the case and to the names.
  llvm::Error finish(unsigned line);

private:
  using Handler = llvm::Error (AmberPipelineReader::*)(LineCursor &);
  struct HandlerRow {
    llvm::StringRef keyword;
    Handler handler;
  };
  static llvm::ArrayRef<HandlerRow> handlers();

  /// The options behind the kind of a BIND.
  struct BindOptions {
    std::optional<uint64_t> set;
    std::optional<uint64_t> binding;
    std::optional<uint64_t> baseMipLevel;
    std::vector<uint64_t> dynamicOffsets;
    std::vector<uint64_t> offsets;
    std::vector<uint64_t> ranges;
  };

  llvm::Error readStatement(LineCursor &line);
  llvm::Error readAttach(LineCursor &line);
  llvm::Error readSpecialize(LineCursor &line);
  llvm::Error readBind(LineCursor &line);
  llvm::Error readOptimization(LineCursor &line);
  llvm::Error readCompileOptions(LineCursor &line);
  llvm::Error readSubgroup(LineCursor &line);
  llvm::Error readSubgroupOption(LineCursor &line);
  llvm::Error readForeign(LineCursor &line);
  llvm::Error readFramebufferSize(LineCursor &line);
  llvm::Error sizeImages(unsigned line);

  // AmberBindings.cpp
  llvm::Error readBuffers(LineCursor &line, bool isArray);
  llvm::Error bindBuffers(LineCursor &line, const BindingKindRow &row,
                          llvm::ArrayRef<AmberBuffer> buffers);
  llvm::Error readSamplers(LineCursor &line, bool isArray);
  llvm::Expected<unsigned> samplerNamed(LineCursor &line);
  llvm::Error readBindOptions(LineCursor &line, BindOptions &options, size_t buffers);
  llvm::Error readPlace(LineCursor &line, BindOptions &options);
  llvm::Error readNumbers(LineCursor &line, std::vector<uint64_t> &numbers, size_t count);
  llvm::Error checkOptions(const LineCursor &line, const BindingKindRow &row,
                           const BindOptions &options, size_t buffers);
  llvm::Error bindMemory(LineCursor &line, BufferBinding binding, const BindOptions &options,
                         size_t i);
  llvm::Error bindTexels(LineCursor &line, const BufferBinding &binding);
  llvm::Error bindImage(LineCursor &line, const BufferBinding &binding);
  llvm::Error placeBinding(LineCursor &line, const BufferBinding &binding);
  llvm::Expected<std::string> shaderNamed(LineCursor &line);

  AmberReader &m_reader;
  std::string m_name;
  CasePipeline m_pipeline;
  std::string m_shaderName;
  std::string m_entryPoint = "main";
  std::optional<Shader> m_optimized;
  bool m_attachedHere = false;
  bool m_derived = false;
  size_t m_inherited = 0; ///< The first so many bindings may be replaced.
  uint32_t m_framebufferWidth = 250, m_framebufferHeight = 250; ///< Amber's defaults.
};

} // namespace assay::input
