// SPDX-License-Identifier: Apache-2.0
// FileMemory: requests are submitted in batches. After a short transfer the rest is resubmitted; an error is
// reported once for each batch.
#include "engine/move/stream/file_memory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/large_pages.hpp"

namespace sc {

namespace {

constexpr unsigned ring_depth = 256;
constexpr const char* was_cut = "the file is shorter than it was, another program has cut it";
/// Limits: batches in progress in one direction, and (as bits) parts of a batch.
constexpr std::int64_t most_batches = 64;
constexpr int parts_bits = 16;

/// A request's index encodes its direction, batch and part.
int index_of(Way way, std::int64_t batch, std::size_t part) {
  const auto number = static_cast<int>(batch % most_batches) << 1 | (way == Way::out ? 1 : 0);
  return number << parts_bits | static_cast<int>(part);
}

/// Whether a part lies behind a request in the file and in memory: pieces of a whole array do.
bool continues(const FileRequest& r, int file, const FarPart& part) {
  const auto bytes = static_cast<std::int64_t>(r.bytes);
  return r.file == file && r.offset + bytes == part.offset && r.data + bytes == part.near;
}

std::string cause(int error) { return std::error_code(error, std::generic_category()).message(); }

/// What direct transfers of a file require of addresses.
std::size_t address_alignment(int file) {
#ifdef STATX_DIOALIGN
  struct statx found {};
  if (statx(file, "", AT_EMPTY_PATH, STATX_DIOALIGN, &found) == 0 && (found.stx_mask & STATX_DIOALIGN) != 0 &&
      found.stx_dio_mem_align > 0)
    return found.stx_dio_mem_align;
#else
  static_cast<void>(file);
#endif
  return FileMemory::page;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

FileMemory::FileMemory(FileMemoryOptions options)
    : FarMemory(Resource::files), options_(std::move(options)), scratch_(options_.folder, options_.name) {
  std::string why;
  if (options_.mode == IoMode::blocking) io_ = make_blocking_io();
  if (options_.mode == IoMode::automatic || options_.mode == IoMode::sqpoll)
    io_ = make_uring_io(ring_depth, options_.mode == IoMode::sqpoll, why);
  if (!io_) io_ = make_thread_io();
  if (!why.empty()) options_.say(why + "; two threads read and write the scratch files instead");
}

FileMemory::~FileMemory() {
  // The kernel may still write to near memory, which the owner frees next.
  for (const Way way : {Way::in, Way::out})
    while (!queues_[way].batches.empty()) {
      if (queues_[way].batches.front().missing == 0) {
        queues_[way].batches.pop_front();
        ++ended_[way];
      } else
        try {
          take_results(true);
        } catch (const Error&) {
          break;
        }
    }
  io_.reset();
  for (const File& file : files_) ::close(file.descriptor);
}

int FileMemory::add(const std::string& name, std::int64_t bytes) {
  File file{name, scratch_.path() + "/" + std::to_string(files_.size()), -1, 0};
  const auto made = [&](int flags) {
    return ::open(file.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | flags, 0600);
  };
  const auto refuse_file = [&](int error) {
    throw Error(Exit::storage, "cannot make the scratch file of \"" + name + "\" (" +
                                   std::to_string(bytes >> 20) + " MiB in " + scratch_.path() +
                                   "): " + cause(error));
  };
  file.descriptor = made(direct_ ? O_DIRECT : 0);
  if (file.descriptor < 0 && errno == EINVAL && direct_) {
    ::unlink(file.path.c_str());
    direct_ = false;
    options_.say(
        "the filesystem of " + options_.folder +
        " refuses O_DIRECT; scratch files go through the page cache, which takes memory beside the plan");
    file.descriptor = made(0);
  }
  if (file.descriptor < 0) refuse_file(errno);
  int error = 0;
  do error = posix_fallocate(file.descriptor, 0, bytes);
  while (error == EINTR);
  if (error != 0) {
    ::close(file.descriptor);
    ::unlink(file.path.c_str());
    refuse_file(error);
  }
  struct stat made_as {};
  if (fstat(file.descriptor, &made_as) == 0)
    file.blocks = std::min<std::int64_t>(made_as.st_blocks, bytes / 512);
  if (direct_) near_alignment_ = std::max(near_alignment_, address_alignment(file.descriptor));
  files_.push_back(file);
  return static_cast<int>(files_.size()) - 1;
}

/// A disk has a latency for each batch, however small; 4 MiB in progress hide it (decision 17).
int FileMemory::ahead(std::size_t bytes) {
  constexpr std::size_t under_way = std::size_t{4} << 20, most = 4;
  if (bytes * most <= under_way) return most;
  return static_cast<int>(std::max<std::size_t>((under_way + bytes - 1) / bytes, 1));
}

FarMemory::Buffer FileMemory::allocate(std::size_t bytes) {
  PagedMemory memory = in_large_pages(bytes, alignment());  // also cheaper for transfers to the disk
  if (!memory)
    throw Error(Exit::storage, "not enough memory for " + std::to_string(bytes >> 20) + " MiB of slots");
  return {memory.release(), FreePages{}};
}

std::int64_t FileMemory::start_batch(Way way, std::span<const FarPart> parts) {
  Queue& l = queues_[way];
  if (parts.size() > ring_depth / 2) throw Error(Exit::failure, "a batch has too many parts");
  if (l.batches.size() == most_batches)
    throw Error(Exit::failure, "too many batches of scratch files are under way");
  Batch& batch = l.batches.emplace_back();
  const std::int64_t number = ++begun_[way];
  std::size_t bytes = 0;
  for (const FarPart& part : parts) {
    bytes += part.bytes;
    const int file = files_[static_cast<std::size_t>(part.array)].descriptor;
    if (!batch.requests.empty() && continues(batch.requests.back(), file, part))
      batch.requests.back().bytes += part.bytes;
    else
      batch.requests.push_back({file, way == Way::out, part.offset, part.near, part.bytes,
                                index_of(way, number, batch.requests.size())});
  }
  if (options_.most_bytes_per_second > 0)
    batch.due = l.due = std::max(l.due, now()) + static_cast<double>(bytes) / options_.most_bytes_per_second;
  batch.missing = batch.requests.size();
  io_->submit(batch.requests);
  return number;
}

void FileMemory::take_results(bool block) {
  FileIo::Result result;
  while (io_->take(result, block)) {
    const int number = result.index >> parts_bits;
    const Way way = (number & 1) != 0 ? Way::out : Way::in;
    Queue& l = queues_[way];
    const std::int64_t behind = (number / 2 - ended_[way] - 1) % most_batches;
    Batch& batch = l.batches[static_cast<std::size_t>((behind + most_batches) % most_batches)];
    complete(way, batch, static_cast<std::size_t>(result.index & ((1 << parts_bits) - 1)), result.result);
    block = false;
  }
}

void FileMemory::complete(Way way, Batch& batch, std::size_t index, std::int64_t result) {
  FileRequest& r = batch.requests[index];
  if (options_.outcome) result = options_.outcome(r, result);
  if (result == -EINTR || result == -EAGAIN) return io_->submit({&r, 1});
  if (result < 0) {
    --batch.missing;
    return fail(batch, r, cause(static_cast<int>(-result)));
  }
  const auto moved = static_cast<std::size_t>(result);
  if (moved >= r.bytes) {
    bytes_[way] += static_cast<std::int64_t>(r.bytes);
    --batch.missing;
    return;
  }
  // Resubmits the rest, beginning at the last aligned position.
  const std::size_t done = moved / alignment() * alignment();
  if (done == 0) {
    --batch.missing;
    return fail(batch, r, r.write ? "nothing was written" : was_cut);
  }
  bytes_[way] += static_cast<std::int64_t>(done);
  r.offset += static_cast<std::int64_t>(done);
  r.data += done;
  r.bytes -= done;
  io_->submit({&r, 1});
}

const FileMemory::File& FileMemory::file_of(const FileRequest& r) const {
  return *std::ranges::find_if(files_, [&](const File& f) { return f.descriptor == r.file; });
}

void FileMemory::fail(Batch& batch, const FileRequest& r, const std::string& why) {
  if (!batch.failure.empty()) return;
  const File& file = file_of(r);
  batch.failure = std::string(r.write ? "cannot write" : "cannot read") + " the scratch file of \"" +
                  file.name + "\" (" + file.path + "): " + why;
}

/// A truncated file may have been extended again by later writes, with a hole in between. So the number of
/// allocated blocks is checked.
void FileMemory::look_for_cuts(Batch& batch) {
  for (const FileRequest& r : batch.requests) {
    struct stat now {};
    if (fstat(r.file, &now) == 0 && now.st_blocks < file_of(r).blocks) fail(batch, r, was_cut);
  }
}

bool FileMemory::test(Way way) {
  Queue& l = queues_[way];
  if (!l.batches.empty()) take_results(false);
  std::int64_t done = ended_[way];
  for (const Batch& batch : l.batches) {
    if (batch.missing > 0 || (options_.most_bytes_per_second > 0 && now() < batch.due)) break;
    ++done;
  }
  wait_batch(way, done);
  return l.batches.empty();
}

void FileMemory::wait_batch(Way way, std::int64_t batch) {
  Queue& l = queues_[way];
  std::string failure;
  while (ended_[way] < batch && !l.batches.empty()) {
    Batch& oldest = l.batches.front();
    while (oldest.missing > 0) take_results(true);
    if (options_.most_bytes_per_second > 0 && now() < oldest.due)
      std::this_thread::sleep_for(std::chrono::duration<double>(oldest.due - now()));
    if (way == Way::in) look_for_cuts(oldest);
    if (failure.empty()) failure = std::move(oldest.failure);
    l.batches.pop_front();
    ++ended_[way];
  }
  // Thrown only after all batches have completed: then the caller may reuse the near memory of all of them.
  if (!failure.empty()) throw Error(Exit::storage, failure);
}

}  // namespace sc
