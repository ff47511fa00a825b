// SPDX-License-Identifier: Apache-2.0
// Host memory in large pages if the kernel supports them: planes of fields and arrays of matrices span many
// pages, and page lookups cost time.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace sc {

struct FreePages {
  void operator()(std::byte* data) const;
};
using PagedMemory = std::unique_ptr<std::byte[], FreePages>;

/// Uninitialised memory, aligned to at least `alignment`, a power of two; nullptr if out of memory.
PagedMemory in_large_pages(std::size_t bytes, std::size_t alignment);

/// Zeroed memory that is allocated when it is first accessed; nullptr if out of address space.
std::shared_ptr<std::byte> address_space(std::size_t bytes);

/// Allocator of standard containers in large pages; throws std::bad_alloc.
template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    PagedMemory memory = in_large_pages(count * sizeof(T), alignof(std::max_align_t));
    if (!memory) throw std::bad_alloc();
    return reinterpret_cast<T*>(memory.release());
  }
  void deallocate(T* data, std::size_t /*count*/) { FreePages()(reinterpret_cast<std::byte*>(data)); }
  bool operator==(const LargePages& /*other*/) const { return true; }
};

}  // namespace sc
