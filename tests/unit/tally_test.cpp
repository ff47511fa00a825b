// SPDX-License-Identifier: Apache-2.0
// The values of a device's threads, merged in any order, must have the bits of the host's accumulators.
#include "engine/exec/tally.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using sc::Reduce;

double on_host(Reduce reduce, const std::vector<double>& values) {
  sc::Accumulator sum(reduce);
  for (const double v : values) sum.add(&v, 1);
  return sum.value();
}

/// Threads of one or more values, merged by halving, as a block of a device does, in several blocks.
double on_device(Reduce reduce, const std::vector<double>& values, std::size_t of_thread,
                 std::size_t threads) {
  sc::TallyOf<1> tally{{sc::lowest_key}, {}};
  for (std::size_t first = 0; first < values.size(); first += of_thread * threads) {
    std::vector<sc::ValueTally> block(threads);
    for (std::size_t n = 0; n < std::min(of_thread * threads, values.size() - first); ++n)
      block[n % threads].add(reduce, values[first + n]);
    for (std::size_t half = threads / 2; half > 0; half /= 2)
      for (std::size_t t = 0; t < half; ++t) block[t].merge(reduce, block[t + half]);
    tally.add(0, reduce, block[0]);
  }
  sc::Accumulator sum(reduce);
  sum.add_tally(tally.key[0], tally.word[0]);
  return sum.value();
}

void expect_the_hosts_bits(std::vector<double> values) {
  std::mt19937 random(3);
  for (const Reduce reduce : {Reduce::sum, Reduce::max, Reduce::min})
    for (const std::size_t of_thread : {1, 5, 16})
      for (const std::size_t threads : {1, 2, 64}) {
        std::shuffle(values.begin(), values.end(), random);
        const double expected = on_host(reduce, values), got = on_device(reduce, values, of_thread, threads);
        EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)))
            << got << " is not " << expected << ", " << of_thread << " values of " << threads << " threads";
      }
}

/// Mantissas with all bits, of both signs, with magnitudes from 2^low to 2^high.
std::vector<double> values_between(int low, int high) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(low, high);
  std::vector<double> values(2000);
  for (double& v : values) v = std::ldexp(mantissa(random), exponent(random));
  return values;
}

TEST(Tally, HasTheHostsBits) {
  expect_the_hosts_bits(values_between(0, 0));
  expect_the_hosts_bits(values_between(-45, 5));       // two or three bins
  expect_the_hosts_bits(values_between(-900, 900));    // most are far below the largest
  expect_the_hosts_bits(values_between(-1074, -950));  // the lowest bins, subnormal numbers
}

TEST(Tally, HasTheHostsBitsWhereTheLargestCancel) {
  std::vector<double> values = values_between(-30, 30);
  for (const double large : {0x1p70, 0x1.8p111, 0x1p100}) values.insert(values.end(), {large, -large});
  expect_the_hosts_bits(values);
}

TEST(Tally, TakesZerosAndWhatCannotBeAdded) {
  const double infinity = std::numeric_limits<double>::infinity();
  expect_the_hosts_bits({});
  expect_the_hosts_bits({0.0, -0.0, 0.0});
  expect_the_hosts_bits({0.0, 1e-320, -3.0, 0.0});
  for (const double bad : {std::nan(""), -std::nan(""), infinity, -infinity, 1.7e308})
    expect_the_hosts_bits({1.0, bad, 1e-300, -2.0, 1e285});  // 1e285 is in the highest bin
}

}  // namespace
