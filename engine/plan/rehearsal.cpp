// SPDX-License-Identifier: Apache-2.0
// Rehearsal: records computations and copies that no stage declares.
#include "engine/plan/rehearsal.hpp"

#include <algorithm>
#include <utility>

namespace sc {

int RehearsedRun::kernel(const Kernel& one) {
  const auto known = std::ranges::find_if(kernels, [&](const Kernel& k) { return k.name == one.name; });
  if (known != kernels.end()) return static_cast<int>(known - kernels.begin());
  kernels.push_back(one);
  return static_cast<int>(kernels.size()) - 1;
}

void RehearsedRun::fills(const std::string& field, std::int64_t cells, double bytes_per_cell) {
  if (cells == 0) return;
  const int number = kernel({field + " (boundary)", bytes_per_cell, 0});
  std::vector<Work>& chunk = works.back();
  const auto same =
      std::ranges::find_if(chunk, [&](const Work& w) { return w.cells > 0 && w.kernel == number; });
  if (same == chunk.end()) return chunk.push_back({Work::Part::boundary, cells, 0, number});
  same->cells += cells;
}

void Rehearsal::computed(const Kernel& kernel, std::int64_t cells, std::int64_t rows) {
  if (cells == 0) return;
  if (into_) return into_->works.back().push_back({Work::Part::all, cells, rows, into_->kernel(kernel)});
  RehearsedRun run{.stage = kernel.name, .plan = {}, .kernels = {kernel}};
  run.plan.add(Chunk{}, {}, {}, {});
  run.works = {{{Work::Part::all, cells, rows}}};
  events.emplace_back(std::move(run));
}

void Rehearsal::at_slab(Rehearsal* rehearsal, int slab, bool after) {
  if (!rehearsal) return;
  rehearsal->beside_ = nullptr;
  auto* run = std::get_if<RehearsedRun>(&rehearsal->events.back());
  if (!run || slab < 0) return;
  for (RehearsedRun::Slab& one : run->slabs)
    if (one.number == slab) rehearsal->beside_ = after ? &one.after : &one.before;
}

void Rehearsal::set_requests(std::shared_ptr<SetupRequests> requests) {
  requests_ = std::move(requests);
  exchanges_ = any_calls_ = 0;
}

bool Rehearsal::any_rank(bool here) {
  const std::size_t call = any_calls_++;
  if (requests_->all) return requests_->any.at(call);
  if (requests_->any.size() <= call) requests_->any.resize(call + 1);
  if (here) requests_->any[call] = true;
  return true;
}

SetupRequests::Lists Rehearsal::exchange(int rank, const SetupRequests::Lists& for_each) {
  const auto me = static_cast<std::size_t>(rank);
  SetupRequests::Lists received(for_each.size());
  if (!requests_->all) {
    requests_->of.resize(for_each.size());
    requests_->of[me].push_back(for_each);
    return received;
  }
  for (std::size_t from = 0; from < received.size(); ++from)
    received[from] = requests_->of.at(from).at(exchanges_).at(me);
  ++exchanges_;
  return received;
}

void Rehearsal::copied(const RehearsedCopy& copy) {
  if (beside_)
    beside_->push_back(copy);
  else
    events.emplace_back(copy);
}

}  // namespace sc
