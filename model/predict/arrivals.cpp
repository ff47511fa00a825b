// SPDX-License-Identifier: Apache-2.0
// Arrivals: the pieces that ranks await of each other, and their links.
#include "model/predict/arrivals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace sc::model {

namespace {

bool on_network(const Passage& passage) { return passage.way == Passage::Way::network && passage.bytes > 0; }

}  // namespace

Arrivals::Arrivals(const Played& played, const Machine& machine, const std::vector<const RehearsedRun*>& runs)
    : played_(played),
      network_(machine.network),
      runs_(runs),
      departures_(runs.size()),
      answers_(runs.size()),
      answered_(runs.size()) {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    mates_.push_back(mates_of(r));
    sources_.push_back(sources_of(r));
  }
}

/// The ranks that share a link with simulated rank `r`. Those that no other represents are like `r`.
Arrivals::Mates Arrivals::mates_of(std::size_t r) const {
  if (played_.like.empty()) return {{r, network_.sharing}};
  if (segmented())
    return mates_among(r, 0, ranks(), [&](int rank) { return segment(rank) == segment(played_.numbers[r]); });
  const int first = played_.numbers[r] / network_.sharing * network_.sharing;
  return mates_among(r, first, std::min(first + network_.sharing, ranks()), [](int) { return true; });
}

/// Of ranks `first` to `end` - 1 those that `share` a link.
Arrivals::Mates Arrivals::mates_among(std::size_t r, int first, int end,
                                      const std::function<bool(int)>& share) const {
  Mates mates;
  for (int rank = first; rank < end; ++rank) {
    const int like = played_.like[static_cast<std::size_t>(rank)];
    if (share(rank)) ++mates[like < 0 ? r : static_cast<std::size_t>(like)];
  }
  return mates;
}

/// Whether a message of simulated rank `mate` travels between two segments of a bus.
bool Arrivals::crosses(std::size_t mate, const Passage& passage) const {
  return segmented() && segment(played_.numbers[mate]) != segment(passage.peer);
}

/// A message of simulated rank `mate`, which has a connection to each of its peers.
Sharing Arrivals::on_link(double started, const Passage& passage, std::size_t mate, int count) const {
  const int connection = passage.peer * static_cast<int>(runs_.size()) + static_cast<int>(mate);
  return {connection, started, network_.on_share(passage.bytes) / network_.sharing, count};
}

/// Whether its sender asks the receiver before it sends.
bool Arrivals::asks(const Passage& passage) const {
  return on_network(passage) && network_.asks(passage.bytes);
}

/// When a piece of simulated rank `rank` is ready for the link: packed, and answered if its sender asks. Of
/// an unknown answer it is assumed that the receiver was waiting for the question.
double Arrivals::ready(std::size_t rank, std::size_t piece) const {
  const double started = departures_[rank].started[piece];
  if (!asks(runs_[rank]->departures[piece])) return started;
  const auto found = answered_[rank].find(piece);
  if (found == answered_[rank].end()) return started + 2 * network_.latency;
  return std::max(started, found->second) + network_.latency;
}

/// Returns whether the answers are as before.
bool Arrivals::note_answers(std::size_t r, std::vector<std::vector<double>> answered) {
  const bool first = answers_[r].empty();
  bool same = true;
  for (std::size_t a = 0; a < answered.size(); ++a)
    for (std::size_t n = 0; n < answered[a].size(); ++n) {
      if (std::isnan(answered[a][n])) continue;
      same = same && !first && answers_[r][a][n] == answered[a][n];
      if (const auto [rank, piece] = sources_[r][a][n]; rank >= 0)
        answered_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(piece)] = answered[a][n];
    }
  answers_[r] = std::move(answered);
  return same;
}

