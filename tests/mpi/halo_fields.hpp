// SPDX-License-Identifier: Apache-2.0
// Fields of a grid with their exchange, and a test suite with them for all transports between ranks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/move/exchange.hpp"
#include "engine/move/parcels/halo_parcels.hpp"
#include "tests/mpi/cells.hpp"
#include "tests/mpi/on_transports.hpp"

namespace sc::test {

struct Spec {
  ElementType type;
  int components;
  Reach reach;
};

/// Fields of a grid with their exchange.
struct Fields {
  Fields(const Grid& grid, const std::vector<Spec>& specs, HaloOptions options = {}) {
    for (const Spec& spec : specs) {
      storages.push_back(std::make_unique<Storage>(grid, std::to_string(storages.size()), spec.type,
                                                   spec.components, grid.arena()));
      poison(*storages.back());
      items.push_back({storages.back().get(), spec.reach});
    }
    exchange = std::make_unique<Exchange>(grid.context(), halo_parcels(grid, items, options));
  }
  void fill_all(int salt) {
    for (auto& storage : storages) {
      storage->settle();
      fill(*storage, salt);
    }
  }
  void expect(int salt) const {
    for (const HaloItem& item : items) EXPECT_TRUE(exchanged(*item.storage, item.reach, salt));
  }
  std::vector<std::unique_ptr<Storage>> storages;
  std::vector<HaloItem> items;
  std::unique_ptr<Exchange> exchange;
};

class Halo : public OnTransport {
 protected:
  /// Two rounds; the second with new values, written immediately after the first.
  void check(const Grid& grid, const std::vector<Spec>& specs, HaloOptions options) {
    Fields fields(grid, specs, options);
    for (int salt = 1; salt <= 2; ++salt) {
      fields.fill_all(salt);
      fields.exchange->start();
      fields.exchange->wait();
      fields.expect(salt);
    }
  }
};

}  // namespace sc::test
