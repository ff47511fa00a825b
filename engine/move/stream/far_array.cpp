// SPDX-License-Identifier: Apache-2.0
// FarArray: positions of planes in far memory.
#include "engine/move/stream/far_array.hpp"

#include <array>
#include <cstring>

#include "engine/base/error.hpp"

namespace sc {

FarArray::FarArray(FarMemory& memory, std::string name, int planes, std::size_t plane_bytes, int pieces,
                   int together)
    : memory_(memory),
      name_(std::move(name)),
      cut_{planes, plane_bytes, pieces, memory.alignment(), together} {
  if (planes < 1 || plane_bytes < 1 || pieces < 1 || together < 1 || pieces > planes / together)
    refuse("\"" + name_ + "\" has " + std::to_string(planes) + " planes, which cannot be cut into " +
           std::to_string(pieces) + " pieces" +
           (together > 1 ? " between each " + std::to_string(together) + " of them" : ""));
  stride_ = cut_.most_bytes();
  number_ = memory.add(name_, cut_.bytes());
}

FarPart FarArray::part(const PlaneRun& run, std::size_t& lead) const {
  const std::size_t from = cut_.begin_of(run);
  lead = static_cast<std::size_t>(run.lo - first(run.piece)) * plane_bytes() - from;
  return {.array = number_,
          .offset = static_cast<std::int64_t>(stride_) * run.piece + static_cast<std::int64_t>(from),
          .near = nullptr,
          .bytes = cut_.end_of(run) - from};
}

template <class Use>
void FarArray::each_run(int lo, int hi, Use&& use) const {
  for (const PlaneRun& run : cut_.runs(lo, hi)) {
    std::size_t lead = 0;
    const FarPart there = part(run, lead);
    use(reached() + there.offset + lead, static_cast<std::size_t>(run.hi - run.lo) * plane_bytes());
  }
}

void FarArray::store(int lo, int hi, const std::byte* from) {
  ++stores_;
  if (reached())
    return each_run(lo, hi, [&](std::byte* there, std::size_t bytes) {
      std::memcpy(there, from, bytes);
      from += bytes;
    });
  const FarMemory::Buffer buffer = memory_.allocate(stride_);
  for (const PlaneRun& run : cut_.runs(lo, hi)) {
    std::size_t lead = 0;
    const PlaneRun whole{run.piece, first(run.piece), first(run.piece + 1)};
    std::array<FarPart, 1> part{this->part(whole, lead)};
    part[0].near = buffer.get();
    if (run.lo > whole.lo || run.hi < whole.hi) {  // preserve the rest of the piece: read, modify, write
      memory_.start(Way::in, part);
      memory_.wait(Way::in);
    }
    const std::size_t bytes = static_cast<std::size_t>(run.hi - run.lo) * plane_bytes();
    memory_.copy_near(buffer.get() + static_cast<std::size_t>(run.lo - whole.lo) * plane_bytes(), from,
                      bytes);
    from += bytes;
    memory_.start(Way::out, part);
    memory_.wait(Way::out);
  }
}

void FarArray::load(int lo, int hi, std::byte* to) const {
  if (reached())
    return each_run(lo, hi, [&](const std::byte* there, std::size_t bytes) {
      std::memcpy(to, there, bytes);
      to += bytes;
    });
  const FarMemory::Buffer buffer = memory_.allocate(stride_);
  for (const PlaneRun& run : cut_.runs(lo, hi)) {
    std::size_t lead = 0;
    std::array<FarPart, 1> part{this->part(run, lead)};
    part[0].near = buffer.get();
    memory_.start(Way::in, part);
    memory_.wait(Way::in);
    const std::size_t bytes = static_cast<std::size_t>(run.hi - run.lo) * plane_bytes();
    memory_.copy_near(to, buffer.get() + lead, bytes);
    to += bytes;
  }
}

}  // namespace sc
