// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's operations, one a kernel, compiled for each generation and run on the wave machine; every
// lane's result is compared with what LLVM's constant folder makes of the same instructions. This
// tests tables, decoder, modifiers and machine at once on the code that compilers really emit - and
// the compiler: see bugs/README.md.
#include "oracles/machine/gcn/Program.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// One kernel: \p body computes %r of type \p result from %a0, %a1, ... of type \p type.
struct Operation {
  std::string body;
  std::string type;
  std::string result;
  unsigned sources = 1;
  unsigned ulps = 0;        ///< Allowed distance of float results.
  bool anyZeroSign = false; ///< -0 and +0 are the same.
  std::string declarations;
};

constexpr unsigned testLanes = 64;
constexpr uint64_t codeBase = 0x10000000, inputBase = 0x200000000, outputBase = 0x300000000;

struct CallOptions {
  unsigned ulps = 0;
  bool anyZeroSign = false;
  bool extraIsFalse = false; ///< A further argument: i1 false.
};

/// The operations, for all types they make sense for.
class OperationList {
public:
  OperationList() {
    for (StringRef type : {"half", "float", "double"})
      addFloat(type);
    addInteger("i16", "15");
    addInteger("i32", "31");
    addInteger("i64", "63");
    addPairs();
    addConversions();
  }
  std::vector<Operation> operations;

private:
  Operation &append(StringRef type, StringRef result, unsigned sources);
  void addEach(ArrayRef<const char *> names, StringRef text, StringRef type, unsigned sources);
  void addCalls(ArrayRef<const char *> names, StringRef type, unsigned sources,
                const CallOptions &options = {});
  void addConversion(StringRef name, StringRef from, StringRef to);
  void addFloat(StringRef type);
  void addInteger(StringRef type, StringRef lastBit);
  void addPairs();
  void addConversions();
};

} // namespace

/// \p text with each '$' replaced by \p type and each '?' by \p name.
static std::string filled(StringRef text, StringRef type, StringRef name = "") {
  std::string result;
  for (char c : text) {
    if (c == '$')
      result += type;
    else if (c == '?')
      result += name;
    else
      result += c;
  }
  return result;
}

static StringRef suffixOf(StringRef type) {
  return StringSwitch<StringRef>(type)
      .Case("half", "f16")
      .Case("float", "f32")
      .Case("double", "f64")
      .Case("<2 x half>", "v2f16")
      .Case("<2 x i16>", "v2i16")
      .Default(type);
}

Operation &OperationList::append(StringRef type, StringRef result, unsigned sources) {
  Operation &operation = operations.emplace_back();
  operation.type = type.str();
  operation.result = result.str();
  operation.sources = sources;
  return operation;
}

void OperationList::addEach(ArrayRef<const char *> names, StringRef text, StringRef type,
                            unsigned sources) {
  for (const char *name : names) {
    Operation &operation = append(type, type, sources);
    operation.body = filled(text, type, name);
  }
}

void OperationList::addCalls(ArrayRef<const char *> names, StringRef type, unsigned sources,
                             const CallOptions &options) {
  static constexpr const char *arguments[] = {"", "$ %a0", "$ %a0, $ %a1", "$ %a0, $ %a1, $ %a2"};
  static constexpr const char *parameters[] = {"", "$", "$, $", "$, $, $"};
  for (const char *name : names) {
    std::string full = (Twine("@llvm.") + name + "." + suffixOf(type)).str();
    Operation &operation = append(type, type, sources);
    operation.ulps = options.ulps;
    operation.anyZeroSign = options.anyZeroSign;
    operation.body = "%r = call " + operation.type + " " + full + "(";
    operation.body += filled(arguments[sources], type);
    operation.body += options.extraIsFalse ? ", i1 false)" : ")";
    operation.declarations = "declare " + operation.type + " " + full + "(";
    operation.declarations += filled(parameters[sources], type);
    operation.declarations += options.extraIsFalse ? ", i1)\n" : ")\n";
  }
}

