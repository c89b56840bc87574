// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AmberScript to a Case. The compute part is read completely; what is valid Amber beyond it becomes
// a reason in Case::unsupported, and only malformed text is an error.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/CaseBuilder.h"
#include "oracles/input/ScriptFiles.h"
#include "oracles/input/ScriptLines.h"
#include "oracles/input/Shaders.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace assay::input {

/// Reads AmberScript \p text; files it names are relative to the folder of \p path.
llvm::Expected<Case> readAmber(llvm::StringRef text, llvm::StringRef path);

/// A declared shader; without a module when Assay can't use it, which is said where it matters.
struct AmberShader {
  std::string stage;
  std::optional<Shader> module;
};

/// A declared buffer or image. An opaque one has a format or a type that isn't read: the case is
/// unsupported already, so what refers to it is not checked.
struct AmberBuffer {
  unsigned index = 0;
  bool opaque = false;
};

/// A declared pipeline; opaque = graphics or ray tracing.
struct AmberPipeline {
  unsigned index = 0;
  bool opaque = false;
  std::string shader; ///< Name of the attached shader; empty before ATTACH.
};

/// The reader. Handlers stand in AmberReader.cpp (top level, shaders), AmberBuffers.cpp,
/// AmberPipelines.cpp and AmberCommands.cpp; each gets the line after its keyword.
class AmberReader {
public:
  AmberReader(llvm::StringRef text, llvm::StringRef path) : m_lines(text), m_files(path) {}

  llvm::Expected<Case> read();

private:
  friend class AmberPipelineReader;
  using Handler = llvm::Error (AmberReader::*)(LineCursor &);
  struct HandlerRow {
    llvm::StringRef keyword;
    Handler handler;
    bool repeatable; ///< May stand in REPEAT.
  };
  static llvm::ArrayRef<HandlerRow> handlers();

  llvm::Error readStatement(LineCursor &line, bool insideRepeat);

  // AmberReader.cpp
  llvm::Error readDeviceRequirement(LineCursor &line);
  llvm::Error readSet(LineCursor &line);
  llvm::Error readVirtualFile(LineCursor &line);
  llvm::Error readShader(LineCursor &line);
  llvm::Error readRepeat(LineCursor &line);
  llvm::Error readForeignName(LineCursor &line);
  llvm::Error readForeignBlock(LineCursor &line);
  llvm::Error readClear(LineCursor &line);
  llvm::Expected<AmberShader> readShaderBody(LineCursor &line, llvm::StringRef name,
                                             llvm::StringRef stage);
  llvm::Expected<std::string> readShaderText(LineCursor &line, unsigned &firstLine);
  llvm::Expected<std::string> readRawBlock(llvm::StringRef what, unsigned firstLine);
  llvm::Error skipToEnd(llvm::StringRef what, unsigned firstLine);

  // AmberBuffers.cpp
  llvm::Error readBuffer(LineCursor &line);
  llvm::Error readImage(LineCursor &line);
  llvm::Error readForeignBuffer(LineCursor &line, llvm::StringRef name, const llvm::Twine &why);
  llvm::Error readTypedBuffer(LineCursor &line, llvm::StringRef name);
  llvm::Error readInitializer(LineCursor &line, unsigned index, uint64_t elements);
  llvm::Error readData(LineCursor &line, unsigned index);
  llvm::Error readFill(LineCursor &line, unsigned index);
  llvm::Error readSeries(LineCursor &line, unsigned index);
  llvm::Error readBufferFile(LineCursor &line, unsigned index, bool sized);
  llvm::Expected<std::vector<uint64_t>> readValuesToEnd(LineCursor &line, ScalarKind kind);
  llvm::Error setData(LineCursor &line, unsigned index, llvm::ArrayRef<uint64_t> values,
                      bool sized);

  // AmberPipelines.cpp
  llvm::Error readPipeline(LineCursor &line);
  llvm::Error readDerivedPipeline(LineCursor &line);

  // AmberCommands.cpp
  llvm::Error readRun(LineCursor &line);
  llvm::Error readCopy(LineCursor &line);
  llvm::Error readExpect(LineCursor &line);
  llvm::Error readExpectedValues(LineCursor &line, const AmberBuffer &buffer);
  llvm::Error readBufferComparison(LineCursor &line, const AmberBuffer &buffer);
  llvm::Expected<AmberBuffer> bufferNamed(LineCursor &line);
  llvm::Expected<AmberPipeline *> pipelineNamed(LineCursor &line);

  ScriptLines m_lines;
  ScriptFiles m_files;
  CaseBuilder m_case;
  llvm::StringMap<AmberShader> m_shaders;
  llvm::StringMap<AmberBuffer> m_buffers;
  llvm::StringMap<AmberPipeline> m_pipelines;
  llvm::StringMap<bool> m_foreignNames; ///< Samplers, structures and the like.
};

/// The comparator that Amber calls \p name.
std::optional<Comparator> parseAmberComparator(llvm::StringRef name);

} // namespace assay::input
