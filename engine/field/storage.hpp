// SPDX-License-Identifier: Apache-2.0
// Storage: one time level of a field in memory. It records how fresh its halo is, the refresh in progress,
// and the movements that may still read its own cells.
#pragma once

#include <array>
#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/arena.hpp"
#include "engine/base/device.hpp"
#include "engine/field/boundary.hpp"
#include "engine/grid/grid.hpp"
#include "engine/grid/lattice.hpp"
#include "engine/grid/reach.hpp"

namespace sc {

enum class Space { host, device };
enum class ElementType { f32, f64, i32, i64, c32, c64 };

template <class T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, float>)
    return ElementType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return ElementType::f64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return ElementType::i32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return ElementType::i64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return ElementType::c32;
  else {
    static_assert(std::is_same_v<T, std::complex<double>>, "not an element type of a field");
    return ElementType::c64;
  }
}
constexpr std::size_t size_of(ElementType type) {
  return type == ElementType::c64 ? 16 : type == ElementType::f32 || type == ElementType::i32 ? 4 : 8;
}

/// Cells in a caller's memory: the address of own cell (0, 0, 0) of component 0, and strides in bytes. A cell
/// is `cell_bytes` contiguous bytes.
struct ExternalCells {
  std::byte* base = nullptr;
  std::ptrdiff_t y = 0, z = 0, component = 0;
  std::size_t cell_bytes = 0;
  Int3 low, high;  ///< layers of halo at the low and high end of every axis, at most the grid's
};

/// An operation in progress that reads or writes a storage, and that finish() completes.
class Pending {
 public:
  virtual ~Pending() = default;
  virtual void finish() = 0;
  /// Whether the own cells do not have their values before finish().
  virtual bool computes() const { return false; }
};

class Far;

class Storage : public std::enable_shared_from_this<Storage> {
 public:
  /// Collective on the grid's ranks.
  Storage(const Grid& grid, std::string name, ElementType type, int components, std::shared_ptr<Arena> arena);
  /// In memory of the caller; neighbours cannot access it, so its halos are packed.
  Storage(const Grid& grid, std::string name, ElementType type, int components, const ExternalCells& cells);
  /// In the memory of the grid's device, with a host copy that is updated when it is requested. Throws Error
  /// (bad_input) if the context has no device.
  Storage(const Grid& grid, std::string name, ElementType type, int components, Space space);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  const Grid& grid() const { return grid_; }
  const std::string& name() const { return name_; }
  ElementType type() const { return type_; }
  int components() const { return components_; }
  /// Elements between components.
  std::ptrdiff_t component_stride() const { return component_stride_; }
  /// Own cell (0, 0, 0) of component 0 for stages and movements; may be device memory.
  std::byte* base() const { return base_; }
  /// The same for the host. For a field on a device it is the host copy, updated from the device. After
  /// begin_host_write() it may be written; the device is updated before it computes again. Throws Error
  /// (failure) for a storage in far memory, except within each_slab().
  std::byte* host_base() const {
    if (far_ && !base_) refuse_whole();
    if (in_flight_ && in_flight_->computes()) refuse_recorded();
    if (device_memory_) update_host();
    return device_memory_ ? host_copy_.get() + lead_bytes() : base_;
  }
  /// For the host: calls use(lo, hi) for own planes [lo, hi) at host_base(), all at once or, for a storage in
  /// far memory, slab by slab. `read`: the planes contain their values; `written`: values that use() sets are
  /// kept. Nothing is called in a rehearsal. Call begin_host_write() before writing.
  void each_slab(bool read, bool written, const std::function<void(int lo, int hi)>& use);
  /// The space in which stages find the cells: device only if the whole storage is there.
  Space space() const { return device_memory_ ? Space::device : Space::host; }
  /// nullptr unless the storage is in far memory.
  Far* far() const { return far_.get(); }
  /// `device` computes the slabs; nullptr: the host.
  void set_far(std::shared_ptr<Far> far, std::shared_ptr<Device> device) {
    far_ = std::move(far);
    device_ = std::move(device);
  }
  /// Sets base() to a slot that holds some planes; nullptr: no planes are in near memory.
  void show(std::byte* base, std::ptrdiff_t component_stride = 0) {
    base_ = base;
    component_stride_ = component_stride;
  }
  /// Throws Error (failure): all cells at once are not available for a storage in far memory.
  [[noreturn]] void refuse_whole() const;
  /// Throws Error (failure): recorded steps that write these cells have not been executed.
  [[noreturn]] void refuse_recorded() const;
  /// The device that computes it, as a whole or slab by slab; nullptr: the host.
  Device* device() const { return device_.get(); }
  /// Call before work on the device that reads or, if `written`, writes this storage.
  void use_on_device(bool written);
  /// Bytes of one component of a cell.
  std::size_t cell_bytes() const { return external_.base ? external_.cell_bytes : size_of(type_); }
  /// The cells in a caller's memory; without a base if the memory is the engine's.
  const ExternalCells& external() const { return external_; }
  const Arena& arena() const { return *arena_; }
  const Arena::Block& block() const { return block_; }

