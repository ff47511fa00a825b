// SPDX-License-Identifier: Apache-2.0
// Storage: one time level of a field in memory, with what must move with it when levels turn over: how fresh
// its halo is, which movement is under way, and who may still be reading its own cells.
#pragma once

#include <array>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/arena.hpp"
#include "engine/base/device.hpp"
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

/// Cells in a caller's memory: where own cell (0, 0, 0) of component 0 is, and the distances
/// in bytes. A cell is `cell_bytes` that lie together.
struct ExternalCells {
  std::byte* base = nullptr;
  std::ptrdiff_t y = 0, z = 0, component = 0;
  std::size_t cell_bytes = 0;
  Int3 low, high;  ///< layers of halo on either side of every axis, at most the grid's
};

/// Something under way that reads or writes a storage and can be brought to its end.
class Pending {
 public:
  virtual ~Pending() = default;
  virtual void finish() = 0;
  /// Whether the own cells do not hold their values before.
  virtual bool computes() const { return false; }
};

class Boundaries;
class Far;

class Storage : public std::enable_shared_from_this<Storage> {
 public:
  /// Collective on the grid's ranks.
  Storage(const Grid& grid, std::string name, ElementType type, int components, std::shared_ptr<Arena> arena);
  /// In memory that the caller keeps; neighbours cannot see it, so that its halos are packed.
  Storage(const Grid& grid, std::string name, ElementType type, int components, const ExternalCells& cells);
  /// In the memory of the grid's device, with a copy for the host that is brought up to date when it is asked
  /// for. Throws Error (bad_input) where the context has no device.
  Storage(const Grid& grid, std::string name, ElementType type, int components, Space space);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  const Grid& grid() const { return grid_; }
  const std::string& name() const { return name_; }
  ElementType type() const { return type_; }
  int components() const { return components_; }
  /// Elements from one component to the next.
  std::ptrdiff_t component_stride() const { return component_stride_; }
  /// Own cell (0, 0, 0) of component 0, where stages and movements find it: maybe in a device's memory.
  std::byte* base() const { return base_; }
  /// The same for the host. Of a field on a device its copy, which takes over what the device has computed;
  /// after begin_host_write() it may be written, and the device takes it over before it computes again.
  /// Throws Error (failure) for one in far memory, unless each_slab() has brought a slab of it.
  std::byte* host_base() const {
    if (far_ && !base_) refuse_whole();
    if (in_flight_ && in_flight_->computes()) refuse_recorded();
    if (device_memory_) update_host();
    return device_memory_ ? host_copy_.get() + lead_bytes() : base_;
  }
  /// For the host: use(lo, hi) with own planes [lo, hi) at host_base(), all of them at once or, of a storage
  /// in far memory, slab by slab; `read`: with what they hold, `written`: what use() leaves there is kept.
  /// In a rehearsal there is nothing to use. Call begin_host_write() before writing.
  void each_slab(bool read, bool written, const std::function<void(int lo, int hi)>& use);
  /// Where stages find it: on a device only what lies there as a whole.
  Space space() const { return device_memory_ ? Space::device : Space::host; }
  /// Of a storage in far memory only.
  Far* far() const { return far_.get(); }
  /// `device` computes the slabs; nullptr: the host.
  void set_far(std::shared_ptr<Far> far, std::shared_ptr<Device> device) {
    far_ = std::move(far);
    device_ = std::move(device);
  }
  /// From now on base() is here, in a slot that holds some planes; nullptr: nothing is near.
  void show(std::byte* base, std::ptrdiff_t component_stride = 0) {
    base_ = base;
    component_stride_ = component_stride;
  }
  /// Throws Error (failure): what asks for all cells at once cannot have those of a storage in far memory.
  [[noreturn]] void refuse_whole() const;
  /// Throws Error (failure): steps that write these cells have been recorded and not carried out.
  [[noreturn]] void refuse_recorded() const;
  /// That computes it, where it lies or slab by slab; nullptr: the host does.
  Device* device() const { return device_.get(); }
  /// Call before work on the device that reads or, as `written` says, writes this storage.
  void use_on_device(bool written);
  /// Bytes of one component of a cell.
  std::size_t cell_bytes() const { return external_.base ? external_.cell_bytes : size_of(type_); }
  /// Where the cells lie if that is not this engine's memory; without a base otherwise.
  const ExternalCells& external() const { return external_; }
  const Arena& arena() const { return *arena_; }
  const Arena::Block& block() const { return block_; }

  /// The part of the halo that holds the neighbours' present values. What is in flight is not fresh yet.
  Reach fresh() const;
  /// The same of the cells of one colour. A coloured sweep makes only those stale that it has written.
  Reach fresh(const Lattice& lattice) const;
  /// Of how many colours it says so one by one.
  int colours() const { return colours_; }
  void set_fresh(Reach reach) { set_fresh(reach, {}); }
  void set_fresh(Reach reach, const Lattice& lattice);
  /// The one colour whose cells must come so that the halo is fresh to `reach`; all cells where that is not
  /// one.
  Lattice stale(Reach reach) const;
  /// The refresh under way into this halo, if any; the first reader finishes it.
  Pending* in_flight() const { return in_flight_; }
  void set_in_flight(Pending* refresh) { in_flight_ = refresh; }
  /// Movements whose peers may still read the own cells of this storage.
  void add_reader(Pending* reader);
  void remove_reader(Pending* reader);
  /// Whether settle() would have anything to end.
  bool busy() const;
  /// Call before own cells are written: ends the refresh under way and waits until no peer reads the old
  /// values.
  void settle();
  /// The same for the host, whose values no stage has written: the halo is stale, and what is read of it is
  /// asked of no stage.
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
  mutable Device::Memory host_copy_;  // made when it is first asked for
  mutable Newest newest_ = Newest::both;
  std::array<Reach, 8> fresh_{};  // of each colour
  int colours_ = 1;
  Pending* in_flight_ = nullptr;
  std::int64_t host_writes_ = 0;
  std::vector<Pending*> readers_;
};

}  // namespace sc
