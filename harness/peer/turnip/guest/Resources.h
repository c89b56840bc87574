// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The buffers, images and samplers of a request, each in memory of its own.
#pragma once

#include "harness/peer/turnip/guest/Driver.h"

namespace assay::turnip {

struct GuestResource {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkImage image = VK_NULL_HANDLE; ///< Instead of the buffer.
};

struct GuestResources {
  std::vector<GuestResource> resources;
  std::vector<VkSampler> samplers;
  std::vector<ResourcePlace> places; ///< Of the resources.
};

/// Images are linear, so that their texels lie where VkSubresourceLayout says.
GuestResources createResources(Driver &driver, const Request &request);

} // namespace assay::turnip
