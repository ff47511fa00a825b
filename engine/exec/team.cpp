// SPDX-License-Identifier: Apache-2.0
// Teams of threads and queues of tiles.
#include "engine/exec/team.hpp"

#include <omp.h>

#include <exception>

namespace sc {

void team(int threads, const std::function<void(int)>& work) {
  if (threads <= 1) {
    work(0);
    return;
  }
  std::exception_ptr failure;  // an exception must not leave a parallel region
#pragma omp parallel num_threads(threads)
  {
    try {
      work(omp_get_thread_num());
    } catch (...) {
#pragma omp critical(sc_team_failure)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

std::pair<std::int64_t, std::int64_t> team_share(std::int64_t count) {
  const std::int64_t threads = omp_get_num_threads();
  const std::int64_t thread = omp_get_thread_num();
  return {count * thread / threads, count * (thread + 1) / threads};
}

int team_thread() { return omp_get_thread_num(); }

TileQueue::TileQueue(const Box& box, int wanted, int whole) : box_(box) {
  if (box.empty()) return;
  const Int3 n = box.extent();
  bz_ = whole == 2 ? n.z : std::max(1, n.z / std::max(1, wanted));
  const int slabs = (n.z + bz_ - 1) / bz_;
  const int per_slab = whole == 1 ? 1 : std::max(1, wanted / slabs);
  by_ = std::max(1, (n.y + per_slab - 1) / per_slab);
  ny_ = (n.y + by_ - 1) / by_;
  constexpr int part = 64;
  bx_ = n.x;
  if (n.y == 1 && n.z == 1 && whole != 0) bx_ = std::max(1, n.x / part / std::max(1, wanted)) * part;
  nx_ = (n.x + bx_ - 1) / bx_;
  count_ = nx_ * ny_ * slabs;
}

std::optional<Box> TileQueue::next() {
  int tile = taken_.fetch_add(1, std::memory_order_relaxed);
  if (tile >= count_) return std::nullopt;
  Box b = box_;
  b.lo.x = box_.lo.x + tile % nx_ * bx_;
  b.hi.x = std::min(b.lo.x + bx_, box_.hi.x);
  tile /= nx_;
  b.lo.y = box_.lo.y + tile % ny_ * by_;
  b.hi.y = std::min(b.lo.y + by_, box_.hi.y);
  b.lo.z = box_.lo.z + tile / ny_ * bz_;
  b.hi.z = std::min(b.lo.z + bz_, box_.hi.z);
  return b;
}

}  // namespace sc