void OperationList::addFloat(StringRef type) {
  addEach({"fadd", "fsub", "fmul", "fdiv"}, "%r = ? $ %a0, %a1", type, 2);
  addEach({"fneg"}, "%r = ? $ %a0", type, 1);
  addEach({"fadd", "fsub", "fmul"}, "%n = fneg $ %a0\n%r = ? $ %n, %a1", type, 2);
  addCalls({"sqrt", "floor", "ceil", "trunc", "rint", "roundeven", "round", "fabs"}, type, 1);
  if (type != "double")
    addCalls({"exp2", "log2"}, type, 1, {.ulps = 3});
  addCalls({"fma"}, type, 3);
  addCalls({"copysign", "minimum", "maximum"}, type, 2);
  addCalls({"minnum", "maxnum"}, type, 2, {.anyZeroSign = true});
  addEach({"oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
           "une", "uno"},
          "%c = fcmp ? $ %a0, %a1\n%r = select i1 %c, $ %a1, $ %a0", type, 2);
}

void OperationList::addInteger(StringRef type, StringRef lastBit) {
  addEach({"add", "sub", "mul", "and", "or", "xor"}, "%r = ? $ %a0, %a1", type, 2);
  std::string shift = filled("%s = and $ %a1, ?\n", type, lastBit);
  addEach({"shl", "lshr", "ashr"}, shift + "%r = ? $ %a0, %s", type, 2);
  // Never by 0 or -1.
  addEach({"udiv", "urem", "sdiv", "srem"}, "%h = lshr $ %a1, 3\n%d = or $ %h, 1\n%r = ? $ %a0, %d",
          type, 2);
  addCalls({"smin", "smax", "umin", "umax", "sadd.sat", "ssub.sat", "uadd.sat", "usub.sat"}, type,
           2);
  addCalls({"bitreverse", "ctpop", "bswap"}, type, 1);
  addCalls({"ctlz", "cttz", "abs"}, type, 1, {.extraIsFalse = true});
  addCalls({"fshl", "fshr"}, type, 3);
  addEach({"eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"},
          "%c = icmp ? $ %a0, %a1\n%r = select i1 %c, $ %a1, $ %a0", type, 2);
  // Pairs that fuse: v_mad, v_add3, v_xad, v_xor3, v_and_or, v_or3.
  addEach({"mul", "add", "xor"}, "%m = ? $ %a0, %a1\n%r = add $ %m, %a2", type, 3);
  addEach({"and", "or"}, "%m = ? $ %a0, %a1\n%r = or $ %m, %a2", type, 3);
  addEach({"xor"}, "%m = ? $ %a0, %a1\n%r = xor $ %m, %a2", type, 3);
}

void OperationList::addPairs() {
  constexpr const char *halves = "<2 x half>", *integers = "<2 x i16>";
  addEach({"fadd", "fsub", "fmul"}, "%r = ? $ %a0, %a1", halves, 2);
  addEach({"fadd", "fmul"}, "%n = fneg $ %a0\n%r = ? $ %n, %a1", halves, 2);
  addEach({"fadd", "fmul"},
          "%s = shufflevector $ %a0, $ %a1, <2 x i32> <i32 1, i32 2>\n%r = ? $ %s, %a1", halves, 2);
  addCalls({"fma"}, halves, 3);
  addEach({"add", "sub", "mul", "and", "xor"}, "%r = ? $ %a0, %a1", integers, 2);
  addCalls({"smin", "smax", "umin", "umax", "uadd.sat", "ssub.sat"}, integers, 2);
  addEach({"shl", "lshr", "ashr"}, "%s = and $ %a1, splat (i16 15)\n%r = ? $ %a0, %s", integers, 2);
}

void OperationList::addConversion(StringRef name, StringRef from, StringRef to) {
  Operation &operation = append(from, to, 1);
  if (name.ends_with(".sat")) {
    std::string call = (to + " @llvm." + name + "." + to + "." + suffixOf(from) + "(" + from).str();
    operation.body = "%r = call " + call + " %a0)";
    operation.declarations = "declare " + call + ")\n";
  } else {
    operation.body = filled("%r = ? $ %a0 to ", from, name) + to.str();
  }
}

