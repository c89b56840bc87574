// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the tests next to it alone: IR from text, run on small memories.
#pragma once

#include "oracles/ir/Interpreter.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>

namespace assay::ir {

/// A module from text (without target lines), a memory, and the function @f of it.
class TestRun {
public:
  explicit TestRun(llvm::StringRef text);
  /// @f is \p body, of one lane, and returns its %v of type i64. It has %p (fat pointer to a buffer
  /// of bytes 1, 2, 3, ..., 64), %r (its resource), %g (its address), %flat (the same), %x = 5,
  /// @table (10, 20, 30, 40) and @shared.
  static std::unique_ptr<TestRun> ofBody(llvm::StringRef body);

  /// Adds a buffer of \p bytes bytes (values 1, 2, 3, ...); its number. Records: all bytes, or all
  /// elements of \p stride.
  unsigned addBuffer(unsigned bytes, uint16_t stride = 0);
  /// Gives lane \p lane the next argument: integers, or the bits of what else.
  void add(unsigned lane, Scalar scalar);
  void add(unsigned lane, unsigned bits, uint64_t value) { add(lane, {llvm::APInt(bits, value)}); }
  void addPointer(unsigned lane, unsigned buffer, unsigned space, uint32_t offset,
                  uint32_t index = 0) {
    add(lane, makePointer(memory, buffer, space, offset, index));
  }
  /// Runs @f; without arguments, in one lane.
  const RunResult &run();
  /// Scalar \p number of what \p lane returned, zero-extended; ~0 if the run did not return, and
  /// 0xdead for poison.
  uint64_t value(unsigned lane = 0, unsigned number = 0) const;
  /// The dword at \p offset of \p buffer.
  uint32_t dword(unsigned buffer, unsigned offset) const;

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::string error; ///< Of the parser or the verifier.
  Memory memory;
  RunLimits limits;
  std::vector<std::vector<Value>> arguments;
  RunResult result;
};

inline TestRun::TestRun(llvm::StringRef text) {
  static constexpr llvm::StringRef Head =
      "target datalayout = \"e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-"
      "p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-"
      "v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9\"\n"
      "target triple = \"amdgcn-unknown-amdpal\"\n";
  llvm::SMDiagnostic diagnostic;
  module = llvm::parseAssemblyString((Head + text).str(), diagnostic, context);
  llvm::raw_string_ostream out(error);
  if (!module)
    diagnostic.print("", out);
  else
    llvm::verifyModule(*module, &out);
}

inline std::unique_ptr<TestRun> TestRun::ofBody(llvm::StringRef body) {
  static constexpr llvm::StringRef Head =
      "@table = addrspace(4) constant [4 x i32] [i32 10, i32 20, i32 30, i32 40]\n"
      "@shared = internal addrspace(3) global [8 x i32] poison\n"
      "define i64 @f(ptr addrspace(7) %p, ptr addrspace(8) %r, ptr addrspace(1) %g, i32 %x) {\n"
      "%flat = addrspacecast ptr addrspace(1) %g to ptr\n";
  auto test = std::make_unique<TestRun>((Head + body + "\nret i64 %v }").str());
  test->addBuffer(64);
  for (unsigned space : {7, 8, 1})
    test->addPointer(0, 0, space, 0);
  test->add(0, 32, 5);
  return test;
}

inline unsigned TestRun::addBuffer(unsigned bytes, uint16_t stride) {
  BufferMemory buffer;
  for (unsigned i = 0; i < bytes; ++i)
    buffer.bytes.push_back(static_cast<uint8_t>(i + 1));
  buffer.address = (memory.buffers.size() + 1) * uint64_t(0x100000);
  buffer.stride = stride;
  buffer.numRecords = stride ? bytes / stride : bytes;
  buffer.flags = 0x31016fac;
  memory.buffers.push_back(std::move(buffer));
  return memory.buffers.size() - 1;
}

inline void TestRun::add(unsigned lane, Scalar scalar) {
  if (arguments.size() <= lane)
    arguments.resize(lane + 1);
  arguments[lane].push_back({std::move(scalar)});
}

inline const RunResult &TestRun::run() {
  if (arguments.empty())
    arguments.resize(1);
  if (module && error.empty())
    result = ir::run(*module->getFunction("f"), arguments, memory, limits);
  else
    result = {RunState::Unsupported, error, {}, {}, 0};
  return result;
}

inline uint64_t TestRun::value(unsigned lane, unsigned number) const {
  if (result.state != RunState::Returned || result.returned.size() <= lane ||
      result.returned[lane].size() <= number)
    return ~uint64_t(0);
  const Scalar &scalar = result.returned[lane][number];
  return scalar.isPoison ? 0xdead : scalar.bits.getLimitedValue();
}

inline uint32_t TestRun::dword(unsigned buffer, unsigned offset) const {
  return llvm::support::endian::read32le(memory.buffers[buffer].bytes.data() + offset);
}

} // namespace assay::ir
