// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lgc dialect: what the front-end asks of the middle-end (one op per method of Builder, which has
// the exact contracts), and the op by which passes of the middle-end speak to each other.
include "Dialect.td"

def Lgc : Dialect<"Lgc", "lgc">;

def Void : TypeConstraint<"$_type->isVoidTy()", "llvm::Type::getVoidTy($_context)", "void">;
def I32 : TypeConstraint<"$_type->isIntegerTy(32)", "llvm::Type::getInt32Ty($_context)", "i32">;
def BufferPtr : TypeConstraint<"isPointerTo($_type, 7)", "llvm::PointerType::get($_context, 7)",
                               "ptr addrspace(7)">;
def ConstantPtr : TypeConstraint<"isPointerTo($_type, 4)", "llvm::PointerType::get($_context, 4)",
                                 "ptr addrspace(4)">;
def AnyFloat : TypeConstraint<"$_type->getScalarType()->isIEEELikeFPTy()", "",
                              "a float or a vector of floats">;
def AnyI32 : TypeConstraint<"$_type->getScalarType()->isIntegerTy(32)", "",
                            "i32 or a vector of i32">;
def AnyInt : TypeConstraint<"$_type->getScalarType()->isIntegerTy()", "",
                            "an integer or a vector of integers">;
class VectorOf<int count, string scalar, string text>
    : TypeConstraint<"$_type == llvm::FixedVectorType::get(llvm::Type::get" # scalar #
                         "Ty($_type->getContext()), " # count # ")",
                     "llvm::FixedVectorType::get(llvm::Type::get" # scalar # "Ty($_context), " #
                         count # ")", "<" # count # " x " # text # ">">;
def V4I32 : VectorOf<4, "Int32", "i32">;
def V8I32 : VectorOf<8, "Int32", "i32">;
def V3F32 : VectorOf<3, "Float", "float">;
def V4F32 : VectorOf<4, "Float", "float">;
def F32 : TypeConstraint<"$_type->isFloatTy()", "llvm::Type::getFloatTy($_context)", "float">;
def AnyTexel : TypeConstraint<"isTexel($_type)", "",
                              "a scalar or vector of four of f32, i32 or i64">;
def AnyTexelRead : TypeConstraint<"isTexel($_type) || isSparseTexel($_type)", "",
                                  "a texel, or a structure of a texel and i32">;
def V2F32 : VectorOf<2, "Float", "float">;
def I1 : TypeConstraint<"$_type->isIntegerTy(1)", "llvm::Type::getInt1Ty($_context)", "i1">;
def AnyScalar : TypeConstraint<
    "($_type->isIntegerTy() && $_type->getIntegerBitWidth() >= 8 && "
    "$_type->getIntegerBitWidth() <= 64) || $_type->isHalfTy() || $_type->isFloatTy() || "
    "$_type->isDoubleTy()", "", "i8 to i64, f16, f32 or f64">;
def I64 : TypeConstraint<"$_type->isIntegerTy(64)", "llvm::Type::getInt64Ty($_context)", "i64">;
def TwiceAsWide : TypeConstraint<
    "$_type->getScalarType()->isIEEELikeFPTy() && "
    "$_type->getScalarSizeInBits() == 2 * $_result->getScalarSizeInBits() && "
    "$_type == $_result->getWithNewType($_type->getScalarType())", "",
    "floats of twice the width of the result">;
def Imm1 : ImmediateInt<1>;
def Imm32 : ImmediateInt<32>;

class LgcOp<string mnemonic, TypeConstraint result, dag arguments, list<Trait> traits,
            string summary> : Op<Lgc, mnemonic, result, arguments, traits, summary>;

// Resources.
def LoadBufferDescOp : LgcOp<"load.buffer.desc", BufferPtr,
    (ins Imm32:$set, Imm32:$binding, I32:$arrayIndex), [NoMemory],
    "Fat pointer to the start of a buffer.">;
def BufferLengthOp : LgcOp<"buffer.length", I32,
    (ins Imm32:$set, Imm32:$binding, I32:$arrayIndex), [NoMemory], "Bytes of a buffer.">;
