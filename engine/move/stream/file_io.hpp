// SPDX-License-Identifier: Apache-2.0
// FileIo: where reads and writes of files are submitted and completed, whatever performs them: the
// kernel (io_uring), two threads, or the caller at once. Never more contexts than that, however many files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sc {

struct FileRequest {
  int file = -1;
  bool write = false;
  std::int64_t offset = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  int index = 0;  ///< the caller's
};

class FileIo {
 public:
  struct Result {
    int index = 0;
    std::int64_t result = 0;  ///< bytes, or -errno
  };
  virtual ~FileIo() = default;
  virtual void submit(const FileRequest& request) = 0;
  /// One that has come to its end; false when there is none (yet, unless `block`).
  virtual bool take(Result& result, bool block) = 0;
  virtual const char* name() const = 0;
};

/// With a spare core a thread of the kernel gives the requests to the disk, where the kernel allows one.
/// Null, and why, where it refuses io_uring or the build has no liburing.
std::unique_ptr<FileIo> make_uring_io(unsigned depth, bool spare_core, std::string& why);
/// One thread for reads, one for writes.
std::unique_ptr<FileIo> make_thread_io();
std::unique_ptr<FileIo> make_blocking_io();

}  // namespace sc
