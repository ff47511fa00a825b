// SPDX-License-Identifier: Apache-2.0
// RehearsedFiles: records batches in the rehearsal; nothing is transferred.
#include "engine/move/stream/rehearsed_files.hpp"

#include "engine/base/error.hpp"
#include "engine/base/large_pages.hpp"
#include "engine/plan/rehearsal.hpp"

namespace sc {

FarMemory::Buffer RehearsedFiles::allocate(std::size_t bytes) {
  std::shared_ptr<std::byte> room = address_space(bytes);
  if (!room)
    throw Error(Exit::storage, "no room in the address space for " + std::to_string(bytes >> 20) + " MiB");
  std::byte* const first = room.get();
  return {first, [kept = std::move(room)](std::byte*) mutable { kept.reset(); }};
}

std::int64_t RehearsedFiles::start_batch(Way way, std::span<const FarPart> parts) {
  std::int64_t bytes = 0;
  for (const FarPart& part : parts) bytes += static_cast<std::int64_t>(part.bytes);
  bytes_[way] += bytes;
  const std::int64_t batch = ++begun_[way];
  if (Rehearsal* rehearsal = context_.rehearsal())
    rehearsal->copied({.in = way == Way::in, .begins = true, .batch = batch, .bytes = bytes});
  if (!overlaps_) wait_batch(way, batch);
  return batch;
}

void RehearsedFiles::wait_batch(Way way, std::int64_t batch) {
  if (batch <= ended_[way]) return;
  ended_[way] = batch;
  if (Rehearsal* rehearsal = context_.rehearsal())
    rehearsal->copied({.in = way == Way::in, .begins = false, .batch = batch});
}

}  // namespace sc
