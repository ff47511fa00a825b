// SPDX-License-Identifier: Apache-2.0
// Rehearsal: what is computed and copied outside of what stages declare.
#include "engine/plan/rehearsal.hpp"

#include <algorithm>

namespace sc {

int RehearsedRun::kernel(const Kernel& one) {
  const auto known =
      std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.name == one.name; });
  if (known != kernels.end()) return static_cast<int>(known - kernels.begin());
  kernels.push_back(one);
  return static_cast<int>(kernels.size()) - 1;
}

void Rehearsal::computed(const Kernel& kernel, std::int64_t cells, std::int64_t rows) {
  if (cells == 0) return;
  if (into_) return into_->works.back().push_back({Work::Part::all, cells, rows, into_->kernel(kernel)});
  RehearsedRun run{.stage = kernel.name, .plan = {}, .kernels = {kernel}};
  run.plan.add(Chunk{}, {}, {}, {});
  run.works = {{{Work::Part::all, cells, rows}}};
  events.emplace_back(std::move(run));
}

void Rehearsal::copied(const RehearsedCopy& copy) {
  if (beside_)
    beside_->push_back(copy);
  else
    events.emplace_back(copy);
}

}  // namespace sc
