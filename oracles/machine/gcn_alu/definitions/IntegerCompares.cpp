// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// v_cmp and v_cmpx on integers. Source: AMD's ISA manuals, "VOPC Instructions": eight relations, of
// which the constant ones go on GFX10 (16 bits) and GFX12.
#include "oracles/machine/gcn_alu/definitions/Definition.h"

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

/// In the order of the names below.
static const Meaning Relations[] = {
    [](Q) -> Answer { return Exact(0); },
    [](Q q) -> Answer { return Exact(q[0] < q[1]); },
    [](Q q) -> Answer { return Exact(q[0] == q[1]); },
    [](Q q) -> Answer { return Exact(q[0] <= q[1]); },
    [](Q q) -> Answer { return Exact(q[0] > q[1]); },
    [](Q q) -> Answer { return Exact(q[0] != q[1]); },
    [](Q q) -> Answer { return Exact(q[0] >= q[1]); },
    [](Q) -> Answer { return Exact(1); },
};

/// Defines v_cmp and v_cmpx for eight relations and six types. The constant relations end with GFX9
/// for 16 bits and with GFX11 for the others.
void definitions::defineIntegerCompares(DefinitionSink sink) {
  static constexpr const char *names[] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};
  for (const char *type : {"i16", "u16", "i32", "u32", "i64", "u64"})
    for (unsigned relation = 0; relation < 8; ++relation) {
      bool isConstant = relation == 0 || relation == 7;
      bool isShort = widthOf(parseShape(type).dst) == 16;
      std::string suffix = std::string("_") + names[relation] + "_" + type;
      if (isConstant)
        suffix += isShort ? "@9-9" : "@9-11";
      std::string shape = std::string("mask = ") + type + " " + type;
      sink({"v_cmp" + suffix, shape, Relations[relation]});
      sink({"v_cmpx" + suffix, shape + " exec", Relations[relation]});
    }
}