void OperationList::addConversions() {
  for (StringRef number : {"half", "float", "double"})
    for (StringRef integer : {"i16", "i32", "i64"}) {
      for (StringRef name : {"fptosi.sat", "fptoui.sat"})
        addConversion(name, number, integer);
      for (StringRef name : {"sitofp", "uitofp"})
        addConversion(name, integer, number);
    }
  struct Cast {
    const char *name, *from, *to;
  };
  static constexpr Cast casts[] = {
      {"fptrunc", "double", "float"}, {"fptrunc", "double", "half"}, {"fptrunc", "float", "half"},
      {"fpext", "half", "float"},     {"fpext", "half", "double"},   {"fpext", "float", "double"},
      {"sext", "i16", "i64"},         {"zext", "i32", "i64"},        {"trunc", "i64", "i16"}};
  for (const Cast &cast : casts)
    addConversion(cast.name, cast.from, cast.to);
}

static unsigned bitsOfType(const std::string &type) {
  return type == "half" || type == "i16" ? 16 : type == "double" || type == "i64" ? 64 : 32;
}

/// Kernel \p index; \p uniform: all lanes read the sources of lane 0, by scalar loads.
static std::string kernelText(const Operation &operation, unsigned index, bool uniform) {
  std::string text;
  raw_string_ostream os(text);
  os << "define amdgpu_cs void @k" << index
     << "(ptr addrspace(1) inreg %o, ptr addrspace(1) inreg %p, i32 %t) #0 {\n";
  os << "%q = getelementptr " << operation.type << ", ptr addrspace(1) %p, i32 "
     << (uniform ? "0" : "%t") << "\n";
  for (unsigned source = 0; source < operation.sources; ++source) {
    os << "%q" << source << " = getelementptr " << operation.type << ", ptr addrspace(1) %q, i32 "
       << source * testLanes << "\n";
    os << "%a" << source << " = load " << operation.type << ", ptr addrspace(1) %q" << source
       << ", !invariant.load !0\n";
  }
  os << operation.body << "\n%w = getelementptr " << operation.result
     << ", ptr addrspace(1) %o, i32 %t\nstore " << operation.result
     << " %r, ptr addrspace(1) %w\nret void\n}\n";
  return text;
}

static std::string moduleText(ArrayRef<Operation> operations, bool uniform) {
  std::set<std::string> declarations;
  std::string kernels;
  for (auto [index, operation] : enumerate(operations)) {
    declarations.insert(operation.declarations);
    kernels += kernelText(operation, unsigned(index), uniform);
  }
  std::string text = "target triple = \"amdgcn-amd-amdpal\"\n";
  for (const std::string &declaration : declarations)
    text += declaration;
  return text + kernels +
         "attributes #0 = { nounwind \"denormal-fp-math-f32\"=\"ieee,ieee\" }\n!0 = !{}\n";
}

/// A value of \p width bits: special, small, a float near 1, or random.
static uint64_t randomValue(unsigned width, std::mt19937_64 &random) {
  unsigned fraction = width == 16 ? 10 : width == 32 ? 23 : 52;
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  uint64_t infinity = (mask >> 1) & ~((uint64_t(1) << fraction) - 1);
  uint64_t one = (infinity >> 1) & infinity;
  uint64_t special[] = {0,   1,        mask,         mask >> 1, (mask >> 1) + 1,
                        one, infinity, infinity - 1, ~infinity, infinity | (infinity >> 1)};
  switch (random() % 4) {
  case 0:
    return special[random() % std::size(special)] & mask;
  case 1:
    return random() % 80;
  case 2:
    return ((one - (uint64_t(8) << fraction) + random() % (uint64_t(16) << fraction)) |
            (random() & ((mask >> 1) + 1))) &
           mask;
  default:
    return random() & mask;
  }
}

