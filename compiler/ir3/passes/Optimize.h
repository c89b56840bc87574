// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimizations on SSA values.
#pragma once

#include "compiler/ir3/ir/Program.h"

namespace assay::ir3 {

/// Removes instructions without effect whose results nothing uses, and phis that only feed
/// themselves. Returns how many.
unsigned removeDeadCode(Program &program);
/// Sources read what a plain move copies wherever the operand-legality oracle permits it: values,
/// constants, immediates, relative constants of the same address, and negations.
unsigned propagateCopies(Program &program);
/// Replaces an instruction by an equal one that dominates it in the same block.
unsigned mergeCommonValues(Program &program);
/// A test of the 0 or 1 of a compare against 0 becomes the compare, which writes p0 itself.
unsigned foldCompares(Program &program);
/// A test of a bitwise operation on such values becomes the operation, which writes p0 itself (from
/// a5xx on: Mesa 25.0, ir3_compiler.c, bitops_can_write_predicates).
unsigned foldConditions(Program &program);
/// Choices between values that are 0 or 1 become bitwise operations of them, which
/// foldConditions() can use. Returns how many.
unsigned foldLogic(Program &program);
/// Integer instructions, reciprocals and roundings of constants become moves of what they compute,
/// integer instructions with a neutral or absorbing operand moves of an operand.
unsigned foldValues(Program &program);
/// Bytes of a buffer that become elements again are what resinfo.b has counted: a descriptor's
/// field for them has 30 bits (Mesa 25.0, a6xx.xml, A6XX_TEX_CONST_1).
unsigned foldLengths(Program &program);
/// Texture instructions write no components after the last one that is used. Returns how many have
/// changed.
unsigned trimTextures(Program &program);
/// Float arithmetic negates, and takes absolute values, in its operands, where the operand-legality
/// oracle permits it; so does absneg.s. Returns how many sources have changed.
unsigned foldNegations(Program &program);
/// An integer of 32 bits whose lower 16 are all that is used is computed into a half register.
unsigned foldConversions(Program &program);
/// All of them until nothing changes.
void optimizeProgram(Program &program);

} // namespace assay::ir3
