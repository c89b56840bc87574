// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/dialect/Lgc.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;

#include "compiler/dialect/Lgc.cpp.inc"
