// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of the guest program, each in a process of its own.
#pragma once

#include "harness/peer/turnip/Install.h"
#include "harness/peer/turnip/Protocol.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace assay::turnip {

/// What a process of the guest wrote, and how it ended.
struct GuestAnswer {
  Response response;
  std::string death; ///< What the driver died of; empty where it did not.
};

/// Environment when files or the process can't be made, or the process is killed after five
/// minutes. A driver that dies is no Error: what it did before is in the answer.
llvm::Expected<GuestAnswer> runGuest(const Installation &installation, const Request &request);

/// The same for several requests of one chip and one environment. Their processes are forked from
/// one, which saves most of the time; answers are those of runGuest. One that is missing or not
/// complete is asked for again alone.
llvm::Expected<std::vector<GuestAnswer>> runGuests(const Installation &installation,
                                                   llvm::ArrayRef<Request> requests);

} // namespace assay::turnip
