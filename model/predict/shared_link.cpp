// SPDX-License-Identifier: Apache-2.0
// A shared link, from event to event: all connections in use have equal service, so the next message to end
// is the one with the least service left.
#include "model/predict/shared_link.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
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
  using Last = std::pair<double, std::size_t>;                         // the service at which a message ends
  std::priority_queue<Last, std::vector<Last>, std::greater<>> first;  // of each connection in use
  std::map<int, std::deque<std::size_t>> queues;                       // by connection in use: those behind
  double now = 0,
         service = 0;  // seconds of the whole rate that each connection has had since the link was idle
  int sharing = 0;     // connections in use
  const auto next_end = [&] { return now + (first.top().first - service) * sharing; };
  const auto end_next = [&] {
    const auto [last, n] = first.top();
    now = ends[n] = next_end();
    service = last;
    first.pop();
    const auto queue = queues.find(messages[n].connection);
    if (queue->second.empty()) {
      sharing -= messages[n].count;
      queues.erase(queue);
    } else {
      first.emplace(service + messages[queue->second.front()].alone, queue->second.front());
      queue->second.pop_front();
    }
  };
  for (const std::size_t n : order) {
    const Sharing& message = messages[n];
    while (!first.empty() && next_end() <= message.begin) end_next();
    service = first.empty() ? 0 : service + (message.begin - now) / sharing;
    now = message.begin;
    const auto [queue, idle] = queues.try_emplace(message.connection);
    if (idle) {
      sharing += message.count;
      first.emplace(service + message.alone, n);
    } else {
      queue->second.push_back(n);
    }
  }
  while (!first.empty()) end_next();
  return ends;
}

}  // namespace sc::model
