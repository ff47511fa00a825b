// SPDX-License-Identifier: Apache-2.0
// A network of switches as a platform of SimGrid, from the file `topology` of the working folder, which
// simulate.py writes: a line of words and numbers. Each node has a link of its own, with the machine's
// latency and bandwidth; between these links are those of a fat tree, a torus or a dragonfly.
//
// The library is compiled on the user's machine, which has SimGrid.
#include <fstream>
#include <iterator>
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
         latency = 0;         // of a node's own link, bytes/s and seconds; half of the latency at each end
  double flag_latency = 0;    // between ranks of a node
  double trunk = 0, hop = 0;  // bandwidth and latency of a link between switches
  Counts numbers;             // of nodes and switches, then of links
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

/// A node: its ranks, and its link to what lies beyond its port.
std::pair<NetPoint*, NetPoint*> node(const Topology& of, sg4::NetZone* network, unsigned long id) {
  const std::string number = std::to_string(id);
  auto* zone = sg4::create_star_zone("zone-" + number)->set_parent(network);
  auto* host = zone->create_host("node-" + number, of.speed)->set_core_count(of.ranks_per_node)->seal();
  auto* port = zone->create_router("port-" + number);
  auto* link =
      zone->create_split_duplex_link("link-" + number, of.bandwidth)->set_latency(of.latency / 2)->seal();
  auto* inside = zone->create_link("inside-" + number, instant)
                     ->set_latency(of.flag_latency)
                     ->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE)
                     ->seal();
  auto* const self = host->get_netpoint();
  zone->add_route(self, nullptr, nullptr, nullptr, Links{{link, sg4::LinkInRoute::Direction::UP}}, true);
  zone->add_route(self, self, nullptr, nullptr, Links{sg4::LinkInRoute(inside)}, true);
  zone->add_route(port, nullptr, nullptr, nullptr, Links{}, true);
  zone->seal();
  return {zone->get_netpoint(), port};
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
  if (of.kind == "torus")
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
