// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Minimum, maximum, median and comparison of floats. Sources: AMD's ISA manuals, V_MIN_F32 and
// V_MED3_F32 of RDNA 3, V_MIN_NUM_F32 and V_MINIMUM_F32 of RDNA 4; where measured chips do
// otherwise is in docs/errata-amdgpu.md. Denormals are flushed on the way in, not on the way out.
#include "oracles/machine/gcn_alu/definitions/Floats.h"

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

/// The bits of a float as an answer.
static Answer bitsOf(const Float &result) {
  return Exact(result.bits);
}

/// -1, 0, 1 of numbers; infinities are numbers here.
static int compare(const Float &a, const Float &b) {
  auto rank = [](const Float &x) { return x.isInfinite() ? (x.isNegative() ? -1 : 1) : 0; };
  if (rank(a) != rank(b) || !a.isFinite())
    return rank(a) < rank(b) ? -1 : rank(a) > rank(b);
  return mpfr_cmp(a.value().get(), b.value().get());
}

/// As compare(), but -0 is less than +0.
static int compareSigned(const Float &a, const Float &b) {
  int order = compare(a, b);
  return order == 0 ? int(b.isNegative()) - int(a.isNegative()) : order;
}

using Choice = Float (*)(const Float &a, const Float &b, const Rules &rules, bool isIeee);

/// The smaller or larger number; -0 is below +0.
template <bool IsMaximum> static Float numeric(const Float &a, const Float &b) {
  bool first = IsMaximum ? compareSigned(a, b) > 0 : compareSigned(a, b) < 0;
  return first ? a : b;
}

/// Up to GFX11: the number, unless IEEE mode sees a signalling NaN.
template <bool IsMaximum>
static Float legacy(const Float &a, const Float &b, const Rules &, bool isIeee) {
  if (isIeee && (a.isSignalling() || b.isSignalling()))
    return (a.isSignalling() ? a : b).quieted();
  if (a.isNan() || b.isNan())
    return a.isNan() ? b : a;
  return numeric<IsMaximum>(a, b);
}

/// GFX12's *_num: the number; of two NaNs the first.
template <bool IsMaximum> static Float number(const Float &a, const Float &b, const Rules &, bool) {
  if (a.isNan() && b.isNan())
    return a.quieted();
  if (a.isNan() || b.isNan())
    return a.isNan() ? b : a;
  return numeric<IsMaximum>(a, b);
}

/// GFX12's minimum and maximum: the first NaN.
template <bool IsMaximum>
static Float propagating(const Float &a, const Float &b, const Rules &, bool) {
  if (a.isNan() || b.isNan())
    return (a.isNan() ? a : b).quieted();
  return numeric<IsMaximum>(a, b);
}

/// An operation on two sources.
template <Choice Choose> static Answer two(Q q) {
  return bitsOf(Choose(inputOf(q, 0), inputOf(q, 1), resultRules(q), q.mode.ieee));
}

/// Second(First(a, b), c).
template <Choice First, Choice Second> static Answer three(Q q) {
  Rules rules = resultRules(q);
  Float inner = First(inputOf(q, 0), inputOf(q, 1), rules, q.mode.ieee);
  return bitsOf(Second(inner, inputOf(q, 2), rules, q.mode.ieee));
}

/// The middle of three numbers; with a NaN the minimum of the three. Compare finds the largest
/// again, which is then left out.
template <Choice Min, Choice Max, int (*Compare)(const Float &, const Float &)>
static Answer median(Q q) {
  Float a = inputOf(q, 0), b = inputOf(q, 1), c = inputOf(q, 2);
  if (a.isNan() || b.isNan() || c.isNan())
    return three<Min, Min>(q);
  auto larger = [&](const Float &x, const Float &y) {
    return Max(x, y, resultRules(q), q.mode.ieee);
  };
  Float largest = larger(larger(a, b), c);
  if (Compare(largest, a) == 0)
    return bitsOf(larger(b, c));
  return bitsOf(Compare(largest, b) == 0 ? larger(a, c) : larger(a, b));
}

/// \p text with every \p from replaced by \p to.
static std::string replaced(std::string text, char from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, 1, to);
  return text;
}

namespace {
/// Names and shapes with '#' for the type.
struct Family {
  const char *names;
  const char *shape;
  Meaning meaning;
  const char *types; ///< Separated by spaces.
};
} // namespace

static constexpr Choice LegacyMin = legacy<false>, LegacyMax = legacy<true>;
static constexpr Choice NumberMin = number<false>, NumberMax = number<true>;
static constexpr Choice FirstMin = propagating<false>, FirstMax = propagating<true>;