def BufferPtrDifferenceOp : LgcOp<"buffer.ptr.difference", I32, (ins BufferPtr:$x, BufferPtr:$y),
    [NoMemory, Speculatable],
    "The bitwise or of the dwords in which two fat pointers differ: 0 where they are the same.">;
def PushConstantsPtrOp : LgcOp<"push.constants.ptr", ConstantPtr, (ins), [NoMemory, Speculatable],
    "Address of byte 0 of the push constants.">;
def DescriptorTableOp : LgcOp<"descriptor.table", ConstantPtr, (ins Imm32:$set),
    [NoMemory, Speculatable],
    "Address of a set's descriptor table. Made by LowerDesc, lowered by MutateEntryPoint.">;

// Inputs and control. `builtIn` is a number of enum BuiltIn.
def ReadBuiltInOp : LgcOp<"read.built.in", AnyI32, (ins Imm32:$builtIn), [NoMemory, Speculatable],
    "The value of a built-in.">;
def ReadClockOp : LgcOp<"read.clock", I64, (ins Imm1:$isDevice), [],
    "A clock that never goes back. Lowered by LowerClock, which knows the target.">;
def BarrierOp : LgcOp<"barrier", Void, (ins), [Convergent], "Execution barrier of the workgroup.">;
def OpaqueTrueOp : LgcOp<"opaque.true", I1, (ins), [NoMemory],
    "True, but no pass may know it.">;
def AnchorOp : LgcOp<"anchor", Void, (ins), [Convergent, NoDuplicate],
    "Nothing; keeps its block from being removed or made twice.">;

// Inputs and outputs of graphics stages, scalar by scalar (lgc/InOut.h). A value is given as 32 bits; `format`
// is an InOutType, `interpolation` an Interpolation. `builtIn` is a number of spv::BuiltIn, `element` counts
// its scalars. compiler/lgc/link lowers what both stages agree on; architectures lower the rest.
def ReadInputOp : LgcOp<"read.input", I32,
    (ins Imm32:$location, Imm32:$component, Imm32:$format, Imm32:$interpolation),
    [NoMemory, Speculatable], "A scalar that the preceding stage, or the vertex fetch, provides.">;
// An input at a place of the fragment shader's choice: `i` and `j` are the weights of the second and third vertex.
def InterpolateInputOp : LgcOp<"interpolate.input", I32,
    (ins Imm32:$location, Imm32:$component, Imm32:$format, F32:$i, F32:$j), [NoMemory, Speculatable],
    "A scalar input interpolated with given weights.">;
def ReadVertexInputOp : LgcOp<"read.vertex.input", I32,
    (ins Imm32:$location, Imm32:$component, Imm32:$format, Imm32:$vertex), [NoMemory, Speculatable],
    "What vertex 0, 1 or 2 of the primitive provides for a scalar input.">;
def SampleOffsetOp : LgcOp<"sample.offset", V2F32, (ins I32:$sample), [NoMemory, Speculatable],
    "Where a sample is, in pixels from the pixel's center; 0 without multisampling.">;
def WriteOutputOp : LgcOp<"write.output", Void,
    (ins Imm32:$location, Imm32:$component, Imm32:$index, Imm32:$format, I32:$value), [],
    "Writes a scalar for the next stage, or for a color attachment.">;
def ReadStageBuiltInOp : LgcOp<"read.stage.built.in", I32, (ins Imm32:$builtIn, Imm32:$element),
    [NoMemory, Speculatable], "A scalar of a built-in input of a graphics stage.">;
def WriteStageBuiltInOp : LgcOp<"write.stage.built.in", Void,
    (ins Imm32:$builtIn, Imm32:$element, I32:$value), [],
    "Writes a scalar of a built-in output of a graphics stage.">;
// What hardware or driver puts into registers at the start; `input` is a number of the architecture's table. Made
// and lowered by the architecture.
def StageInputOp : LgcOp<"stage.input", AnyI32, (ins Imm32:$input), [NoMemory, Speculatable],
    "A register at the start of a graphics stage.">;
