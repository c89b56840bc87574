// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Clusters.h"
#include "reports/triage/LifeCycle.h"
#include "reports/triage/Signature.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace assay;

using Texts = std::vector<std::string>;

TEST(Signature, DropsWhatDiffersBetweenTwoRuns) {
  const std::pair<StringRef, StringRef> rows[] = {
      {"at 0x7ffe12ab: 17 of 20", "at #: # of #"},
      {"unknown id '%43' of \"foo\"", "unknown id '' of ''"},
      {"value %tmp.12 of @main.1 is", "value %_ of @_ is"},
      {"don't know what can't be", "don't know what can't be"},
      {"/usr/lib/a-1/Foo.cpp:12:3: bad", "Foo.cpp:#:#: bad"},
      {"a / b and c/d", "a / b and c/d"},
      {"t5: i32 = AMDGPUISD::FOO t3, t12", "t#: i# = AMDGPUISD::FOO t#, t#"},
      {"  two\n lines\t", "two lines"},
  };
  for (auto [message, expected] : rows)
    EXPECT_EQ(normaliseMessage(message), expected) << message.str();
  EXPECT_LE(normaliseMessage(std::string(1000, 'x')).size(), 200u);
}

TEST(Signature, KeepsOnlyTheNamesOfFunctions) {
  const std::pair<StringRef, StringRef> rows[] = {
      {"_ZN5assay7Builder6createEi", "assay::Builder::create"},
      {"void llvm::sort<int*, std::less<int>>(int*, int*)", "llvm::sort"},
      {"(anonymous namespace)::Fold::run(int) const", "Fold::run"},
      {"foo.isra.0", "foo"},
      {"main", "main"},
      {"assay::Map<int>::operator[](int) [clone .cold]", "assay::Map::operator"},
      {"bool assay::operator<(A const&, A const&)", "assay::operator lt"},
      {"llvm::raw_ostream& llvm::operator<<(llvm::raw_ostream&, int)", "llvm::operator shl"},
      {"assay::Map::operator()(int) const", "assay::Map::operator call"},
  };
  for (auto [function, expected] : rows)
    EXPECT_EQ(normaliseFunction(function), expected) << function.str();
}

TEST(Signature, FindsTheFirstOwnFramesOfAStack) {
  StringRef llvmStack = R"(assay: problem
 #0 0x00007f1 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/usr/lib/libLLVM.so.22+0x1)
 #1 0x00007f2 SignalHandler(int) (/usr/lib/libLLVM.so.22+0x2)
 #2 0x00007f3 (/lib/libc.so.6+0x3)
 #3 0x00007f4 abort (/lib/libc.so.6+0x4)
 #4 0x00007f5 assay::lower(llvm::Module&) (/build/bin/assay+0x5)
 #5 0x00007f6 void assay::walk<int>(int) /src/Walk.cpp:12:3
 #6 0x00007f7 main (/build/bin/assay+0x7)
 #7 0x00007f8 _start (/build/bin/assay+0x8)
)";
  EXPECT_EQ(stackFrames(llvmStack), (Texts{"assay::lower", "assay::walk", "main"}));
  EXPECT_EQ(stackFrames(llvmStack, 1), Texts{"assay::lower"});
  StringRef asan = R"(==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60
READ of size 8 at 0x60 thread T0
    #0 0x55 in __asan_memcpy (/b/assay+0x1)
    #1 0x56 in assay::read(int) /s/Read.cpp:3

0x60 is located 0 bytes inside
    #0 0x57 in malloc (/b/assay+0x2)
    #1 0x58 in assay::allocate() /s/Read.cpp:9
)";
  EXPECT_EQ(stackFrames(asan), Texts{"assay::read"});
  EXPECT_EQ(fatalText(asan), "ERROR: AddressSanitizer: heap-use-after-free on address #");
  EXPECT_EQ(stackFrames("#0  0x55 in frob (x=1) at frob.c:3\n"), Texts{"frob"});
  EXPECT_TRUE(stackFrames("no stack # here\n").empty());
  // Out of memory, and asleep.
  EXPECT_EQ(stackFrames("#0 abort\n#1 endAsOom()\n#2 operator new(unsigned long)\n"
                        "#3 llvm::SmallVectorBase<unsigned int>::grow_pod(void*)\n#4 fill()\n"),
            Texts{"fill"});
  EXPECT_EQ(stackFrames("#0 clock_nanosleep\n#1 nanosleep\n#2 await()\n"), Texts{"await"});
}

