// SPDX-License-Identifier: Apache-2.0
// SharedMemory: each rank of a node contributes a part, and all map all parts, in large pages if the kernel
// supports them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace sc {

class SharedMemory {
 public:
  /// Collective over the ranks of a node; `bytes` may differ between them. Zeroed, page-aligned. Returns
  /// nullptr, with a reason on the rank where it arose, unless every rank can map all parts.
  static std::unique_ptr<SharedMemory> bring(MPI_Comm node, std::size_t bytes, std::string& reason);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Not collective: mappings of this rank's part in other ranks stay valid.
  ~SharedMemory();

  /// Address of the part of a rank of the node in this rank's address space.
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
