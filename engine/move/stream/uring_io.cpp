// SPDX-License-Identifier: Apache-2.0
// FileIo through io_uring: one ring for all files of a rank; kernel workers are limited.
#include "engine/move/stream/file_io.hpp"

#ifdef SUBCURRENT_HAS_LIBURING
#include <liburing.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "engine/base/error.hpp"

namespace sc {

namespace {

class UringIo final : public FileIo {
 public:
  explicit UringIo(const io_uring& ring)
      : ring_(ring), kernel_thread_((ring.flags & IORING_SETUP_SQPOLL) != 0) {
    // Workers execute requests that would block. Older kernels reject this limit and use their own.
    std::array<unsigned, 2> workers{2, 2};
    io_uring_register_iowq_max_workers(&ring_, workers.data());
  }
  UringIo(const UringIo&) = delete;
  UringIo& operator=(const UringIo&) = delete;
  ~UringIo() override { io_uring_queue_exit(&ring_); }

  void submit(std::span<const FileRequest> requests) override {
    for (const FileRequest& request : requests) enqueue(request);
    // The kernel stops behind a request that fails at once, so it is called until it has taken all of them.
    // Its thread takes them by itself.
    int done = 0;
    do done = io_uring_submit(&ring_);
    while (done == -EINTR || done == -EAGAIN || done == -EBUSY ||
           (done >= 0 && !kernel_thread_ && io_uring_sq_ready(&ring_) > 0));
    if (done < 0) throw Error(Exit::storage, "io_uring took no request: " + text(-done));
  }

  bool take(Result& result, bool block) override {
    io_uring_cqe* entry = nullptr;
    int code = 0;
    // Polls for a short time before it blocks, because a sleeping thread wakes up late.
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(block ? 200 : 0);
    do code = io_uring_peek_cqe(&ring_, &entry);
    while (code == -EINTR || (code == -EAGAIN && std::chrono::steady_clock::now() < until));
    if (code == -EAGAIN && block) {
      do code = io_uring_wait_cqe(&ring_, &entry);
      while (code == -EINTR);
    }
    if (code == -EAGAIN) return false;
    if (code < 0) throw Error(Exit::storage, "io_uring gave no answer: " + text(-code));
    result = {static_cast<int>(io_uring_cqe_get_data64(entry)), entry->res};
    io_uring_cqe_seen(&ring_, entry);
    return true;
  }
  const char* name() const override { return kernel_thread_ ? "io_uring with a kernel thread" : "io_uring"; }

 private:
  void enqueue(const FileRequest& r) {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    if (!entry && kernel_thread_ && io_uring_sqring_wait(&ring_) >= 0) entry = io_uring_get_sqe(&ring_);
    if (!entry) throw Error(Exit::failure, "more file requests at a time than the ring was made for");
    // Lengths are 32-bit in the kernel. A longer request ends as a short transfer, and its rest is
    // resubmitted.
    constexpr std::size_t most = std::size_t{1} << 30;
    const auto bytes = static_cast<unsigned>(r.bytes < most ? r.bytes : most);
    if (r.write)
      io_uring_prep_write(entry, r.file, r.data, bytes, static_cast<__u64>(r.offset));
    else
      io_uring_prep_read(entry, r.file, r.data, bytes, static_cast<__u64>(r.offset));
    io_uring_sqe_set_data64(entry, static_cast<__u64>(r.index));
  }
  static std::string text(int error) { return std::error_code(error, std::generic_category()).message(); }
  io_uring ring_;
  bool kernel_thread_;
};

/// Time in ms for which the kernel thread polls before it sleeps: longer than the computation of a small
/// piece.
constexpr unsigned looks = 2;

}  // namespace

std::unique_ptr<FileIo> make_uring_io(unsigned depth, bool sqpoll, std::string& why) {
  io_uring ring{};
  if (sqpoll) {
    io_uring_params with_thread{};
    with_thread.flags = IORING_SETUP_SQPOLL;
    with_thread.sq_thread_idle = looks;
    if (io_uring_queue_init_params(depth, &ring, &with_thread) == 0) return std::make_unique<UringIo>(ring);
    ring = {};
  }
  const int code = io_uring_queue_init(depth, &ring, 0);
  if (code < 0) {
    why = "the kernel refuses io_uring: " + std::error_code(-code, std::generic_category()).message();
    return nullptr;
  }
  return std::make_unique<UringIo>(ring);
}

}  // namespace sc

#else

namespace sc {

std::unique_ptr<FileIo> make_uring_io(unsigned, bool, std::string& why) {
  why = "this build has no liburing";
  return nullptr;
}

}  // namespace sc

#endif
