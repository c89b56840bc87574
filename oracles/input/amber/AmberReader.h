// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AmberScript to a Case. The compute part is read completely; what is valid Amber beyond it becomes
// a reason in Case::unsupported, and only malformed text is an error.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/CaseBuilder.h"
#include "oracles/input/DrawVertices.h"
#include "oracles/input/ElementLayout.h"
#include "oracles/input/ScriptFiles.h"
#include "oracles/input/ScriptLines.h"
#include "oracles/input/Shaders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::input {

/// Reads AmberScript \p text; files it names are relative to the folder of \p path.
llvm::Expected<Case> readAmber(llvm::StringRef text, llvm::StringRef path,
                               const ReadOptions &options = {});

/// A declared shader; without a module when Assay can't use it, which is said where it matters.
struct AmberShader {
  std::string stageName;
  std::optional<ShaderStage> stage; ///< None: ATTACH says it (multi).
  std::optional<Shader> module;
};

/// A declared buffer or image. An opaque one has a format or a type that isn't read: the case is
/// unsupported already, so what refers to it is not checked.
struct AmberBuffer {
  unsigned index = 0; ///< Into Case::buffers, and into the reader's layouts.
  bool opaque = false;
  bool unsized = false; ///< BUFFER FORMAT: as big as the framebuffer of the pipeline that binds it.
  std::optional<ImageShape> shape;         ///< WIDTH and HEIGHT: an image once it is bound as one.
  std::optional<TexelFormat> vertexFormat; ///< Of VERTEX_DATA without FORMAT.
  bool isAttachment = false;               ///< Its size is that of a framebuffer.
};

/// A shader of a pipeline.
struct AttachedShader {
  std::string name;
  ShaderStage stage = ShaderStage::Compute;
  std::string entryPoint = "main";
  std::optional<Shader> optimized; ///< By SHADER_OPTIMIZATION.
  bool inherited = false;          ///< From the parent of a derived pipeline, its SPIR-V too.
};

/// A pipeline of the case is one of the script with one topology and one set of vertices.
struct DrawVariant {
  PrimitiveTopology topology = PrimitiveTopology::TriangleList;
  std::optional<unsigned> vertices; ///< Buffer of DRAW_RECT and DRAW_GRID; none: VERTEX_DATA.
  unsigned index = 0;               ///< Into Case::pipelines.
};

/// A declared pipeline.
struct AmberPipeline {
  unsigned index = 0;  ///< Into Case::pipelines: of all variants the first.
  bool opaque = false; ///< Not in the case, because of something unsupported.
  bool isGraphics = false;
  std::vector<AttachedShader> shaders;
  CasePipeline declared;               ///< As declared, without a topology.
  bool hasViewport = false;            ///< Else its viewport is the whole framebuffer.
  ColorTarget blend;                   ///< Of all its targets, without a format.
  std::optional<uint64_t> vertexCount; ///< Elements of the buffer of the first VERTEX_DATA.
  std::vector<DrawVariant> variants;   ///< Of a graphics pipeline.
  Clear clear;                         ///< What CLEAR writes as of now.
};

/// The reader. Handlers are in AmberReader.cpp (top level, shaders), AmberBuffers.cpp,
/// AmberImages.cpp (images, samplers), AmberStructs.cpp, AmberPipelines.cpp, AmberCommands.cpp,
/// AmberDraws.cpp and AmberExpect.cpp; each gets the line after its keyword.
class AmberReader {
public:
  AmberReader(llvm::StringRef text, llvm::StringRef path, const ReadOptions &options)
      : m_lines(text), m_files(path), m_versions(versionsForAmber(text, options)) {}

  /// Reads the whole script. Call it once.
  llvm::Expected<Case> read();

private:
  friend class AmberPipelineReader;
  using Handler = llvm::Error (AmberReader::*)(LineCursor &);
  struct HandlerRow {
    llvm::StringRef keyword;
    Handler handler;
    bool repeatable; ///< May be in REPEAT.
  };
  /// The statements of a script.
  static llvm::ArrayRef<HandlerRow> handlers();

