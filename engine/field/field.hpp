// SPDX-License-Identifier: Apache-2.0
// Field: a named array on a grid with components and time levels, its boundary conditions, and its storages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/field/boundary.hpp"
#include "engine/field/far.hpp"
#include "engine/field/storage.hpp"
#include "engine/field/views.hpp"

namespace sc {

struct FieldOptions {
  int levels = 1;  ///< time levels: now, next, …
  Space space = Space::host;
  /// Far memory instead: in_files(memory, pieces), in_host_memory_of(device, pieces).
  std::shared_ptr<FarPlace> place = nullptr;
};

/// Common to fields of every type: time levels and boundary conditions.
class AnyField {
 public:
  AnyField(const Grid& grid, std::string name, ElementType type, int components, FieldOptions options);
  /// Uses existing storages, one for each level; at least one.
  explicit AnyField(std::vector<std::shared_ptr<Storage>> storages)
      : grid_(storages.front()->grid()), name_(storages.front()->name()), storages_(std::move(storages)) {}
  virtual ~AnyField() = default;
  AnyField(const AnyField&) = delete;
  AnyField& operator=(const AnyField&) = delete;

  const Grid& grid() const { return grid_; }
  const std::string& name() const { return name_; }
  int levels() const { return static_cast<int>(storages_.size()); }
  Storage& storage(int level) const { return *storages_[static_cast<std::size_t>(level)]; }
  Boundaries& boundaries() { return boundaries_; }
  const Boundaries& boundaries() const { return boundaries_; }
  /// Swaps the levels: next becomes now, now becomes the last.
  void advance();

 private:
  Grid grid_;
  std::string name_;
  std::shared_ptr<FarPlace> place_;
  std::vector<std::shared_ptr<Storage>> storages_;  // shared with runners, whose halos point into them
  Boundaries boundaries_;
};

/// One level of a field (0 = now); the storage is looked up when it is used. Functions that return a view are
/// always inlined, because views in a checked program are larger than in the engine that it links.
template <class T, int N>
struct Level {
  AnyField* field;
  int level;
  using element = T;
  static constexpr int components = N;

  Storage& storage() const { return field->storage(level); }
  [[gnu::always_inline]] Out<T, N> view() const {
    return {reinterpret_cast<T*>(storage().base()), storage().component_stride()};
  }
};

template <class T, int N = 1>
class Field : public AnyField {
 public:
  /// Collective. Throws Error (bad_input) for a space that this build does not have.
  Field(const Grid& grid, std::string name, FieldOptions options = {})
      : AnyField(grid, std::move(name), element_type<T>(), N, options) {}

  Level<T, N> level(int n) { return {this, n}; }
  Level<T, N> now() { return level(0); }
  Level<T, N> next() { return level(1); }

  /// View for reading on the host, in local coordinates, halo included as far as it is fresh.
  T get(Int3 cell, int component = 0) const {
    return reinterpret_cast<const T*>(
        storage(0).host_base())[component * storage(0).component_stride() + grid().layout().offset(cell)];
  }
  [[gnu::always_inline]] In<T, N> read() const {
    return {reinterpret_cast<const T*>(storage(0).host_base()), storage(0).component_stride()};
  }
  /// View for writing on the host. Collective: waits until the old values are no longer read, and marks the
  /// halo as stale.
  [[gnu::always_inline]] Out<T, N> modify(int level = 0) {
    storage(level).begin_host_write();
    return {reinterpret_cast<T*>(storage(level).host_base()), storage(level).component_stride()};
  }
  /// Sets every own cell of `level` from its global position: f(x, y, z) for one component, f(component, x,
  /// y, z) for more.
  template <class F>
  void fill(F&& f, int level = 0) {
    Storage& all = storage(level);
    all.begin_host_write();
    all.each_slab(false, true, [&](int lo, int hi) {
      fill_planes(f, Out<T, N>{reinterpret_cast<T*>(all.host_base()), all.component_stride()}, lo, hi);
    });
  }
  /// Reading on the host, also from far memory: calls use(lo, hi, cells) with own planes [lo, hi), one slab
  /// after the other.
  template <class Use>
  void each_slab(Use&& use, int level = 0) const {
    Storage& all = storage(level);
    all.each_slab(true, false, [&](int lo, int hi) {
      use(lo, hi, In<T, N>{reinterpret_cast<const T*>(all.host_base()), all.component_stride()});
    });
  }

 private:
  template <class F>
  void fill_planes(F& f, const Out<T, N>& out, int lo, int hi) {
    const Box own = grid().own();
    const Int3 origin = grid().origin();
    for (int k = 0; k < N; ++k)
      for (int z = lo; z < hi; ++z)
        for (int y = 0; y < own.hi.y; ++y)
          for (int x = 0; x < own.hi.x; ++x) {
            T& value = out.base[k * out.stride + grid().layout().offset({x, y, z})];
            if constexpr (N == 1)
              value = f(origin.x + x, origin.y + y, origin.z + z);
            else
              value = f(k, origin.x + x, origin.y + y, origin.z + z);
          }
  }
};

}  // namespace sc