TEST(Signature, FindsAssertionsFatalErrorsAndPasses) {
  EXPECT_EQ(fatalText("assay: /s/A.cpp:12: void f(int): Assertion `x < 32 && \"small\"' failed.\n"),
            "assertion x < 32 && \"small\"");
  EXPECT_EQ(fatalText("note\nLLVM ERROR: Cannot select: t12: i32 = FOO t3\nmore\n"),
            "LLVM ERROR: Cannot select: t#: i# = FOO t#");
  EXPECT_EQ(fatalText("all is well\n"), "");
  EXPECT_EQ(dumpedPass("Stack dump:\n0.\tProgram arguments: x\n1.\tRunning pass 'Function Pass "
                       "Manager' on module 'm'.\n2.\tRunning pass 'SI Fix' on function '@f'\n"),
            "SI Fix");
  EXPECT_EQ(dumpedPass("Running pass \"lower-x<a;b>\" on module"), "lower-x");
  EXPECT_EQ(dumpedPass("Running pass"), "");
}

static Symptom makeSymptom(StringRef id, StringRef rule, StringRef signature) {
  Symptom symptom;
  symptom.caseId = id.str();
  symptom.compiler = "assay";
  symptom.machine = "gcn";
  symptom.state = rule == "CRASH" ? State::Crash : State::Fail;
  symptom.rule = rule.str();
  symptom.signature = signature.str();
  return symptom;
}

static int sumOf(const Symptom &a, const Symptom &b) {
  EXPECT_EQ(sumVotes(compareSymptoms(a, b)), sumVotes(compareSymptoms(b, a)));
  return sumVotes(compareSymptoms(a, b));
}

TEST(Votes, OneSignatureIsOneBugWhateverTheCase) {
  EXPECT_GE(sumOf(makeSymptom("a", "WAIT", "WAIT:v_add"), makeSymptom("b", "WAIT", "WAIT:v_add")),
            sameBug);
  EXPECT_LT(sumOf(makeSymptom("a", "WAIT", "WAIT:v_add"), makeSymptom("b", "WAIT", "WAIT:v_mul")),
            sameBug);
  Symptom peer = makeSymptom("a", "WAIT", "WAIT:v_add");
  peer.compiler = "aco";
  EXPECT_LT(sumOf(peer, makeSymptom("a", "WAIT", "WAIT:v_add")), sameBug);
  EXPECT_EQ(symptomKey(peer), "WAIT:v_add by aco");
}

static Symptom makeValue(StringRef id, StringRef compiler, StringRef machine = "gcn") {
  Symptom symptom = makeSymptom(id, "value", "");
  symptom.compiler = compiler.str();
  symptom.machine = machine.str();
  return symptom;
}

TEST(Votes, OneBugOfAComponentIsOneInEachCompilerThatContainsIt) {
  Symptom aco = makeValue("a", "aco");
  Symptom radv = makeValue("b", "radv-llvm");
  Symptom lavapipe = makeValue("c", "", "vulkan:lavapipe");
  for (Symptom *each : {&aco, &radv, &lavapipe})
    each->facts.operation = "OpUMod";
  // That both do OpUMod wrong is not enough: one's minimal case must show it with the other.
  EXPECT_LT(sumOf(aco, radv), sameBug);
  EXPECT_LT(sumOf(aco, lavapipe), sameBug);
  aco.facts.shownBy = {"lavapipe", "radv-llvm"};
  EXPECT_GE(sumOf(aco, radv), sameBug);
  EXPECT_GE(sumOf(aco, lavapipe), sameBug);
  EXPECT_EQ(clusterSymptoms({aco, radv}).size(), 1u);
  // Nor is it where both contain nothing in common: the machine may be what is wrong.
  Symptom own = makeValue("d", "assay");
  own.facts.operation = "OpUMod";
  own.facts.shownBy = {"aco"};
  EXPECT_LT(sumOf(own, aco), sameBug);
}

