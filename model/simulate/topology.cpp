// SPDX-License-Identifier: Apache-2.0
// A network of switches as a platform of SimGrid, from the file `topology` of the working folder, which
// simulate.py writes: a line of words and numbers. Each node has a link of its own, with the machine's
// latency and bandwidth; between these links are those of a fat tree, a torus or a dragonfly. Or nodes are on
// the segments of a bus, which a backbone joins.
//
// The library is compiled on the user's machine, which has SimGrid.
#include <fstream>
#include <iterator>
#include <set>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sg4 = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;
using Links = std::vector<sg4::LinkInRoute>;
using Counts = std::vector<unsigned>;

namespace {

constexpr double instant = 1e15;  // bytes/s of what takes no time

struct Topology {
  std::string kind;
  int ranks_per_node = 1;
  double speed = 0;  // operations/s of a core
  double bandwidth = 0,
         latency = 0;         // of a node's own link or a segment, bytes/s and seconds; half at each end
  double flag_latency = 0;    // between ranks of a node
  double trunk = 0, hop = 0;  // bandwidth and latency of a link between switches, or the backbone
  Counts numbers;             // of nodes and switches, then of links; on a bus the segment of each node
};

Topology read() {
  std::ifstream file("topology");
  Topology read;
  file >> read.kind >> read.ranks_per_node >> read.speed >> read.bandwidth >> read.latency >>
      read.flag_latency >> read.trunk >> read.hop;
  if (!file) throw std::runtime_error("the file topology is incomplete");
  read.numbers.assign(std::istream_iterator<unsigned>(file), {});
  return read;
}

/// A link that takes time, but that messages do not share.
sg4::Link* delay(sg4::NetZone* zone, const std::string& name, double seconds) {
  return zone->create_link(name, instant)
      ->set_latency(seconds)
      ->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE)
      ->seal();
}

/// A node: its ranks, and its link to what lies beyond its port.
std::pair<NetPoint*, NetPoint*> node(const Topology& of, sg4::NetZone* network, unsigned long id) {
  const std::string number = std::to_string(id);
  auto* zone = sg4::create_star_zone("zone-" + number)->set_parent(network);
  auto* host = zone->create_host("node-" + number, of.speed)->set_core_count(of.ranks_per_node)->seal();
  auto* port = zone->create_router("port-" + number);
  auto* link =
      zone->create_split_duplex_link("link-" + number, of.bandwidth)->set_latency(of.latency / 2)->seal();
  auto* inside = delay(zone, "inside-" + number, of.flag_latency);
  auto* const self = host->get_netpoint();
  zone->add_route(self, nullptr, nullptr, nullptr, Links{{link, sg4::LinkInRoute::Direction::UP}}, true);
  zone->add_route(self, self, nullptr, nullptr, Links{sg4::LinkInRoute(inside)}, true);
  zone->add_route(port, nullptr, nullptr, nullptr, Links{}, true);
  zone->seal();
  return {zone->get_netpoint(), port};
}

/// One segment of a bus with its nodes, and the gate to the others. A route has each shared link once.
std::pair<NetPoint*, NetPoint*> segment(const Topology& of, sg4::NetZone* network, unsigned id) {
  const std::string name = std::to_string(id);
  auto* zone = sg4::create_star_zone("segment-" + name)->set_parent(network);
  auto* bus = zone->create_link("bus-" + name, of.bandwidth)->seal();
  for (std::size_t n = 0; n < of.numbers.size(); ++n) {
    if (of.numbers[n] != id) continue;
    const std::string number = std::to_string(n);
    auto* host = zone->create_host("node-" + number, of.speed)->set_core_count(of.ranks_per_node)->seal();
    auto* port = delay(zone, "port-" + number, of.latency / 2);
    auto* inside = delay(zone, "inside-" + number, of.flag_latency);
    auto* const self = host->get_netpoint();
    zone->add_route(self, nullptr, nullptr, nullptr, Links{sg4::LinkInRoute(port), sg4::LinkInRoute(bus)},
                    true);
    zone->add_route(self, self, nullptr, nullptr, Links{sg4::LinkInRoute(inside)}, true);
  }
  auto* gate = zone->create_router("gate-" + name);
  zone->add_route(gate, nullptr, nullptr, nullptr, Links{}, true);
  zone->seal();
  return {zone->get_netpoint(), gate};
}

sg4::NetZone* bus(const Topology& of) {
  auto* network = sg4::create_star_zone("network");
  auto* backbone = network->create_link("backbone", of.trunk)->seal();
  for (const unsigned id : std::set<unsigned>(of.numbers.begin(), of.numbers.end())) {
    const auto [zone, gate] = segment(of, network, id);
    network->add_route(zone, nullptr, gate, nullptr, Links{sg4::LinkInRoute(backbone)}, true);
  }
  return network;
}

}  // namespace

extern "C" void load_platform(const sg4::Engine& engine);

extern "C" void load_platform(const sg4::Engine& /*engine*/) {
  static const Topology of = read();
  const sg4::ClusterCallbacks nodes([](sg4::NetZone* network, const std::vector<unsigned long>&,
                                       unsigned long id) { return node(of, network, id); });
  const auto shared = sg4::Link::SharingPolicy::SPLITDUPLEX;
  const Counts& n = of.numbers;
  const std::string name = "network";
  sg4::NetZone* network = nullptr;
  if (of.kind == "bus")
    network = bus(of);
  else if (of.kind == "torus")
    network = sg4::create_torus_zone(name, nullptr, {n.begin(), n.end()}, nodes, of.trunk, of.hop, shared);
  else if (of.kind ==
           "fat_tree")  // nodes of a leaf, leaves, links of a leaf: each to an upper switch of its own
    network = sg4::create_fatTree_zone(name, nullptr, {2, {n.at(0), n.at(1)}, {1, n.at(2)}, {1, 1}}, nodes,
                                       of.trunk, of.hop, shared);
  else if (of.kind == "dragonfly")
    network = sg4::create_dragonfly_zone(
        name, nullptr, {{n.at(0), n.at(4)}, {n.at(1), n.at(5)}, {n.at(2), n.at(6)}, n.at(3)}, nodes, of.trunk,
        of.hop, shared);
  else
    throw std::runtime_error("no topology is called " + of.kind);
  network->seal();
}
