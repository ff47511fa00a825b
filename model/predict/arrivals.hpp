// SPDX-License-Identifier: Apache-2.0
// Arrivals: when messages of simulated ranks reach each other in one run. A message passes the link of its
// sender's node and that of its receiver's. Each is shared evenly by the pairs of ranks that communicate, of
// all ranks of the node; the slower one determines the arrival.
#pragma once

#include <map>
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
  VirtualPorts::Comes due(std::size_t r) const;
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

  using Mates = std::map<std::size_t, int>;  // by simulated rank: how many ranks of a node it represents

  Mates mates_of(std::size_t r) const;
  bool asks(const Passage& passage) const;
  double ready(std::size_t rank, std::size_t piece) const;
  bool note_answers(std::size_t r, std::vector<std::vector<double>> answered);
  Sharing on_link(double started, const Passage& passage, std::size_t mate, int count) const;
  void share_link(std::size_t r);
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
