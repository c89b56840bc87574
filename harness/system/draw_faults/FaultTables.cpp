// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/system/draw_faults/FaultTables.h"

using namespace llvm;
using namespace assay;
using gcn::LaunchFault;
using radv::RadvGraphics;
using radv::Stage;

/// Faults of the launch, one a row: name, fault, case of corpora/graphics, chip. The case is one
/// that shows the fault on that chip.
static constexpr HardwareFault hardware[] = {
    {"ij-swapped", LaunchFault::IjSwapped, "interface-smooth", "gfx1030"},
    {"raw-parameters", LaunchFault::RawParameters, "interface-smooth", "gfx1100"},
    {"primitive-mask", LaunchFault::PrimitiveMask, "interface-noperspective", "gfx900"},
    {"parameter-base", LaunchFault::ParameterBase, "interface-noperspective", "gfx1030"},
    {"ring-swizzle", LaunchFault::RingSwizzle, "interface-many", "gfx1100"},
    {"ring-base", LaunchFault::RingBase, "interface-ring", "gfx1201"},
    {"no-helpers", LaunchFault::NoHelpers, "result-derivatives-edge", "gfx1030"},
    {"position-order", LaunchFault::PositionOrder, "builtin-frag-coord", "gfx1100"},
    {"face-inverted", LaunchFault::FaceInverted, "builtin-front-facing", "gfx900"},
    {"provoking-last", LaunchFault::ProvokingLast, "interface-flat", "gfx1030"},
    {"depth-lost", LaunchFault::DepthLost, "builtin-frag-coord", "gfx1100"},
    {"primitive-fields", LaunchFault::PrimitiveFields, "interface-flat", "gfx1201"},
    {"wave-counts", LaunchFault::WaveCounts, "interface-flat", "gfx1201"},
    {"instance-vgpr", LaunchFault::InstanceVgpr, "builtin-vertex-index", "gfx1100"},
    {"base-vertex", LaunchFault::BaseVertex, "builtin-vertex-index", "gfx900"},
    {"halves-swapped", LaunchFault::HalvesSwapped, "format-r16g16-sfloat", "gfx1030"},
    {"vertex-stride", LaunchFault::VertexStride, "interface-flat", "gfx1030"},
};

ArrayRef<HardwareFault> assay::hardwareFaults() {
  return hardware;
}

/// Exchanges what two kinds of user SGPRs hold.
static void exchange(radv::RadvShader &shader, radv::UserData first, radv::UserData second) {
  for (radv::UserRange &range : shader.userData)
    if (range.data == first)
      range.data = second;
    else if (range.data == second)
      range.data = first;
}

