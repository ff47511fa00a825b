// SPDX-License-Identifier: Apache-2.0
// Arrivals: when messages of simulated ranks reach each other in one run. A message passes the link of its
// sender's node and that of its receiver's. Each is shared evenly by the pairs of ranks that communicate, of
// all ranks of the node; the slower one determines the arrival. On a bus in segments these are the segments
// of both, and between two of them the backbone.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "model/predict/forecast.hpp"
#include "model/predict/shared_link.hpp"
#include "model/predict/virtual_ports.hpp"

namespace sc::model {

class Arrivals {
 public:
  /// `runs`: of the simulated ranks, which wait for each other. All arguments must outlive this object.
  Arrivals(const Played& played, const Machine& machine, const std::vector<const RehearsedRun*>& runs);

  /// What simulated rank `r` waits for, from the departures noted last.
  VirtualPorts::Dues due(std::size_t r) const;
  /// Notes the departures of simulated rank `r`, and its answers to questions of senders. Returns whether
  /// they are as before.
  bool note(std::size_t r, const VirtualPorts& ports);
  /// For each simulated rank the time when all of its messages have arrived. After note() of all of them.
  std::vector<double> last() const;

 private:
  /// The piece of a simulated rank that is awaited; rank -1: unknown, this rank's own like piece.
  struct Source {
    int rank = -1, piece = -1;
  };
  using Sources = std::vector<std::vector<Source>>;  // [arrival][awaited piece]
  struct Departures {
    std::vector<double> started, alone, arrive;  // of each piece: as in VirtualPorts, and with a shared link
  };

  using Mates = std::map<std::size_t, int>;  // by simulated rank: how many ranks on a link it represents
  using Mine = std::vector<std::pair<std::size_t, std::size_t>>;  // pieces, and their messages on a link
  using Arrived = std::function<void(std::size_t mate, std::size_t a, std::size_t n, std::size_t message)>;

  /// Which messages pass a link: all, those to other segments, or these on the backbone.
  enum class To { any, elsewhere, backbone };

  int ranks() const { return static_cast<int>(played_.like.size()); }
  int segment(int rank) const { return network_.segments[static_cast<std::size_t>(rank)]; }
  bool segmented() const { return !network_.segments.empty() && !played_.like.empty(); }
  bool crosses(std::size_t mate, const Passage& passage) const;
  Mates mates_of(std::size_t r) const;
  Mates mates_among(std::size_t r, int first, int end, const std::function<bool(int)>& share) const;
  bool asks(const Passage& passage) const;
  double ready(std::size_t rank, std::size_t piece) const;
  bool note_answers(std::size_t r, std::vector<std::vector<double>> answered);
  Sharing on_link(double started, const Passage& passage, std::size_t mate, int count) const;
  Mine add_sent(const Mates& mates, To to, std::size_t r, std::vector<Sharing>& link) const;
  void add_received(const Mates& mates, bool crossing, std::vector<Sharing>& link,
                    const Arrived& see = {}) const;
  void share_link(std::size_t r);
  void share_backbone(std::size_t r);
  Sources sources_of(std::size_t me) const;
  static int piece_of(const RehearsedRun& mine, const RehearsedRun& theirs,
                      const RehearsedRun::Awaited& awaited, int to);

  const Played& played_;
  const Machine::Network& network_;
  const std::vector<const RehearsedRun*>& runs_;
  std::vector<Mates> mates_;
  std::vector<Sources> sources_;
  std::vector<Departures> departures_;
  // Of messages above the eager limit: when they were answered, by receiver, arrival and message; and by
  // sender and piece.
  std::vector<std::vector<std::vector<double>>> answers_;
  std::vector<std::map<std::size_t, double>> answered_;
};

}  // namespace sc::model
