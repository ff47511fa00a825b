// SPDX-License-Identifier: Apache-2.0
// Memory of the host in large pages where the kernel gives them on request: planes of a field lie on other
// pages than their neighbours, rows of a matrix in three arrays, and looking pages up takes its share.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace sc {

struct FreePages {
  void operator()(std::byte* data) const;
};
using PagedMemory = std::unique_ptr<std::byte[], FreePages>;

/// Not set to anything; at least `alignment`-aligned, a power of two. nullptr where there is not enough.
PagedMemory in_large_pages(std::size_t bytes, std::size_t alignment);

/// Zeros that take no memory before they are touched; nullptr where there are not so many addresses.
std::shared_ptr<std::byte> address_space(std::size_t bytes);

/// For a standard container whose elements shall lie so; throws std::bad_alloc.
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