// Of fragment shaders. `kind` is a Derivative.
def DerivativeOp : LgcOp<"derivative", AnyFloat, (ins SameAsResult:$x, Imm32:$kind),
    [NoMemory, Convergent], "How a value changes from pixel to pixel.">;
def TerminateInvocationOp : LgcOp<"terminate.invocation", Void, (ins), [],
    "Ends the invocation, whose outputs are discarded. Unreachable follows.">;
def DemoteOp : LgcOp<"demote", Void, (ins), [],
    "Makes the invocation a helper invocation, whose outputs and stores are discarded.">;
def IsHelperOp : LgcOp<"is.helper", I1, (ins), [], "Whether this is a helper invocation by now.">;

// Arithmetic whose precision or edge cases stock LLVM instructions do not fix.
class FloatOp<string mnemonic, dag arguments, string summary>
    : LgcOp<mnemonic, AnyFloat, arguments, [NoMemory, Speculatable], summary>;
def FDivOp : FloatOp<"fdiv", (ins SameAsResult:$dividend, SameAsResult:$divisor), "Quotient.">;
def InverseSqrtOp : FloatOp<"inverse.sqrt", (ins SameAsResult:$x), "1 / sqrt(x).">;
def FModOp : FloatOp<"fmod", (ins SameAsResult:$x, SameAsResult:$y), "x - y * floor(x / y).">;
def FractOp : FloatOp<"fract", (ins SameAsResult:$x), "x - floor(x), below 1.">;
def FClampOp : FloatOp<"fclamp", (ins SameAsResult:$x, SameAsResult:$lo, SameAsResult:$hi),
    "min(max(x, lo), hi).">;
// Of f64 to f32 and of f32 to f16, in a rounding mode of its own.
def FPTruncOp : FloatOp<"fptrunc", (ins TwiceAsWide:$x, Imm1:$towardZero),
    "x, correctly rounded toward zero or to the nearest even.">;
def SinOp : FloatOp<"sin", (ins SameAsResult:$x), "Sine of radians.">;
def CosOp : FloatOp<"cos", (ins SameAsResult:$x), "Cosine of radians.">;
def Exp2Op : FloatOp<"exp2", (ins SameAsResult:$x), "2 to the power of x.">;
def Log2Op : FloatOp<"log2", (ins SameAsResult:$x), "Logarithm to base 2.">;

// A division by zero is undefined, so this one must not be moved out of its branch.
def SModOp : LgcOp<"smod", AnyInt, (ins SameAsResult:$x, SameAsResult:$y), [NoMemory],
    "Remainder with the sign of the divisor.">;

class IntegerOp<string mnemonic, dag arguments, string summary>
    : LgcOp<mnemonic, AnyInt, arguments, [NoMemory, Speculatable], summary>;
def ExtractBitFieldOp : IntegerOp<"extract.bit.field",
    (ins SameAsResult:$base, I32:$offset, I32:$count, Imm1:$isSigned), "A field of bits of base.">;
def InsertBitFieldOp : IntegerOp<"insert.bit.field",
    (ins SameAsResult:$base, SameAsResult:$insert, I32:$offset, I32:$count),
    "base with a field of bits replaced.">;
def FindMsbOp : IntegerOp<"find.msb", (ins SameAsResult:$x, Imm1:$isSigned),
    "Index of the most significant bit, or -1.">;

// Images. `dim` is an ImageDim, `flags` are ImageFlags, `operation` is an ImageAtomic (lgc/Image.h);
// what the flags do not name is poison. Coordinates are padded to four components. With ImageSparse the result
// is {texel, residency}. `lod` is the bias where the flags say so. Calls with implicit levels are convergent.
// All but the first live until LowerImage, that until LowerDesc.
def DescriptorPtrOp : LgcOp<"descriptor.ptr", ConstantPtr,
    (ins Imm32:$set, Imm32:$binding, Imm32:$part, I32:$arrayIndex), [NoMemory],
    "Address of a descriptor, or of the part of it that a DescriptorPart names.">;
