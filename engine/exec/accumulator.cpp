// SPDX-License-Identifier: Apache-2.0
// Accumulator: ordered keys for max and min, bins for sums.
#include "engine/exec/accumulator.hpp"

#include <algorithm>
#include <bit>

#include "engine/exec/slices.hpp"

namespace sc {

namespace {

std::int64_t largest_key(const double* values, int count, bool negate) {
  std::int64_t largest = lowest_key;
#pragma omp simd reduction(max : largest)
  for (int i = 0; i < count; ++i) largest = std::max(largest, max_key(negate ? -values[i] : values[i]));
  return largest;
}

}  // namespace

void BinnedSum::add(const double* values, int count) {
  constexpr std::int64_t magnitude = std::numeric_limits<std::int64_t>::max();  // all bits except the sign
  std::int64_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (int i = 0; i < count; ++i)
    largest = std::max(largest, std::bit_cast<std::int64_t>(values[i]) & magnitude);
  const std::int64_t top = top_bin(largest);
  if (top < 0) return;
  top_ = std::max(top_, top);
  if (top >= bins) return;  // not finite, or too large to be split
  const std::int64_t b0 = std::max<std::int64_t>(top, 2);
  const double cut0 = 1.5 * (bin_unit(b0) * 0x1p52);
  const double cut1 = 1.5 * (bin_unit(b0 - 1) * 0x1p52);
  const double cut2 = 1.5 * (bin_unit(b0 - 2) * 0x1p52);
  double s0 = 0, s1 = 0, s2 = 0;  // exact: each slice has at most 40 bits and a chunk has at most 2^13 values
#pragma omp simd reduction(+ : s0, s1, s2)
  for (int i = 0; i < count; ++i) {
    const double q0 = (values[i] + cut0) - cut0;
    const double r0 = values[i] - q0;
    const double q1 = (r0 + cut1) - cut1;
    const double r1 = r0 - q1;
    const double q2 = (r1 + cut2) - cut2;
    s0 += q0;
    s1 += q1;
    s2 += q2;
  }
  const auto deposit = [this](std::int64_t b, double slice) {
    bin_[static_cast<std::size_t>(b)] += static_cast<std::int64_t>(slice / bin_unit(b));
  };
  deposit(b0, s0);
  deposit(b0 - 1, s1);
  deposit(b0 - 2, s2);
}

void BinnedSum::add_slices(std::int64_t top, std::span<const std::int64_t> slices) {
  top_ = std::max(top_, top);
  for (std::size_t b = 0; b < bin_.size(); ++b)
    bin_[b] += static_cast<Wide>(slices[2 * b]) * (Wide{1} << split_bits) + slices[2 * b + 1];
}

void BinnedSum::merge(const BinnedSum& other) {
  top_ = std::max(top_, other.top_);
  for (std::size_t b = 0; b < bin_.size(); ++b) bin_[b] += other.bin_[b];
}

double BinnedSum::value() const {
  if (top_ >= bins) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  const std::int64_t top = std::max<std::int64_t>(top_, 2);
  for (std::int64_t b = top - 2; b <= top; ++b)
    sum += static_cast<double>(bin_[static_cast<std::size_t>(b)]) * bin_unit(b);
  return sum;
}

void BinnedSum::pack(std::span<std::int64_t> out) const {
  for (std::size_t b = 0; b < bin_.size(); ++b) {
    out[2 * b] = static_cast<std::int64_t>(bin_[b] >> 32);
    out[2 * b + 1] = static_cast<std::int64_t>(bin_[b] & 0xffffffff);
  }
}

void BinnedSum::unpack(std::span<const std::int64_t> in, std::int64_t top) {
  top_ = top;
  for (std::size_t b = 0; b < bin_.size(); ++b)
    bin_[b] = (static_cast<Wide>(in[2 * b]) << 32) + in[2 * b + 1];
}

void Accumulator::clear() {
  key_ = lowest_key;
  sum_.clear();
}

void Accumulator::add(const double* values, int count) {
  if (kind_ == Reduce::sum)
    sum_.add(values, count);
  else if (kind_ != Reduce::none)
    key_ = std::max(key_, largest_key(values, count, kind_ == Reduce::min));
}

void Accumulator::merge(const Accumulator& other) {
  key_ = std::max(key_, other.key_);
  if (kind_ == Reduce::sum) sum_.merge(other.sum_);
}

void Accumulator::add_tally(std::int64_t key, std::span<const std::int64_t> bins) {
  if (kind_ != Reduce::sum)
    key_ = std::max(key_, key);
  else if (key != lowest_key)
    sum_.add_slices(key, bins);
}

double Accumulator::value() const {
  if (kind_ == Reduce::sum) return sum_.value();
  const double infinity = std::numeric_limits<double>::infinity();
  const double largest = key_ == lowest_key ? -infinity : max_value(key_);
  return kind_ == Reduce::min ? -largest : largest;
}

std::int64_t Accumulator::key() const { return kind_ == Reduce::sum ? sum_.top() : key_; }

void Accumulator::pack(std::span<std::int64_t> out) const {
  if (kind_ == Reduce::sum) sum_.pack(out);
}

void Accumulator::unpack(std::int64_t key, std::span<const std::int64_t> in) {
  if (kind_ == Reduce::sum)
    sum_.unpack(in, key);
  else
    key_ = key;
}

std::vector<Accumulator> like(std::span<const Accumulator> kinds) {
  std::vector<Accumulator> empty;
  empty.reserve(kinds.size());
  for (const Accumulator& a : kinds) empty.emplace_back(a.kind());
  return empty;
}

void merge(std::span<Accumulator> into, std::span<const Accumulator> from) {
  for (std::size_t k = 0; k < into.size(); ++k) into[k].merge(from[k]);
}

}  // namespace sc
