// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sections of a VkScript as data, and their replay into a Case. Buffers have no
// declarations there: what all commands together touch gives their sizes, so they are collected
// first. Writes between dispatches become new buffers and pipelines, because a Case only knows
// initial contents.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/CaseBuilder.h"
#include "oracles/input/DrawVertices.h"
#include "oracles/input/PixelProbe.h"
#include "oracles/input/Shaders.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace assay::input {

/// Kinds of buffers. A script names a buffer by its kind and binding.
enum class VkBufferKind : uint8_t { Ssbo, Ubo, Push };

/// (set, binding); both 0 for push constants.
using VkBinding = std::pair<uint32_t, uint32_t>;
using VkBufferKey = std::pair<VkBufferKind, VkBinding>;

/// ssbo B N.
struct VkSize {
  VkBufferKey key;
  uint64_t bytes = 0;
  unsigned line = 0;
};

/// ssbo B subdata, uniform ubo, push.
struct VkWrite {
  VkBufferKey key;
  DataFormat format;
  uint64_t offset = 0;          ///< Bytes.
  std::vector<uint64_t> values; ///< Bits, in the type of the format.
  unsigned line = 0;
};

/// compute x y z.
struct VkDispatch {
  uint64_t groups[3] = {1, 1, 1};
  unsigned line = 0;
};

/// STAGE entrypoint NAME.
struct VkEntryPoint {
  ShaderStage stage = ShaderStage::Compute;
  std::string name;
  unsigned line = 0;
};

/// probe ssbo; \p expectation lacks its buffer's index.
struct VkProbe {
  VkBufferKey key;
  Expectation expectation;
};

/// draw rect, draw arrays.
struct VkDraw {
  GraphicsState state; ///< As it is at this point, except for what follows from the attachments.
  bool isRect = false;
  bool isPatch = false; ///< Of draw rect.
  bool isOrtho = false; ///< \p area is in pixels.
  DrawArea area;        ///< Of draw rect.
  Draw draw;            ///< Without pipeline; of draw rect the number of vertices alone.
  unsigned line = 0;
};

/// clear: what the commands before it said.
struct VkClear {
  Clear clear;
};

/// probe of pixels.
struct VkPixels {
  /// Relative: place and size are parts of the framebuffer.
  enum class Area { Pixels, Relative, All } area = Area::Pixels;
  bool isRect = false; ///< Has a size.
  float place[4] = {0, 0, 1, 1};
  PixelProbe probe;
};

using VkCommand =
    std::variant<VkSize, VkWrite, VkDispatch, VkEntryPoint, VkProbe, VkDraw, VkClear, VkPixels>;

/// One column of [vertex data].
struct VkVertices {
  uint32_t location = 0;
  TexelFormat format = TexelFormat::Undefined;
  std::vector<uint64_t> values; ///< Bits, component after component.
};

/// All sections but [test].
struct VkProgram {
  std::map<ShaderStage, Shader> shaders;
  bool hasGraphics = false;     ///< Also where a shader isn't read.
  bool hasUnreadShader = false; ///< Of graphics: nothing is drawn then.
  TexelFormat colorFormat = *findTexelFormat(llvm::StringRef("B8G8R8A8_UNORM"));
  TexelFormat depthFormat = TexelFormat::Undefined;
  uint32_t width = 250, height = 250; ///< VkRunner's and Amber's defaults.
  std::vector<VkVertices> vertices;
  std::vector<uint64_t> indices;
  unsigned requireLine = 0, vertexLine = 0, indexLine = 0; ///< For messages; 0: not in the script.

  /// Null if there is no shader of this stage or it was not read.
  const Shader *find(ShaderStage stage) const;
};

/// Replays \p commands with \p program into \p builder. InvalidInput for a probe of a buffer that
/// does not exist, an unknown entry point, a dispatch or a draw without a shader.
class VkReplay {
public:
  VkReplay(CaseBuilder &builder, const VkProgram &program) : m_case(builder), m_program(program) {}

  /// Call it once. All commands are needed together, because they give the sizes of the buffers.
  llvm::Error run(llvm::ArrayRef<VkCommand> commands);
  /// After run(): where the buffer \p key stands now, if the script has it.
  std::optional<unsigned> find(const VkBufferKey &key) const {
    auto found = m_buffers.find(key);
    return found == m_buffers.end() ? std::nullopt : std::optional(found->second.index);
  }

private:
  /// Where a buffer of the script stands now.
  struct Live {
    unsigned index = 0;
    bool used = false; ///< By a dispatch: the next write needs a copy.
    unsigned copies = 0;
    /// Contents after a write that came after a probe, while no dispatch has run.
    std::vector<uint8_t> known;
  };

  llvm::Error createBuffers(llvm::ArrayRef<VkCommand> commands);
  llvm::Error replay(const VkSize &) { return llvm::Error::success(); }
  llvm::Error replay(const VkWrite &write);
  llvm::Error replay(const VkDispatch &dispatch);
  llvm::Error replay(const VkEntryPoint &entryPoint);
  llvm::Error replay(const VkProbe &probe);
  llvm::Error replay(const VkDraw &draw);
  llvm::Error replay(const VkClear &clear);
  llvm::Error replay(const VkPixels &pixels);
  llvm::Error makeWritable(const VkWrite &write, Live &live);
  llvm::Error writeSsboLater(const VkWrite &write, Live &live);
  llvm::StringRef entryPointOf(ShaderStage stage) const;
  void bindBuffers(CasePipeline &pipeline);
  unsigned addPipeline(CasePipeline pipeline);
  llvm::Expected<unsigned> currentPipeline(unsigned line);
  void markUsed();

  // VkScriptDraws.cpp
  llvm::Error createAttachments();
  llvm::Expected<unsigned> addImage(llvm::StringRef name, TexelFormat format);
  llvm::Error createVertices();
  llvm::Expected<CasePipeline> makeGraphics(const GraphicsState &state, unsigned line);
  llvm::Expected<unsigned> graphicsPipeline(const VkDraw &draw);
  llvm::Expected<unsigned> positionBuffer(const VkDraw &draw);

  CaseBuilder &m_case;
  const VkProgram &m_program;
  std::map<ShaderStage, std::string> m_entryPoints; ///< Others are main.
  bool m_dispatched = false;
  std::map<VkBufferKey, Live> m_buffers;
  std::optional<unsigned> m_color, m_depth, m_indices; ///< Indices into Case::buffers.
  std::vector<unsigned> m_vertices;                    ///< Likewise.
  PositionBuffers m_positions;
  std::vector<size_t> m_pendingClears; ///< Commands that still lack their pipeline.
  std::optional<unsigned> m_graphics;  ///< The last pipeline that draws.
  /// What makes pipelines different, in the order of Case::pipelines.
  struct PipelineKey {
    std::vector<std::string> entryPoints; ///< "stage name".
    std::vector<unsigned> buffers;        ///< Bound ones, then vertices.
    GraphicsState graphics;
    bool operator==(const PipelineKey &) const = default;
  };
  static PipelineKey keyOf(const CasePipeline &pipeline);
  std::vector<PipelineKey> m_pipelines;
};

} // namespace assay::input
