// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/link/LinkStages.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/HashChain.h"
#include "compiler/lgc/link/LinkPasses.h"
#include "support/Error.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace llvm;
using namespace assay;

// A pass can't reach the IR of another stage, nor read an interface without its being tracked: none
// of these compiles.
template <typename T>
concept ShowsInputs = requires(const T &value) { value.m_inputs; };
template <typename T>
concept ShowsOutputs = requires(const T &value) { value.m_outputs; };
template <typename T>
concept ShowsModule = requires(T &value) { value.m_reader; };
static_assert(!ShowsInputs<StageInterface> && !ShowsOutputs<StageInterface>);
static_assert(!ShowsInputs<TrackedView> && !ShowsModule<TrackedView>);
static_assert(!std::is_constructible_v<TrackedView, Module &, StringRef, const StageInterface *,
                                       const StageInterface *>);
static_assert(!std::is_invocable_v<decltype(linkInputs), Module &, Module &>);
static_assert(!std::is_invocable_v<decltype(linkOutputs), Module &, const StageInterface &>);
static_assert(!std::is_convertible_v<TrackedView &, Module &> &&
              !std::is_convertible_v<StageInterface &, Module &>);

namespace {
/// A stage in a context of its own, with a chain of one step.
class StageModule {
public:
  explicit StageModule(ShaderStage stage)
      : m_module("stage", m_context), m_builder(createBuilderImpl(m_context)) {
    auto *type = FunctionType::get(Type::getVoidTy(m_context), false);
    Function *main = Function::Create(type, GlobalValue::ExternalLinkage, "main", m_module);
    StageMode mode;
    mode.stage = stage;
    setStageEntryPoint(*main, mode);
    m_builder->SetInsertPoint(BasicBlock::Create(m_context, "", main));
    m_builder->SetInsertPoint(m_builder->CreateRetVoid());
    startHashChains(m_module, {{"driver", "input", "x"}});
  }
  Builder &builder() { return *m_builder; }
  Module &module() { return m_module; }
  Value *read(uint32_t location, uint32_t component,
              Interpolation interpolation = Interpolation::Smooth) {
    return m_builder->createReadInput({location, component}, InOutType::F32, interpolation);
  }
  void write(uint32_t location, uint32_t component, Value *value) {
    m_builder->createWriteOutput({location, component}, InOutType::F32, value);
  }
  Value *number(double value) { return ConstantFP::get(m_builder->getFloatTy(), value); }
  HashChain chain() { return cantFail(readHashChain(*m_module.getFunction("main"))); }

private:
  LLVMContext m_context;
  Module m_module;
  std::unique_ptr<Builder> m_builder;
};

using Values = std::map<InOutPlace, uint32_t>;

/// The outputs that straight-line code computes from \p inputs, by constant folding.
struct Evaluation : LgcVisitor<Evaluation> {
  Values inputs, outputs;
  DenseMap<Value *, Constant *> known;
  Constant *get(Value *value) {
    return isa<Constant>(value) ? cast<Constant>(value) : known.lookup(value);
  }
  void run(Module &module) {
    for (Instruction &instruction : instructions(*module.getFunction("main"))) {
      if (auto *read = dyn_cast<ReadInputOp>(&instruction)) {
        InOutPlace place{uint32_t(read->getLocation()), uint32_t(read->getComponent()), 0};
        ASSERT_TRUE(inputs.contains(place)) << place.location << "." << place.component;
        known[read] = ConstantInt::get(read->getType(), inputs[place]);
      } else if (auto *write = dyn_cast<WriteOutputOp>(&instruction)) {
        auto *bits = cast<ConstantInt>(get(write->getValue()));
        outputs[{uint32_t(write->getLocation()), uint32_t(write->getComponent()),
                 uint32_t(write->getIndex())}] = uint32_t(bits->getZExtValue());
      } else if (!instruction.isTerminator()) {
        SmallVector<Constant *, 4> operands;
        for (Value *operand : instruction.operands())
          operands.push_back(get(operand));
        known[&instruction] =
            ConstantFoldInstOperands(&instruction, operands, module.getDataLayout());
        ASSERT_NE(known[&instruction], nullptr);
      }
    }
  }
};
} // namespace