/// The messages that the ranks of a link receive, or only those that cross. `see` is called for each awaited
/// piece with its message on the link.
void Arrivals::add_received(const Mates& mates, bool crossing, std::vector<Sharing>& link,
                            const Arrived& see) const {
  for (const auto& [mate, count] : mates) {
    std::map<std::pair<int, int>, std::size_t> known;  // a message that two arrivals wait for comes once
    for (std::size_t a = 0; a < sources_[mate].size(); ++a)
      for (std::size_t n = 0; n < sources_[mate][a].size(); ++n) {
        const auto [rank, piece] = sources_[mate][a][n];
        const auto& [passage, like] = runs_[mate]->arrivals[a][n];
        if (rank < 0 || departures_[static_cast<std::size_t>(rank)].arrive.empty()) continue;
        if (!on_network(passage) || (crossing && !crosses(mate, passage))) continue;
        const auto [found, fresh] =
            known.try_emplace({runs_[mate]->plan.arrivals()[a].movement, like}, link.size());
        if (fresh) {
          const double begin = ready(static_cast<std::size_t>(rank), static_cast<std::size_t>(piece));
          link.push_back(on_link(begin, passage, mate, count));
          if (crossing) link.back().connection = -1 - link.back().connection;  // the other way
        }
        if (see) see(mate, a, n, found->second);
      }
  }
}

VirtualPorts::Dues Arrivals::due(std::size_t r) const {
  VirtualPorts::Dues all;
  for (std::size_t a = 0; a < sources_[r].size(); ++a) {
    all.emplace_back(sources_[r][a].size(), VirtualPorts::Due{std::nan(""), true});
    for (std::size_t n = 0; n < sources_[r][a].size(); ++n) {
      const auto [rank, piece] = sources_[r][a][n];
      if (rank < 0 || departures_[static_cast<std::size_t>(rank)].arrive.empty()) continue;
      const Departures& theirs = departures_[static_cast<std::size_t>(rank)];
      const auto p = static_cast<std::size_t>(piece);
      all[a][n] = {theirs.arrive[p], static_cast<std::size_t>(rank) == r,
                   theirs.started[p] + network_.latency};
    }
  }
  std::vector<Sharing> link;
  std::vector<std::pair<double*, std::size_t>> shared;  // times of arrivals, and their messages on the link
  add_received(mates_[r], false, link, [&](std::size_t mate, std::size_t a, std::size_t n, std::size_t m) {
    if (mate == r) shared.emplace_back(&all[a][n].at, m);
  });
  if (segmented()) add_sent(mates_[r], To::elsewhere, r, link);
  const std::vector<double> ends = ends_on_link(link);
  for (const auto& [at, n] : shared) *at = std::max(*at, ends[n] + network_.latency);
  return all;
}

bool Arrivals::note(std::size_t r, const VirtualPorts& ports) {
  const bool same = departures_[r].alone == ports.arrives();
  departures_[r] = {ports.started(), ports.arrives(), ports.arrives()};
  const bool answers_same = note_answers(r, ports.answered());
  for (std::size_t other = 0; other < runs_.size(); ++other)
    if (other == r || mates_[other].contains(r) || !answers_same || segmented()) share_link(other);
  return same && answers_same;
}

/// The messages that the ranks of a link send, or those that cross; returns those of simulated rank `r`.
Arrivals::Mine Arrivals::add_sent(const Mates& mates, To to, std::size_t r,
                                  std::vector<Sharing>& link) const {
  Mine mine;
  for (const auto& [mate, count] : mates) {
    const Departures& theirs = departures_[mate];
    for (std::size_t p = 0; p < theirs.started.size(); ++p) {
      const Passage& passage = runs_[mate]->departures[p];
      if (!on_network(passage) || (to != To::any && !crosses(mate, passage))) continue;
      if (mate == r) mine.emplace_back(p, link.size());
      link.push_back(on_link(ready(mate, p), passage, mate, count));
      if (to == To::backbone) link.back().alone = static_cast<double>(passage.bytes) * network_.backbone_byte;
    }
  }
  return mine;
}