  /// The part of the halo with current values of the neighbours; cells in flight do not count.
  Reach fresh() const;
  /// The same for the cells of one colour. A coloured sweep makes only those stale that it has written.
  Reach fresh(const Lattice& lattice) const;
  /// The number of colours for which freshness is recorded separately.
  int colours() const { return colours_; }
  void set_fresh(Reach reach) { set_fresh(reach, {}); }
  void set_fresh(Reach reach, const Lattice& lattice);
  /// The only colour whose cells must be refreshed so that the halo is fresh to `reach`; all cells if there
  /// is more than one.
  Lattice stale(Reach reach) const;
  /// Whether a constant condition (see Boundary) has filled the whole halo beyond these first halo cells of a
  /// face, and nothing has overwritten it since.
  bool filled(const Boundary& condition, Face face, const Box& columns) const;
  /// A condition has filled it.
  void set_filled(const Boundary& condition, Face face, const Box& columns);
  /// Something else overwrites the halo of a face, or all of it.
  void forget_filled(Face face) {
    std::erase_if(filled_, [&](const Filled& one) { return one.face == face; });
  }
  void forget_filled() { filled_.clear(); }
  /// A halo that was exchanged before it was known which conditions its first reader finds.
  struct Ahead {
    Boundaries conditions;  ///< applied by the exchange
    Reach read = {};        ///< as far as it has been read since
    bool changed = false;   ///< by a reader
  };
  /// Until the halo becomes stale.
  std::optional<Ahead>& ahead() { return ahead_; }
  /// The refresh of this halo in progress, if any; the first reader finishes it.
  Pending* in_flight() const { return in_flight_; }
  void set_in_flight(Pending* refresh) { in_flight_ = refresh; }
  /// Movements whose peers may still read the own cells of this storage.
  void add_reader(Pending* reader);
  void remove_reader(Pending* reader);
  /// Whether settle() would have to wait.
  bool busy() const;
  /// Call before own cells are written: finishes the refresh in progress and waits until no peer reads the
  /// old values.
  void settle();
  /// The same for the host. The halo becomes stale, and no stage counts as the writer of the values.
  void begin_host_write();
  std::int64_t host_writes() const { return host_writes_; }

 private:
  enum class Newest { both, host, device };
  void update_host() const;
  std::size_t lead_bytes() const { return static_cast<std::size_t>(grid_.layout().origin) * size_of(type_); }
  std::size_t all_bytes() const;

  Grid grid_;
  std::string name_;
  ElementType type_;
  int components_;
  std::shared_ptr<Arena> arena_;
  Arena::Block block_;
  std::ptrdiff_t component_stride_ = 0;
  std::byte* base_ = nullptr;
  ExternalCells external_;
  std::shared_ptr<Far> far_;
  std::shared_ptr<Device> device_;
  Device::Memory device_memory_;
  mutable Device::Memory host_copy_;  // created when it is first requested
  mutable Newest newest_ = Newest::both;
  std::array<Reach, 8> fresh_{};  // of each colour
  struct Filled {
    std::weak_ptr<const Boundary> condition;
    Face face;
    Box columns;
  };
  std::vector<Filled> filled_;
  std::optional<Ahead> ahead_;
  int colours_ = 1;
  Pending* in_flight_ = nullptr;
  std::int64_t host_writes_ = 0;
  std::vector<Pending*> readers_;
};

}  // namespace sc
