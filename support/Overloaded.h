// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One callable made of several, for std::visit.
#pragma once

namespace assay {

/// Calls whichever of \p Functions takes the argument. As there is no function for "anything else",
/// a new alternative of a std::variant is an error where the variant is visited.
template <typename... Functions> struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions> Overloaded(Functions...) -> Overloaded<Functions...>;

} // namespace assay
