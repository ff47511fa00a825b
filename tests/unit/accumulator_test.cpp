// SPDX-License-Identifier: Apache-2.0
// Sums, maxima and minima must not depend on the order or grouping of values.
#include "engine/exec/accumulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace {

using sc::Accumulator;
using sc::Reduce;

Accumulator add_in_chunks(Reduce kind, const std::vector<double>& values, int chunk) {
  Accumulator result(kind);
  for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(chunk)) {
    Accumulator part(kind);
    part.add(values.data() + i,
             static_cast<int>(std::min(values.size() - i, static_cast<std::size_t>(chunk))));
    result.merge(part);
  }
  return result;
}

std::vector<double> wild_values(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-60, 60);
  std::vector<double> values(count);
  for (double& v : values) v = std::ldexp(mantissa(random), exponent(random));
  return values;
}

// The sum as an expansion without rounding errors; only the addition of its parts rounds.
double exact_sum(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  // Shewchuk's grow-expansion: the sum of the parts is exact.
  std::vector<double> parts;
  for (double x : sorted) {
    std::vector<double> grown;
    for (double y : parts) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y;
      const double low = y - (high - x);
      if (low != 0) grown.push_back(low);
      x = high;
    }
    grown.push_back(x);
    parts = grown;
  }
  double sum = 0;
  for (double p : parts) sum += p;
  return sum;
}

TEST(BinnedSum, IsTheSameForEveryOrderAndGrouping) {
  std::vector<double> values = wild_values(5000, 1);
  const double sum = add_in_chunks(Reduce::sum, values, 512).value();
  std::mt19937 random(2);
  for (int chunk : {1, 3, 64, 511, 512}) {
    std::shuffle(values.begin(), values.end(), random);
    EXPECT_EQ(sum, add_in_chunks(Reduce::sum, values, chunk).value()) << "chunks of " << chunk;
  }
}

TEST(BinnedSum, IsAccurateToTheLastPlaces) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    const std::vector<double> values = wild_values(3000, seed);
    const double sum = add_in_chunks(Reduce::sum, values, 300).value();
    EXPECT_NEAR(sum, exact_sum(values), 1e-15 * std::fabs(exact_sum(values)));
  }
}

TEST(BinnedSum, CancelsExactly) {
  const std::vector<double> values{1e16, 1.0, -1e16, 3e-7, -3e-7};
  EXPECT_EQ(add_in_chunks(Reduce::sum, values, 2).value(), 1.0);
}

TEST(BinnedSum, TakesTheSmallestAndLargeNumbers) {
  const double tiny = 5e-310;
  EXPECT_NEAR(add_in_chunks(Reduce::sum, {tiny, tiny}, 1).value(), 2 * tiny, 1e-313);
  EXPECT_EQ(add_in_chunks(Reduce::sum, {1e250, 1e250}, 1).value(), 2e250);
  EXPECT_EQ(add_in_chunks(Reduce::sum, {0.0, -0.0}, 1).value(), 0.0);
  EXPECT_EQ(Accumulator(Reduce::sum).value(), 0.0);
}

TEST(BinnedSum, SaysWhenAValueIsNotFinite) {
  EXPECT_TRUE(std::isnan(add_in_chunks(Reduce::sum, {1.0, std::nan(""), 2.0}, 1).value()));
  EXPECT_TRUE(std::isnan(add_in_chunks(Reduce::sum, {1.0, INFINITY, 2.0}, 3).value()));
}

TEST(BinnedSum, SurvivesPackingIntoIntegers) {
  const std::vector<double> values = wild_values(1000, 7);
  const Accumulator whole = add_in_chunks(Reduce::sum, values, 100);
  const std::vector<double> first(values.begin(), values.begin() + 321);
  const std::vector<double> second(values.begin() + 321, values.end());
  const Accumulator a = add_in_chunks(Reduce::sum, first, 50);
  const Accumulator b = add_in_chunks(Reduce::sum, second, 77);
  std::vector<std::int64_t> wa(static_cast<std::size_t>(a.words())), wb(wa.size());
  a.pack(wa);
  b.pack(wb);
  for (std::size_t i = 0; i < wa.size(); ++i) wa[i] += wb[i];
  Accumulator sum(Reduce::sum);
  sum.unpack(std::max(a.key(), b.key()), wa);
  EXPECT_EQ(sum.value(), whole.value());
}

TEST(Extremes, AreThoseOfTheStandardLibrary) {
  const std::vector<double> values = wild_values(1000, 3);
  EXPECT_EQ(add_in_chunks(Reduce::max, values, 17).value(), *std::ranges::max_element(values));
  EXPECT_EQ(add_in_chunks(Reduce::min, values, 17).value(), *std::ranges::min_element(values));
  EXPECT_EQ(add_in_chunks(Reduce::max, {-3.0, -2.0}, 1).value(), -2.0);
}

TEST(Extremes, CarryNaN) {
  for (double nan : {std::nan(""), -std::nan("")}) {
    EXPECT_TRUE(std::isnan(add_in_chunks(Reduce::max, {1.0, nan, INFINITY}, 1).value()));
    EXPECT_TRUE(std::isnan(add_in_chunks(Reduce::min, {1.0, nan, -INFINITY}, 3).value()));
  }
}

TEST(Extremes, OfNothingAreInfinite) {
  EXPECT_EQ(Accumulator(Reduce::max).value(), -INFINITY);
  EXPECT_EQ(Accumulator(Reduce::min).value(), INFINITY);
}

}  // namespace
