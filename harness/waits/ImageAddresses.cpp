// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/waits/ImageAddresses.h"

#include "oracles/machine/gcn_isa/ImageAddress.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::waits;

namespace {
/// Suffixes of AMD's names for a dimension of SPIR-V.
struct DimensionName {
  spv::Dim dim;
  StringLiteral plain, array;
};
} // namespace

/// Arrays of cubes have the name of cubes.
static constexpr DimensionName names[] = {
    {spv::Dim::Dim1D, "1D", "1D_ARRAY"}, {spv::Dim::Dim2D, "2D", "2D_ARRAY"},
    {spv::Dim::Rect, "2D", "2D_ARRAY"},  {spv::Dim::Dim3D, "3D", "3D"},
    {spv::Dim::Cube, "CUBE", "CUBE"},
};

/// The dimension, as GFX10 encodes it, and whether instructions say "da"; nothing for buffers.
static std::optional<std::pair<unsigned, bool>> dimensionOf(const spirv::ImageType &type,
                                                            bool hasFlatLines) {
  spv::Dim dim = hasFlatLines && type.dim == spv::Dim::Dim1D ? spv::Dim::Dim2D : type.dim;
  const auto *row = find_if(names, [&](const DimensionName &each) { return each.dim == dim; });
  if (row == std::end(names))
    return std::nullopt;
  std::string name = "SQ_RSRC_IMG_";
  name += type.multisampled ? "2D_MSAA" : type.arrayed ? row->array : row->plain;
  name += type.multisampled && type.arrayed ? "_ARRAY" : "";
  return std::pair(gcn::dimensionOf(name), type.arrayed || dim == spv::Dim::Cube);
}

bool waits::completeAddresses(MutableArrayRef<gcn::Inst> insts, const spirv::Module &module,
                              bool hasFlatLines) {
  std::set<std::pair<unsigned, bool>> dimensions;
  for (const spirv::Instruction &global : module.globals)
    if (global.opcode == spv::Op::OpTypeImage)
      if (auto dimension = dimensionOf(module.type(global.resultId).image, hasFlatLines))
        dimensions.insert(*dimension);
  for (gcn::Inst &inst : insts) {
    if (!inst.form || inst.form->layout->format != gcn::Format::Mimg || inst.operands.size() < 2)
      continue;
    uint32_t flags = inst.form->row->flags;
    if (inst.mods.a16) // GFX9 packs gradients with the rest.
      flags |= gcn::image::Gradients16;
    std::set<unsigned> lengths;
    for (auto [dimension, isArray] : dimensions)
      if (isArray == inst.mods.da)
        lengths.insert(gcn::imageAddressDwords(flags, dimension, inst.mods.a16));
    if (lengths.size() != 1)
      return false;
    inst.operands[1].dwords = static_cast<uint8_t>(*lengths.begin());
  }
  return true;
}
