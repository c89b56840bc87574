// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which blocks of the compiler this process has entered, in builds that count them (preset
// coverage): by that corpora are made smaller and campaigns are steered.
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

/// Whether anything in this program is noted (clang's
/// -fsanitize-coverage=inline-bool-flag,pc-table).
bool isCodeCounted();
/// From here on nothing has been entered.
void forgetEnteredCode();
/// Where in this program's file, as a symbolizer takes addresses, the blocks stand that were
/// entered since; ascending. Blocks of shared libraries are left out.
std::vector<uint64_t> enteredCode();

} // namespace assay