TEST(Votes, AKnownBugDecides) {
  Symptom a = makeValue("a", "aco");
  Symptom b = makeSymptom("b", "CRASH", "crash compile SIGSEGV");
  a.facts.operation = "OpISub";
  b.facts.operation = "OpIMul";
  a.facts.bug = b.facts.bug = "nir-x";
  EXPECT_GE(sumOf(a, b), sameBug);
  EXPECT_EQ(clusterSymptoms({a, b}).size(), 1u);
  Symptom twin = makeValue("c", "aco");
  twin.facts.operation = "OpISub";
  EXPECT_GE(sumOf(a, twin), sameBug);
  twin.facts.bug = "nir-y";
  EXPECT_LT(sumOf(a, twin), sameBug);
  EXPECT_EQ(clusterSymptoms({a, twin}).size(), 2u);
}

TEST(Symptoms, AreNamedByTheirCause) {
  Symptom value = makeValue("a", "aco");
  EXPECT_EQ(causeOf(value), "wrong value, not localized");
  EXPECT_EQ(symptomTitle(value), "fail: wrong value, not localized by aco in a");
  value.facts.features = {"OpISub", "i64"};
  EXPECT_EQ(causeOf(value), "wrong value with OpISub, i64");
  value.facts.operation = "OpISub";
  EXPECT_EQ(causeOf(value), "wrong value of OpISub");
  EXPECT_EQ(symptomTitle(value), "fail: wrong value of OpISub by aco with OpISub, i64");
  Symptom hazard = makeSymptom("b", "WAIT", "WAIT:v_add");
  EXPECT_EQ(causeOf(hazard), "WAIT:v_add");
  hazard.facts.pass = "lower-x";
  EXPECT_EQ(symptomTitle(hazard), "fail: WAIT:v_add by lower-x");
}

TEST(Votes, StacksAndMessagesKeepCrashesApart) {
  Symptom a = makeSymptom("a", "CRASH", "crash compile SIGSEGV");
  Symptom b = makeSymptom("b", "CRASH", "crash compile SIGSEGV");
  a.frames = {"f", "g", "h"};
  b.frames = {"x", "f", "g"};
  EXPECT_GE(sumOf(a, b), sameBug);
  b.frames = {"x", "g", "y"};
  EXPECT_LT(sumOf(a, b), sameBug);
  b.frames = a.frames;
  a.message = "assertion p";
  b.message = "assertion q";
  EXPECT_LT(sumOf(a, b), sameBug);
}

/// What does not end is somewhere inside of one function, which calls others meanwhile.
TEST(Votes, StacksKeepTimeoutsApartByTheFunctionThatDoesNotEnd) {
  struct Row {
    Texts a, b;
    bool isOne;
  };
  const Row rows[] = {
      {{"loop", "compile", "execute"}, {"loop", "compile", "execute"}, true},
      {{"loop", "compile", "execute"}, {"step", "loop", "compile"}, true},
      {{"loop", "compile"}, {"deep", "step", "loop"}, true},
      {{"loop", "compile", "execute"}, {"other", "compile", "execute"}, false},
      {{"loop", "run"}, {"other", "compile"}, false},
      // Without one - of a sanitizer's build, or of a store's old nights - nothing keeps apart.
      {{"loop", "run"}, {}, true},
  };
  for (const Row &row : rows)
    for (StringRef rule : {"TIMEOUT", "OOM"}) {
      Symptom a = makeSymptom("a", "TIMEOUT", "timeout compile");
      Symptom b = makeSymptom("b", rule, rule.lower() + " compile");
      a.facts.pass = b.facts.pass = "compile";
      a.frames = row.a;
      b.frames = row.b;
      EXPECT_EQ(sumOf(a, b) >= sameBug, row.isOne) << join(row.a, " ") << " " << join(row.b, " ");
    }
}

/// Where the last byte is asked for is chance.
TEST(Votes, StacksOfWhatRanOutOfMemoryHaveTwoFramesInCommon) {
  Symptom a = makeSymptom("a", "OOM", "oom compile");
  Symptom b = makeSymptom("b", "OOM", "oom compile");
  a.frames = {"grow", "loop", "compile"};
  b.frames = {"insert", "loop", "compile"};
  EXPECT_GE(sumOf(a, b), sameBug);
  b.frames = {"insert", "other", "compile"};
  EXPECT_LT(sumOf(a, b), sameBug);
}