  /// Reads up to the line #!amber.
  llvm::Error readHeader();
  /// Reads one statement to the end of its last line.
  llvm::Error readStatement(LineCursor &line, bool insideRepeat);
  /// Applies what concerns the whole script.
  llvm::Error finish();

  // AmberReader.cpp
  llvm::Error readDeviceRequirement(LineCursor &line);
  llvm::Error readInstanceExtension(LineCursor &line);
  llvm::Error readSet(LineCursor &line);
  llvm::Error readVirtualFile(LineCursor &line);
  llvm::Error readShader(LineCursor &line);
  llvm::Error readRepeat(LineCursor &line);
  llvm::Error readRepeated(const LineCursor &line);
  llvm::Error readForeignBlock(LineCursor &line);
  llvm::Expected<VersionCandidates> readTargetEnvironment(LineCursor &line) const;
  llvm::Expected<AmberShader> readShaderBody(LineCursor &line, llvm::StringRef name,
                                             AmberShader shader);
  llvm::Expected<std::string> readShaderText(LineCursor &line, llvm::StringRef name,
                                             unsigned &firstLine);
  /// Returns the physical lines up to END. \p what and \p firstLine are for messages.
  llvm::Expected<std::string> readRawBlock(llvm::StringRef what, unsigned firstLine);
  /// Steps over a block and the blocks in it. \p what and \p firstLine are for messages.
  llvm::Error skipToEnd(llvm::StringRef what, unsigned firstLine);

  // AmberBuffers.cpp
  llvm::Error readBuffer(LineCursor &line);
  llvm::Error readForeignBuffer(LineCursor &line, llvm::StringRef name);
  llvm::Error readTypedBuffer(LineCursor &line, llvm::StringRef name);
  llvm::Expected<ElementLayout> readElementLayout(LineCursor &line,
                                                  std::optional<TexelFormat> &texelFormat,
                                                  std::optional<TexelFormat> &vertexFormat);
  /// Returns the index of a new zeroed buffer, in Case::buffers and in m_layouts.
  llvm::Expected<unsigned> addBuffer(const LineCursor &line, llvm::StringRef name,
                                     const ElementLayout &layout, uint64_t elements);
  /// In this and the following functions, \p index is that of the buffer, and \p sized says that
  /// its size is known already.
  llvm::Error readInitializer(LineCursor &line, unsigned index, bool sized, bool mayBeBare);
  llvm::Error readData(LineCursor &line, unsigned index, bool sized);
  llvm::Error readFill(LineCursor &line, unsigned index);
  llvm::Error readSeries(LineCursor &line, unsigned index);
  llvm::Error readBufferFile(LineCursor &line, unsigned index, bool sized);
  llvm::Error readTextFile(LineCursor &line, unsigned index, llvm::StringRef content, bool sized);
  llvm::Error readPicture(LineCursor &line, unsigned index, llvm::StringRef name, bool sized);
  llvm::Expected<std::vector<uint64_t>> readValuesToEnd(LineCursor &line,
                                                        const ElementLayout &layout);
  llvm::Error setData(LineCursor &line, unsigned index, llvm::ArrayRef<uint64_t> values,
                      bool sized);
  /// Padding does not count.
  uint64_t countScalars(unsigned index) const;

  // AmberImages.cpp
  llvm::Error readImage(LineCursor &line);
  llvm::Error readFormatBuffer(LineCursor &line, llvm::StringRef name);
  /// Nothing for a format that makes the case unsupported.
  llvm::Expected<std::optional<TexelFormat>> readTexelFormat(LineCursor &line);
  /// Makes a buffer with a texel format an image.
  llvm::Error makeImage(const LineCursor &line, AmberBuffer &buffer, const ImageShape &shape);
  llvm::Error readSampler(LineCursor &line);

