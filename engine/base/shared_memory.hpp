// SPDX-License-Identifier: Apache-2.0
// SharedMemory: memory that each rank of a node brings and all of them see, in large pages where the kernel
// has them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace sc {

class SharedMemory {
 public:
  /// Collective over the ranks of a node; `bytes` may differ between them. Zeroed, page-aligned. nullptr,
  /// with a reason where it arose, unless every rank sees the memory of all.
  static std::unique_ptr<SharedMemory> bring(MPI_Comm node, std::size_t bytes, std::string& reason);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Not collective: what others have of this rank's memory stays theirs.
  ~SharedMemory();

  /// Where the memory of a rank of the node lies in this one's address space.
  std::byte* of(int node_rank) const { return parts_[static_cast<std::size_t>(node_rank)].data; }

 private:
  struct Part {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };
  SharedMemory() = default;
  std::vector<Part> parts_;
};

}  // namespace sc