/// The inputs of \p module, each from what three vertices write there, with the weights 1/2, 1/4,
/// 1/4.
static Values interpolate(Module &module, ArrayRef<Values> vertices) {
  Values result;
  StageInterface interface = cantFail(StageInterface::of(module));
  for (const InputRecord &input : OwnInterface(interface).getInputs()) {
    double sum = 0;
    const double weights[] = {0.5, 0.25, 0.25};
    for (auto [vertex, weight] : zip_equal(vertices, weights)) {
      auto bits = vertex.find(input.place);
      sum += bits == vertex.end() ? 0 : weight * double(bit_cast<float>(bits->second));
    }
    auto first = vertices[0].find(input.place);
    bool isFlat = input.interpolation == Interpolation::Flat;
    result[input.place] =
        isFlat && first != vertices[0].end() ? first->second : bit_cast<uint32_t>(float(sum));
  }
  return result;
}

/// What the fragment stage writes for three vertices.
static Values draw(Module &vertex, Module &fragment) {
  std::vector<Values> vertices;
  for (uint32_t i = 0; i < 3; ++i) {
    Evaluation run;
    for (uint32_t location = 0; location < 4; ++location)
      run.inputs[{location, 0, 0}] = bit_cast<uint32_t>(float(1 + i * 4 + location));
    run.run(vertex);
    vertices.push_back(run.outputs);
  }
  Evaluation run;
  run.inputs = interpolate(fragment, vertices);
  run.run(fragment);
  return run.outputs;
}

static void linkOrFail(StageModule &vertex, StageModule &fragment) {
  Error error = linkStages({&vertex.module(), &fragment.module()});
  if (error)
    FAIL() << takeError(std::move(error)).message;
  for (Module *module : {&vertex.module(), &fragment.module()})
    EXPECT_FALSE(verifyModule(*module, &errs()));
}

static const HashStep *findStep(const HashChain &chain, StringRef datum) {
  auto step = find_if(chain.steps, [&](const HashStep &each) { return each.datum == datum; });
  return step == chain.steps.end() ? nullptr : &*step;
}
static bool hasStep(StageModule &stage, StringRef datum) {
  HashChain chain = stage.chain();
  return any_of(chain.steps, [&](const HashStep &each) { return each.datum == datum; });
}

TEST(LinkStages, RemovesWhatIsNotReadAndPacksTheRest) {
  StageModule vertex(ShaderStage::Vertex), fragment(ShaderStage::Fragment);
  Value *x = vertex.read(0, 0, Interpolation::Flat);
  vertex.write(5, 1, x);
  vertex.write(6, 0, vertex.builder().CreateFAdd(x, x));
  vertex.write(9, 3, vertex.builder().CreateFMul(x, x));
  Value *sum = fragment.builder().CreateFAdd(fragment.read(5, 1), fragment.read(9, 3));
  fragment.write(0, 0, sum);
  linkOrFail(vertex, fragment);
  StageInterface outputs = cantFail(StageInterface::of(vertex.module()));
  ASSERT_EQ(OwnInterface(outputs).getOutputs().size(), 2u);
  EXPECT_EQ(OwnInterface(outputs).getOutputs()[0].place, (InOutPlace{0, 0, 0}));
  EXPECT_EQ(OwnInterface(outputs).getOutputs()[1].place, (InOutPlace{0, 1, 0}));
  for (Instruction &instruction : instructions(*vertex.module().getFunction("main")))
    EXPECT_NE(instruction.getOpcode(), unsigned(Instruction::FAdd)) << "dead code is left";
  for (const char *datum : {"reader 0", "reader 1", "reader 2"})
    EXPECT_TRUE(hasStep(vertex, datum)) << datum;
  for (const char *datum : {"written 0", "written 1"})
    EXPECT_TRUE(hasStep(fragment, datum)) << datum;
}

TEST(LinkStages, PassesConstantsAndZeroesUndefinedInputs) {
  StageModule vertex(ShaderStage::Vertex), fragment(ShaderStage::Fragment);
  vertex.write(0, 0, vertex.number(2.5));
  vertex.write(0, 1, vertex.number(INFINITY));
  for (uint32_t i = 0; i < 3; ++i)
    fragment.write(0, i, fragment.read(0, i));
  linkOrFail(vertex, fragment);
  StageInterface interface = cantFail(StageInterface::of(fragment.module()));
  ASSERT_EQ(OwnInterface(interface).getInputs().size(), 1u) << "infinity is interpolated";
  ArrayRef<OutputRecord> outputs = OwnInterface(interface).getOutputs();
  EXPECT_EQ(outputs[0].constant, bit_cast<uint32_t>(2.5f));
  EXPECT_EQ(outputs[1].constant, std::nullopt);
  EXPECT_EQ(outputs[2].constant, 0u);
  StageInterface left = cantFail(StageInterface::of(vertex.module()));
  EXPECT_EQ(OwnInterface(left).getOutputs().size(), 1u) << "the constant is still exported";
}

