// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes in which a dialect's ops are described. tablegen/DialectBackend.cpp reads them.

/// A dialect; a .td defines one. `Name` begins its C++ names: LgcVisitor, getLgcOps(). `Prefix`
/// begins the names of its ops.
class Dialect<string name, string prefix> {
  string Name = name;
  string Prefix = prefix;
}

/// What a value's type must be. `Check` is a C++ condition on `$_type` (an llvm::Type *) and, for an
/// operand, on `$_result`, the type of the result. `Build` makes the type from `$_context` (an
/// llvm::LLVMContext &), where there is only one; an operand with no such type must have one that
/// follows from the type of the result, for only that is in the op's name.
class TypeConstraint<string check, string build, string text> {
  string Check = check;
  string Build = build;
  string Text = text;
  bit Immediate = false;
  bit SameAsResult = false;
}

/// An operand that must be a constant integer of that many bits; its getter returns the number.
class ImmediateInt<int width>
    : TypeConstraint<"$_type->isIntegerTy(" # width # ")",
                     "llvm::Type::getIntNTy($_context, " # width # ")", "constant i" # width> {
  let Immediate = true;
}

/// An operand of the type that the result has.
def SameAsResult : TypeConstraint<"", "", "the type of the result"> { let SameAsResult = true; }

/// A promise about an op; becomes an attribute of its declaration.
class Trait<string attribute> { string Attribute = attribute; }
def NoMemory : Trait<"memory-none">;
def Convergent : Trait<"convergent">;
def NoDuplicate : Trait<"noduplicate">;
def Speculatable : Trait<"speculatable">;

/// The marker that begins an op's list of arguments.
def ins;

/// One op: a call to a function `PREFIX.MNEMONIC`, with the result's type appended where that type
/// is not the same for all calls. Every op is nounwind, willreturn, nocallback and nofree.
class Op<Dialect dialect, string mnemonic, TypeConstraint result, dag arguments,
         list<Trait> traits, string summary> {
  Dialect Of = dialect;
  string Name = dialect.Prefix # "." # mnemonic;
  TypeConstraint Result = result;
  dag Arguments = arguments;
  list<Trait> Traits = traits;
  string Summary = summary;
}

/// What a field of a metadata node holds: an enumerator of MetadataFieldKind, and the width of a
/// number.
class MetadataField<string kind, int width> {
  string Kind = kind;
  int Width = width;
}
def FieldI32 : MetadataField<"I32", 32>;
def FieldI64 : MetadataField<"I64", 64>;
def FieldText : MetadataField<"Text", 0>;
/// Another node, or null.
def FieldNode : MetadataField<"Node", 0>;

/// The marker that begins the list of a node's fields.
def fields;

/// A kind of metadata nodes: a tuple of `tag` and its fields, of which the last `Optional` may be left
/// out. With named fields its text is `!PREFIX.TAG(FIELD: VALUE, ...)`.
class Metadata<Dialect dialect, string tag, dag arguments, string summary> {
  Dialect Of = dialect;
  string Tag = tag;
  dag Arguments = arguments;
  int Optional = 0;
  string Summary = summary;
}
