// SPDX-License-Identifier: Apache-2.0
// TransformRun on a rehearsed rank: a slab sends as many pieces as it has messages.
#include <map>
#include <utility>
#include <vector>

#include "engine/plan/rehearsal.hpp"
#include "spectral/transform_run.hpp"

namespace sc::spectral {

namespace {

/// A received message is timed like one of the same array that this rank sends to its sender, counted from
/// the last message in both directions: if these are divided into different numbers of pieces, the last ones
/// correspond.
using Likes = std::map<std::pair<const Transpose*, int>, std::map<int, int>>;  // [peer], [order of parcels]

}  // namespace

/// Pieces and arrivals of the plan; chunks follow.
void TransformRun::rehearse(const char* name) {
  rehearsed_ = std::make_shared<RehearsedRun>(RehearsedRun{.stage = name, .plan = {}});
  rehearsed_pieces_ = 0;
  RehearsedRun& run = *rehearsed_;
  Likes likes;
  std::vector<int> numbers(stages_.size());  // of the pieces so far
  for (const Piece& piece : plan_.plan().pieces()) {
    each_given(piece, [&](Transpose& gives, int leaving, int arriving) {
      const auto [first, last] = gives.departures_of(leaving, arriving);
      for (int d = first; d < last; ++d) {
        const Parcel& parcel = gives.departures()[static_cast<std::size_t>(d)].parcel;
        int& number = numbers[static_cast<std::size_t>(piece.movement)];
        const int id = run.plan.add(Piece{.movement = piece.movement, .number = number++});
        likes[{&gives, parcel.peer}][parcel.order] = id;
        run.departures.push_back(gives.departure(d).value_or(Passage{}));
      }
    });
  }
  for (const Arrival& arrival : plan_.plan().arrivals()) {
    auto& awaited = run.arrivals.emplace_back();
    run.plan.add(arrival);
    for (const Transpose* from : stage(arrival.movement).gives) {
      std::map<int, int> count;  // number of messages from each peer
      for (const Endpoint& end : from->arrivals()) ++count[end.parcel.peer];
      for (const int a : from->arrivals_of(arrival.number)) {
        const Parcel& parcel = from->arrivals()[static_cast<std::size_t>(a)].parcel;
        const std::map<int, int>& sent = likes[{from, parcel.peer}];
        const auto like = sent.find(parcel.order + static_cast<int>(sent.size()) - count[parcel.peer]);
        awaited.push_back({from->arrival(a).value_or(Passage{}), like == sent.end() ? -1 : like->second});
      }
    }
  }
}

/// The next chunk of the plan, with its work, and its pieces, which are numbered in the order of the chunks.
void TransformRun::rehearse_chunk() {
  RehearsedRun& run = *rehearsed_;
  const Plan& plan = plan_.plan();
  const Chunk& chunk = plan.chunks()[run.plan.chunks().size()];
  std::vector<int> gives;
  for (const int p : plan.ids(chunk.gives))
    each_given(plan.pieces()[static_cast<std::size_t>(p)], [&](Transpose& one, int leaving, int arriving) {
      const auto [first, last] = one.departures_of(leaving, arriving);
      for (int d = first; d < last; ++d) gives.push_back(rehearsed_pieces_++);
    });
  run.plan.add(chunk, plan.ids(chunk.after), plan.ids(chunk.needs), gives);
  run.works.emplace_back();
  Rehearsal& rehearsal = *context_.rehearsal();
  rehearsal.into(&run);
  const TransformPlan::Slab slab = plan_.slab(chunk);
  stage(slab.stage).compute(slab.number);
  rehearsal.into(nullptr);
}

}  // namespace sc::spectral
