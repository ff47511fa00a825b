// SPDX-License-Identifier: Apache-2.0
// FileMemory: far memory in scratch files, without the page cache (O_DIRECT) if the filesystem allows it.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/align.hpp"
#include "engine/move/stream/far_memory.hpp"
#include "engine/move/stream/file_io.hpp"
#include "engine/move/stream/scratch.hpp"

namespace sc {

/// How files are read and written: io_uring, or two threads if it is refused; or synchronously. With an idle
/// core a kernel thread submits io_uring's requests (SQPOLL), otherwise the caller does.
enum class IoMode { automatic, sqpoll, threads, blocking };

struct FileMemoryOptions {
  std::string folder;         ///< the scratch folder
  std::string name = "rank";  ///< of this process, in the names of its files
  IoMode mode = IoMode::automatic;
  /// Called once with a warning (no io_uring, no O_DIRECT).
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// For tests: gets the result of every request (bytes or -errno) and returns the result to use.
  std::function<std::int64_t(const FileRequest&, std::int64_t)> outcome = {};
  /// For tests and measurements: limit in bytes a second in each direction; 0: none.
  double most_bytes_per_second = 0;
};

class FileMemory : public FarMemory {
 public:
  /// Throws Error (storage) if the scratch folder cannot be used.
  explicit FileMemory(FileMemoryOptions options);
  FileMemory(const FileMemory&) = delete;
  FileMemory& operator=(const FileMemory&) = delete;
  /// Waits for requests in progress, then removes the files.
  ~FileMemory() override;

  bool test(Way way) override;
  /// Allocates the whole length, so that a full disk is detected here.
  int add(const std::string& name, std::int64_t bytes) override;
  static constexpr std::size_t page = memory_page;
  std::size_t alignment() const override { return page; }
  /// What the devices of the files require of addresses; less than a page for most.
  std::size_t near_alignment() const override { return near_alignment_; }
  int batches_ahead(std::size_t bytes) const override { return ahead(bytes); }
  static int ahead(std::size_t bytes);
  Buffer allocate(std::size_t bytes) override;
  const char* where() const override { return "in files"; }

  const Scratch& scratch() const { return scratch_; }
  const char* io_name() const { return io_->name(); }
  bool direct() const { return direct_; }

 private:
  std::int64_t start_batch(Way way, std::span<const FarPart> parts) override;
  void wait_batch(Way way, std::int64_t batch) override;
  bool overlaps() const override { return options_.mode != IoMode::blocking; }

  struct File {
    std::string name, path;
    int descriptor = -1;
    std::int64_t blocks = 0;  ///< of 512 bytes, that the file never has less of unless it was cut
  };
  struct Batch {
    std::vector<FileRequest> requests;
    std::size_t missing = 0;
    std::string failure;
    double due = 0;  ///< when a disk of the given speed would be done
  };
  /// What is under way in one direction: the last of the batches that were started.
  struct Queue {
    std::deque<Batch> batches;
    double due = 0;
  };
  void take_results(bool block);
  void complete(Way way, Batch& batch, std::size_t part, std::int64_t result);
  const File& file_of(const FileRequest& request) const;
  void fail(Batch& batch, const FileRequest& request, const std::string& why);
  void look_for_cuts(Batch& batch);

  FileMemoryOptions options_;
  Scratch scratch_;
  std::unique_ptr<FileIo> io_;
  std::vector<File> files_;
  PerWay<Queue> queues_;
  bool direct_ = true;
  std::size_t near_alignment_ = 1;
};

}  // namespace sc
