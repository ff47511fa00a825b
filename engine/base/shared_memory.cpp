// SPDX-License-Identifier: Apache-2.0
// SharedMemory: an anonymous file (memfd) for each rank, which the others open through /proc.
//
// MPI's shared windows are not used: they may begin anywhere in a page of their file, and a large page needs
// an address and a file offset that agree modulo its size (decision 48).
#include "engine/base/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "engine/base/align.hpp"
#include "engine/base/mpi_check.hpp"

namespace sc {

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;
constexpr int collapse = 25;  // MADV_COLLAPSE of Linux 6.1; not all C libraries define it yet

/// Lets other ranks find a rank's file and verify it: in another PID namespace the same process number may
/// belong to another process.
struct Key {
  std::int64_t process = 0, file = -1;
  std::uint64_t bytes = 0, device = 0, inode = 0;
};

std::string failed(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

Key make_file(std::size_t bytes, std::string& reason) {
  Key key{.process = getpid(), .bytes = bytes};
  const int file = memfd_create("subcurrent", MFD_CLOEXEC);
  struct stat made {};
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0 || fstat(file, &made) != 0) {
    reason = failed("shared memory cannot be made");
    if (file >= 0) close(file);
    return key;
  }
  key.file = file;
  key.device = made.st_dev;
  key.inode = made.st_ino;
  return key;
}

int open_file(const Key& key, std::string& reason) {
  const std::string path = "/proc/" + std::to_string(key.process) + "/fd/" + std::to_string(key.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat found {};
  if (file < 0 || fstat(file, &found) != 0) {
    reason = failed(path.c_str());
  } else if (found.st_dev != key.device || found.st_ino != key.inode) {
    reason = path + " is not the memory of a rank; are they in containers of their own?";
  } else {
    return file;
  }
  if (file >= 0) close(file);
  return -1;
}

/// Maps the file at an address that is aligned to large pages.
std::byte* map_file(int file, std::size_t bytes, std::string& reason) {
  const std::size_t room = bytes + large_page;
  void* reserved = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    reason = failed("no room for shared memory");
    return nullptr;
  }
  const auto first = reinterpret_cast<std::uintptr_t>(reserved);
  const std::size_t before = (large_page - first % large_page) % large_page;
  auto* begin = static_cast<std::byte*>(reserved) + before;
  if (mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    reason = failed("shared memory cannot be mapped");
    munmap(reserved, room);
    return nullptr;
  }
  if (before > 0) munmap(reserved, before);
  munmap(begin + bytes, room - before - bytes);
  return begin;
}

/// Requests large pages before any data is stored. A page must have been touched for that. Failure does no
/// harm.
void ask_for_large_pages(std::byte* data, std::size_t bytes) {
  for (std::size_t at = 0; at + large_page <= bytes; at += large_page) {
    data[at] = std::byte{};
    if (madvise(data + at, large_page, collapse) != 0) return;
  }
}

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::bring(MPI_Comm node, std::size_t bytes, std::string& reason) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  int size = 0, rank = 0;
  mpi::check(MPI_Comm_size(node, &size));
  mpi::check(MPI_Comm_rank(node, &rank));
  const Key own = make_file(round_up(bytes, page), reason);
  std::vector<Key> keys(static_cast<std::size_t>(size));
  mpi::check(MPI_Allgather(&own, sizeof own, MPI_BYTE, keys.data(), sizeof own, MPI_BYTE, node));
  std::unique_ptr<SharedMemory> memory(new SharedMemory);
  for (const Key& key : keys) {
    if (!reason.empty()) break;
    const bool mine = &key == &keys[static_cast<std::size_t>(rank)];
    const int file = key.file < 0 ? -1 : mine ? static_cast<int>(key.file) : open_file(key, reason);
    if (file < 0) break;
    if (std::byte* data = map_file(file, key.bytes, reason)) memory->parts_.push_back({data, key.bytes});
    if (!mine) close(file);
  }
  int seen = static_cast<int>(memory->parts_.size()) == size;
  mpi::check(
      MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT, MPI_MIN, node));  // all ranks have opened all files
  if (own.file >= 0) close(static_cast<int>(own.file));
  if (!seen) return nullptr;
  ask_for_large_pages(memory->of(rank), own.bytes);
  return memory;
}

SharedMemory::~SharedMemory() {
  for (const Part& part : parts_) munmap(part.data, part.bytes);
}

}  // namespace sc