TEST(Votes, WrongValuesNeedTheCaseOrWhatIsLeftOfTheModule) {
  Symptom a = makeSymptom("a", "value", "");
  Symptom b = makeSymptom("b", "value", "");
  EXPECT_LT(sumOf(a, b), sameBug);
  EXPECT_GE(sumOf(a, a), sameBug);
  a.facts.pass = b.facts.pass = "front-end";
  a.configurations = b.configurations = {{"gfx900 -O0", true}, {"gfx900 -O2", false}};
  EXPECT_LT(sumOf(a, b), sameBug) << "a pass holds many bugs";
  a.facts.features = b.facts.features = {"OpISub"};
  EXPECT_GE(sumOf(a, b), sameBug);
  b.facts.features = {"OpIMul"};
  EXPECT_LT(sumOf(a, b), sameBug);
  b.facts = a.facts;
  b.facts.pass = "other";
  EXPECT_LT(sumOf(a, b), sameBug);
}

TEST(Votes, OneWrongOfOnePassIsOneBugHoweverItShows) {
  Symptom a = makeSymptom("a", "value", "");
  Symptom b = makeSymptom("b", "MEM-FAULT", "MEM-FAULT:s_load_b32");
  a.facts = {"lower-x", "OpISub", {"OpISub", "f64"}, {}};
  b.facts = {"lower-x", "OpISub", {"OpISub"}, {}};
  EXPECT_GE(sumOf(a, b), sameBug);
  b.facts.operation = "OpIMul";
  EXPECT_LT(sumOf(a, b), sameBug);
  Symptom c = a;
  c.caseId = "c";
  c.facts.operation = "OpIMul";
  EXPECT_LT(sumOf(a, c), sameBug) << "two operations of one pass are two bugs";
}

TEST(Votes, RunningIntoSomethingNeedsAPassToBeOneBug) {
  Symptom a = makeSymptom("a", "UNDEF-STORE", "UNDEF-STORE:buffer_store_dword");
  Symptom b = makeSymptom("b", "UNDEF-STORE", "UNDEF-STORE:buffer_store_dword");
  a.ranInto = b.ranInto = true;
  EXPECT_LT(sumOf(a, b), sameBug);
  a.facts.pass = b.facts.pass = "lower-x";
  EXPECT_GE(sumOf(a, b), sameBug);
}

TEST(Votes, AnAccessOfMemoryNeedsMoreThanItself) {
  Symptom a = makeSymptom("a", "value", "");
  Symptom b = makeSymptom("b", "value", "");
  a.facts = {"lower-x", "OpLoad StorageBuffer", {"RowMajor", "matrix"}, {}};
  b.facts = {"lower-x", "OpLoad StorageBuffer", {"descriptors"}, {}};
  EXPECT_LT(sumOf(a, b), sameBug);
  b.facts.features = a.facts.features;
  EXPECT_GE(sumOf(a, b), sameBug);
  a.facts.operation = b.facts.operation = "OpLoad PushConstant";
  b.facts.features = {"f64"};
  EXPECT_GE(sumOf(a, b), sameBug) << "which is not read like a buffer";
}

TEST(Votes, ASignatureThatIsItsRuleIsNoPlace) {
  Symptom a = makeSymptom("a", "FAT-DIFF-MEMORY", "FAT-DIFF-MEMORY");
  Symptom b = makeSymptom("b", "FAT-DIFF-MEMORY", "FAT-DIFF-MEMORY");
  a.facts.pass = b.facts.pass = "lower-x";
  EXPECT_LT(sumOf(a, b), sameBug);
  a.facts.features = b.facts.features = {"OpAtomicUMin"};
  EXPECT_GE(sumOf(a, b), sameBug);
}

TEST(Votes, WhatTheReferenceShowsIsOneWithWhatCompilersShow) {
  Symptom compiled = makeSymptom("a", "value", "");
  Symptom reference = compiled;
  reference.compiler = "";
  reference.machine = "spirv";
  EXPECT_GE(sumOf(compiled, reference), sameBug);
}

TEST(Symptoms, WithoutAFindingAreTheirCases) {
  std::vector<Verdict> verdicts(3);
  for (auto [index, verdict] : enumerate(verdicts)) {
    verdict.caseId = index == 2 ? "b" : "a";
    verdict.compiler = index == 0 ? "" : "assay";
    verdict.state = State::Invalid;
  }
  std::vector<Symptom> symptoms = collectSymptoms(verdicts);
  ASSERT_EQ(symptoms.size(), 2u);
  EXPECT_EQ(symptoms[0].rule, "INVALID");
  EXPECT_EQ(symptomKey(symptoms[0]), "invalid a");
  EXPECT_EQ(clusterSymptoms(symptoms).size(), 2u);
}