TEST(LinkStages, NeverSharesALocationBetweenInterpolations) {
  StageModule vertex(ShaderStage::Vertex), fragment(ShaderStage::Fragment);
  Value *x = vertex.read(0, 0, Interpolation::Flat);
  for (uint32_t location = 0; location < 2; ++location)
    vertex.write(location, 0, x);
  fragment.write(0, 0, fragment.read(0, 0, Interpolation::Flat));
  fragment.write(0, 1, fragment.read(1, 0, Interpolation::Linear));
  linkOrFail(vertex, fragment);
  StageInterface interface = cantFail(StageInterface::of(fragment.module()));
  ASSERT_EQ(OwnInterface(interface).getInputs().size(), 2u);
  EXPECT_NE(OwnInterface(interface).getInputs()[0].place.location,
            OwnInterface(interface).getInputs()[1].place.location);
}

TEST(LinkStages, MovesAllReadsOfAnInput) {
  StageModule vertex(ShaderStage::Vertex), fragment(ShaderStage::Fragment);
  Value *x = vertex.read(0, 0, Interpolation::Flat);
  for (uint32_t location : {4u, 5u, 6u})
    vertex.write(location, 1, x);
  // Two places of one interpolated input; another by vertex; a third is a constant 0.
  Builder &builder = fragment.builder();
  fragment.write(0, 0, fragment.read(4, 1, Interpolation::SmoothCentroid));
  fragment.write(0, 1,
                 builder.createInterpolateInput({4, 1}, InOutType::F32, fragment.number(0.5),
                                                fragment.number(0.25)));
  fragment.write(0, 2, builder.createReadVertexInput({5, 1}, InOutType::F32, 2));
  fragment.write(0, 3, builder.createReadVertexInput({9, 0}, InOutType::F32, 1));
  linkOrFail(vertex, fragment);
  StageInterface interface = cantFail(StageInterface::of(fragment.module()));
  ArrayRef<InputRecord> inputs = OwnInterface(interface).getInputs();
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(inputs[0].place, (InOutPlace{0, 0}));
  EXPECT_EQ(inputs[0].interpolation, Interpolation::Smooth);
  EXPECT_EQ(inputs[1].place, (InOutPlace{1, 0}));
  EXPECT_EQ(inputs[1].interpolation, Interpolation::PerVertex);
  StageInterface left = cantFail(StageInterface::of(vertex.module()));
  EXPECT_EQ(OwnInterface(left).getOutputs().size(), 2u) << "nobody reads location 6";
}

namespace {
struct Shape {
  unsigned seed;
  uint32_t writes = 0, reads = 0; ///< Bit 4 * location + component.
  uint32_t constants = 0, flats = 0;
  double constant = 0.5; ///< Is in the constants.
  unsigned body = 0;     ///< Of the vertex stage, without any effect on its interface.
};
} // namespace

static Shape makeShape(unsigned seed) {
  std::mt19937 random(seed);
  Shape shape{seed};
  shape.writes = random() & 0xffff;
  shape.reads = random() & 0xffff;
  shape.constants = random() & random() & 0xffff;
  shape.flats = random() & random() & 0xf; // Of locations.
  return shape;
}

static void build(const Shape &shape, StageModule &vertex, StageModule &fragment) {
  Value *x = vertex.read(0, 0, Interpolation::Flat);
  Value *y = vertex.read(1 + shape.body % 3, 0, Interpolation::Flat);
  for (uint32_t i = 0; i < 16; ++i) {
    if (!(shape.writes >> i & 1))
      continue;
    Value *value = vertex.builder().CreateFAdd(x, vertex.builder().CreateFMul(y, vertex.number(i)));
    vertex.write(i / 4, i % 4,
                 shape.constants >> i & 1 ? vertex.number(i + shape.constant) : value);
  }
  Value *sum = fragment.number(0);
  for (uint32_t i = 0; i < 16; ++i)
    if (shape.reads >> i & 1) {
      bool isFlat = (shape.flats >> i / 4 & 1) != 0;
      Value *input =
          fragment.read(i / 4, i % 4, isFlat ? Interpolation::Flat : Interpolation::Smooth);
      sum = fragment.builder().CreateFAdd(fragment.builder().CreateFMul(sum, fragment.number(2)),
                                          input);
    }
  fragment.write(0, 0, sum);
}