static std::vector<uint8_t> inputBytes(const Operation &operation, std::mt19937_64 &random) {
  unsigned width = operation.type[0] == '<' ? 16 : bitsOfType(operation.type);
  std::vector<uint8_t> bytes(size_t(testLanes) * 3 * (bitsOfType(operation.type) / 8) + 64);
  for (size_t offset = 0; offset + width / 8 <= bytes.size(); offset += width / 8) {
    uint64_t value = randomValue(width, random);
    std::memcpy(&bytes[offset], &value, width / 8);
  }
  return bytes;
}

static Constant *constantOf(uint64_t bits, Type *type) {
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return ConstantVector::get({constantOf(bits & 0xffff, vector->getElementType()),
                                constantOf(bits >> 16, vector->getElementType())});
  if (type->isIntegerTy())
    return ConstantInt::get(type, bits);
  return ConstantFP::get(type->getContext(), APFloat(type->getFltSemantics(),
                                                     APInt(type->getScalarSizeInBits(), bits)));
}

/// The elements of \p value as bits; none when it is not a plain constant.
static std::vector<uint64_t> bitsOfConstant(Constant *value) {
  if (auto *vector = dyn_cast<FixedVectorType>(value->getType())) {
    std::vector<uint64_t> result;
    for (unsigned index = 0; index < vector->getNumElements(); ++index)
      for (uint64_t bits : bitsOfConstant(value->getAggregateElement(index)))
        result.push_back(bits);
    return result;
  }
  if (auto *integer = dyn_cast<ConstantInt>(value))
    return {integer->getZExtValue()};
  if (auto *number = dyn_cast<ConstantFP>(value))
    return {number->getValueAPF().bitcastToAPInt().getZExtValue()};
  return {};
}

/// What the constant folder makes of \p kernel for the sources at \p lane; null when it does not
/// fold.
static Constant *foldKernel(const Function &kernel, ArrayRef<uint8_t> input, unsigned lane) {
  DenseMap<const Value *, Constant *> values;
  unsigned source = 0;
  for (const Instruction &inst : kernel.getEntryBlock()) {
    if (isa<GetElementPtrInst>(inst))
      continue;
    if (isa<LoadInst>(inst)) {
      unsigned bytes = unsigned(inst.getType()->getPrimitiveSizeInBits()) / 8;
      uint64_t bits = 0;
      std::memcpy(&bits, &input[size_t(source++ * testLanes + lane) * bytes], bytes);
      values[&inst] = constantOf(bits, inst.getType());
      continue;
    }
    if (const auto *store = dyn_cast<StoreInst>(&inst))
      return values.lookup(store->getValueOperand());
    SmallVector<Constant *, 4> operands;
    for (Value *operand : inst.operands())
      operands.push_back(isa<Constant>(operand) ? cast<Constant>(operand) : values.lookup(operand));
    if (is_contained(operands, nullptr))
      return nullptr;
    values[&inst] = ConstantFoldInstOperands(const_cast<Instruction *>(&inst), operands,
                                             kernel.getDataLayout());
  }
  return nullptr;
}

static bool sameFloat(uint64_t actual, uint64_t expected, const fltSemantics &semantics,
                      const Operation &operation) {
  unsigned width = APFloat::getSizeInBits(semantics);
  APFloat a(semantics, APInt(width, actual)), b(semantics, APInt(width, expected));
  if (a.isNaN() || b.isNaN())
    return a.isNaN() && b.isNaN();
  if (operation.anyZeroSign && a.isZero() && b.isZero())
    return true;
  uint64_t sign = uint64_t(1) << (width - 1);
  auto order = [&](uint64_t bits) { return bits & sign ? -int64_t(bits & ~sign) : int64_t(bits); };
  return uint64_t(std::abs(order(actual) - order(expected))) <= operation.ulps &&
         (operation.ulps || actual == expected);
}