TEST(Symptoms, OfAnInvalidCaseAreItsReferences) {
  std::vector<Verdict> verdicts(3);
  for (auto [index, verdict] : enumerate(verdicts)) {
    verdict.caseId = "a";
    verdict.compiler = index == 0 ? "" : "assay";
    verdict.state = index == 2 ? State::Fail : State::Invalid;
  }
  verdicts[0].findings.push_back({"UB-OOB", Severity::Error, "m", "", "UB-OOB OpStore", {}});
  std::vector<Symptom> symptoms = collectSymptoms(verdicts);
  ASSERT_EQ(symptoms.size(), 2u);
  EXPECT_EQ(symptoms[0].verdicts.size(), 2u);
  EXPECT_EQ(symptoms[1].rule, "FAIL");
}

TEST(Symptoms, GiveEachBucketAName) {
  BucketNames names;
  std::string first = names.take("key");
  EXPECT_EQ(first.size(), 12u);
  EXPECT_EQ(names.take("key"), first + "-2");
  EXPECT_NE(names.take("other").substr(0, 12), first);
}

TEST(Votes, ALimitIsALimit) {
  Symptom timeout = makeSymptom("a", "TIMEOUT", "timeout compile");
  EXPECT_GE(sumOf(timeout, makeSymptom("b", "TIMEOUT", "timeout compile")), sameBug);
  EXPECT_GE(sumOf(timeout, makeSymptom("a", "OOM", "oom compile")), sameBug);
  EXPECT_LT(sumOf(timeout, makeSymptom("a", "OOM", "oom execute")), sameBug);
  EXPECT_LT(sumOf(timeout, makeSymptom("b", "OOM", "oom compile")), sameBug);
  EXPECT_LT(sumOf(timeout, makeSymptom("b", "CRASH", "crash compile")), sameBug);
}