  // AmberStructs.cpp
  llvm::Error readStruct(LineCursor &line);
  llvm::Expected<StructMember> readMember(LineCursor &line);
  llvm::Expected<ElementLayout> structLayout(const LineCursor &line, llvm::StringRef name,
                                             BlockLayout layout) const;

  // AmberPipelines.cpp
  llvm::Error readPipeline(LineCursor &line);
  llvm::Error readDerivedPipeline(LineCursor &line);

  // AmberCommands.cpp
  llvm::Error readRun(LineCursor &line);
  llvm::Error readCopy(LineCursor &line);
  /// Returns a copy of the buffer that \p line names next.
  llvm::Expected<AmberBuffer> bufferNamed(LineCursor &line);
  /// Returns the pipeline that \p line names next.
  llvm::Expected<AmberPipeline *> pipelineNamed(LineCursor &line);

  // AmberDraws.cpp
  llvm::Error readDraw(LineCursor &line, AmberPipeline &pipeline);
  llvm::Error readDrawRect(LineCursor &line, AmberPipeline &pipeline);
  llvm::Error readDrawGrid(LineCursor &line, AmberPipeline &pipeline);
  llvm::Error readDrawArray(LineCursor &line, AmberPipeline &pipeline);
  llvm::Error addVertices(LineCursor &line, AmberPipeline &pipeline, PrimitiveTopology topology,
                          llvm::ArrayRef<float> positions);
  llvm::Expected<unsigned> vertexBufferOf(const LineCursor &line, llvm::ArrayRef<float> positions);
  /// Returns the index in Case::pipelines, where a missing variant is added.
  unsigned variantOf(AmberPipeline &pipeline, PrimitiveTopology topology,
                     std::optional<unsigned> vertices);
  llvm::Expected<AmberPipeline *> graphicsPipelineNamed(LineCursor &line);
  llvm::Error readClear(LineCursor &line);
  llvm::Error readClearColor(LineCursor &line);
  llvm::Error readClearDepth(LineCursor &line);
  llvm::Error readClearStencil(LineCursor &line);

  // AmberExpect.cpp
  llvm::Error readExpect(LineCursor &line);
  llvm::Error readExpectedValues(LineCursor &line, const AmberBuffer &buffer);
  llvm::Error readExpectedPixels(LineCursor &line, const AmberBuffer &buffer, uint64_t x,
                                 uint64_t y);
  llvm::Error addExpectedValues(Expectation expectation, llvm::ArrayRef<Tolerance> written,
                                const ElementLayout &layout);
  llvm::Error readBufferComparison(LineCursor &line, const AmberBuffer &buffer);

  ScriptLines m_lines;
  ScriptFiles m_files;
  VersionCandidates m_versions; ///< Of shaders without TARGET_ENV.
  CaseBuilder m_case;
  llvm::StringMap<AmberShader> m_shaders;
  llvm::StringMap<AmberBuffer> m_buffers;
  llvm::StringMap<unsigned> m_samplers; ///< Indices into Case::samplers.
  llvm::StringMap<std::unique_ptr<ScriptStruct>> m_structs;
  llvm::StringMap<AmberPipeline> m_pipelines;
  bool m_clearChanged = false;          ///< By CLEAR_COLOR, CLEAR_DEPTH, CLEAR_STENCIL.
  PositionBuffers m_positions;          ///< Of DRAW_RECT and DRAW_GRID.
  std::vector<ElementLayout> m_layouts; ///< One for each of Case::buffers.
};

/// The comparator that Amber calls \p name.
std::optional<Comparator> parseAmberComparator(llvm::StringRef name);

/// One to four tolerances, up to the first word that is none. InvalidInput for another number.
llvm::Expected<std::vector<Tolerance>> readAmberTolerances(LineCursor &line);

} // namespace assay::input
