// SPDX-License-Identifier: Apache-2.0
// FileIo: submits and completes reads and writes of files, by the kernel (io_uring), by two threads, or
// synchronously. The number of queues does not depend on the number of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace sc {

struct FileRequest {
  int file = -1;
  bool write = false;
  std::int64_t offset = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  int index = 0;  ///< number assigned by the caller
};

class FileIo {
 public:
  struct Result {
    int index = 0;
    std::int64_t result = 0;  ///< bytes, or -errno
  };
  virtual ~FileIo() = default;
  /// Requests that are submitted together cost one call of the kernel, and one signal to the disk.
  virtual void submit(std::span<const FileRequest> requests) = 0;
  /// Returns a completed request; false if there is none (yet, unless `block`).
  virtual bool take(Result& result, bool block) = 0;
  virtual const char* name() const = 0;
};

/// With an idle core io_uring uses SQPOLL, if the kernel allows it. Returns nullptr and the reason if the
/// kernel refuses io_uring or the build has no liburing.
std::unique_ptr<FileIo> make_uring_io(unsigned depth, bool sqpoll, std::string& why);
/// One thread for reads, one for writes.
std::unique_ptr<FileIo> make_thread_io();
std::unique_ptr<FileIo> make_blocking_io();

}  // namespace sc
