// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/LateStores.h"

#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::simt;

/// Puts the held stores into memory, for an instruction of the wave that made them.
void LateStores::show(FindMemory find) {
  for (Held &held : m_held) {
    uint8_t *memory = findHeld(find, held);
    std::memcpy(held.below.data(), memory, held.bytes);
    std::memcpy(memory, held.stored.data(), held.bytes);
  }
  m_shown = m_held.size();
}

/// Holds a store from now on, in pieces. An atomic releases held stores to the same place.
void LateStores::note(FindMemory find, const MemoryEvent &event, uint32_t sequence) {
  bool isShared = event.space == MemorySpace::Workgroup || event.space == MemorySpace::Global;
  if (!event.writes || !isShared)
    return;
  if (event.atomic) {
    uint64_t end = event.address + event.bytes;
    auto concerned = [&](const Held &held) {
      return held.overlaps(event.space, event.address, end);
    };
    // They are in memory already; they only must not be taken out again.
    m_shown -= size_t(count_if(ArrayRef(m_held).take_front(m_shown), concerned));
    erase_if(m_held, concerned);
    return;
  }
  for (uint32_t done = 0; done < event.bytes; done += PieceBytes) {
    Held held;
    held.sequence = sequence;
    held.space = event.space;
    held.address = event.address + done;
    held.bytes = static_cast<uint8_t>(std::min(event.bytes - done, PieceBytes));
    if (const uint8_t *memory = findHeld(find, held)) {
      std::memcpy(held.below.data(), memory, held.bytes);
      m_held.push_back(held);
    }
  }
}

/// Takes the held stores out of memory again, the latest first.
void LateStores::hide(FindMemory find) {
  for (Held &held : drop_begin(m_held, m_shown))
    std::memcpy(held.stored.data(), findHeld(find, held), held.bytes);
  for (Held &held : reverse(m_held))
    std::memcpy(findHeld(find, held), held.below.data(), held.bytes);
  m_shown = 0;
}

/// Older stores to the same places come first, whatever event they belong to.
void LateStores::release(FindMemory find, uint32_t sequence) {
  auto isWanted = [&](const Held &held) {
    return held.sequence == sequence || any_of(m_held, [&](const Held &later) {
             return later.sequence == sequence && held.sequence < sequence &&
                    held.overlaps(later.space, later.address, later.address + later.bytes);
           });
  };
  if (any_of(m_held, [&](const Held &held) { return held.sequence == sequence; }))
    releaseIf(find, isWanted);
}

void LateStores::releaseAll(FindMemory find) {
  releaseIf(find, [](const Held &) { return true; });
}

/// Writes the chosen stores to memory in the order in which they were made.
void LateStores::releaseIf(FindMemory find, function_ref<bool(const Held &)> chosen) {
  std::vector<Held> kept;
  std::vector<Held> released;
  for (const Held &held : m_held)
    (chosen(held) ? released : kept).push_back(held);
  for (const Held &held : released)
    std::memcpy(findHeld(find, held), held.stored.data(), held.bytes);
  m_held = std::move(kept);
}
