// SPDX-License-Identifier: Apache-2.0
// The copy that memory-bound sweeps are held against: aligned, vectorised, ordinary stores, shared out
// evenly.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace sc::bench {

/// As one would write it. The empty asm keeps the compiler from calling memcpy, whose stores pass the caches
/// by.
[[gnu::noinline]] inline void copy_loop(double* to, const double* from, std::ptrdiff_t count, int threads) {
#pragma omp parallel num_threads(threads)
  {
    const std::ptrdiff_t n = omp_get_num_threads(), t = omp_get_thread_num();
    const std::ptrdiff_t first = count / 64 * t / n * 64,
                         last = t + 1 == n ? count : count / 64 * (t + 1) / n * 64;
    for (std::ptrdiff_t block = first; block < last; block += 512) {
      const std::ptrdiff_t end = std::min(block + 512, last);
#pragma GCC ivdep
      for (std::ptrdiff_t i = block; i < end; ++i) to[i] = from[i];
      asm volatile("" ::: "memory");
    }
  }
}

/// Two arrays of its own, each thread's share first touched by it.
class Copy {
 public:
  Copy(std::size_t doubles, int threads) : count_(static_cast<std::ptrdiff_t>(doubles)), threads_(threads) {
    const std::size_t bytes = (doubles * sizeof(double) + 4095) / 4096 * 4096;
    for (auto& array : arrays_) array.reset(static_cast<double*>(std::aligned_alloc(4096, bytes)));
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::ptrdiff_t i = 0; i < count_; ++i) arrays_[0][i] = arrays_[1][i] = double(i);
  }
  void run() { copy_loop(arrays_[1].get(), arrays_[0].get(), count_, threads_); }
  double bytes() const { return 2.0 * sizeof(double) * double(count_); }

 private:
  struct Free {
    void operator()(double* array) const { std::free(array); }
  };
  std::ptrdiff_t count_;
  int threads_;
  std::unique_ptr<double[], Free> arrays_[2];
};

}  // namespace sc::bench
