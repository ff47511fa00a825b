// SPDX-License-Identifier: Apache-2.0
// Ranks: the context, and what its movements travel by.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/exec/open_device.hpp"
#include "python/bindings/faces.hpp"

namespace sc::python {

namespace {

TransportPolicy policy_of(const std::string& name) {
  if (name == "auto") return TransportPolicy::automatic;
  if (name == "shared") return TransportPolicy::shared;
  if (name == "mpi") return TransportPolicy::mpi;
  if (name == "delayed") return TransportPolicy::delayed;
  refuse("transport is \"" + name + "\"; allowed are auto, shared, mpi, delayed");
}

std::optional<Rehearsed> rehearsed_of(const std::vector<int>& numbers) {
  if (numbers.empty()) return {};
  if (numbers.size() != 3) refuse("rehearsed needs a rank, their number and how many are on a node");
  return Rehearsed{numbers[0], numbers[1], numbers[2]};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

Ranks::Ranks(int threads, const std::string& transport, double delay, double rate, const std::string& device,
             const std::vector<int>& rehearsed)
    : context_(rehearsed.empty() ? MPI_COMM_WORLD : MPI_COMM_SELF, {.threads = threads,
                                                                    .transport = policy_of(transport),
                                                                    .delay = delay,
                                                                    .rate = rate,
                                                                    .rehearsed = rehearsed_of(rehearsed)}) {
  open_device(context_, device_of(device));
}

const Rehearsal& Ranks::rehearsal() const {
  if (!context_.rehearses()) refuse("this context computes, it rehearses nothing");
  return rehearsal_;
}

void Ranks::note_rehearsal() {
  rehearsal();
  rehearsal_.events.clear();
  context_.set_rehearsal(&rehearsal_);
}

Context& Ranks::open() {
  if (context_.closed())
    throw Error(Exit::failure, "the context is closed, and with it the fields of its simulations");
  return context_;
}

// Context::describe() has a line for every movement; the pairs of each transport remain.
std::string Ranks::transports() {
  std::map<std::string, std::set<std::pair<int, int>>> pairs;
  for (const std::string& text : open().gather(context_.describe()))
    for (const std::string& line : lines_of(text)) {
      int a = 0, b = 0;
      char transport[32] = "";
      if (std::sscanf(line.c_str(), "rank %d - rank %d: %31[a-z]", &a, &b, transport) == 3)
        pairs[transport].insert(std::minmax(a, b));
    }
  std::string text;
  for (const auto& [transport, of] : pairs) {
    constexpr std::size_t shown = 8;
    std::string list;
    for (const auto& [a, b] : of) {
      if (std::size_t(std::count(list.begin(), list.end(), '-')) == shown) break;
      list += (list.empty() ? "" : ", ") + std::to_string(a) + "-" + std::to_string(b);
    }
    if (of.size() > shown) list += " and " + std::to_string(of.size() - shown) + " more";
    text += (text.empty() ? "" : "; ") + transport + ": ranks " + list;
  }
  if (text.empty()) text = "none";
  context_.broadcast(text);
  return text;
}

}  // namespace sc::python