TEST(LinkStages, ComputesTheSameAsBefore) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    StageModule vertex(ShaderStage::Vertex), fragment(ShaderStage::Fragment);
    build(makeShape(seed), vertex, fragment);
    Values before = draw(vertex.module(), fragment.module());
    linkOrFail(vertex, fragment);
    EXPECT_EQ(before, draw(vertex.module(), fragment.module())) << "seed " << seed;
  }
}

static std::string print(Module &module) {
  Function &main = *module.getFunction("main");
  main.setMetadata("llpc.hash", nullptr);
  std::string text;
  raw_string_ostream os(text);
  main.print(os);
  return text;
}

/// One stage of two pipelines: equal chains must mean equal code.
static void checkSound(StageModule &a, StageModule &b, unsigned &equal, const Twine &what) {
  Hash128 first = a.chain().hash, second = b.chain().hash;
  bool isSame = print(a.module()) == print(b.module());
  if (first == second) {
    ++equal;
    EXPECT_TRUE(isSame) << what.str();
  }
}

/// Changes one part of the other stage's interface, or a body.
static Shape mutate(Shape shape, unsigned kind) {
  std::mt19937 random(shape.seed + 77 * kind);
  uint32_t bit = 1u << random() % 16;
  uint32_t Shape::*fields[] = {&Shape::writes, &Shape::reads, &Shape::constants, &Shape::flats};
  if (kind < std::size(fields))
    shape.*fields[kind] ^= bit;
  else if (kind == 4)
    ++shape.body;
  else
    shape.constant = 1.5;
  return shape;
}

// The chain of a stage begins with its own input, which is the same here. So a stage that changed
// itself is not compared: only what it learns of the other counts.
TEST(LinkStages, TracksWhatItReads) {
  unsigned pairs = 0, equal = 0;
  for (unsigned seed = 0; seed < 80; ++seed)
    for (unsigned kind = 0; kind < 6; ++kind, ++pairs) {
      Shape original = makeShape(seed), changed = mutate(original, kind);
      StageModule vertexA(ShaderStage::Vertex), fragmentA(ShaderStage::Fragment);
      StageModule vertexB(ShaderStage::Vertex), fragmentB(ShaderStage::Fragment);
      build(original, vertexA, fragmentA);
      build(changed, vertexB, fragmentB);
      linkOrFail(vertexA, fragmentA);
      linkOrFail(vertexB, fragmentB);
      bool changesFragment = kind == 1 || kind == 3;
      if (kind == 4)
        EXPECT_EQ(fragmentA.chain().hash, fragmentB.chain().hash) << "a body matters";
      checkSound(changesFragment ? vertexA : fragmentA, changesFragment ? vertexB : fragmentB,
                 equal, "seed " + Twine(seed) + ", kind " + Twine(kind));
    }
  EXPECT_EQ(pairs, 480u);
  EXPECT_GT(equal, 80u) << "every change changed the hash";
  EXPECT_LT(equal, 480u) << "no change changed the hash";
}

/// Links a vertex stage that writes to \p place and a fragment stage that reads there.
static std::pair<Hash128, Hash128> chainsOf(InOutPlace place) {
  StageModule vertex(ShaderStage::Vertex), fragment(ShaderStage::Fragment);
  vertex.write(place.location, place.component, vertex.read(0, 0, Interpolation::Flat));
  fragment.write(0, 0, fragment.read(place.location, place.component));
  linkOrFail(vertex, fragment);
  return {vertex.chain().hash, fragment.chain().hash};
}

// Linking moves the value to the same place.
TEST(LinkStages, LeavesPlacesOutOfTheChain) {
  EXPECT_EQ(chainsOf({1, 2}), chainsOf({7, 0}));
}

TEST(LinkStages, PacksInTheOrderOfReads) {
  StageModule vertex(ShaderStage::Vertex), fragment(ShaderStage::Fragment);
  Value *x = vertex.read(0, 0, Interpolation::Flat);
  vertex.write(2, 0, x);
  vertex.write(3, 0, vertex.builder().CreateFAdd(x, x));
  Value *first = fragment.read(3, 0), *second = fragment.read(2, 0);
  fragment.write(0, 0, fragment.builder().CreateFSub(first, second));
  linkOrFail(vertex, fragment);
  StageInterface interface = cantFail(StageInterface::of(vertex.module()));
  SmallVector<InOutPlace, 2> places;
  for (const OutputRecord &output : OwnInterface(interface).getOutputs())
    places.push_back(output.place);
  EXPECT_EQ(places, (SmallVector<InOutPlace, 2>{{0, 0, 0}, {0, 1, 0}}));
  Values inputs = {{{0, 0, 0}, bit_cast<uint32_t>(5.0f)}, {{0, 1, 0}, bit_cast<uint32_t>(3.0f)}};
  Evaluation run;
  run.inputs = inputs;
  run.run(fragment.module());
  EXPECT_EQ(bit_cast<float>(run.outputs[InOutPlace{0, 0, 0}]), 2.0f) << "5 is what is read first";
}

