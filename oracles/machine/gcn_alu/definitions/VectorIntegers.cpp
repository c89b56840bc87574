// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_alu/definitions/Definition.h"

void assay::gcn::definitions::defineVectorIntegers(DefinitionSink) {}