namespace {

/// One chip and level: compiles the kernels and runs them.
class ChipRun {
public:
  ChipRun(StringRef cpu, unsigned gfxMajor, CodeGenOptLevel level, bool uniform)
      : m_cpu(cpu), m_gfxMajor(gfxMajor), m_uniform(uniform) {
    m_waveSize = gfxMajor == 9 ? 64 : 32;
    select();
    SMDiagnostic diagnostic;
    m_module = parseAssemblyString(moduleText(m_operations, uniform), diagnostic, m_context);
    EXPECT_NE(m_module, nullptr) << diagnostic.getMessage().str();
    compile(level);
    m_decoder = cantFail(Decoder::create(cpu, m_waveSize));
  }

  void run() {
    std::mt19937_64 random(m_gfxMajor);
    for (auto [index, operation] : enumerate(m_operations))
      for (unsigned repetition = 0; repetition < 3; ++repetition)
        runOperation(unsigned(index), operation, random);
    // f32 and f16 exp2 and log2 of NaN and the like are left alone by the folder; little else is.
    EXPECT_LT(m_unfolded, m_folded / 50);
  }

private:
  /// Without what is known to break the compiler (bugs/README.md).
  void select() {
    for (Operation &operation : OperationList().operations)
      if (!StringRef(operation.body).contains("bswap.i64"))
        m_operations.push_back(std::move(operation));
  }

  void compile(CodeGenOptLevel level) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    std::string error;
    const Target *target = TargetRegistry::lookupTarget(m_module->getTargetTriple(), error);
    std::unique_ptr<TargetMachine> machine(
        target->createTargetMachine(m_module->getTargetTriple(), m_cpu, "", TargetOptions(),
                                    std::nullopt, std::nullopt, level));
    m_module->setDataLayout(machine->createDataLayout());
    // The passes of the code generator change the module; the folder wants it as it was.
    m_text.clear();
    auto copy = parseAssemblyString(moduleText(m_operations, m_uniform), m_diagnostic, m_context);
    copy->setDataLayout(m_module->getDataLayout());
    raw_svector_ostream os(m_text);
    legacy::PassManager passes;
    ASSERT_FALSE(machine->addPassesToEmitFile(passes, os, nullptr, CodeGenFileType::ObjectFile));
    passes.run(*copy);
    readObject();
  }

  void readObject() {
    auto object =
        cantFail(object::ObjectFile::createELFObjectFile(MemoryBufferRef(m_text.str(), "kernels")));
    for (const object::SectionRef &section : object->sections())
      if (cantFail(section.getName()) == ".text")
        m_code = arrayRefFromStringRef(cantFail(section.getContents())).vec();
    for (const object::ELFSymbolRef symbol : object->symbols())
      m_kernels[cantFail(symbol.getName())] = {cantFail(symbol.getAddress()),
                                               cantFail(symbol.getAddress()) + symbol.getSize()};
  }

  void runOperation(unsigned index, const Operation &operation, std::mt19937_64 &random) {
    std::vector<uint8_t> input = inputBytes(operation, random);
    std::vector<uint8_t> output(size_t(testLanes) * 8, 0xcc);
    std::string name = "k" + std::to_string(index);
    ASSERT_TRUE(m_kernels.contains(name));
    execute(m_kernels[name], input, output);
    const Function &kernel = *m_module->getFunction(name);
    for (unsigned lane = 0; lane < m_waveSize; ++lane)
      ASSERT_TRUE(checkLane(operation, kernel, input, output, lane))
          << m_cpu.str() << " lane " << lane << (m_uniform ? " uniform: " : ": ") << operation.body;
  }

