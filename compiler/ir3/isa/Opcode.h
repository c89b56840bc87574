// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The opcodes that the ir3 compiler emits, and the properties that its passes need.
#pragma once

#include "compiler/ir3/isa/Compiler.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace assay::ir3 {

enum class Opcode : uint16_t {
#define OPCODE(ENUM, NAME, CATEGORY, CODE, FORMAT, SOURCES, PROPERTIES, GENERATION) ENUM,
#include "compiler/ir3/isa/Opcodes.def"
  Count
};

/// The category of meta instructions, which are lowered before encoding.
constexpr uint8_t MetaCategory = 15;

/// Layout of an encoding. The order of the register sources is part of the format:
///   LoadGlobal  address (2 registers); StoreGlobal address, value
///   LoadPlain   address; StorePlain address, value (workgroup and private memory, bytes)
///   AtomicLocal, AtomicGlobal  address, data (of cmpxchg a group: data, compare)
///   LoadConst   vector offset (or immediate), slot; CopyConst the same
///   BoundLoad   coordinates, slot; BoundStore coordinates, slot, value; BoundInfo slot
///   BoundAtomic tied group (result, data[, compare]), coordinates, slot
///   SlotLoad    address (one register), element, slot; SlotStore address, element, slot, value;
///               SlotInfo slot; SlotAtomic address, element, slot, data (of cmpxchg a group)
///   Shuffle     value, amount; StoreConst value
///   Texture     coordinates, [second group], [descriptor when s2en is set]
/// Macros, of format Meta, have no encoding either: macro:ballot predicate; macro:read predicate,
/// value; macro:scan tied group (exclusive result, value and inclusive result, total), shared
/// register with the neutral value.
enum class Format : uint8_t {
  Flow,
  Move,
  MoveMask,
  Swap,
  Alu2,
  Alu3,
  Alu3Immediate,
  Special,
  Texture,
  Quad,
  LoadGlobal,
  StoreGlobal,
  LoadPlain,
  StorePlain,
  LoadVarying,
  StoreConst,
  Shuffle,
  AtomicLocal,
  AtomicGlobal,
  LoadConst,
  CopyConst,
  BoundInfo,
  BoundLoad,
  BoundStore,
  BoundAtomic,
  SlotInfo,
  SlotLoad,
  SlotStore,
  SlotAtomic,
  Identity,
  Barrier,
  Meta,
};

/// Kinds of memory: each has a bit for reads and one for writes in a barrier class.
enum class Memory : uint8_t { Shared, Image, Buffer, Array, Private, Constant, ActiveFibers };

/// Properties of opcodes. From bit 32 on there is a barrier class: two bits a kind of memory.
namespace property {
constexpr uint64_t HasDst = 1, Float = 2, Compare = 4, Commutes = 8, IntegerNegate = 16,
                   NoNopCount = 32, Flat = 64, HalfSources = 128, FullSources = 256,
                   LateThird = 512, ResultSs = 1024, ResultSy = 2048, UsesTexture = 4096,
                   UsesSampler = 8192, NoType = 16384, Tied = 32768, SideEffect = 1 << 16,
                   Terminator = 1 << 17, Until4xx = 1 << 18;
constexpr unsigned BarrierShift = 32;
constexpr uint64_t reads(Memory memory) {
  return uint64_t(1) << (BarrierShift + 2 * unsigned(memory));
}
constexpr uint64_t writes(Memory memory) {
  return reads(memory) << 1;
}
constexpr uint64_t Everything = uint64_t(1) << (BarrierShift + 14);
constexpr uint64_t ActiveFibers = reads(Memory::ActiveFibers);
} // namespace property

struct OpcodeInfo {
  llvm::StringLiteral name; ///< "add.f"
  uint8_t category;
  uint8_t code;
  Format format;
  uint8_t sources; ///< Of categories 0 to 4.
  uint64_t properties;
  uint16_t firstGeneration; ///< Mesa's generation times 100.
  bool has(uint64_t property) const { return properties & property; }
  /// Whether chips of \p generation have it, in the encoding of its format.
  bool isOn(unsigned generation) const {
    return firstGeneration <= generation &&
           !(has(property::Until4xx) && generation >= FirstAfter4xx);
  }
};

const OpcodeInfo &infoOf(Opcode opcode);
/// Nothing for an unknown name.
std::optional<Opcode> findOpcode(llvm::StringRef name);

/// Types of categories 1, 5 and 6, numbered as the fields have them.
enum Type : uint8_t { F16, F32, U16, U32, S16, S32, U8, U8In32 };
/// "f32".
llvm::StringRef typeName(Type type);
/// Whether values of \p type are in half registers.
constexpr bool isHalfType(Type type) {
  return type == F16 || type == U16 || type == S16 || type == U8;
}

/// Conditions of compares.
enum Condition : uint8_t { Lt, Le, Gt, Ge, Eq, Ne };
llvm::StringRef conditionName(Condition condition);

/// Modes of resource slots: an immediate, or a register that is uniform or not.
enum SlotMode : uint8_t { SlotImmediate, SlotUniform, SlotNonuniform };
/// Value of field desc of category 5: texture and sampler are numbers of four bits (Mesa,
/// ir3-cat5.xml).
constexpr int32_t ImmediateDescriptor = 6;
/// Modes of shfl.
enum ShuffleMode : uint8_t {
  ShuffleXor = 1,
  ShuffleUp = 2,
  ShuffleDown = 3,
  ShuffleRotateUp = 6,
  ShuffleRotateDown = 7
};

/// Numbers of registers, 4 * vector + component.
namespace reg {
constexpr unsigned Shared = 4 * 48, SharedEnd = 4 * 56, Address = 4 * 61, Address1 = Address + 1,
                   Predicate = 4 * 62, None = 4 * 63;
} // namespace reg

/// What macro:scan combines values with.
enum class Reduction : uint8_t {
  AddU,
  AddF,
  MulU,
  MulF,
  MinS,
  MinU,
  MinF,
  MaxS,
  MaxU,
  MaxF,
  And,
  Or,
  Xor
};

/// All fields of an instruction that are no registers.
struct Fields {
#define FIELD(NAME, TEXT, DEFAULT) int32_t NAME = DEFAULT;
#include "compiler/ir3/isa/Fields.def"
  bool operator==(const Fields &) const = default;
};
struct FieldInfo {
  llvm::StringLiteral name; ///< As the printed IR has it.
  int32_t Fields::*member;
  int32_t initial;
};
llvm::ArrayRef<FieldInfo> allFields();

} // namespace assay::ir3