/// Name, case of corpora/graphics, chip, and the edit of the pipeline's registers. Bits are those
/// of the hardware registers that the RADV driver fills in.
static constexpr RegisterFault registers[] = {
    {"flat-on", "interface-smooth", "gfx900",
     [](RadvGraphics &p) { p.pixelRegisters.inputs[0] |= 1u << 10; }},
    {"next-parameter", "interface-many", "gfx1201",
     [](RadvGraphics &p) { p.pixelRegisters.inputs[0] ^= 1; }},
    {"default-value", "interface-noperspective", "gfx1100",
     [](RadvGraphics &p) { p.pixelRegisters.inputs[0] |= 1u << 5; }},
    {"input-not-enabled", "interface-smooth", "gfx1030",
     [](RadvGraphics &p) { p.pixelRegisters.inputEna = 1u << 5; }},
    {"input-not-there", "builtin-frag-coord", "gfx1100",
     [](RadvGraphics &p) { p.pixelRegisters.inputAddr ^= 1u << 1; }},
    {"linear-for-perspective", "interface-smooth", "gfx1201",
     [](RadvGraphics &p) {
       p.pixelRegisters.inputEna = p.pixelRegisters.inputEna << 4 & 0x70;
       p.pixelRegisters.inputAddr = p.pixelRegisters.inputAddr << 4 & 0x70;
     }},
    {"no-input", "interface-smooth", "gfx1030",
     [](RadvGraphics &p) { p.pixelRegisters.inputs.clear(); }},
    {"other-color-format", "format-r16g16-sfloat", "gfx1030",
     [](RadvGraphics &p) { p.pixelRegisters.colorFormat ^= 1; }},
    {"no-color-format", "interface-flat", "gfx1100",
     [](RadvGraphics &p) { p.pixelRegisters.colorFormat = 0; }},
    {"signed-colors", "format-r16-unorm", "gfx900",
     [](RadvGraphics &p) { p.pixelRegisters.colorFormat ^= 3; }},
    {"targets-moved", "result-two-targets", "gfx1030",
     [](RadvGraphics &p) { p.pixelRegisters.colorMask <<= 4; }},
    {"depth-not-exported", "result-depth", "gfx1201",
     [](RadvGraphics &p) { p.pixelRegisters.shaderControl &= ~1u; }},
    {"no-depth-format", "result-depth", "gfx900",
     [](RadvGraphics &p) { p.pixelRegisters.depthFormat = 0; }},
    {"mask-not-exported", "msaa-sample-mask-out-4", "gfx1030",
     [](RadvGraphics &p) { p.pixelRegisters.shaderControl &= ~(1u << 8); }},
    {"mask-of-32-bits", "msaa-sample-mask-out-2", "gfx1100",
     [](RadvGraphics &p) { p.pixelRegisters.depthFormat = 9; }},
    {"one-clip-distance-less", "builtin-clip-distance", "gfx1100",
     [](RadvGraphics &p) { p.vertexRegisters.outControl &= ~1u; }},
    {"clip-for-cull", "builtin-cull-distance", "gfx1030",
     [](RadvGraphics &p) { p.vertexRegisters.outControl &= ~0xff00u; }},
    {"no-point-size", "builtin-point-size", "gfx1030",
     [](RadvGraphics &p) { p.vertexRegisters.outControl &= ~(1u << 16); }},
    {"one-position-less", "builtin-clip-distance", "gfx1030",
     [](RadvGraphics &p) { p.vertexRegisters.positionFormat &= 0xf; }},
    {"bindings-exchanged", "vertex-instance-rate", "gfx1030",
     [](RadvGraphics &p) {
       std::swap(p.vertexRegisters.vertexBindings[0], p.vertexRegisters.vertexBindings[1]);
     }},
    {"no-instance-vgpr", "builtin-vertex-index", "gfx900",
     [](RadvGraphics &p) { p.vertex.rsrc1 &= ~(3u << 24); }},
    {"no-instance-vgpr-ngg", "builtin-vertex-index", "gfx1100",
     [](RadvGraphics &p) { p.vertex.rsrc2 &= ~(3u << 16); }},
    {"not-passthrough", "interface-flat", "gfx1030",
     [](RadvGraphics &p) { p.vertexRegisters.isPassthrough ^= 1; }},
    {"one-parameter-more", "interface-ring", "gfx1100",
     [](RadvGraphics &p) { ++p.vertexRegisters.parameters; }},
    {"base-vertex-for-instance", "builtin-vertex-index", "gfx1201",
     [](RadvGraphics &p) {
       exchange(p.vertex, radv::UserData::BaseVertex, radv::UserData::StartInstance);
     }},
    {"no-vertex-buffers", "interface-flat", "gfx1030",
     [](RadvGraphics &p) {
       exchange(p.vertex, radv::UserData::VertexBuffers, radv::UserData::BaseVertex);
     }},
};

ArrayRef<RegisterFault> assay::registerFaults() {
  return registers;
}

/// Clears and then sets bits of the first word of an instruction.
template <uint32_t Clear, uint32_t Set = 0> static void change(MutableArrayRef<uint32_t> words) {
  words[0] = (words[0] & ~Clear) | Set;
}
/// Inverts bits of the first word of an instruction, for fields of several bits.
template <uint32_t Flip> static void flip(MutableArrayRef<uint32_t> words) {
  words[0] ^= Flip;
}
/// Rotates the source registers of an export by one component: the first channel gets the second
/// register.
static void rotate(MutableArrayRef<uint32_t> words) {
  words[1] = words[1] >> 8 | words[1] << 24;
}
/// Replaces the first word of an instruction by s_endpgm, in the encoding up to GFX10.
static void end(MutableArrayRef<uint32_t> words) {
  words[0] = 0xbf810000;
}