/// The arrival times of the messages of simulated rank `r`, as far as its own link, and the backbone,
/// determine them. What comes from other segments takes a share of a segment, too.
void Arrivals::share_link(std::size_t r) {
  if (departures_[r].alone.empty()) return;
  std::vector<Sharing> link;
  const Mine mine = add_sent(mates_[r], To::any, r, link);
  if (segmented()) add_received(mates_[r], true, link);
  const std::vector<double> ends = ends_on_link(link);
  for (const auto& [p, n] : mine) departures_[r].arrive[p] = ends[n] + network_.latency;
  if (segmented()) share_backbone(r);
}

void Arrivals::share_backbone(std::size_t r) {
  std::vector<Sharing> backbone;
  const Mates all = mates_among(r, 0, ranks(), [](int) { return true; });
  const Mine mine = add_sent(all, To::backbone, r, backbone);
  const std::vector<double> ends = ends_on_link(backbone);
  for (const auto& [p, n] : mine) {
    double& arrives = departures_[r].arrive[p];
    arrives = std::max(arrives, ends[n] + network_.latency);
  }
}

std::vector<double> Arrivals::last() const {
  std::vector<double> last(runs_.size(), 0.0);
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    for (std::size_t p = 0; p < departures_[r].arrive.size(); ++p)
      if (runs_[r]->departures[p].way != Passage::Way::self)
        last[r] = std::max(last[r], departures_[r].arrive[p]);
    const VirtualPorts::Dues dues = due(r);
    for (std::size_t a = 0; a < dues.size(); ++a)
      for (std::size_t n = 0; n < dues[a].size(); ++n)
        if (const int from = sources_[r][a][n].rank; from >= 0) {
          double& theirs = last[static_cast<std::size_t>(from)];
          theirs = std::max(theirs, dues[a][n].at);
        }
  }
  return last;
}

Arrivals::Sources Arrivals::sources_of(std::size_t me) const {
  const RehearsedRun& mine = *runs_[me];
  Sources all;
  for (const auto& arrival : mine.arrivals) {
    auto& sources = all.emplace_back();
    for (const auto& awaited : arrival) {
      const int peer = awaited.passage.peer;
      if (awaited.passage.way == Passage::Way::self || awaited.passage.bytes == 0 || awaited.like < 0) {
        sources.emplace_back();
        continue;
      }
      const int like = played_.like.empty() ? -1 : played_.like[static_cast<std::size_t>(peer)];
      if (like < 0 || static_cast<std::size_t>(like) == me) {
        sources.push_back({static_cast<int>(me), awaited.like});
        continue;
      }
      const auto l = static_cast<std::size_t>(like);
      const int piece =
          piece_of(mine, *runs_[l], awaited, played_.numbers[l] == peer ? played_.numbers[me] : -1);
      sources.push_back(piece < 0 ? Source{static_cast<int>(me), awaited.like} : Source{like, piece});
    }
  }
  return all;
}

/// The piece of `theirs` that is awaited. If it goes to rank `to`: the piece of the same number, or the one
/// at the same distance from the last piece of that direction as the like piece of `mine` is. If the rank
/// only represents the sender (to < 0): the piece of the same number.
int Arrivals::piece_of(const RehearsedRun& mine, const RehearsedRun& theirs,
                       const RehearsedRun::Awaited& awaited, int to) {
  const Piece& like = mine.plan.pieces()[static_cast<std::size_t>(awaited.like)];
  int behind = 0;  // number of later pieces to the sender
  for (std::size_t p = static_cast<std::size_t>(awaited.like) + 1; p < mine.departures.size(); ++p)
    if (mine.plan.pieces()[p].movement == like.movement && mine.departures[p].peer == awaited.passage.peer)
      ++behind;
  int found = -1;
  for (int p = static_cast<int>(theirs.departures.size()) - 1; p >= 0; --p) {
    const auto n = static_cast<std::size_t>(p);
    const Piece& piece = theirs.plan.pieces()[n];
    if (piece.movement != like.movement || theirs.departures[n].bytes == 0) continue;
    const bool goes = to < 0 || theirs.departures[n].peer == to;
    if (piece.number == like.number && goes) return p;
    if (to >= 0 && goes && behind-- == 0) found = p;
  }
  return found;
}

}  // namespace sc::model
