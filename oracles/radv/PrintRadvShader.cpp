// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/radv/RadvShader.h"
#include "oracles/radv/SetLayout.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::radv;

static constexpr StringRef stageNames[] = {"compute", "vertex", "fragment"};
static constexpr StringRef dataNames[] = {
    "scratch ring",          "descriptor set", "indirect sets",  "push constants",
    "inline push constants", "grid size",      "ring table",     "vertex buffers",
    "base vertex",           "draw id",        "start instance", "view index",
    "NGG culling",           "NGG viewport",   "NGG state",      "pixel state"};
static constexpr StringRef typeNames[] = {
    "sampler",        "combined image sampler", "sampled image",
    "storage image",  "uniform texel buffer",   "storage texel buffer",
    "uniform buffer", "storage buffer"};

static void printBindings(raw_ostream &os, const RadvShader &shader) {
  for (size_t i = 0; i < shader.bindings.size(); ++i) {
    uint32_t set = shader.bindings[i].set;
    if (i && shader.bindings[i - 1].set == set)
      continue;
    SetLayout layout = layOutSet(shader.bindings, set);
    os << "set " << set << ": " << layout.bytes << " bytes\n";
    for (size_t j = 0; j < layout.bindings.size(); ++j) {
      const PlacedBinding &placed = layout.bindings[j];
      os << "  binding " << placed.binding << ": " << typeNames[size_t(shader.bindings[i + j].type)]
         << ", " << placed.count << " from byte " << placed.offset << " on\n";
    }
  }
}

std::string radv::printRadvShader(const RadvShader &shader) {
  std::string text;
  raw_string_ostream os(text);
  os << "compiler: " << shader.compiler << "\ndriver: " << shader.driver
     << "\ntarget: " << shader.target << "\nstage: " << stageNames[size_t(shader.stage)] << "\n"
     << "rsrc1: " << format_hex(shader.rsrc1, 10) << "\nrsrc2: " << format_hex(shader.rsrc2, 10)
     << "\nrsrc3: " << format_hex(shader.rsrc3, 10) << "\nsgprs: " << shader.sgprs
     << "\nvgprs: " << shader.vgprs << "\nlds bytes: " << shader.ldsUnits * 512
     << "\nscratch bytes a wave: " << shader.scratchBytesPerWave
     << "\nwave size: " << shader.waveSize << "\nworkgroup: " << shader.blockSize[0] << " "
     << shader.blockSize[1] << " " << shader.blockSize[2]
     << "\ninline push constant mask: " << format_hex(shader.inlinePushMask, 10)
     << "\ncode bytes: " << shader.code.size() << ", of instructions: " << shader.execBytes << "\n";
  for (const UserRange &range : shader.userData) {
    os << "s" << range.first;
    if (range.count > 1)
      os << " to s" << range.first + range.count - 1;
    os << ": " << dataNames[size_t(range.data)];
    if (range.data == UserData::DescriptorSet)
      os << " " << range.set;
    os << "\n";
  }
  printBindings(os, shader);
  return text;
}
