// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For this folder's tests: kernels assembled to PAL ELFs, cases around them, and their results.
#pragma once

#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/gcn_isa/Assembler.h"
#include "support/Error.h"
#include "gtest/gtest.h"
#include <cstring>

namespace assay::gcn {

/// Assembler text that is put together from parts.
class AsmText {
public:
  AsmText(const char *text) : m_text(text) {}
  AsmText(std::string text) : m_text(std::move(text)) {}

  friend AsmText operator+(AsmText left, const AsmText &right) {
    left.m_text += right.m_text;
    return left;
  }
  friend AsmText operator+(AsmText left, const char *right) {
    left.m_text += right;
    return left;
  }
  friend AsmText operator+(const char *left, const AsmText &right) { return AsmText(left) + right; }
  operator llvm::StringRef() const { return m_text; }
  std::string str() const { return m_text; }

private:
  std::string m_text;
};

/// The parts of a test's metadata that tests vary.
struct KernelOptions {
  const char *target = "gfx1100";
  unsigned waveSize = 32;
  unsigned threads = 64;
  unsigned vgprs = 16;
  unsigned sgprs = 32;
  unsigned lds = 0;
  std::string userData = "[ 0x10000000, 0 ]"; ///< Global table, set 0.
  unsigned userSgprs = 2;
  bool isOnTwoUnits = false; ///< WGP mode.
};

inline std::string wrapKernel(const KernelOptions &options, llvm::StringRef body) {
  std::string text = R"(
.text
.globl _amdgpu_cs_main
.p2align 8
.type _amdgpu_cs_main,@function
_amdgpu_cs_main:
)" + body.str() + R"(
.Lend:
.size _amdgpu_cs_main, .Lend-_amdgpu_cs_main
.amdgpu_pal_metadata
---
amdpal.version: [ 3, 0 ]
amdpal.pipelines:
  - .type: Cs
    .hardware_stages:
      .cs:
        .entry_point_symbol: _amdgpu_cs_main
)";
  auto add = [&](llvm::StringRef key, const llvm::Twine &value) {
    text += "        " + key.str() + ": " + value.str() + "\n";
  };
  add(".wavefront_size", llvm::Twine(options.waveSize));
  add(".threadgroup_dimensions", "[ " + llvm::Twine(options.threads) + ", 1, 1 ]");
  add(".vgpr_count", llvm::Twine(options.vgprs));
  add(".sgpr_count", llvm::Twine(options.sgprs));
  add(".lds_size", llvm::Twine(options.lds));
  if (options.isOnTwoUnits)
    add(".wgp_mode", "true");
  add(".user_sgprs", llvm::Twine(options.userSgprs));
  add(".user_data_reg_map", options.userData);
  add(".float_mode", "0xc0");
  text += R"(    .compute_registers:
      .tgid_x_en: true
      .tidig_comp_cnt: 0
...
.end_amdgpu_pal_metadata
)";
  return text;
}

inline Buffer makeBuffer(std::vector<uint32_t> values) {
  Buffer buffer;
  buffer.bytes.resize(values.size() * 4);
  std::memcpy(buffer.bytes.data(), values.data(), buffer.bytes.size());
  return buffer;
}

/// One pipeline with one set of \p buffers as storage buffers, dispatched over \p groups.
inline Case makeCase(std::vector<Buffer> buffers, unsigned groups) {
  Case result;
  result.id = "test";
  CasePipeline pipeline;
  std::vector<DescriptorBinding> bindings;
  for (unsigned i = 0; i < buffers.size(); ++i) {
    BufferBinding binding;
    binding.buffer = binding.binding = i;
    pipeline.bindings.push_back(binding);
    bindings.push_back({0, i, 1});
  }
  pipeline.description.layout = makeResourceLayout(bindings, 0);
  result.pipelines.push_back(pipeline);
  result.buffers = std::move(buffers);
  Dispatch dispatch;
  dispatch.groups[0] = groups;
  result.commands.push_back(dispatch);
  return result;
}

inline llvm::Expected<Outcome> runKernel(const KernelOptions &options, llvm::StringRef body,
                                         const Case &input, RunOptions run = {}) {
  auto target = findTarget(options.target);
  if (!target)
    return target.takeError();
  auto elf = assembleElf(wrapKernel(options, body), options.target, options.waveSize);
  if (!elf)
    return elf.takeError();
  Artifact artifact(*elf);
  return createGcnMachine(**target)->run(input, artifact, run);
}