def ImageLoadOp : LgcOp<"image.load", AnyTexelRead,
    (ins Imm32:$dim, Imm32:$flags, V8I32:$image, V4I32:$coordinate, I32:$lod), [],
    "A texel.">;
def ImageStoreOp : LgcOp<"image.store", Void,
    (ins Imm32:$dim, Imm32:$flags, V8I32:$image, V4I32:$coordinate, V4I32:$texel), [],
    "Writes a texel, given as bits.">;
def ImageSampleOp : LgcOp<"image.sample", AnyTexelRead,
    (ins Imm32:$dim, Imm32:$flags, V8I32:$image, V4I32:$sampler, V4F32:$coordinate, F32:$lod,
         V3F32:$gradientX, V3F32:$gradientY, I32:$offset, F32:$compare, F32:$minLod), [],
    "A filtered texel, or how it compares.">;
def ImageGatherOp : LgcOp<"image.gather", AnyTexelRead,
    (ins Imm32:$dim, Imm32:$flags, Imm32:$component, V8I32:$image, V4I32:$sampler,
         V4F32:$coordinate, I32:$offset, F32:$compare, F32:$lod), [],
    "One component of four texels.">;
def ImageQueryLodOp : LgcOp<"image.query.lod", V2F32,
    (ins Imm32:$dim, V8I32:$image, V4I32:$sampler, V4F32:$coordinate), [NoMemory, Convergent],
    "The level that is sampled with an implicit one, and the level before it is clamped.">;
def ImageAtomicOp : LgcOp<"image.atomic", AnyTexel,
    (ins Imm32:$dim, Imm32:$flags, Imm32:$operation, V8I32:$image, V4I32:$coordinate,
         SameAsResult:$value, SameAsResult:$comparator), [],
    "Read-modify-write of a texel; gives what was there.">;
def ImageQuerySizeOp : LgcOp<"image.query.size", V4I32,
    (ins Imm32:$dim, Imm32:$flags, V8I32:$image, I32:$lod), [NoMemory],
    "Size of a level in the dimension's order, layers last; component 3 counts the levels.">;
def ImageQuerySamplesOp : LgcOp<"image.query.samples", I32, (ins V8I32:$image), [NoMemory],
    "Samples a texel.">;
def TexelLoadOp : LgcOp<"texel.load", AnyTexelRead, (ins Imm32:$flags, V4I32:$buffer, I32:$index), [],
    "An element of a texel buffer.">;
def TexelStoreOp : LgcOp<"texel.store", Void,
    (ins Imm32:$flags, V4I32:$buffer, I32:$index, V4I32:$texel), [],
    "Writes an element of a texel buffer, given as bits.">;
def TexelAtomicOp : LgcOp<"texel.atomic", AnyTexel,
    (ins Imm32:$flags, Imm32:$operation, V4I32:$buffer, I32:$index, SameAsResult:$value,
         SameAsResult:$comparator), [],
    "Read-modify-write of an element of a texel buffer; gives what was there.">;
def TexelCountOp : LgcOp<"texel.count", I32, (ins V4I32:$buffer), [NoMemory],
    "Elements of a texel buffer.">;

// Subgroups: among the active lanes of a wave. Lowered by LowerSubgroups, which knows its size.
class SubgroupOp<string mnemonic, TypeConstraint result, dag arguments, string summary>
    : LgcOp<"subgroup." # mnemonic, result, arguments, [NoMemory, Convergent], summary>;
def SubgroupBallotOp : SubgroupOp<"ballot", V4I32, (ins I1:$predicate),
    "The active lanes in which the predicate holds.">;
def SubgroupCountBelowOp : LgcOp<"subgroup.count.below", I32, (ins V4I32:$mask),
    [NoMemory, Speculatable], "Bits of the mask that belong to lanes before this one.">;
def SubgroupBroadcastFirstOp : SubgroupOp<"broadcast.first", AnyScalar, (ins SameAsResult:$value),
    "The value in the first active lane.">;