/// The components that a fragment shader reads of inputs of \p types, each at a location of its
/// own.
static std::vector<uint32_t> pack(ArrayRef<InOutType> types,
                                  Interpolation interpolation = Interpolation::Flat) {
  StageModule vertex(ShaderStage::Vertex), fragment(ShaderStage::Fragment);
  Value *x = vertex.read(0, 0, Interpolation::Flat);
  for (auto [i, type] : enumerate(types)) {
    InOutPlace place{uint32_t(i), 0};
    Type *llvmType = getInOutType(vertex.module().getContext(), type);
    Value *bits = vertex.builder().CreateBitCast(x, vertex.builder().getInt32Ty());
    bool isShort = llvmType->getPrimitiveSizeInBits() == 16;
    if (isShort)
      bits = vertex.builder().CreateTrunc(bits, vertex.builder().getInt16Ty());
    vertex.builder().createWriteOutput(place, type, vertex.builder().CreateBitCast(bits, llvmType));
    fragment.builder().createWriteOutput(
        place, type, fragment.builder().createReadInput(place, type, interpolation));
  }
  linkOrFail(vertex, fragment);
  std::vector<uint32_t> components;
  StageInterface interface = cantFail(StageInterface::of(vertex.module()));
  for (const OutputRecord &output : OwnInterface(interface).getOutputs())
    components.push_back(output.place.location * 100 + output.place.component);
  return components;
}

TEST(LinkStages, PacksFlatHalvesInPairs) {
  using enum InOutType;
  EXPECT_EQ(pack({F16, F32}), (std::vector<uint32_t>{0, 1})) << "one half is a whole component";
  EXPECT_EQ(pack({F16, I16}), (std::vector<uint32_t>{4, 5}));
  EXPECT_EQ(pack({F32, F16, I32, I16, F32, F32}), (std::vector<uint32_t>{0, 2, 3, 6, 7, 100}));
  EXPECT_EQ(pack({I16, I16, I16}), (std::vector<uint32_t>{1, 4, 5}));
}

TEST(LinkStages, PacksInterpolatedHalvesWhereThatIsNotMore) {
  using enum InOutType;
  auto packSmooth = [](ArrayRef<InOutType> types) { return pack(types, Interpolation::Smooth); };
  EXPECT_EQ(packSmooth({F16}), (std::vector<uint32_t>{4}));
  EXPECT_EQ(packSmooth({F16, F16, F16, F16, F16, F16, F16, F16, F16}),
            (std::vector<uint32_t>{4, 5, 6, 7, 8, 9, 10, 11, 104}));
  EXPECT_EQ(packSmooth({F32, F16}), (std::vector<uint32_t>{0, 1})) << "one location is enough";
  EXPECT_EQ(packSmooth({F32, F16, F32, F16, F32}), (std::vector<uint32_t>{0, 1, 2, 104, 105}));
  EXPECT_EQ(pack({F16, F16}, Interpolation::Linear), (std::vector<uint32_t>{4, 5}));
}

TEST(LinkStages, NamesWhatDiffers) {
  StageModule vertex(ShaderStage::Vertex), fragment(ShaderStage::Fragment);
  vertex.write(1, 2, vertex.number(4));
  fragment.write(0, 0, fragment.read(1, 2));
  linkOrFail(vertex, fragment);
  HashChain chain = fragment.chain();
  const HashStep *step = findStep(chain, "written 0");
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->reader, "link-inputs");
  EXPECT_EQ(step->bytes, CanonicalBytes().add(1).add(bit_cast<uint32_t>(4.0f)).str());
}

TEST(LinkStages, RefusesWhatItCannotLink) {
  StageModule fragment(ShaderStage::Fragment), other(ShaderStage::Fragment);
  EXPECT_EQ(takeError(linkStages({&fragment.module(), &other.module()})).message,
            "two fragment shaders");
  StageModule geometry(ShaderStage::Geometry);
  EXPECT_EQ(takeError(linkStages({&geometry.module()})).message, "linking geometry shaders");
  fragment.write(0, 0, fragment.read(0, 0));
  fragment.write(0, 1, fragment.read(0, 0, Interpolation::Flat));
  EXPECT_EQ(takeError(linkStages({&fragment.module()})).message,
            "input 0.0 with two types or interpolations");
}
