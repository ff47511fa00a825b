// SPDX-License-Identifier: Apache-2.0
// DeviceTally: transfers results of reductions from the device to accumulators.
#include <cstring>
#include <vector>

#include "engine/exec/device_cells.hpp"

namespace sc {

// Memory layout of TallyOf<K>: K keys, then K times the words.
DeviceTally::DeviceTally(std::shared_ptr<Device> device, int values)
    : device_(std::move(device)),
      bytes_(static_cast<std::size_t>(values) * (1 + TallyOf<1>::words) * sizeof(std::int64_t)),
      memory_(device_->allocate(bytes_)),
      copy_(device_->pinned(bytes_)),
      empty_(device_->pinned(bytes_)) {
  std::memset(empty_.get(), 0, bytes_);
  for (int k = 0; k < values; ++k)
    std::memcpy(empty_.get() + static_cast<std::size_t>(k) * sizeof(std::int64_t), &lowest_key,
                sizeof lowest_key);
  device_->copy(Stream::edge, memory_.get(), empty_.get(), bytes_);
  device_->join();
}

void DeviceTally::collect(std::span<Accumulator> into) {
  device_->after(Stream::edge, device_->record(Stream::core));
  device_->copy(Stream::edge, copy_.get(), memory_.get(), bytes_);
  device_->copy(Stream::edge, memory_.get(), empty_.get(), bytes_);
  device_->wait(device_->record(Stream::edge));
  std::vector<std::int64_t> values(bytes_ / sizeof(std::int64_t));
  std::memcpy(values.data(), copy_.get(), bytes_);
  const std::span<const std::int64_t> words = std::span<const std::int64_t>(values).subspan(into.size());
  for (std::size_t k = 0; k < into.size(); ++k)
    into[k].add_tally(values[k], words.subspan(k * BinnedSum::words, BinnedSum::words));
}

}  // namespace sc
