// SPDX-License-Identifier: Apache-2.0
// The copy with which memory-bound sweeps are compared: aligned, vectorised, ordinary stores, divided evenly
// among threads.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

#include "engine/base/large_pages.hpp"

namespace sc::bench {

/// A plain loop. The empty asm keeps the compiler from calling memcpy, which uses non-temporal stores.
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

/// Two arrays; each thread touches its part first.
class Copy {
 public:
  Copy(std::size_t doubles, int threads) : count_(static_cast<std::ptrdiff_t>(doubles)), threads_(threads) {
    for (int k = 0; k < 2; ++k) {
      memory_[k] = in_large_pages(doubles * sizeof(double), 4096);
      arrays_[k] = reinterpret_cast<double*>(memory_[k].get());
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::ptrdiff_t i = 0; i < count_; ++i) arrays_[0][i] = arrays_[1][i] = double(i);
  }
  void run() { copy_loop(arrays_[1], arrays_[0], count_, threads_); }
  double bytes() const { return 2.0 * sizeof(double) * double(count_); }

 private:
  std::ptrdiff_t count_;
  int threads_;
  PagedMemory memory_[2];  // allocated as fields are
  double* arrays_[2];
};

}  // namespace sc::bench
