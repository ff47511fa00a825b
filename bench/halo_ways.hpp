// SPDX-License-Identifier: Apache-2.0
// The ways in which halo_bench exchanges the halos of five arrays of doubles: fields, user arrays
// (halo_exchange), MPI's collective, and a copy within the rank.
#pragma once

#include <mpi.h>
#include <subcurrent/halo.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/mpi_check.hpp"
#include "engine/field/storage.hpp"
#include "engine/move/exchange.hpp"
#include "engine/move/parcels/box_copy.hpp"
#include "engine/move/parcels/halo_parcels.hpp"

namespace sc::bench {

constexpr int fields = 5;

/// Addresses of own cell (0, 0, 0) of five arrays, and the strides of rows and planes in elements.
struct Arrays {
  std::vector<double*> own;
  std::ptrdiff_t sy = 0, sz = 0;
};

/// The fields of a grid.
struct Fields {
  explicit Fields(const Grid& grid) {
    for (int f = 0; f < fields; ++f) {
      owned.push_back(
          std::make_unique<Storage>(grid, "f" + std::to_string(f), ElementType::f64, 1, grid.arena()));
      std::fill_n(reinterpret_cast<double*>(owned.back()->block().data), owned.back()->block().bytes / 8,
                  f + 0.5);
      arrays.own.push_back(reinterpret_cast<double*>(owned.back()->base()));
    }
    arrays.sy = grid.layout().sy;
    arrays.sz = grid.layout().sz;
  }
  std::unique_ptr<Exchange> exchange(const Grid& grid) const {
    std::vector<HaloItem> items;
    for (const auto& storage : owned) items.push_back({storage.get(), box(1)});
    return std::make_unique<Exchange>(grid.context(), halo_parcels(grid, items));
  }
  std::vector<std::unique_ptr<Storage>> owned;
  Arrays arrays;
};

/// User arrays, or arrays in memory of halo_allocate, exchanged by halo_exchange.
class UserArrays {
 public:
  UserArrays(const Grid& grid, int transport, bool allocated = false) {
    const Int3 n = grid.own().hi;
    const std::array<std::int64_t, 3> own{n.z, n.y, n.x};
    const std::ptrdiff_t rows = (n.y + 2) * (n.z + 2);
    std::vector<halo_array> registered;
    for (int f = 0; f < fields; ++f) {
      const auto elements = static_cast<std::size_t>((n.x + 2) * rows);
      double* data = nullptr;
      if (allocated) {
        must(halo_allocate(grid.context().comm(), elements * sizeof(double), &allocated_.emplace_back()));
        data = static_cast<double*>(allocated_.back());
        std::fill_n(data, elements, f + 0.5);
      } else {
        data = memory_.emplace_back(elements, f + 0.5).data();
      }
      registered.push_back(halo_array_of(data, HALO_REAL64, 3, own.data(), 1));
      arrays.own.push_back(data + 1 + (n.x + 2) + (n.x + 2) * (n.y + 2));
    }
    arrays.sy = n.x + 2;
    arrays.sz = arrays.sy * (n.y + 2);
    halo_options options = halo_options_of(3);
    options.transport = transport;
    for (int a = 0; a < 3; ++a) {
      options.processes[a] = grid.split()[2 - a];
      options.periodic[a] = grid.periodic()[2 - a];
    }
    must(halo_init(&handle_, grid.context().comm(), registered.data(), fields, &options));
  }
  UserArrays(const UserArrays&) = delete;
  UserArrays& operator=(const UserArrays&) = delete;
  ~UserArrays() {
    halo_finalize(&handle_);
    for (void*& memory : allocated_) halo_free(&memory);
  }
  void exchange() const { must(halo_exchange(handle_)); }
  Arrays arrays;

 private:
  static void must(int status) {
    if (status != HALO_OK) throw std::runtime_error(halo_error_text(status));
  }
  std::vector<std::vector<double>> memory_;
  std::vector<void*> allocated_;
  halo_handle handle_ = HALO_NULL;
};

/// All arrays with one MPI_Neighbor_alltoallw on a graph of the neighbours; every block is a struct with a
/// subarray for each array.
class NeighborAlltoallw {
 public:
  NeighborAlltoallw(const Grid& grid, const Arrays& arrays) {
    const int rank = grid.context().rank();
    const auto add = [&](const std::vector<Region>& regions, std::vector<int>& peers,
                         std::vector<MPI_Datatype>& types, bool source) {
      for (const Region& region : regions) {
        peers.push_back(region.peer);
        types.push_back(box_type(arrays, source ? region.source : region.sink));
      }
    };
    add(halo_departures(grid, rank, box(1), Corners::direct), to_, send_types_, true);
    add(halo_arrivals(grid, rank, box(1), Corners::direct), from_, receive_types_, false);
    mpi::check(MPI_Dist_graph_create_adjacent(grid.context().comm(), int(from_.size()), from_.data(),
                                              MPI_UNWEIGHTED, int(to_.size()), to_.data(), MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &graph_));
    ones_.assign(std::max(to_.size(), from_.size()), 1);
    zeros_.assign(ones_.size(), 0);
  }
  NeighborAlltoallw(const NeighborAlltoallw&) = delete;
  NeighborAlltoallw& operator=(const NeighborAlltoallw&) = delete;
  ~NeighborAlltoallw() {
    for (auto* types : {&send_types_, &receive_types_})
      for (MPI_Datatype& type : *types) MPI_Type_free(&type);
    MPI_Comm_free(&graph_);
  }
  void run() {
    mpi::check(MPI_Neighbor_alltoallw(MPI_BOTTOM, ones_.data(), zeros_.data(), send_types_.data(), MPI_BOTTOM,
                                      ones_.data(), zeros_.data(), receive_types_.data(), graph_));
  }