  void execute(CodeRange range, MutableArrayRef<uint8_t> input, MutableArrayRef<uint8_t> output) {
    ProgramOptions options;
    options.gfxMajor = m_gfxMajor;
    options.waveSize = m_waveSize;
    options.vgprCount = 256;
    options.sgprCount = 102;
    options.targetName = m_cpu.str();
    Program program(options, *m_decoder, m_code, codeBase, range);
    AddressSpace memory;
    memory.map(inputBase, input, "input", false);
    memory.map(outputBase, output, "output", true);
    Workgroup group;
    group.program = &program;
    group.memory = &memory;
    group.waveCount = 1;
    Wave wave(group, m_waveSize, 256, m_gfxMajor);
    wave.setMode(0x1f0); // all denormals, DX10 clamp
    wave.setExec(wave.laneMask());
    wave.writeScalar64(0, outputBase);
    wave.writeScalar64(2, inputBase);
    for (unsigned lane = 0; lane < m_waveSize; ++lane)
      wave.v[0][lane] = lane;
    wave.next = program.findOp(codeBase + range.begin);
    for (unsigned steps = 0; steps < 100000 && wave.status == WaveStatus::Running; ++steps) {
      const MicroOp &op = program.ops()[wave.next];
      wave.next = op.next;
      op.run(wave, op);
    }
    EXPECT_EQ(wave.status, WaveStatus::Done) << m_cpu.str() << " " << group.failure.reason;
  }

  bool checkLane(const Operation &operation, const Function &kernel, ArrayRef<uint8_t> input,
                 ArrayRef<uint8_t> output, unsigned lane) {
    Constant *folded = foldKernel(kernel, input, m_uniform ? 0 : lane);
    std::vector<uint64_t> expected = folded ? bitsOfConstant(folded) : std::vector<uint64_t>();
    if (expected.empty()) {
      ++m_unfolded;
      return true;
    }
    ++m_folded;
    Type *type = folded->getType()->getScalarType();
    unsigned bytes = type->getScalarSizeInBits() / 8;
    for (unsigned element = 0; element < expected.size(); ++element) {
      uint64_t actual = 0;
      std::memcpy(&actual, &output[(lane * expected.size() + element) * bytes], bytes);
      bool same = type->isIntegerTy()
                      ? actual == expected[element]
                      : sameFloat(actual, expected[element], type->getFltSemantics(), operation);
      EXPECT_TRUE(same) << std::hex << actual << " instead of " << expected[element];
      if (!same)
        return false;
    }
    return true;
  }

  StringRef m_cpu;
  unsigned m_gfxMajor;
  bool m_uniform;
  unsigned m_waveSize;
  unsigned m_folded = 0;
  unsigned m_unfolded = 0;
  std::vector<Operation> m_operations;
  LLVMContext m_context;
  SMDiagnostic m_diagnostic;
  std::unique_ptr<Module> m_module;
  SmallString<0> m_text;
  std::vector<uint8_t> m_code;
  StringMap<CodeRange> m_kernels;
  std::unique_ptr<Decoder> m_decoder;
};

struct ChipParameter {
  const char *cpu;
  unsigned gfxMajor;
};

class GcnLlvmOperations : public testing::TestWithParam<unsigned> {};

} // namespace

static constexpr ChipParameter chipParameters[] = {
    {"gfx900", 9}, {"gfx1030", 10}, {"gfx1100", 11}, {"gfx1150", 11}, {"gfx1201", 12}};

static std::string chipName(const testing::TestParamInfo<unsigned> &info) {
  return chipParameters[info.param].cpu;
}

INSTANTIATE_TEST_SUITE_P(Chips, GcnLlvmOperations, testing::Range(0u, 5u), chipName);

TEST_P(GcnLlvmOperations, OptimisedVectorCodeFoldsAlike) {
  const ChipParameter &chip = chipParameters[GetParam()];
  ChipRun(chip.cpu, chip.gfxMajor, CodeGenOptLevel::Default, false).run();
}

TEST_P(GcnLlvmOperations, OptimisedScalarCodeFoldsAlike) {
  const ChipParameter &chip = chipParameters[GetParam()];
  ChipRun(chip.cpu, chip.gfxMajor, CodeGenOptLevel::Default, true).run();
}

TEST_P(GcnLlvmOperations, PlainVectorCodeFoldsAlike) {
  const ChipParameter &chip = chipParameters[GetParam()];
  ChipRun(chip.cpu, chip.gfxMajor, CodeGenOptLevel::None, false).run();
}
