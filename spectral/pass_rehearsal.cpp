// SPDX-License-Identifier: Apache-2.0
// PassRun on a rehearsed rank: a slab sends as many pieces as it has messages.
#include <map>
#include <vector>

#include "engine/plan/rehearsal.hpp"
#include "spectral/pass_run.hpp"

namespace sc::spectral {

namespace {

/// A received message is timed like one that this rank sends to its sender, counted from the last message in
/// both directions: if these are divided into different numbers of pieces, the last ones correspond.
using Likes = std::map<int, std::vector<int>>;  // [peer], in the order of sending

}  // namespace

RehearsedRun PassRun::rehearsed(const char* name) {
  RehearsedRun run{.stage = name, .plan = {}};
  Rehearsal& rehearsal = *context_.rehearsal();
  rehearsal.into(&run);
  std::vector<Likes> likes(passes_.size());
  const auto ids = [](int first, int count) {
    std::vector<int> all;
    for (int n = 0; n < count; ++n) all.push_back(first + n);
    return all;
  };
  const Plan& plan = plan_.plan();
  for (const Piece& piece : plan.pieces()) {
    const Transpose& gives = *pass(piece.movement).gives;
    const auto [first, last] = gives.departures_of(piece.number);
    for (int d = first; d < last; ++d) {
      const Parcel& parcel = gives.departures()[static_cast<std::size_t>(d)].parcel;
      const int id = run.plan.add(Piece{.movement = piece.movement, .number = d});
      likes[static_cast<std::size_t>(piece.movement)][parcel.peer].push_back(id);
      run.departures.push_back(gives.departure(d).value_or(Passage{}));
    }
  }
  for (const Arrival& arrival : plan.arrivals()) {
    const Transpose& from = *pass(arrival.movement).gives;
    const Likes& known = likes[static_cast<std::size_t>(arrival.movement)];
    std::map<int, int> count;  // number of messages from each peer
    for (const Endpoint& end : from.arrivals()) ++count[end.parcel.peer];
    auto& awaited = run.arrivals.emplace_back();
    run.plan.add(arrival);
    for (const int a : from.arrivals_of(arrival.number)) {
      const Parcel& parcel = from.arrivals()[static_cast<std::size_t>(a)].parcel;
      const auto sent = known.find(parcel.peer);
      const int more = sent == known.end() ? -count[parcel.peer]
                                           : static_cast<int>(sent->second.size()) - count[parcel.peer];
      const int n = parcel.order + more;
      awaited.push_back(
          {from.arrival(a).value_or(Passage{}), n < 0 ? -1 : sent->second[static_cast<std::size_t>(n)]});
    }
  }
  int left = 0;  // number of pieces, in the order of their slabs
  for (const Chunk& chunk : plan.chunks()) {
    int gives = 0;
    for (const int p : plan.ids(chunk.gives)) {
      const Piece& piece = plan.pieces()[static_cast<std::size_t>(p)];
      const auto [first, last] = pass(piece.movement).gives->departures_of(piece.number);
      gives += last - first;
    }
    run.plan.add(chunk, plan.ids(chunk.after), plan.ids(chunk.needs), ids(left, gives));
    left += gives;
    run.works.emplace_back();
    const PassPlan::Slab slab = plan_.slab(chunk);
    pass(slab.pass).compute(slab.number);
  }
  rehearsal.into(nullptr);
  return run;
}

}  // namespace sc::spectral
