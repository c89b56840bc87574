// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lgc dialect: what the front-end asks of the middle-end (one op per method of Builder, which has
// the exact contracts), and the op by which passes of the middle-end speak to each other.
include "Dialect.td"

def Void : TypeConstraint<"$_type->isVoidTy()", "llvm::Type::getVoidTy($_context)", "void">;
def I32 : TypeConstraint<"$_type->isIntegerTy(32)", "llvm::Type::getInt32Ty($_context)", "i32">;
def BufferPtr : TypeConstraint<"isPointerTo($_type, 7)", "llvm::PointerType::get($_context, 7)",
                               "ptr addrspace(7)">;
def ConstantPtr : TypeConstraint<"isPointerTo($_type, 4)", "llvm::PointerType::get($_context, 4)",
                                 "ptr addrspace(4)">;
def AnyF32 : TypeConstraint<"$_type->getScalarType()->isFloatTy()", "", "f32 or a vector of f32">;
def AnyI32 : TypeConstraint<"$_type->getScalarType()->isIntegerTy(32)", "",
                            "i32 or a vector of i32">;
def Imm1 : ImmediateInt<1>;
def Imm32 : ImmediateInt<32>;

class LgcOp<string mnemonic, TypeConstraint result, dag arguments, list<Trait> traits,
            string summary> : Op<"lgc", mnemonic, result, arguments, traits, summary>;

// Resources. The first three live until LowerDesc and MutateEntryPoint.
def LoadBufferDescOp : LgcOp<"load.buffer.desc", BufferPtr,
    (ins Imm32:$set, Imm32:$binding, I32:$arrayIndex), [NoMemory],
    "Fat pointer to the start of a buffer.">;
def BufferLengthOp : LgcOp<"buffer.length", I32,
    (ins Imm32:$set, Imm32:$binding, I32:$arrayIndex), [NoMemory], "Bytes of a buffer.">;
def PushConstantsPtrOp : LgcOp<"push.constants.ptr", ConstantPtr, (ins), [NoMemory, Speculatable],
    "Address of byte 0 of the push constants.">;
def DescriptorTableOp : LgcOp<"descriptor.table", ConstantPtr, (ins Imm32:$set),
    [NoMemory, Speculatable],
    "Address of a set's descriptor table. Made by LowerDesc, lowered by MutateEntryPoint.">;

// Inputs and control. `builtIn` is a number of enum BuiltIn.
def ReadBuiltInOp : LgcOp<"read.built.in", AnyI32, (ins Imm32:$builtIn), [NoMemory, Speculatable],
    "The value of a built-in.">;
def BarrierOp : LgcOp<"barrier", Void, (ins), [Convergent], "Execution barrier of the workgroup.">;

// Arithmetic whose precision or edge cases stock LLVM instructions do not fix.
class FloatOp<string mnemonic, dag arguments, string summary>
    : LgcOp<mnemonic, AnyF32, arguments, [NoMemory, Speculatable], summary>;
def FDivOp : FloatOp<"fdiv", (ins SameAsResult:$dividend, SameAsResult:$divisor), "Quotient.">;
def InverseSqrtOp : FloatOp<"inverse.sqrt", (ins SameAsResult:$x), "1 / sqrt(x).">;
def FModOp : FloatOp<"fmod", (ins SameAsResult:$x, SameAsResult:$y), "x - y * floor(x / y).">;
def FractOp : FloatOp<"fract", (ins SameAsResult:$x), "x - floor(x), below 1.">;
def FClampOp : FloatOp<"fclamp", (ins SameAsResult:$x, SameAsResult:$lo, SameAsResult:$hi),
    "min(max(x, lo), hi).">;
def SinOp : FloatOp<"sin", (ins SameAsResult:$x), "Sine of radians.">;
def CosOp : FloatOp<"cos", (ins SameAsResult:$x), "Cosine of radians.">;
def Exp2Op : FloatOp<"exp2", (ins SameAsResult:$x), "2 to the power of x.">;
def Log2Op : FloatOp<"log2", (ins SameAsResult:$x), "Logarithm to base 2.">;

// A division by zero is undefined, so this one must not be moved out of its branch.
def SModOp : LgcOp<"smod", AnyI32, (ins SameAsResult:$x, SameAsResult:$y), [NoMemory],
    "Remainder with the sign of the divisor.">;

class IntegerOp<string mnemonic, dag arguments, string summary>
    : LgcOp<mnemonic, AnyI32, arguments, [NoMemory, Speculatable], summary>;
def ExtractBitFieldOp : IntegerOp<"extract.bit.field",
    (ins SameAsResult:$base, I32:$offset, I32:$count, Imm1:$isSigned), "A field of bits of base.">;
def InsertBitFieldOp : IntegerOp<"insert.bit.field",
    (ins SameAsResult:$base, SameAsResult:$insert, I32:$offset, I32:$count),
    "base with a field of bits replaced.">;
def FindMsbOp : IntegerOp<"find.msb", (ins SameAsResult:$x, Imm1:$isSigned),
    "Index of the most significant bit, or -1.">;