/// # in names and shapes is replaced by each type of the last column.
static const Family Families[] = {
    {"v_min_#@9-11", "# = # #", two<LegacyMin>, "f16 f32 f64"},
    {"v_max_#@9-11", "# = # #", two<LegacyMax>, "f16 f32 f64"},
    {"v_dual_min_#@11-11", "# = # #", two<LegacyMin>, "f32"},
    {"v_dual_max_#@11-11", "# = # #", two<LegacyMax>, "f32"},
    {"s_min_#@11-11", "# = # #", two<LegacyMin>, "f16 f32"},
    {"s_max_#@11-11", "# = # #", two<LegacyMax>, "f16 f32"},
    {"v_maxmin_#@11-11", "# = # # #", three<LegacyMax, LegacyMin>, "f16 f32"},
    {"v_minmax_#@11-11", "# = # # #", three<LegacyMin, LegacyMax>, "f16 f32"},
    {"v_min_num_#@12", "# = # #", two<NumberMin>, "f16 f32 f64"},
    {"v_max_num_#@12", "# = # #", two<NumberMax>, "f16 f32 f64"},
    {"v_dual_min_num_#@12", "# = # #", two<NumberMin>, "f32"},
    {"v_dual_max_num_#@12", "# = # #", two<NumberMax>, "f32"},
    {"s_min_num_#@12", "# = # #", two<NumberMin>, "f16 f32"},
    {"s_max_num_#@12", "# = # #", two<NumberMax>, "f16 f32"},
    {"v_min3_num_#@12", "# = # # #", three<NumberMin, NumberMin>, "f16 f32"},
    {"v_max3_num_#@12", "# = # # #", three<NumberMax, NumberMax>, "f16 f32"},
    {"v_med3_num_#@12", "# = # # #", median<NumberMin, NumberMax, compareSigned>, "f16 f32"},
    {"v_maxmin_num_#@12", "# = # # #", three<NumberMax, NumberMin>, "f16 f32"},
    {"v_minmax_num_#@12", "# = # # #", three<NumberMin, NumberMax>, "f16 f32"},
    {"v_minimum_#@12", "# = # #", two<FirstMin>, "f16 f32 f64"},
    {"v_maximum_#@12", "# = # #", two<FirstMax>, "f16 f32 f64"},
    {"s_minimum_#@12", "# = # #", two<FirstMin>, "f16 f32"},
    {"s_maximum_#@12", "# = # #", two<FirstMax>, "f16 f32"},
    {"v_minimum3_#@12", "# = # # #", three<FirstMin, FirstMin>, "f16 f32"},
    {"v_maximum3_#@12", "# = # # #", three<FirstMax, FirstMax>, "f16 f32"},
    {"v_maximumminimum_#@12", "# = # # #", three<FirstMax, FirstMin>, "f16 f32"},
    {"v_minimummaximum_#@12", "# = # # #", three<FirstMin, FirstMax>, "f16 f32"},
};

/// Three sources: on GFX9, f16 results keep the other half.
static const Family Ternaries[] = {
    {"v_min3_#@9-11", "# = # # #", three<LegacyMin, LegacyMin>, "f16 f32"},
    {"v_max3_#@9-11", "# = # # #", three<LegacyMax, LegacyMax>, "f16 f32"},
    {"v_med3_#@9-11", "# = # # #", median<LegacyMin, LegacyMax, compare>, "f16 f32"},
};

/// The legacy forms may answer with any NaN where one is due.
static const Definition Packs[] = {
    {"v_pk_min_f16@9-11", "pkf16 = pkf16 pkf16 packed", packed<two<LegacyMin>>, 0,
     Equality::AnyNan},
    {"v_pk_max_f16@9-11", "pkf16 = pkf16 pkf16 packed", packed<two<LegacyMax>>, 0,
     Equality::AnyNan},
    {"v_pk_min_num_f16@12", "pkf16 = pkf16 pkf16 packed", packed<two<NumberMin>>},
    {"v_pk_max_num_f16@12", "pkf16 = pkf16 pkf16 packed", packed<two<NumberMax>>},
    {"v_pk_minimum_f16@12", "pkf16 = pkf16 pkf16 packed", packed<two<FirstMin>>},
    {"v_pk_maximum_f16@12", "pkf16 = pkf16 pkf16 packed", packed<two<FirstMax>>},
};

