// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/CrashStack.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ELFObjectFile.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace assay;

#ifndef ASSAY_SANITIZED
static constexpr int maxFrames = 256;   // Deeper recursion is cut off outside.
static constexpr int handlerFrames = 2; // The handler, and what the kernel returns to from it.
/// Where handlers write. They must not allocate, so the path is copied here.
static char stackPath[4096];
/// Signals for which a handler writes a stack.
static constexpr int crashSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

/// Gives up at an error: a handler can't report it.
static void writeAll(int file, const char *data, size_t size) {
  while (size) {
    ssize_t written = write(file, data, size);
    if (written <= 0)
      return;
    data += written;
    size -= static_cast<size_t>(written);
  }
}

/// Appends the contents of \p path to \p file; nothing if it can't be read.
static void copyFile(int file, const char *path) {
  int from = open(path, O_RDONLY | O_CLOEXEC);
  char buffer[4096];
  for (ssize_t got; from >= 0 && (got = read(from, buffer, sizeof buffer)) > 0;)
    writeAll(file, buffer, static_cast<size_t>(got));
  if (from >= 0)
    close(from);
}

/// The line in front of each stack.
static constexpr StringLiteral sampleLine = "sample\n";
/// A line for each frame; the digits are replaced.
static constexpr StringLiteral frameLine = "frame 0x0000000000000000\n";

/// Writes \p frames at once: whoever is killed meanwhile leaves all of them or none.
static void writeFrames(int file, ArrayRef<void *> frames) {
  static char text[sampleLine.size() + maxFrames * frameLine.size()];
  char *end = std::copy(sampleLine.begin(), sampleLine.end(), text);
  for (void *frame : frames) {
    end = std::copy(frameLine.begin(), frameLine.end(), end);
    char *digit = end - 2;
    for (auto rest = reinterpret_cast<uintptr_t>(frame); rest; --digit, rest >>= 4)
      *digit = "0123456789abcdef"[rest & 15];
  }
  writeAll(file, text, static_cast<size_t>(end - text));
}

/// Adds the stack of who calls this in a handler. System calls alone, except for backtrace(), which
/// was warmed up.
[[gnu::noinline]] static void addStack(int flags) {
  int file = open(stackPath, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
  if (file < 0)
    return;
  void *frames[maxFrames];
  int count = backtrace(frames, maxFrames);
  struct stat status = {};
  // Modules stay where they are.
  if (fstat(file, &status) == 0 && status.st_size == 0)
    copyFile(file, "/proc/self/maps");
  writeAll(file, "memory ", 7);
  copyFile(file, "/proc/self/statm");
  int first = std::min(handlerFrames + 1, count);
  writeFrames(file, ArrayRef(frames + first, frames + count));
  close(file);
}

/// Writes one stack and lets the signal end the process.
static void onCrash(int signal) {
  addStack(O_TRUNC);
  // Blocked until this returns; then it ends the process.
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// Adds a stack and returns to what was interrupted.
static void onAsked(int) {
  int code = errno;
  addStack(O_APPEND);
  errno = code;
}

/// Installs \p handler on the alternate stack.
static void handle(int signal, void (*handler)(int), unsigned flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_ONSTACK | flags);
  sigaction(signal, &action, nullptr);
}
#endif

/// Handles the signals of crashes, and the one that asks for the stack; the handlers write to \p
/// path. Does nothing under sanitizers, which have their own handlers, and for paths that are too
/// long.
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
  for (int signal : crashSignals)
    handle(signal, onCrash, SA_RESETHAND);
  handle(stackSignal, onAsked, SA_RESTART);
#endif
}

namespace {

/// Functions of a module, by address in it.
class Symbols {
public:
  /// Reads the symbol table of \p path, or its dynamic symbols where that is empty. A file that
  /// can't be read has no symbols.
  explicit Symbols(StringRef path);
  /// The mangled name of the function that contains \p address, or "". Addresses are those of the
  /// file, not of the process.
  StringRef find(uint64_t address) const;

private:
  /// Adds a function. Symbols at address 0 and those that can't be read are left out; of several at
  /// one address the first is kept.
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

/// Reads the functions of an object file; a file without symbols has its dynamic ones read. Files
/// that cannot be read have no names.
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

/// Ignores all but functions with an address. The first name of an address is kept.
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

/// Returns the name of the function that has the address, or an empty text.
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
  std::vector<std::vector<uint64_t>> stacks;
  std::vector<Mapping> mappings;
  uint64_t residentPages = 0;
};
} // namespace

/// Lines that are not known are ignored: the process may have died while it wrote.
static CrashFile parseCrash(StringRef text) {
  CrashFile crash;
  std::map<std::string, uint64_t> bases;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    uint64_t address = 0;
    if (line == "sample") {
      crash.stacks.emplace_back();
    } else if (line.consume_front("frame ")) {
      if (!crash.stacks.empty() && !line.getAsInteger(0, address))
        crash.stacks.back().push_back(address);
    } else if (line.consume_front("memory ")) {
      // Its size, then what of it is in memory.
      StringRef resident = line.split(' ').second.split(' ').first;
      if (!resident.getAsInteger(10, address))
        crash.residentPages = address;
    } else if (std::optional<Mapping> mapping = parseMapping(line)) {
      // The first mapping of a file is that of its first byte; later ones may be shifted.
      mapping->base = bases.try_emplace(mapping->path, mapping->base).first->second;
      crash.mappings.push_back(std::move(*mapping));
    }
  }
  return crash;
}

/// The demangled name at the return address \p address, or "??".
static std::string nameFunction(ArrayRef<Mapping> mappings, uint64_t address) {
  // Reading a symbol table takes long, and who died once may do so often.
  static std::map<std::string, Symbols> symbols;
  const Mapping *mapping = find_if(
      mappings, [&](const Mapping &each) { return address >= each.begin && address < each.end; });
  if (mapping == mappings.end())
    return "??";
  const Symbols &functions = symbols.try_emplace(mapping->path, mapping->path).first->second;
  // An address of a frame is after the call.
  StringRef name = functions.find(address - mapping->base - 1);
  return name.empty() ? "??" : demangle(name);
}

/// The names of \p frames, up to the first that begins with \p last.
static std::vector<std::string> nameFrames(ArrayRef<Mapping> mappings, ArrayRef<uint64_t> frames,
                                           StringRef last) {
  std::vector<std::string> names;
  for (uint64_t address : frames) {
    names.push_back(nameFunction(mappings, address));
    if (!last.empty() && StringRef(names.back()).starts_with(last))
      break;
  }
  return names;
}

/// Prints what the stacks in the text have in common from their outermost frames on, one function a
/// line.
std::string assay::printCrashStack(StringRef text, StringRef last) {
  CrashFile crash = parseCrash(text);
  std::vector<std::string> common;
  for (ArrayRef<uint64_t> frames : crash.stacks) {
    std::vector<std::string> names = nameFrames(crash.mappings, frames, last);
    if (common.empty())
      common = std::move(names);
    // Those that begin elsewhere - too deep - have nothing in common: the one before stands.
    else if (!names.empty() && names.back() == common.back())
      common.erase(
          common.begin(),
          std::mismatch(common.rbegin(), common.rend(), names.rbegin(), names.rend()).first.base());
  }
  std::string stack;
  for (auto [index, function] : enumerate(common))
    stack += "#" + std::to_string(index) + " " + function + "\n";
  return stack;
}

/// Returns the resident bytes at the crash; 0 where the text does not have them.
uint64_t assay::readCrashMemory(StringRef text) {
  return parseCrash(text).residentPages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}
