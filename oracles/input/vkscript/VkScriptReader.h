// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VkScript to a Case: sections in brackets, one shader of each stage, commands in [test].
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/CaseBuilder.h"
#include "oracles/input/ScriptFiles.h"
#include "oracles/input/ScriptLines.h"
#include "oracles/input/Shaders.h"
#include "oracles/input/vkscript/VkScriptState.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace assay::input {

/// Reads VkScript \p text; files that a shader includes are relative to the folder of \p path.
llvm::Expected<Case> readVkScript(llvm::StringRef text, llvm::StringRef path,
                                  const ReadOptions &options = {});

/// Collects the sections as data and replays them at the end.
class VkScriptReader {
public:
  VkScriptReader(llvm::StringRef text, llvm::StringRef path, const ReadOptions &options)
      : m_lines(text), m_files(path), m_versions(versionsForVkScript(text, options)) {
    m_state.colorTargets.resize(1);
    m_state.depthStencil.depthCompare = CompareOp::Always; // Amber's default.
  }

  llvm::Expected<Case> read();

private:
  using Handler = llvm::Error (VkScriptReader::*)(LineCursor &);
  struct HandlerRow {
    llvm::StringRef keyword;
    Handler handler;
  };
  static llvm::ArrayRef<HandlerRow> handlers();

  // Sections, VkScriptReader.cpp.
  llvm::Error readSection(llvm::StringRef header, unsigned line);
  llvm::Error readShaderSection(llvm::StringRef header, unsigned line);
  llvm::Error readRequire();
  llvm::Error readAttachmentFormat(LineCursor &line, bool isDepth);
  llvm::Error readFramebufferSize(LineCursor &line);
  llvm::Error readVertices(unsigned line);
  llvm::Error readVertexHeader(LineCursor &line);
  llvm::Error readVertexRows(LineCursor &line);
  llvm::Error readIndices(unsigned line);
  llvm::Error readTest();
  llvm::Error finish(VkReplay &replay);
  std::string takeSectionText();
  bool atSectionEnd() const;
  std::optional<llvm::StringRef> nextInSection();
  void skipBlankLines();

  // Commands, VkScriptCommands.cpp.
  llvm::Error readCommand(LineCursor &line);
  llvm::Error readSsbo(LineCursor &line);
  llvm::Error readUbo(LineCursor &line);
  llvm::Error readBuffer(LineCursor &line, VkBufferKind kind, BlockLayout &layout);
  llvm::Error readUniform(LineCursor &line);
  llvm::Error readPush(LineCursor &line);
  llvm::Error readCompute(LineCursor &line);
  llvm::Error readProbe(LineCursor &line);
  llvm::Error readProbeSsbo(LineCursor &line);
  llvm::Error readTolerance(LineCursor &line);
  llvm::Expected<VkBinding> readBinding(LineCursor &line);
  llvm::Expected<DataFormat> readType(LineCursor &line, BlockLayout layout);
  llvm::Error readValues(LineCursor &line, ScalarKind kind, std::vector<uint64_t> &values);
  llvm::Error readWrite(LineCursor &line, VkBufferKind kind, VkBinding binding);
  llvm::Error readLayout(LineCursor &line, BlockLayout &layout);

  // Graphics commands, VkScriptGraphics.cpp.
  llvm::Error readLogicOp(LineCursor &line, llvm::StringRef key);
  llvm::Error readDraw(LineCursor &line);
  llvm::Error readDrawRect(LineCursor &line);
  llvm::Error readDrawArrays(LineCursor &line);
  llvm::Error readClear(LineCursor &line);
  llvm::Error readPatch(LineCursor &line);
  llvm::Error readEntryPoint(LineCursor &line, ShaderStage stage);
  llvm::Error readVertexEntryPoint(LineCursor &line);
  llvm::Error readFragmentEntryPoint(LineCursor &line);
  llvm::Error readGeometryEntryPoint(LineCursor &line);
  llvm::Error readTessellationEntryPoint(LineCursor &line);
  llvm::Error readRelative(LineCursor &line);
  llvm::Error readPixels(LineCursor &line, bool isRelative);

  ScriptLines m_lines;
  ScriptFiles m_files;
  VersionCandidates m_versions;
  CaseBuilder m_case;
  VkProgram m_program;
  StageMask m_stagesSeen = 0; ///< Stages that have a section.
  bool m_testSeen = false;
  uint32_t m_subgroupSize = 0; ///< 0 = not asked for.
  BlockLayout m_ssboLayout = BlockLayout::Std430;
  BlockLayout m_uboLayout = BlockLayout::Std140;
  BlockLayout m_pushLayout = BlockLayout::Std430;
  std::vector<Tolerance> m_tolerances; ///< Of the next probe; empty: defaults.
  std::vector<VkCommand> m_commands;
  GraphicsState m_state; ///< Of the next draw.
  LogicOp m_logicOp = LogicOp::Clear;
  bool m_usesLogicOp = false; ///< logicOpEnable.
  Clear m_clear;              ///< What the next clear writes.
};

} // namespace assay::input
