// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lgc dialect in C++: a facade class per op (isa<FDivOp>(value), op.getSet()), LgcVisitor, and
// the verifier. Generated from Lgc.td.
#pragma once

#include "compiler/dialect/Dialect.h"
#include "compiler/dialect/Metadata.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include "compiler/dialect/Lgc.h.inc"
