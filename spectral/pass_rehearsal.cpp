// SPDX-License-Identifier: Apache-2.0
// PassRun on a rehearsed rank: a slab sends as many pieces as it has messages.
#include <map>
#include <utility>
#include <vector>

#include "engine/plan/rehearsal.hpp"
#include "spectral/pass_run.hpp"

namespace sc::spectral {

namespace {

/// A received message is timed like one of the same array that this rank sends to its sender, counted from
/// the last message in both directions: if these are divided into different numbers of pieces, the last ones
/// correspond.
using Likes = std::map<std::pair<const Transpose*, int>, std::vector<int>>;  // [peer], in order of sending

}  // namespace

RehearsedRun PassRun::rehearsed(const char* name) {
  RehearsedRun run{.stage = name, .plan = {}};
  Rehearsal& rehearsal = *context_.rehearsal();
  rehearsal.into(&run);
  Likes likes;
  std::vector<int> numbers(passes_.size());  // of the pieces so far
  const auto ids = [](int first, int count) {
    std::vector<int> all;
    for (int n = 0; n < count; ++n) all.push_back(first + n);
    return all;
  };
  const Plan& plan = plan_.plan();
  for (const Piece& piece : plan.pieces()) {
    each_given(piece, [&](Transpose& gives, int arriving) {
      const auto [first, last] = gives.departures_of(piece.number, arriving);
      for (int d = first; d < last; ++d) {
        const Parcel& parcel = gives.departures()[static_cast<std::size_t>(d)].parcel;
        int& number = numbers[static_cast<std::size_t>(piece.movement)];
        const int id = run.plan.add(Piece{.movement = piece.movement, .number = number++});
        likes[{&gives, parcel.peer}].push_back(id);
        run.departures.push_back(gives.departure(d).value_or(Passage{}));
      }
    });
  }
  for (const Arrival& arrival : plan.arrivals()) {
    auto& awaited = run.arrivals.emplace_back();
    run.plan.add(arrival);
    for (const Transpose* from : pass(arrival.movement).gives) {
      std::map<int, int> count;  // number of messages from each peer
      for (const Endpoint& end : from->arrivals()) ++count[end.parcel.peer];
      for (const int a : from->arrivals_of(arrival.number)) {
        const Parcel& parcel = from->arrivals()[static_cast<std::size_t>(a)].parcel;
        const std::vector<int>& sent = likes[{from, parcel.peer}];
        const int n = parcel.order + static_cast<int>(sent.size()) - count[parcel.peer];
        awaited.push_back(
            {from->arrival(a).value_or(Passage{}), n < 0 ? -1 : sent[static_cast<std::size_t>(n)]});
      }
    }
  }
  int left = 0;  // number of pieces, in the order of their slabs
  for (const Chunk& chunk : plan.chunks()) {
    int gives = 0;
    for (const int p : plan.ids(chunk.gives)) {
      const Piece& piece = plan.pieces()[static_cast<std::size_t>(p)];
      for (const Transpose* one : pass(piece.movement).gives) {
        const auto [first, last] = one->departures_of(piece.number);
        gives += last - first;
      }
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
