// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exports, from the chapters "Export" of AMD's ISA manuals (Vega, RDNA 1 to 4) and the formats EXP
// and VEXPORT there: a component is enabled or not, EXEC says whose values leave, COMPR puts two
// components of 16 bits into a register. What pairs of lanes have to do with dual source blending,
// the manuals do not say; it is LLVM's.
#include "oracles/machine/gcn/definitions/Effect.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

/// Empty when the generation has no such target.
std::string gcn::definitions::exportTarget(unsigned number, unsigned gfx) {
  auto numbered = [&](const char *name, unsigned first) {
    return name + std::to_string(number - first);
  };
  if (number <= 7)
    return numbered("mrt", 0);
  if (number == 8)
    return "mrtz";
  if (number == 9 && gfx <= 10)
    return "null";
  if (number >= 12 && number <= (gfx == 9 ? 15u : 16u))
    return numbered("pos", 12);
  if (number == 20 && gfx >= 10)
    return "prim";
  if ((number == 21 || number == 22) && gfx >= 11)
    return numbered("dual_src_blend", 21);
  if (number >= 32 && number <= 63 && gfx <= 10)
    return numbered("param", 32);
  return "";
}

/// Of GFX11's two targets of dual source blending, one takes the even and one the odd pixels; a
/// pair of lanes holds both colors of one pixel. LLVM (SIWholeQuadMode) exchanges them between all
/// lanes of the quad, but exports with EXEC of the pixels: an active lane takes its neighbour's
/// along.
static bool sendsPairs(const ExportFields &fields, unsigned gfx) {
  return gfx >= 11 && (fields.target == 21 || fields.target == 22);
}

/// What lanes that send have in \p component; 0 in the others.
static Lanes valuesOf(const ExportFields &fields, unsigned component, const World &world) {
  Lanes values{};
  auto read = [&](unsigned lane) {
    if (!fields.isCompressed) {
      values[lane] = world.v[fields.sources[component]][lane];
      return;
    }
    uint32_t pair = world.v[fields.sources[component / 2]][lane];
    values[lane] = component % 2 ? pair / 0x10000 : pair % 0x10000;
  };
  world.forLanes([&](unsigned lane) {
    read(lane);
    if (sendsPairs(fields, world.gfx))
      read(lane % 2 ? lane - 1 : lane + 1);
  });
  return values;
}

/// Of M0, RDNA 3.5's fields of an export count 8 bits.
constexpr unsigned RowCount = 256;

/// Records the export in World::exports. A target that does not exist ends the run.
static void send(const Request &request, World &world) {
  const ExportFields &fields = request.exported;
  Export sent;
  sent.target = exportTarget(fields.target, world.gfx);
  world.faults |= sent.target.empty();
  sent.isCompressed = fields.isCompressed;
  sent.isDone = fields.isDone;
  sent.lanes = world.exec();
  if (fields.isValidMask)
    sent.validMask = world.exec();
  if (fields.hasRow)
    sent.row = world.s[sreg::M0] % RowCount;
  for (unsigned component = 0; component < 4; ++component)
    if (fields.isEnabled[component])
      sent.components[component] = valuesOf(fields, component, world);
  world.exports.push_back(std::move(sent));
}

std::optional<Effect> gcn::definitions::exportEffect(StringRef name) {
  if (name != "exp" && name != "export")
    return std::nullopt;
  Effect effect;
  effect.run = send;
  return effect;
}