def SubgroupBroadcastOp : SubgroupOp<"broadcast", AnyScalar, (ins SameAsResult:$value, I32:$lane),
    "The value in a lane that is the same for all.">;
def SubgroupShuffleOp : SubgroupOp<"shuffle", AnyScalar, (ins SameAsResult:$value, I32:$lane),
    "The value in a lane of each one's choice.">;
def SubgroupShuffleXorOp : SubgroupOp<"shuffle.xor", AnyScalar,
    (ins SameAsResult:$value, I32:$mask), "The value in the lane whose number differs by a mask.">;
def SubgroupQuadPermuteOp : SubgroupOp<"quad.permute", AnyScalar,
    (ins SameAsResult:$value, Imm32:$pattern), "The value in a lane of the same quad.">;
// `operation` is a number of enum SubgroupOperation.
def SubgroupReduceOp : SubgroupOp<"reduce", AnyScalar,
    (ins SameAsResult:$value, Imm32:$operation, Imm32:$clusterSize),
    "All values of a cluster combined; a cluster size of 0 means all lanes.">;
def SubgroupScanOp : SubgroupOp<"scan", AnyScalar,
    (ins SameAsResult:$value, Imm32:$operation, Imm1:$isExclusive),
    "The values of the lanes before this one combined, and its own unless exclusive.">;

// Metadata. HashStep is the last step of a hash chain in a function's !llpc.hash (compiler/lgc/HashChain.h). The others
// are the rows of !lgc.pipeline.state (compiler/lgc/PipelineState.h).
class LgcMetadata<string tag, dag arguments, string summary> : Metadata<Lgc, tag, arguments, summary>;
def HashStepNode : LgcMetadata<"hash",
    (fields FieldI64:$low, FieldI64:$high, FieldNode:$previous, FieldText:$reader, FieldText:$datum,
            FieldText:$bytes),
    "A datum that influenced the code of a function, and the hash up to it.">;
def TargetNode : LgcMetadata<"target", (fields FieldText:$name), "The chip.">;
def WaveSizeNode : LgcMetadata<"wave-size", (fields FieldI32:$lanes), "Lanes of a wave.">;
def PushConstantsNode : LgcMetadata<"push-constants", (fields FieldI32:$dwords),
    "The size of the push constants.">;
def DescriptorTableNode : LgcMetadata<"table",
    (fields FieldI32:$set, FieldI32:$userData, FieldI32:$dwords), "The table of a descriptor set.">;
def DescriptorNodeNode : LgcMetadata<"node",
    (fields FieldI32:$set, FieldI32:$binding, FieldI32:$count, FieldI32:$offset, FieldI32:$stride,
            FieldI32:$kind),
    "A binding of the preceding table; offset and stride in dwords."> {
  let Optional = 1;
}
def RobustnessNode : LgcMetadata<"robustness", (fields FieldI32:$number),
    "An enumerator of Robustness.">;
def GraphicsNode : LgcMetadata<"graphics",
    (fields FieldI32:$topology, FieldI32:$samples, FieldI32:$flags),
    "A graphics pipeline; GraphicsFacts has the flags.">;
def VertexBindingNode : LgcMetadata<"vertex-binding",
    (fields FieldI32:$binding, FieldI32:$stride, FieldI32:$perInstance, FieldI32:$divisor),
    "A vertex buffer.">;
def VertexAttributeNode : LgcMetadata<"vertex-attribute",
    (fields FieldI32:$location, FieldI32:$binding, FieldI32:$format, FieldI32:$offset),
    "A vertex attribute; the format is a VkFormat.">;
def ColorTargetNode : LgcMetadata<"color-target",
    (fields FieldI32:$location, FieldI32:$format, FieldI32:$blends, FieldI32:$needsAlpha),
    "A color attachment; the format is a VkFormat.">;
def PipelineHashNode : LgcMetadata<"pipeline-hash", (fields FieldI64:$low, FieldI64:$high),
    "The hash of the pipeline.">;
def ShaderHashNode : LgcMetadata<"shader-hash", (fields FieldI64:$low, FieldI64:$high),
    "The hash of the shader's words.">;
