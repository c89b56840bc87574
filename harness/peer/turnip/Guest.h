// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of the guest program in a process of its own.
#pragma once

#include "harness/peer/turnip/Install.h"
#include "harness/peer/turnip/Protocol.h"
#include "llvm/Support/Error.h"

namespace assay::turnip {

struct GuestAnswer {
  Response response;
  std::string death; ///< What the driver died of; empty where it did not.
};

/// Environment when files or the process can't be made, or the process is killed after five
/// minutes. A driver that dies is no Error: what it did before is in the answer.
llvm::Expected<GuestAnswer> runGuest(const Installation &installation, const Request &request);

} // namespace assay::turnip
