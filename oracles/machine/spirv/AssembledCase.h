// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the tests of this folder: a case made of a few lines of SPIR-V assembly, and its run.
#pragma once

#include "compiler/spirv/Module.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "support/Error.h"
#include "llvm/ADT/bit.h"
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace assay::reference::testing {

/// What a snippet may name: types, constants %u_0 to %u_40, %i_0 to %i_9, %f_0 to %f_4, buffers
/// %in, %out (uint arrays), %fin, %fout (float arrays), %gid (GlobalInvocationId), %lid
/// (LocalInvocationIndex), %shared (16 uints of workgroup memory).
struct Snippet {
  std::string body;         ///< Of main, without OpLabel, OpReturn and OpFunctionEnd.
  std::string interface;    ///< Further variables of the entry point.
  std::string locals;       ///< Variables of main.
  std::string globals;      ///< Further declarations.
  std::string decorations;  ///< Further annotations.
  std::string modes;        ///< Further execution modes.
  std::string capabilities; ///< And extensions.
  std::string memoryModel = "Logical GLSL450";
  std::string functions; ///< After main.
  bool hasShared = true; ///< Whether %shared is there.
  uint32_t localSize = 1;
  uint32_t groups = 1;
  std::vector<uint32_t> in;
  std::vector<float> fin;
  uint32_t outWords = 64;
  std::vector<SpecializationValue> specialization;
};

inline std::string preamble(const Snippet &snippet) {
  std::string text = "OpCapability Shader\n" + snippet.capabilities +
                     "%glsl = OpExtInstImport \"GLSL.std.450\"\n"
                     "OpMemoryModel " +
                     snippet.memoryModel +
                     "\n"
                     "OpEntryPoint GLCompute %main \"main\" %gidv %lidv %in %out %fin %fout " +
                     (snippet.hasShared ? "%shared " : "") + snippet.interface +
                     "\n"
                     "OpExecutionMode %main LocalSize " +
                     std::to_string(snippet.localSize) + " 1 1\n" + snippet.modes +
                     "OpDecorate %gidv BuiltIn GlobalInvocationId\n"
                     "OpDecorate %lidv BuiltIn LocalInvocationIndex\n"
                     "OpDecorate %uarr ArrayStride 4\nOpDecorate %farr ArrayStride 4\n"
                     "OpDecorate %ublock Block\nOpMemberDecorate %ublock 0 Offset 0\n"
                     "OpDecorate %fblock Block\nOpMemberDecorate %fblock 0 Offset 0\n" +
                     snippet.decorations;
  const char *buffers[] = {"in", "out", "fin", "fout"};
  for (unsigned i = 0; i < 4; ++i)
    text += std::string("OpDecorate %") + buffers[i] + " DescriptorSet 0\nOpDecorate %" +
            buffers[i] + " Binding " + std::to_string(i) + "\n";
  text += "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n"
          "%uint = OpTypeInt 32 0\n%int = OpTypeInt 32 1\n%float = OpTypeFloat 32\n";
  for (const char *type : {"bool", "uint", "int", "float"})
    for (unsigned n = 2; n <= 4; ++n)
      text += std::string("%") + type[0] + "vec" + std::to_string(n) + " = OpTypeVector %" + type +
              " " + std::to_string(n) + "\n";
  for (unsigned n = 2; n <= 4; ++n)
    text += "%mat" + std::to_string(n) + " = OpTypeMatrix %fvec" + std::to_string(n) + " " +
            std::to_string(n) + "\n";
  for (unsigned i = 0; i <= 40; ++i)
    text += "%u_" + std::to_string(i) + " = OpConstant %uint " + std::to_string(i) + "\n";
  for (unsigned i = 0; i <= 9; ++i)
    text += "%i_" + std::to_string(i) + " = OpConstant %int " + std::to_string(i) + "\n";
  for (unsigned i = 0; i <= 4; ++i)
    text += "%f_" + std::to_string(i) + " = OpConstant %float " + std::to_string(i) + "\n";
  text += "%true = OpConstantTrue %bool\n%false = OpConstantFalse %bool\n"
          "%u_264 = OpConstant %uint 264\n%u_72 = OpConstant %uint 72\n"
          "%uarr = OpTypeRuntimeArray %uint\n%farr = OpTypeRuntimeArray %float\n"
          "%ublock = OpTypeStruct %uarr\n%fblock = OpTypeStruct %farr\n"
          "%p_ublock = OpTypePointer StorageBuffer %ublock\n"
          "%p_fblock = OpTypePointer StorageBuffer %fblock\n"
          "%p_uint = OpTypePointer StorageBuffer %uint\n"
          "%p_float = OpTypePointer StorageBuffer %float\n"
          "%in = OpVariable %p_ublock StorageBuffer\n%out = OpVariable %p_ublock StorageBuffer\n"
          "%fin = OpVariable %p_fblock StorageBuffer\n%fout = OpVariable %p_fblock StorageBuffer\n"
          "%pi_uvec3 = OpTypePointer Input %uvec3\n%pi_uint = OpTypePointer Input %uint\n"
          "%gidv = OpVariable %pi_uvec3 Input\n%lidv = OpVariable %pi_uint Input\n"
          "%uarr16 = OpTypeArray %uint %u_16\n%pw_arr = OpTypePointer Workgroup %uarr16\n"
          "%pw_uint = OpTypePointer Workgroup %uint\n" +
          std::string(snippet.hasShared ? "%shared = OpVariable %pw_arr Workgroup\n" : "") +
          "%pf_uint = OpTypePointer Function %uint\n%pf_float = OpTypePointer Function %float\n" +
          snippet.globals;
  return text;
}

/// Loads %a, %b, %c from %in, %fa, %fb, %fc from %fin (those that are given), and %gid and %lid.
inline std::string loads(const Snippet &snippet) {
  std::string text = "%gid3 = OpLoad %uvec3 %gidv\n%gid = OpCompositeExtract %uint %gid3 0\n"
                     "%lid = OpLoad %uint %lidv\n";
  const char *names = "abcdefgh";
  for (size_t i = 0; i < snippet.in.size() && i < 8; ++i) {
    std::string name(1, names[i]), index = std::to_string(i);
    text += "%p" + name + " = OpAccessChain %p_uint %in %u_0 %u_" + index + "\n%" + name +
            " = OpLoad %uint %p" + name + "\n%i" + name + " = OpBitcast %int %" + name + "\n";
  }
  for (size_t i = 0; i < snippet.fin.size() && i < 8; ++i) {
    std::string name(1, names[i]), index = std::to_string(i);
    text += "%pf" + name + " = OpAccessChain %p_float %fin %u_0 %u_" + index + "\n%f" + name +
            " = OpLoad %float %pf" + name + "\n";
  }
  return text;
}

/// "Store %value of type TYPE at INDEX": one line for bodies.
inline std::string storeUint(const std::string &value, const std::string &index,
                             const std::string &buffer = "out") {
  static unsigned counter = 0;
  std::string pointer = "%sp" + std::to_string(counter++);
  return pointer + " = OpAccessChain %p_uint %" + buffer + " %u_0 " + index + "\nOpStore " +
         pointer + " " + value + "\n";
}
inline std::string storeFloat(const std::string &value, const std::string &index) {
  static unsigned counter = 0;
  std::string pointer = "%fsp" + std::to_string(counter++);
  return pointer + " = OpAccessChain %p_float %fout %u_0 " + index + "\nOpStore " + pointer + " " +
         value + "\n";
}

template <typename T> std::vector<uint8_t> bytesOf(const std::vector<T> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline Case makeCase(const Snippet &snippet) {
  std::string text = preamble(snippet) + "%main = OpFunction %void None %fn\n%entry = OpLabel\n" +
                     snippet.locals + loads(snippet) + snippet.body + "OpReturn\nOpFunctionEnd\n" +
                     snippet.functions;
  Case result;
  llvm::Expected<std::vector<uint32_t>> words = spirv::assemble(text);
  if (!words) {
    ADD_FAILURE() << takeError(words.takeError()).message << "\n" << text;
    return result;
  }
  CasePipeline pipeline;
  pipeline.name = "snippet";
  pipeline.description.addShader(ShaderStage::Compute).spirv = std::move(*words);
  pipeline.description.addShader(ShaderStage::Compute).specialization = snippet.specialization;
  std::vector<uint8_t> contents[4] = {
      bytesOf(snippet.in), std::vector<uint8_t>(size_t(snippet.outWords) * 4), bytesOf(snippet.fin),
      std::vector<uint8_t>(size_t(snippet.outWords) * 4)};
  for (unsigned i = 0; i < 4; ++i) {
    Buffer buffer;
    buffer.bytes = contents[i];
    result.buffers.push_back(buffer);
    BufferBinding binding;
    binding.buffer = binding.binding = i;
    pipeline.bindings.push_back(binding);
  }
  result.pipelines.push_back(pipeline);
  Dispatch dispatch;
  dispatch.groups[0] = snippet.groups;
  result.commands.push_back(dispatch);
  return result;
}

inline Outcome runCase(const Case &input, const RunOptions &options = {}) {
  llvm::Expected<Outcome> outcome = createSpirvMachine()->run(input, {}, options);
  if (!outcome) {
    ADD_FAILURE() << takeError(outcome.takeError()).message;
    Outcome failed;
    failed.kind = OutcomeKind::Trap;
    return failed;
  }
  return std::move(*outcome);
}
inline Outcome run(const Snippet &snippet) {
  return runCase(makeCase(snippet));
}

/// The state of %out (1) or %fout (3) at the end.
inline const BufferState &finalState(const Outcome &outcome, unsigned buffer = 1) {
  static const BufferState none;
  if (outcome.kind != OutcomeKind::Completed) {
    ADD_FAILURE() << outcome.reason;
    return none;
  }
  return outcome.checkpoints.back()[buffer];
}
inline uint32_t word(const BufferState &state, size_t index) {
  uint32_t value = 0;
  if (state.bytes.size() >= index * 4 + 4)
    std::memcpy(&value, &state.bytes[index * 4], 4);
  return value;
}
/// The rule of the finding, or the reason without one.
inline std::string ruleOf(const Outcome &outcome) {
  return outcome.findings.empty() ? outcome.reason : outcome.findings.front().rule;
}

} // namespace assay::reference::testing
