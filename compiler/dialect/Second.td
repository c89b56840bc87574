// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A second dialect, for tests alone: nothing that the TableGen back end writes may be of one dialect.
include "Dialect.td"

def Second : Dialect<"Second", "two">;
def AnyInteger : TypeConstraint<"$_type->isIntegerTy()", "", "an integer">;
def HalfAsWide : TypeConstraint<
    "$_type->isIntegerTy() && 2 * $_type->getIntegerBitWidth() == $_result->getIntegerBitWidth()", "",
    "an integer half as wide as the result">;

def WidenOp : Op<Second, "widen", AnyInteger, (ins HalfAsWide:$x), [NoMemory, Speculatable],
                 "x in twice its width.">;
def SelfOp : Op<Second, "self", AnyInteger, (ins SameAsResult:$x), [NoMemory, Speculatable], "x.">;

def PointNode : Metadata<Second, "point", (fields FieldI32:$x, FieldI32:$y, FieldText:$label), "A place."> {
  let Optional = 1;
}