/// The outcome, or a failed test.
inline Outcome runOrFail(const KernelOptions &options, llvm::StringRef body, const Case &input,
                         RunOptions run = {}) {
  llvm::Expected<Outcome> outcome = runKernel(options, body, input, run);
  if (outcome)
    return *outcome;
  ADD_FAILURE() << takeError(outcome.takeError()).message;
  return {};
}

inline std::vector<uint32_t> words(const Outcome &outcome, unsigned buffer) {
  if (outcome.checkpoints.empty())
    return {};
  const std::vector<uint8_t> &bytes = outcome.checkpoints.back()[buffer].bytes;
  std::vector<uint32_t> result(bytes.size() / 4);
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

inline std::vector<uint32_t> iota(unsigned count, uint32_t first) {
  std::vector<uint32_t> result(count);
  for (unsigned i = 0; i < count; ++i)
    result[i] = first + i;
  return result;
}

/// Loads descriptor 0 to s[4:7] and descriptor 1 to s[8:11]; v1 = 4 * global invocation x.
/// s1: set 0's table, s2: workgroup id.
inline AsmText prologue(llvm::StringRef target, bool wait = true) {
  if (target == "gfx1201")
    return AsmText(R"(
  s_getpc_b64 s[14:15]
  s_mov_b32 s14, s1
  s_sext_i32_i16 s15, s15
  s_load_b256 s[4:11], s[14:15], 0x0
  v_and_b32 v0, 0x3ff, v0
  s_mov_b32 s2, ttmp9
  s_lshl_b32 s3, s2, 6
  v_add_nc_u32 v1, s3, v0
  v_lshlrev_b32 v1, 2, v1
)") + (wait ? "  s_wait_kmcnt 0x0\n" : "");
  bool isNew = target == "gfx1100";
  AsmText load = isNew ? "s_load_b256" : "s_load_dwordx8";
  AsmText add = target == "gfx900" ? "v_add_u32" : "v_add_nc_u32";
  return R"(
  s_getpc_b64 s[14:15]
  s_mov_b32 s14, s1
  )" + load +
         R"( s[4:11], s[14:15], 0x0
  v_and_b32 v0, 0x3ff, v0
  s_lshl_b32 s3, s2, 6
  )" + add +
         R"( v1, s3, v0
  v_lshlrev_b32 v1, 2, v1
)" + (wait ? "  s_waitcnt lgkmcnt(0)\n" : "");
}

struct TestChip {
  const char *target;
  unsigned waveSize;
};
constexpr TestChip TestChips[] = {{"gfx900", 64},  {"gfx1030", 32}, {"gfx1030", 64},
                                  {"gfx1100", 32}, {"gfx1100", 64}, {"gfx1201", 32},
                                  {"gfx1201", 64}};

inline bool isOld(llvm::StringRef target) {
  return target == "gfx900" || target == "gfx1030";
}

inline AsmText loadWord(llvm::StringRef target) {
  return isOld(target) ? "buffer_load_dword" : "buffer_load_b32";
}
inline AsmText storeWord(llvm::StringRef target) {
  return isOld(target) ? "buffer_store_dword" : "buffer_store_b32";
}
inline AsmText offset(llvm::StringRef target) {
  return target == "gfx1201" ? "null" : "0";
}
inline AsmText waitLoads(llvm::StringRef target) {
  return target == "gfx1201" ? "s_wait_loadcnt 0x0\n" : "s_waitcnt vmcnt(0)\n";
}
inline AsmText waitLds(llvm::StringRef target) {
  return target == "gfx1201" ? "s_wait_dscnt 0x0\n" : "s_waitcnt lgkmcnt(0)\n";
}

/// b[i] = 2.0 * a[i] + b[i]
inline AsmText saxpy(llvm::StringRef target, bool wait = true) {
  AsmText load = loadWord(target);
  AsmText none = offset(target);
  return prologue(target) + load + " v2, v1, s[4:7], " + none + " offen\n" + load +
         " v3, v1, s[8:11], " + none + " offen\n" + (wait ? waitLoads(target) : "") +
         "v_fma_f32 v4, v2, 2.0, v3\n" + storeWord(target) + " v4, v1, s[8:11], " + none +
         " offen\ns_endpgm\n";
}

inline uint32_t bits(float value) {
  uint32_t result;
  std::memcpy(&result, &value, 4);
  return result;
}

} // namespace assay::gcn
