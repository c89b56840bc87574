// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/CrashStack.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELFObjectFile.h"
#include <csignal>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <map>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace assay;

static constexpr int maxFrames = 64;
static constexpr int handlerFrames = 2; // The handler, and what the kernel returns to from it.

#ifndef ASSAY_SANITIZED
static char stackPath[4096];
static constexpr int crashSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

static void writeAll(int file, const char *data, size_t size) {
  while (size) {
    ssize_t written = write(file, data, size);
    if (written <= 0)
      return;
    data += written;
    size -= static_cast<size_t>(written);
  }
}

static void writeFrame(int file, const void *address) {
  char line[] = "frame 0x0000000000000000\n";
  auto rest = reinterpret_cast<uintptr_t>(address);
  for (size_t i = sizeof line - 3; rest; --i, rest >>= 4)
    line[i] = "0123456789abcdef"[rest & 15];
  writeAll(file, line, sizeof line - 1);
}

// System calls alone, but for backtrace(), which was warmed up.
static void onCrash(int signal) {
  int file = open(stackPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0) {
    void *frames[maxFrames];
    int count = backtrace(frames, maxFrames);
    for (int i = handlerFrames; i < count; ++i)
      writeFrame(file, frames[i]);
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char buffer[4096];
    for (ssize_t got; maps >= 0 && (got = read(maps, buffer, sizeof buffer)) > 0;)
      writeAll(file, buffer, static_cast<size_t>(got));
  }
  // Blocked until this returns; then it ends the process.
  std::signal(signal, SIG_DFL);
  raise(signal);
}
#endif

void assay::installCrashStack(StringRef path) {
#ifndef ASSAY_SANITIZED
  if (path.size() >= sizeof stackPath)
    return;
  std::memcpy(stackPath, path.data(), path.size());
  stackPath[path.size()] = 0;
  static char own[1 << 16]; // A stack that has overflowed is no place for a handler.
  stack_t alternate = {};
  alternate.ss_sp = own;
  alternate.ss_size = sizeof own;
  sigaltstack(&alternate, nullptr);
  // Its first call loads the unwinder.
  void *warm[1];
  backtrace(warm, 1);
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
  for (int signal : crashSignals)
    sigaction(signal, &action, nullptr);
#endif
}

namespace {

/// Functions of a module, by address in it.
class Symbols {
public:
  explicit Symbols(StringRef path);
  StringRef find(uint64_t address) const;

private:
  void add(const object::ELFSymbolRef &symbol);

  std::map<uint64_t, std::pair<uint64_t, std::string>> m_functions; ///< Size, name.
};

/// A module in the memory of the process that died.
struct Mapping {
  uint64_t begin = 0, end = 0;
  uint64_t base = 0; ///< Where the file's first byte is.
  std::string path;
};

} // namespace

Symbols::Symbols(StringRef path) {
  Expected<object::OwningBinary<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(path);
  if (!file) {
    consumeError(file.takeError()); // [vdso], a file that is gone: places without names.
    return;
  }
  const auto *elf = dyn_cast<object::ELFObjectFileBase>(file->getBinary());
  if (!elf)
    return;
  for (const object::ELFSymbolRef &symbol : elf->symbols())
    add(symbol);
  if (m_functions.empty())
    for (const object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators())
      add(symbol);
}

void Symbols::add(const object::ELFSymbolRef &symbol) {
  Expected<object::SymbolRef::Type> type = symbol.getType();
  Expected<uint64_t> address = symbol.getAddress();
  Expected<StringRef> name = symbol.getName();
  if (type && address && name && *type == object::SymbolRef::ST_Function && *address)
    m_functions.try_emplace(*address, symbol.getSize(), name->str());
  consumeError(type.takeError());
  consumeError(address.takeError());
  consumeError(name.takeError());
}

StringRef Symbols::find(uint64_t address) const {
  auto above = m_functions.upper_bound(address);
  if (above == m_functions.begin())
    return "";
  const auto &[begin, function] = *std::prev(above);
  return address - begin < std::max<uint64_t>(function.first, 1) ? StringRef(function.second) : "";
}

// "7f00-7f10 r-xp 00001000 fe:00 123  /path"; nothing for memory without a file.
static std::optional<Mapping> parseMapping(StringRef line) {
  Mapping mapping;
  uint64_t offset = 0;
  SmallVector<StringRef> words;
  line.split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.size() < 6)
    return std::nullopt;
  auto [begin, end] = words[0].split('-');
  if (begin.getAsInteger(16, mapping.begin) || end.getAsInteger(16, mapping.end) ||
      words[2].getAsInteger(16, offset))
    return std::nullopt;
  mapping.base = mapping.begin - offset;
  mapping.path = line.drop_front(line.find(words[5])).str();
  return mapping;
}

namespace {
/// What a dying process wrote.
struct CrashFile {
  std::vector<uint64_t> frames;
  std::vector<Mapping> mappings;
};
} // namespace

static CrashFile parseCrash(StringRef text) {
  CrashFile crash;
  std::map<std::string, uint64_t> bases;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    uint64_t address = 0;
    if (line.consume_front("frame ")) {
      if (!line.getAsInteger(0, address))
        crash.frames.push_back(address);
    } else if (std::optional<Mapping> mapping = parseMapping(line)) {
      // The first mapping of a file is that of its first byte; later ones may be shifted.
      mapping->base = bases.try_emplace(mapping->path, mapping->base).first->second;
      crash.mappings.push_back(std::move(*mapping));
    }
  }
  return crash;
}

std::string assay::printCrashStack(StringRef text, StringRef last) {
  // Reading a symbol table takes long, and who died once may do so often.
  static std::map<std::string, Symbols> symbols;
  CrashFile crash = parseCrash(text);
  std::string stack;
  for (auto [index, address] : enumerate(crash.frames)) {
    auto mapping = find_if(crash.mappings, [&](const Mapping &each) {
      return address >= each.begin && address < each.end;
    });
    StringRef name;
    if (mapping != crash.mappings.end())
      // An address of a frame is behind the call.
      name = symbols.try_emplace(mapping->path, mapping->path)
                 .first->second.find(address - mapping->base - 1);
    std::string function = name.empty() ? "??" : demangle(name);
    stack += "#" + std::to_string(index) + " " + function + "\n";
    if (!last.empty() && StringRef(function).starts_with(last))
      break;
  }
  return stack;
}
