// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers, images and samplers of a request, each in memory of its own.
#pragma once

#include "harness/peer/turnip/guest/Driver.h"

namespace assay::turnip {

/// One resource of a request with its handle.
struct GuestResource {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkImage image = VK_NULL_HANDLE; ///< Instead of the buffer.
};

/// What pipelines of a request refer to by index.
struct GuestResources {
  std::vector<GuestResource> resources; ///< As Request::resources.
  std::vector<VkSampler> samplers;      ///< As Request::samplers.
  std::vector<ResourcePlace> places;    ///< Of the resources.
};

/// Images are linear, so that their texels lie where VkSubresourceLayout says.
GuestResources createResources(Driver &driver, const Request &request);

} // namespace assay::turnip
