// SPDX-License-Identifier: Apache-2.0
// Allocation in large pages, if the system has any.
#include "engine/base/large_pages.hpp"

#include <sys/mman.h>

#include <cstdlib>

#include "engine/base/align.hpp"

namespace sc {

void FreePages::operator()(std::byte* data) const { std::free(data); }

PagedMemory in_large_pages(std::size_t bytes, std::size_t alignment) {
  constexpr std::size_t large = std::size_t{2} << 20;
  const std::size_t unit = bytes >= large ? large : alignment;
  void* data = std::aligned_alloc(unit, round_up(bytes, unit));
  // Only up to `bytes`: the tail of the last page stays untouched and takes no memory.
  if (data && unit == large) {
    madvise(data, bytes, MADV_DONTNEED);  // memory that was freed before keeps its small pages
    madvise(data, bytes, MADV_HUGEPAGE);
  }
  return PagedMemory(static_cast<std::byte*>(data));
}

std::shared_ptr<std::byte> address_space(std::size_t bytes) {
  void* data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return nullptr;
  return {static_cast<std::byte*>(data), [bytes](std::byte* memory) { munmap(memory, bytes); }};
}

}  // namespace sc