TEST(Votes, TheBestFounderWins) {
  std::vector<Symptom> symptoms = {
      makeSymptom("a", "CRASH", "crash x"), makeSymptom("b", "CRASH", "crash y"),
      makeSymptom("c", "CRASH", "crash x"), makeSymptom("a", "CRASH", "crash y")};
  std::vector<Cluster> clusters = clusterSymptoms(symptoms);
  ASSERT_EQ(clusters.size(), 2u);
  EXPECT_EQ(clusters[0].members, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(clusters[1].members, (std::vector<size_t>{1, 3}));
  EXPECT_EQ(printVotes(clusters[0].votes[1]), "kind+1 compiler+0 rule+2 place+3");
}

/// Localized: \p operation of \p pass, in a module with \p features.
static Symptom makeLocalised(StringRef id, StringRef pass, StringRef operation,
                             Texts features = {}) {
  Symptom symptom = makeSymptom(id, "value", "");
  symptom.facts = {pass.str(), operation.str(), std::move(features), {}};
  return symptom;
}

TEST(Votes, AFamilyIsWhatItsPassMakesInOneWay) {
  auto sample = [](StringRef id, StringRef operation, StringRef pass = "front-end") {
    return makeLocalised(id, pass, operation, {operation.str()});
  };
  Symptom lod = sample("a", "OpImageSampleExplicitLod");
  EXPECT_GE(sumOf(lod, sample("b", "OpImageDrefGather")), sameBug);
  EXPECT_LT(sumOf(lod, sample("b", "OpImageFetch")), sameBug);
  EXPECT_LT(sumOf(sample("a", "OpImageSampleExplicitLod", "lower-image"),
                  sample("b", "OpImageGather", "lower-image")),
            sameBug)
      << "which have code of their own there";
  EXPECT_LT(sumOf(sample("a", "OpISub"), sample("b", "OpIAdd")), sameBug);
  EXPECT_GE(
      sumOf(sample("a", "OpImageWrite", "lower-image"), sample("b", "OpAtomicIAdd", "lower-image")),
      sameBug);
  EXPECT_GE(sumOf(sample("a", "group Reduce", "lower-subgroups"),
                  sample("b", "group ExclusiveScan", "lower-subgroups")),
            sameBug);
  EXPECT_LT(sumOf(sample("a", "group Reduce"), sample("b", "group ExclusiveScan")), sameBug);
  EXPECT_LT(sumOf(sample("a", "group Reduce", "lower-subgroups"),
                  sample("b", "group ClusteredReduce", "lower-subgroups")),
            sameBug);
}

TEST(Votes, AFamilyIsOneWrongHoweverItShows) {
  Symptom value = makeLocalised("a", "lower-subgroups", "group Reduce");
  Symptom store = makeSymptom("b", "UNDEF-STORE", "UNDEF-STORE:buffer_store_dword");
  store.ranInto = true;
  store.facts = {"lower-subgroups", "group InclusiveScan", {"OpSwitch"}, {}};
  EXPECT_GE(sumOf(value, store), sameBug);
  value.facts.pass = store.facts.pass = "front-end";
  EXPECT_LT(sumOf(value, store), sameBug) << "which has a line for each";
}

TEST(Votes, ARepairIsOneWhateverBroughtItToLight) {
  auto repaired = [](StringRef id, StringRef pass, StringRef kind) {
    return makeLocalised(id, pass, kind);
  };
  Symptom known = repaired("a", "code-generation", "register");
  EXPECT_GE(sumOf(known, repaired("b", "si-shrink-instructions", "register")), sameBug);
  EXPECT_LT(sumOf(known, repaired("b", "si-shrink-instructions", "comparison")), sameBug);
  EXPECT_LT(sumOf(repaired("a", "peephole-opt", "register"),
                  repaired("b", "si-shrink-instructions", "register")),
            sameBug)
      << "which are known both";
  EXPECT_LT(sumOf(repaired("a", "code-generation", "OpISub"),
                  repaired("b", "si-shrink-instructions", "OpISub")),
            sameBug)
      << "which is what a shader does, whoever gets it wrong";
}

TEST(Votes, RulesOfOneSubjectAreOnePlace) {
  Symptom gfx9 = makeSymptom("a", "RES-01", "RES-01:gfx9");
  Symptom gfx11 = makeSymptom("b", "MC-16", "MC-16:exec");
  EXPECT_LT(sumOf(gfx9, gfx11), sameBug);
  gfx9.subject = gfx11.subject = ".wavefront_size";
  EXPECT_GE(sumOf(gfx9, gfx11), sameBug);
  gfx9.facts.pass = "lower-x";
  gfx11.facts.pass = "lower-y";
  EXPECT_LT(sumOf(gfx9, gfx11), sameBug) << "two passes may spoil one key";
  gfx9.facts.pass = gfx11.facts.pass = "";
  gfx11.subject = ".scratch_memory_size";
  EXPECT_LT(sumOf(gfx9, gfx11), sameBug);
  gfx9.facts.pass = gfx11.facts.pass = "code-generation";
  gfx9.facts.operation = gfx11.facts.operation = ".wavefront_size";
  EXPECT_GE(sumOf(gfx9, gfx11), sameBug) << "what repairs it knows better";
}

TEST(Votes, CodeGenerationIsNoPassToAgreeOn) {
  Symptom a = makeSymptom("a", "UNDEF-STORE", "UNDEF-STORE:buffer_store_dword");
  Symptom b = makeSymptom("b", "UNDEF-STORE", "UNDEF-STORE:buffer_store_dword");
  a.ranInto = b.ranInto = true;
  a.facts.pass = b.facts.pass = "code-generation";
  EXPECT_LT(sumOf(a, b), sameBug);
  b.facts.pass = a.facts.pass = "si-fold-operands";
  EXPECT_GE(sumOf(a, b), sameBug);
}

TEST(Votes, WhatNoReductionTakesAwaySaysLess) {
  auto fetch = [](StringRef id, Texts features) {
    return makeLocalised(id, "lower-image", "OpImageFetch", std::move(features));
  };
  Symptom plain = fetch("a", {"OpImageFetch"});
  EXPECT_GE(sumOf(plain, fetch("b", {"OpImageFetch", "descriptors"})), sameBug);
  EXPECT_LT(sumOf(plain, fetch("b", {"Lod", "OpImageFetch"})), sameBug);
}

TEST(Symptoms, SubjectsAreOfErrorsFirst) {
  Verdict verdict;
  verdict.state = State::Fail;
  auto add = [&](StringRef rule, Severity severity) {
    verdict.findings.push_back({rule.str(), severity, "m", "", rule.str(), {}});
  };
  auto subject = [&] { return collectSymptoms(verdict).front().subject; };
  add("MEM-FAULT", Severity::Error);
  EXPECT_EQ(subject(), "");
  add("RES-12", Severity::Warning);
  EXPECT_EQ(subject(), "") << "it is not said that this ran";
  verdict.findings.front().evidence.emplace_back("instruction", "buffer_store_dword");
  EXPECT_EQ(subject(), ".scratch_memory_size");
  verdict.findings = {};
  add("MC-16", Severity::Error);
  EXPECT_EQ(subject(), ".wavefront_size");
  verdict.findings = {};
  add("ELF-04", Severity::Error);
  add("MC-16", Severity::Error);
  EXPECT_EQ(subject(), "") << "it follows from another chip";
}

TEST(Votes, AStoreSaysLittleOfWhatAllStoresGoThrough) {
  auto store = [](StringRef id, StringRef pass, Texts features) {
    return makeLocalised(id, pass, "OpStore StorageBuffer", std::move(features));
  };
  EXPECT_LT(sumOf(store("a", "code-generation", {"i16"}), store("b", "code-generation", {})),
            sameBug);
  EXPECT_GE(sumOf(store("a", "si-fold-operands", {"i16"}), store("b", "si-fold-operands", {})),
            sameBug);
}

TEST(Clusters, AreOfTheNearestMemberThatMostAgreeWith) {
  // Each of the three is like the one before; the first and the last are not.
  std::vector<Symptom> chain;
  for (const Texts &features : {Texts{"A", "B"}, {"A", "B", "C"}, {"B", "C", "D", "A"}})
    chain.push_back(makeLocalised(std::to_string(chain.size()), "lower-x", "", features));
  ASSERT_GE(sumOf(chain[0], chain[1]), sameBug);
  ASSERT_GE(sumOf(chain[1], chain[2]), sameBug);
  ASSERT_LT(sumOf(chain[0], chain[2]), sameBug);
  std::vector<Cluster> clusters = clusterSymptoms(chain);
  ASSERT_EQ(clusters.size(), 1u) << "half of two is enough";
  EXPECT_GE(sumVotes(clusters[0].votes[2]), sameBug);
  chain.insert(chain.begin(), chain[0]);
  chain[0].caseId = "again";
  EXPECT_EQ(clusterSymptoms(chain).size(), 2u) << "a third is not";
}

TEST(Clusters, AskTheSameMembersWhoeverAsks) {
  constexpr size_t numFirst = 8;
  std::vector<Symptom> symptoms;
  for (size_t i = 0; i < numFirst; ++i)
    symptoms.push_back(makeLocalised(std::to_string(i), "lower-x", "", {"A", "B"}));
  for (const char *id : {"later", "last"})
    symptoms.push_back(makeLocalised(id, "lower-x", "OpISub", {"A", "B"}));
  std::vector<Cluster> clusters = clusterSymptoms(symptoms);
  ASSERT_EQ(clusters.size(), 1u);
  ASSERT_EQ(clusters[0].members.back(), numFirst + 1);
  const Symptom &last = symptoms.back();
  EXPECT_LT(sumVotes(clusters[0].votes.back()), sumOf(symptoms[numFirst], last));
  EXPECT_EQ(compareWithNearest(symptoms, ArrayRef(clusters[0].members).drop_back(), last),
            clusters[0].votes.back());
}

TEST(Clusters, OneMemberThatIsOfAnotherPassKeepsApart) {
  std::vector<Symptom> symptoms = {makeSymptom("a", "MC-08", "MC-08:scratch"),
                                   makeSymptom("b", "MC-08", "MC-08:scratch"),
                                   makeSymptom("c", "MC-08", "MC-08:scratch")};
  EXPECT_EQ(clusterSymptoms(symptoms).size(), 1u);
  symptoms[1].facts.pass = "lower-x";
  symptoms[2].facts.pass = "lower-y";
  ASSERT_GE(sumOf(symptoms[0], symptoms[2]), sameBug) << "the founder has nothing against it";
  EXPECT_EQ(clusterSymptoms(symptoms).size(), 2u);
}

TEST(Clusters, TheOrderOfFindingsChangesNothing) {
  std::vector<Symptom> symptoms = {
      makeLocalised("a", "lower-x", "OpLoad StorageBuffer", {"A", "B"}),
      makeLocalised("b", "lower-x", "OpLoad StorageBuffer", {"A", "B", "C"}),
      makeLocalised("c", "lower-x", "OpLoad StorageBuffer", {"B", "C", "D", "A"}),
      makeLocalised("d", "lower-x", "", {"A", "B"}),
      makeSymptom("e", "MC-08", "MC-08:scratch"),
      makeSymptom("f", "MC-08", "MC-08:scratch"),
      makeSymptom("g", "value", "")};
  auto partition = [](std::vector<Symptom> each) {
    sort(each, precedes);
    std::set<std::set<std::string>> buckets;
    for (const Cluster &cluster : clusterSymptoms(each)) {
      std::set<std::string> cases;
      for (size_t member : cluster.members)
        cases.insert(each[member].caseId);
      buckets.insert(std::move(cases));
    }
    return buckets;
  };
  auto expected = partition(symptoms);
  EXPECT_GT(expected.size(), 2u);
  EXPECT_LT(expected.size(), symptoms.size());
  for (size_t i = 0; i < symptoms.size(); ++i) {
    std::rotate(symptoms.begin(), symptoms.begin() + 1, symptoms.end());
    EXPECT_EQ(partition(symptoms), expected);
  }
  std::reverse(symptoms.begin(), symptoms.end());
  EXPECT_EQ(partition(symptoms), expected);
}

TEST(Symptoms, GatherTheConfigurationsOfACase) {
  std::vector<Verdict> verdicts(4);
  for (auto [index, verdict] : enumerate(verdicts)) {
    verdict.caseId = "a";
    verdict.compiler = "assay";
    verdict.machine = "gcn";
    verdict.target = index % 2 ? "gfx1100" : "gfx900";
    verdict.optLevel = index < 2 ? 0 : 2;
    verdict.state = index == 3 ? State::Pass : State::Fail;
    if (index != 3)
      verdict.findings.push_back(
          {index == 2 ? "REF-DIFF" : "EXPECT", Severity::Error, "m", "", "s", {}});
  }
  verdicts[0].firstDifference = {"b", 0, 0, 0, "3", "0"};
  std::vector<Symptom> symptoms = collectSymptoms(verdicts);
  ASSERT_EQ(symptoms.size(), 1u);
  EXPECT_TRUE(symptoms[0].isValue());
  EXPECT_EQ(symptoms[0].verdicts.size(), 3u);
  EXPECT_EQ(symptoms[0].difference, "became zero");
  EXPECT_EQ(symptoms[0].configurations, (std::map<std::string, bool>{{"gfx1100 -O0", true},
                                                                     {"gfx1100 -O2", false},
                                                                     {"gfx900 -O0", true},
                                                                     {"gfx900 -O2", true}}));
  EXPECT_EQ(symptomKey(symptoms[0]), "wrong value in a");
}

TEST(LifeCycle, AllowsWhatTheTableHasAndNothingElse) {
  for (unsigned i = 0; i < lifeCount; ++i) {
    Life life = static_cast<Life>(i);
    EXPECT_EQ(parseLife(lifeName(life)), life);
    EXPECT_FALSE(isAllowed(life, life)) << lifeName(life).str();
    EXPECT_FALSE(isAllowed(life, Life::Fixed)) << lifeName(life).str();
    EXPECT_FALSE(isAllowed(Life::Fixed, life)) << lifeName(life).str();
  }
  EXPECT_EQ(parseLife("dead"), std::nullopt);
  EXPECT_TRUE(isAllowed(Life::New, Life::WontFix));
  EXPECT_FALSE(isAllowed(Life::Reported, Life::New));
  EXPECT_EQ(nextLife(Life::FixClaimed, LifeEvent::CleanRuns), Life::Fixed);
  EXPECT_EQ(nextLife(Life::FixClaimed, LifeEvent::Seen), Life::Reported);
  EXPECT_EQ(nextLife(Life::WontFix, LifeEvent::CleanRuns), std::nullopt);
  EXPECT_FALSE(verifyTransition(Life::New, Life::Reported));
  EXPECT_NE(takeError(verifyTransition(Life::Fixed, Life::New)).message.find("nothing"),
            std::string::npos);
}
