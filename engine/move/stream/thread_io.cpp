// SPDX-License-Identifier: Apache-2.0
// FileIo without io_uring: by two threads, or synchronously by the caller.
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "engine/move/stream/file_io.hpp"

namespace sc {

namespace {

std::int64_t perform(const FileRequest& r) {
  const ssize_t done =
      r.write ? pwrite(r.file, r.data, r.bytes, r.offset) : pread(r.file, r.data, r.bytes, r.offset);
  return done < 0 ? -errno : done;
}

class ThreadIo final : public FileIo {
 public:
  ThreadIo() : reader_([this] { serve(requests_[0]); }), writer_([this] { serve(requests_[1]); }) {}
  ThreadIo(const ThreadIo&) = delete;
  ThreadIo& operator=(const ThreadIo&) = delete;
  ~ThreadIo() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    asked_.notify_all();
    reader_.join();
    writer_.join();
  }

  void submit(std::span<const FileRequest> requests) override {
    {
      const std::lock_guard lock(mutex_);
      for (const FileRequest& request : requests) {
        requests_[request.write ? 1 : 0].push_back(request);
        ++under_way_;
      }
    }
    asked_.notify_all();
  }
  bool take(Result& result, bool block) override {
    std::unique_lock lock(mutex_);
    if (block) answered_.wait(lock, [&] { return !results_.empty() || under_way_ == 0; });
    if (results_.empty()) return false;
    result = results_.front();
    results_.pop_front();
    --under_way_;
    return true;
  }
  const char* name() const override { return "two threads"; }

 private:
  void serve(std::deque<FileRequest>& queue) {
    std::unique_lock lock(mutex_);
    for (;;) {
      asked_.wait(lock, [&] { return ending_ || !queue.empty(); });
      if (queue.empty()) return;
      const FileRequest request = queue.front();
      queue.pop_front();
      lock.unlock();
      const std::int64_t result = perform(request);
      lock.lock();
      results_.push_back({request.index, result});
      answered_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable asked_, answered_;
  std::deque<FileRequest> requests_[2];
  std::deque<Result> results_;
  int under_way_ = 0;
  bool ending_ = false;
  std::thread reader_, writer_;  // last, because they use all other members
};

class BlockingIo final : public FileIo {
 public:
  void submit(std::span<const FileRequest> requests) override {
    for (const FileRequest& request : requests) results_.push_back({request.index, perform(request)});
  }
  bool take(Result& result, bool) override {
    if (results_.empty()) return false;
    result = results_.front();
    results_.pop_front();
    return true;
  }
  const char* name() const override { return "blocking calls"; }

 private:
  std::deque<Result> results_;
};

}  // namespace

std::unique_ptr<FileIo> make_thread_io() { return std::make_unique<ThreadIo>(); }
std::unique_ptr<FileIo> make_blocking_io() { return std::make_unique<BlockingIo>(); }

}  // namespace sc