/// Fields of an export's first word; target is the lowest bit of its field.
constexpr uint32_t done = 1u << 11, validMask = 1u << 12, target = 1u << 4;

/// Faults in machine code, one a row: name, case, chip, stage, the beginning of the instruction's
/// text, the edit, and the rule that reports it. The rule is empty where the pixels show the fault
/// or any rule may report it.
static constexpr CodeFault code[] = {
    {"pixel-done", "interface-flat", "gfx1030", Stage::Fragment, "exp", change<done>,
     "EXPORT-DONE"},
    {"pixel-done-gfx11", "interface-flat", "gfx1100", Stage::Fragment, "exp", change<done>,
     "EXPORT-DONE"},
    {"pixel-vm", "interface-flat", "gfx900", Stage::Fragment, "exp", change<validMask>,
     "EXPORT-DONE"},
    {"pixel-target", "interface-flat", "gfx1030", Stage::Fragment, "exp", flip<target>,
     "EXPORT-RANGE"},
    {"pixel-compressed", "format-r16g16-sfloat", "gfx1030", Stage::Fragment, "exp", flip<1u << 10>,
     ""},
    {"pixel-registers", "format-r32g32-sfloat", "gfx1100", Stage::Fragment, "exp", rotate, ""},
    {"pixel-end", "interface-smooth", "gfx1030", Stage::Fragment, "exp", end, "EXPORT-DONE"},
    {"position-done", "interface-flat", "gfx900", Stage::Vertex, "exp pos0", change<done>,
     "EXPORT-DONE"},
    {"position-registers", "interface-flat", "gfx1030", Stage::Vertex, "exp pos0", rotate, ""},
    {"parameter-number", "interface-flat", "gfx900", Stage::Vertex, "exp param0", flip<3 * target>,
     "EXPORT-RANGE"},
    {"primitive-done", "interface-flat", "gfx1030", Stage::Vertex, "exp prim", change<done>,
     "EXPORT-DONE"},
    {"no-primitive", "interface-flat", "gfx1100", Stage::Vertex, "exp prim", nullptr,
     "EXPORT-LANES"},
    {"no-request", "interface-flat", "gfx1030", Stage::Vertex, "s_sendmsg", nullptr,
     "EXPORT-RANGE"},
    {"no-primitive-mask", "interface-smooth", "gfx1030", Stage::Fragment, "s_mov_b32 m0", nullptr,
     ""},
    {"no-wait-for-vertex", "interface-flat", "gfx900", Stage::Vertex, "s_waitcnt vmcnt(0)", nullptr,
     "WAIT-RAW"},
    {"no-wait-for-parameter", "interface-smooth", "gfx1100", Stage::Fragment, "v_interp_p10",
     change<0, 7u << 8>, "WAIT-RAW"},
    {"no-wait-for-ring", "interface-flat", "gfx1100", Stage::Vertex, "s_waitcnt_vscnt", nullptr,
     "PARAM-EARLY"},
    {"no-whole-quads", "result-derivatives-edge", "gfx1030", Stage::Fragment, "s_wqm", nullptr, ""},
    {"other-weight", "interface-smooth", "gfx1030", Stage::Fragment, "v_interp_p2_f32", flip<1>,
     ""},
    {"other-channel", "interface-smooth", "gfx900", Stage::Fragment, "v_interp_p1_f32",
     flip<1u << 8>, ""},
    {"other-attribute", "interface-smooth", "gfx1201", Stage::Fragment, "ds_param_load",
     flip<1u << 10>, ""},
};

ArrayRef<CodeFault> assay::codeFaults() {
  return code;
}
