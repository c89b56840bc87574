// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands of a VkScript [test] section as data, and their replay into a Case. Buffers have no
// declarations there: what all commands together touch gives their sizes, so they are collected
// first. Writes between dispatches become new buffers and pipelines, because a Case only knows
// initial contents.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/CaseBuilder.h"
#include "oracles/input/Shaders.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace assay::input {

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
  uint64_t offset = 0;
  std::vector<uint64_t> values;
  unsigned line = 0;
};

/// compute x y z.
struct VkDispatch {
  uint64_t groups[3] = {1, 1, 1};
  unsigned line = 0;
};

/// compute entrypoint NAME.
struct VkEntryPoint {
  std::string name;
  unsigned line = 0;
};

/// probe ssbo; \p expectation lacks its buffer's index.
struct VkProbe {
  VkBufferKey key;
  Expectation expectation;
};

using VkCommand = std::variant<VkSize, VkWrite, VkDispatch, VkEntryPoint, VkProbe>;

/// Replays \p commands with \p shader into \p builder. InvalidInput for a probe of a buffer that
/// does not exist, an unknown entry point, a dispatch without a shader.
class VkReplay {
public:
  VkReplay(CaseBuilder &builder, const Shader *shader) : m_case(builder), m_shader(shader) {}

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
    /// Contents after a write that came behind a probe, while no dispatch has run.
    std::vector<uint8_t> known;
  };

  llvm::Error createBuffers(llvm::ArrayRef<VkCommand> commands);
  llvm::Error replay(const VkSize &) { return llvm::Error::success(); }
  llvm::Error replay(const VkWrite &write);
  llvm::Error replay(const VkDispatch &dispatch);
  llvm::Error replay(const VkEntryPoint &entryPoint);
  llvm::Error replay(const VkProbe &probe);
  llvm::Error makeWritable(const VkWrite &write, Live &live);
  llvm::Error writeSsboLater(const VkWrite &write, Live &live);
  llvm::Expected<unsigned> currentPipeline(unsigned line);

  CaseBuilder &m_case;
  const Shader *m_shader;
  std::string m_entryPoint = "main";
  bool m_dispatched = false;
  std::map<VkBufferKey, Live> m_buffers;
  /// Entry point and buffer indices -> pipeline.
  std::map<std::pair<std::string, std::vector<unsigned>>, unsigned> m_pipelines;
};

} // namespace assay::input