 private:
  static MPI_Datatype box_type(const Arrays& arrays, const Box& box) {
    const Int3 n = box.extent();
    const std::array<int, 3> sizes{n.z, int(arrays.sz / arrays.sy), int(arrays.sy)};
    const std::array<int, 3> subsizes{n.z, n.y, n.x};
    const std::array<int, 3> starts{0, 0, 0};
    MPI_Datatype one = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
    mpi::check(MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C,
                                        MPI_DOUBLE, &one));
    std::vector<MPI_Aint> at;
    for (double* own : arrays.own)
      at.push_back(reinterpret_cast<MPI_Aint>(own + box.lo.x + box.lo.y * arrays.sy + box.lo.z * arrays.sz));
    mpi::check(MPI_Type_create_hindexed_block(int(at.size()), 1, at.data(), one, &all));
    mpi::check(MPI_Type_commit(&all));
    mpi::check(MPI_Type_free(&one));
    return all;
  }
  std::vector<int> to_, from_, ones_;
  std::vector<MPI_Aint> zeros_;
  std::vector<MPI_Datatype> send_types_, receive_types_;
  MPI_Comm graph_ = MPI_COMM_NULL;
};

/// As in figures 9 and 10 of paper 001: for each direction in turn, the cells of all arrays are packed,
/// exchanged by MPI_Sendrecv, and unpacked.
class PackedSendrecv {
 public:
  PackedSendrecv(const Grid& grid, const Arrays& arrays) {
    const int rank = grid.context().rank();
    const std::vector<Region> out = halo_departures(grid, rank, box(1), Corners::direct);
    const std::vector<Region> in = halo_arrivals(grid, rank, box(1), Corners::direct);
    std::size_t most = 0;
    for (const auto* regions : {&out, &in})
      for (const Region& region : *regions) most = std::max(most, bytes_of(region.source));
    out_.resize(most);
    in_.resize(most);
    for (std::size_t i = 0; i < out.size(); ++i) {
      Leg leg{
          .to = out[i].peer, .from = in[i].peer, .out = bytes_of(out[i].source), .in = bytes_of(in[i].sink)};
      for (std::size_t f = 0; f < arrays.own.size(); ++f) {
        const CellMemory own{reinterpret_cast<std::byte*>(arrays.own[f]), arrays.sy * 8, arrays.sz * 8, 0};
        leg.pack.emplace_back(own, out[i].source, buffer(out_, f, leg.out, out[i].source), out[i].source, 1,
                              8);
        leg.unpack.emplace_back(buffer(in_, f, leg.in, in[i].sink), in[i].sink, own, in[i].sink, 1, 8);
      }
      legs_.push_back(std::move(leg));
    }
    comm_ = grid.context().comm();
  }
  void run() {
    for (const Leg& leg : legs_) {
      for (const BoxCopy& copy : leg.pack) copy.run();
      mpi::check(MPI_Sendrecv(out_.data(), int(leg.out), MPI_BYTE, leg.to, 0, in_.data(), int(leg.in),
                              MPI_BYTE, leg.from, 0, comm_, MPI_STATUS_IGNORE));
      for (const BoxCopy& copy : leg.unpack) copy.run();
    }
  }

 private:
  struct Leg {
    int to, from;
    std::size_t out, in;
    std::vector<BoxCopy> pack{}, unpack{};
  };
  static std::size_t bytes_of(const Box& box) { return std::size_t(box.cells()) * fields * 8; }
  static CellMemory buffer(std::vector<std::byte>& all, std::size_t f, std::size_t bytes, const Box& box) {
    return CellMemory::dense(all.data() + f * (bytes / fields), box, 8);
  }
  std::vector<Leg> legs_;
  std::vector<std::byte> out_, in_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Copies the cells that a rank receives between two sets of its own arrays: the same boxes, rows and
/// strides.
class LocalCopy {
 public:
  LocalCopy(const Grid& grid, const Arrays& from, const Arrays& to) {
    for (const Region& region : halo_arrivals(grid, grid.context().rank(), box(1), Corners::direct))
      for (std::size_t f = 0; f < from.own.size(); ++f)
        copies_.emplace_back(memory(from, f), region.source, memory(to, f), region.sink, 1, 8);
  }
  /// The two faces of an axis are copied together if the exchange does so.
  void run() const {
    const std::size_t half = copies_.size() / 2;
    for (std::size_t f = 0; f < half; ++f) copies_[f].run_with(copies_[half + f]);
  }

 private:
  static CellMemory memory(const Arrays& arrays, std::size_t f) {
    return {reinterpret_cast<std::byte*>(arrays.own[f]), arrays.sy * 8, arrays.sz * 8, 0};
  }
  std::vector<BoxCopy> copies_;
};

}  // namespace sc::bench
