// SPDX-License-Identifier: Apache-2.0
// Memory of the host in large pages where the kernel gives them on request: planes of a field lie on other
// pages than their neighbours, and looking pages up takes its share of a sweep.
#pragma once

#include <cstddef>
#include <memory>

namespace sc {

struct FreePages {
  void operator()(std::byte* data) const;
};
using PagedMemory = std::unique_ptr<std::byte[], FreePages>;

/// Not set to anything; at least `alignment`-aligned, a power of two. nullptr where there is not enough.
PagedMemory in_large_pages(std::size_t bytes, std::size_t alignment);

}  // namespace sc
