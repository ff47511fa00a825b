// SPDX-License-Identifier: Apache-2.0
// ConjugateModes: a sum of words to which one rank alone contributes, so that it is an exact copy.
#include "solvers/turbulence/conjugate_modes.hpp"

#include <algorithm>
#include <bit>

namespace sc::turbulence {

namespace {

constexpr std::size_t words_of_mode = 6;  // three complex numbers

}  // namespace

ConjugateModes::ConjugateModes(Context& context, int reach_y, int reach_z)
    : reduction_(context),
      reach_y_(reach_y),
      reach_z_(reach_z),
      words_((index(reach_y, reach_z) + 1) * words_of_mode) {}

std::size_t ConjugateModes::index(int ky, int kz) const {
  return static_cast<std::size_t>(ky + reach_y_) * static_cast<std::size_t>(2 * reach_z_ + 1) +
         static_cast<std::size_t>(kz + reach_z_);
}

void ConjugateModes::clear() { std::fill(words_.begin(), words_.end(), 0); }

void ConjugateModes::set(int ky, int kz, const Vector& u) {
  std::int64_t* to = words_.data() + index(ky, kz) * words_of_mode;
  for (const Mode<double>& component : u) {
    *to++ = std::bit_cast<std::int64_t>(component.real());
    *to++ = std::bit_cast<std::int64_t>(component.imag());
  }
}

void ConjugateModes::start() { reduction_.start({}, words_, "conjugate modes"); }

ConjugateModes::Vector ConjugateModes::of(int ky, int kz) const {
  const auto sums = reduction_.sums();
  const auto word = [&](std::size_t from, std::size_t n) { return std::bit_cast<double>(sums[from + n]); };
  const std::size_t here = index(ky, kz) * words_of_mode, there = index(-ky, -kz) * words_of_mode;
  Vector u;
  for (std::size_t d = 0; d < 3; ++d)
    u[d] = {(word(here, 2 * d) + word(there, 2 * d)) / 2,
            (word(here, 2 * d + 1) - word(there, 2 * d + 1)) / 2};
  return u;
}

}  // namespace sc::turbulence