/// Which of two quiet NaNs an operation gives, the manuals before GFX12 disagree about.
static void defineFamily(DefinitionSink sink, const Family &family, const char *shortSuffix) {
  llvm::SmallVector<llvm::StringRef, 3> types;
  llvm::StringRef(family.types).split(types, ' ');
  for (llvm::StringRef type : types) {
    std::string shape = replaced(family.shape, '#', type.str());
    if (type == "f16")
      shape += shortSuffix;
    bool isLegacy = llvm::StringRef(family.names).ends_with("-11");
    sink({replaced(family.names, '#', type.str()), shape, family.meaning, 0,
          isLegacy ? Equality::AnyNan : Equality::Bits});
  }
}

void definitions::defineFloatSelections(DefinitionSink sink) {
  for (const Family &family : Families)
    defineFamily(sink, family, "");
  for (const Family &family : Ternaries)
    defineFamily(sink, family, " preserves");
  defineAll(sink, Packs);
}

namespace {
/// A comparison: what it says of less, equal, greater and unordered.
struct Relation {
  const char *name;
  bool less, equal, greater, unordered;
};
} // namespace

/// Columns: name with its generations, then the four results of struct Relation.
static const Relation Relations[] = {
    {"f@9-11", false, false, false, false}, {"lt", true, false, false, false},
    {"eq", false, true, false, false},      {"le", true, true, false, false},
    {"gt", false, false, true, false},      {"lg", true, false, true, false},
    {"ge", false, true, true, false},       {"o", true, true, true, false},
    {"u", false, false, false, true},       {"nge", true, false, false, true},
    {"nlg", false, true, false, true},      {"ngt", true, true, false, true},
    {"nle", false, false, true, true},      {"neq", true, false, true, true},
    {"nlt", false, true, true, true},       {"tru@9-10", true, true, true, true},
    {"t@11-11", true, true, true, true},
};

/// q.parameter is an index of Relations.
static bool holds(Q q) {
  const Relation &relation = Relations[q.parameter];
  Float a = inputOf(q, 0), b = inputOf(q, 1);
  if (a.isNan() || b.isNan())
    return relation.unordered;
  int order = compare(a, b);
  return order < 0 ? relation.less : order == 0 ? relation.equal : relation.greater;
}

/// Classes from bit 0 on: signalling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0,
/// +denormal, +normal, +infinity. Denormals are what they are in every mode.
static Answer isOfClass(Q q) {
  Float a = sourceOf(q, 0);
  bool sign = a.isNegative();
  const bool classes[] = {a.isSignalling(),
                          a.isNan() && !a.isSignalling(),
                          sign && a.isInfinite(),
                          sign && a.isFinite() && a.exponentField() != 0,
                          sign && a.isDenormal(),
                          sign && a.isZero(),
                          !sign && a.isZero(),
                          !sign && a.isDenormal(),
                          !sign && a.isFinite() && a.exponentField() != 0,
                          !sign && a.isInfinite()};
  for (unsigned bit = 0; bit < 10; ++bit)
    if (classes[bit] && (q.bits(1) >> bit) & 1)
      return Exact(1);
  return Exact(0);
}

/// "lt" becomes "lt_f32"; a range after '@' stays at the end.
static std::string withType(llvm::StringRef relation, const char *type) {
  auto [name, range] = relation.split('@');
  return (name + "_" + type + (range.empty() ? "" : "@") + range).str();
}

/// Defines vector comparisons that write a mask or exec, scalar ones that write SCC, and class
/// tests. There are no scalar comparisons of f64.
void definitions::defineFloatCompares(DefinitionSink sink) {
  auto asMask = [](Q q) -> Answer { return Exact(holds(q)); };
  auto asScc = [](Q q) -> Answer { return {0, holds(q)}; };
  for (std::string type : {"f16", "f32", "f64"}) {
    std::string sources = type + " " + type;
    for (unsigned index = 0; index < std::size(Relations); ++index) {
      llvm::StringRef relation = Relations[index].name;
      std::string name = withType(relation, type.c_str());
      sink({"v_cmp_" + name, "mask = " + sources, asMask, index});
      sink({"v_cmpx_" + name, "mask = " + sources + " exec", asMask, index});
      if (type != "f64" && !relation.contains('@'))
        sink({"s_cmp_" + name + "@11", "- scc = " + sources, asScc, index});
    }
    std::string shape = "mask = " + type + (type == "f16" ? " u16" : " u32");
    sink({"v_cmp_class_" + type, shape, isOfClass});
    sink({"v_cmpx_class_" + type, shape + " exec", isOfClass});
  }
}
