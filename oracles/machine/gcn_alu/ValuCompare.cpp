// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// v_cmp and v_cmpx: the rows are the product of relations and types, made at start.
#include "oracles/machine/gcn_alu/Compare.h"
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/Tables.h"
#include <string>
#include <utility>

using namespace assay::gcn;

/// One lane of a comparison; the result is bit 0.
template <typename T, unsigned Relations>
static AluOutput compareLane(const AluInput &input, const AluMode &mode) {
  return {isRelated<Relations>(fromBits<T>(input.src[0]), fromBits<T>(input.src[1]), mode), false};
}

/// Null where operands do not have 32 bits.
template <typename T, unsigned Relations> static constexpr const KernelTable *relationKernels() {
  if constexpr (isLaneKind(KindOf<T>::value))
    return &CompareKernels<T, Relations>::table;
  else
    return nullptr;
}

/// Source 1 has a bit for each class that is asked for.
template <typename T> static AluOutput classLane(const AluInput &input, const AluMode &) {
  return {(input.src[1] >> classOf(fromBits<T>(input.src[0]))) & 1, false};
}

/// As relationKernels().
template <typename T> static constexpr const KernelTable *classKernels() {
  if constexpr (isLaneKind(KindOf<T>::value))
    return &LiftedKernels<classLane<T>, KernelResult::Compare, false>::table;
  else
    return nullptr;
}

namespace {
/// Generations in which a relation's mnemonic exists: the constant ones go, and change their names.
struct Range {
  unsigned minGfx;
  unsigned maxGfx;
};

} // namespace

/// Where the comparisons with a constant result exist.
template <typename T> static Range constantRange() {
  if (std::is_integral_v<T> && sizeof(T) == 2)
    return {9, 9};
  return {9, 11};
}

namespace {
/// Makes names and rows of comparisons, and gives them to a sink.
class RowMaker {
public:
  explicit RowMaker(RowSink sink) : m_sink(sink) {}

  /// Adds v_cmp and v_cmpx of one relation. \p second is the kind of source 1.
  void add(const std::string &relation, const char *type, OperandKind kind, OperandKind second,
           AluFunction function, const KernelTable *kernels, Range range) {
    for (bool exec : {false, true}) {
      std::string name = std::string(exec ? "v_cmpx_" : "v_cmp_") + relation + "_" + type;
      unsigned flags = unsigned(Compare) | (exec ? unsigned(WritesExec) : 0);
      AluOp op{name.c_str(),          function,
               OperandKind::Mask,     {kind, second, OperandKind::None},
               uint16_t(flags),       uint8_t(range.minGfx),
               uint8_t(range.maxGfx), kernels};
      m_sink(op);
    }
  }

  /// Adds a relation by its set of bits; the constant ones have names of their generations.
  template <typename T, unsigned Relations> void addRelation(const char *type) {
    constexpr bool isInteger = std::is_integral_v<T>;
    AluFunction function = compareLane<T, Relations>;
    auto named = [&](const char *relation, Range range) {
      add(relation, type, KindOf<T>::value, KindOf<T>::value, function,
          relationKernels<T, Relations>(), range);
    };
    if (Relations == 0 || Relations == (isInteger ? 7 : 15)) {
      Range range = constantRange<T>();
      if (isInteger || Relations == 0)
        return named(isInteger ? integerRelations[Relations & 7] : "f", range);
      named("tru", {9, 10});
      return named("t", {11, 11});
    }
    named(isInteger ? integerRelations[Relations & 7] : floatRelations[Relations], {9, 12});
  }

  template <typename T, unsigned... Relations>
  void addType(const char *type, std::integer_sequence<unsigned, Relations...>) {
    (addRelation<T, Relations>(type), ...);
  }

  /// Integers have eight relations: they are never unordered.
  template <typename T> void addInteger(const char *type) {
    addType<T>(type, std::make_integer_sequence<unsigned, 8>());
  }

  /// Floats have sixteen relations, and the class test.
  template <typename T> void addFloat(const char *type, OperandKind classMask) {
    addType<T>(type, std::make_integer_sequence<unsigned, 16>());
    add("class", type, KindOf<T>::value, classMask, classLane<T>, classKernels<T>(), {9, 12});
  }

private:
  RowSink m_sink;
};

} // namespace

/// Adds v_cmp and v_cmpx for each relation and type. The second kind of addFloat() is the source of
/// the class mask.
void assay::gcn::addValuCompareRows(RowSink sink) {
  RowMaker maker(sink);
  maker.addInteger<int16_t>("i16");
  maker.addInteger<uint16_t>("u16");
  maker.addInteger<int32_t>("i32");
  maker.addInteger<uint32_t>("u32");
  maker.addInteger<int64_t>("i64");
  maker.addInteger<uint64_t>("u64");
  maker.addFloat<Half>("f16", OperandKind::U16);
  maker.addFloat<float>("f32", OperandKind::U32);
  maker.addFloat<double>("f64", OperandKind::U32);
}
