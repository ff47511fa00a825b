// SPDX-License-Identifier: Apache-2.0
// A shared link, from event to event: every message in progress has been served for equally long since it
// began, so the next to end is the one with the least service left.
#include "model/predict/shared_link.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace sc::model {

std::vector<double> ends_on_link(const std::vector<Sharing>& messages) {
  std::vector<std::size_t> order(messages.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return messages[a].begin < messages[b].begin; });
  std::vector<double> ends(messages.size());
  using Last = std::pair<double, std::size_t>;  // the service at which a message ends
  std::priority_queue<Last, std::vector<Last>, std::greater<>> under_way;
  double now = 0, service = 0;  // seconds of the whole rate that each message has had since the link was idle
  int sharing = 0;              // messages in progress
  const auto next_end = [&] { return now + (under_way.top().first - service) * sharing; };
  const auto end_next = [&] {
    now = ends[under_way.top().second] = next_end();
    service = under_way.top().first;
    sharing -= messages[under_way.top().second].count;
    under_way.pop();
  };
  for (const std::size_t n : order) {
    while (!under_way.empty() && next_end() <= messages[n].begin) end_next();
    service = under_way.empty() ? 0 : service + (messages[n].begin - now) / sharing;
    now = messages[n].begin;
    sharing += messages[n].count;
    under_way.emplace(service + messages[n].alone, n);
  }
  while (!under_way.empty()) end_next();
  return ends;
}

}  // namespace sc::model
