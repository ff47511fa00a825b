// SPDX-License-Identifier: Apache-2.0
// Planes in memory, and in files.
#include "spectral/planes.hpp"

#include <array>
#include <cstring>

#include "engine/base/error.hpp"

namespace sc::spectral {

namespace {

constexpr std::size_t line = 64, page = 4096;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

template <class T>
Cells<std::complex<T>> cells_at(std::byte* data, const FFT<T>& fft, std::size_t plane_bytes) {
  using C = std::complex<T>;
  return {reinterpret_cast<C*>(data), static_cast<std::ptrdiff_t>(Planes<T>::row_elements(fft)),
          static_cast<std::ptrdiff_t>(plane_bytes / sizeof(C))};
}

template <class T>
std::vector<FarArray> far_planes(const FFT<T>& fft, int count, FarMemory& memory, int pieces) {
  std::vector<FarArray> arrays;
  for (int k = 0; k < count - Planes<T>::near_arrays; ++k)
    arrays.emplace_back(memory, "planes " + std::to_string(k), fft.plane_cells().z,
                        Planes<T>::plane_bytes(fft, true), pieces);
  return arrays;
}

template <class T>
class InMemory final : public Planes<T> {
  using typename Planes<T>::C;
  using typename Planes<T>::Use;
  using typename Planes<T>::Meeting;

 public:
  InMemory(const FFT<T>& fft, int count) : Planes<T>(count), planes_(fft.plane_cells().z) {
    const std::size_t plane = Planes<T>::plane_bytes(fft, false);
    const std::size_t bytes = plane * static_cast<std::size_t>(planes_);
    // Arrays begin a few cache lines apart modulo the page: a point of all of them is in the cache at a time.
    constexpr std::size_t stagger = 5 * line;
    memory_.resize(static_cast<std::size_t>(count) * (bytes + stagger) + line);
    auto address = round_up(reinterpret_cast<std::uintptr_t>(memory_.data()), line);
    for (int k = 0; k < count; ++k, address += bytes + stagger)
      arrays_.push_back(cells_at(reinterpret_cast<std::byte*>(address), fft, plane));
  }
  void fill(int array, const std::function<void(Cells<C>)>& action) override { action(at(array)); }
  void meet(const std::vector<Use>&, const Meeting& meeting) override { meeting(0, planes_, arrays_); }
  void take(int array, int /*next*/, const std::function<void(Cells<const C>)>& action) override {
    action(at(array));
  }

 private:
  const Cells<C>& at(int array) const { return arrays_[static_cast<std::size_t>(array)]; }
  int planes_;
  std::vector<std::byte> memory_;
  std::vector<Cells<C>> arrays_;
};

template <class T>
class InFiles final : public Planes<T> {
  using typename Planes<T>::C;
  using typename Planes<T>::Use;
  using typename Planes<T>::Meeting;

 public:
  InFiles(const FFT<T>& fft, int count, FarMemory& memory, SlabStream& ring, int pieces)
      : Planes<T>(count),
        fft_(fft),
        memory_(memory),
        ring_(ring),
        plane_(Planes<T>::plane_bytes(fft, true)),
        far_(far_planes(fft, count, memory, pieces)) {
    const std::size_t bytes = plane_ * static_cast<std::size_t>(fft.plane_cells().z);
    for (FarMemory::Buffer& buffer : near_) {
      buffer = memory.allocate(bytes);
      std::memset(buffer.get(), 0, bytes);  // rows and planes are padded; what pads them is written too
    }
  }
  ~InFiles() override {
    for (const Way way : {Way::in, Way::out}) try {
        memory_.wait(way);  // the near arrays are about to go
      } catch (const Error&) {
        continue;  // settle() is for those who want to know
      }
  }

  void fill(int array, const std::function<void(Cells<C>)>& action) override {
    const int here = home(array);
    if (writing_ == here) end(Way::out);
    action(cells(here));
    if (stays(array)) return;
    ring_.finish();
    end(Way::out);
    copy(Way::out, array, here);
    writing_ = here;
  }

  void prefetch(const std::vector<Use>& uses) override {
    end(Way::out);
    ring_.prefetch(phase(uses));
  }

  void meet(const std::vector<Use>& uses, const Meeting& meeting) override {
    settle();
    std::vector<Cells<C>> arrays(static_cast<std::size_t>(this->count()));
    for (int k = this->count() - near_arrays; k < this->count(); ++k)
      arrays[static_cast<std::size_t>(k)] = cells(home(k));
    ring_.run(phase(uses), [&](const Slot& slot) {
      std::size_t n = 0;
      for (const Use& use : uses)
        if (!stays(use.array))
          arrays[static_cast<std::size_t>(use.array)] = cells_at(slot.plane(n++, 0), fft_, plane_);
      meeting(slot.lo(), slot.hi(), arrays);
    });
  }

  void take(int array, int next, const std::function<void(Cells<const C>)>& action) override {
    const int here = stays(array) ? home(array) : coming_ == array ? coming_to_ : 0;
    if (!stays(array) && coming_ != array) come(array, here);
    end(Way::in);
    coming_ = -1;
    if (next >= 0 && !stays(next)) come(next, 1 - here);
    action(cells(here));
  }

  void settle() override {
    end(Way::in);
    end(Way::out);
  }

  StreamPhase phase(const std::vector<Use>& uses) override {
    StreamPhase phase;
    for (const Use& use : uses)
      if (!stays(use.array)) phase.push_back({&far_[static_cast<std::size_t>(use.array)], use.mode});
    return phase;
  }

 private:
  using Planes<T>::near_arrays;
  bool stays(int array) const { return array >= this->count() - near_arrays; }
  /// Which near array is filled with it: while it is written, the next is filled in the other one.
  static int home(int array) { return array % near_arrays; }
  Cells<C> cells(int near) const {
    return cells_at(near_[static_cast<std::size_t>(near)].get(), fft_, plane_);
  }

  void come(int array, int to) {
    ring_.finish();  // what a meeting wrote is on its way
    end(Way::in);
    copy(Way::in, array, to);
    coming_ = array;
    coming_to_ = to;
  }
  void copy(Way way, int array, int near) {
    const FarArray& far = far_[static_cast<std::size_t>(array)];
    parts_.clear();
    for (int piece = 0; piece < far.pieces(); ++piece) {
      std::size_t lead = 0;
      const int lo = far.first(piece), hi = far.first(piece + 1);
      parts_.push_back(far.part({piece, lo, hi}, lead));
      parts_.back().near =
          near_[static_cast<std::size_t>(near)].get() + static_cast<std::size_t>(lo) * plane_;
    }
    memory_.start(way, parts_);
  }
  /// Ends a copy of a whole array, if one is under way.
  void end(Way way) {
    if (way == Way::in ? coming_ < 0 : writing_ < 0) return;
    if (way == Way::out) writing_ = -1;
    memory_.wait(way);
  }

  const FFT<T>& fft_;
  FarMemory& memory_;
  SlabStream& ring_;
  std::size_t plane_;
  std::vector<FarArray> far_;
  std::array<FarMemory::Buffer, near_arrays> near_;
  std::vector<FarPart> parts_;
  int writing_ = -1;                  ///< which near array is being written
  int coming_ = -1, coming_to_ = -1;  ///< which array is being read, and to which near one
};

}  // namespace

template <class T>
std::size_t Planes<T>::row_elements(const FFT<T>& fft) {
  return round_up(static_cast<std::size_t>(fft.plane_cells().x) * sizeof(C), line) / sizeof(C);
}

template <class T>
std::size_t Planes<T>::plane_bytes(const FFT<T>& fft, bool in_files) {
  const std::size_t bytes = row_elements(fft) * sizeof(C) * static_cast<std::size_t>(fft.plane_cells().y);
  // An odd number of pages: the elements of a line along z fall into different cache sets.
  return in_files ? (round_up(bytes, page) / page | 1U) * page : bytes;
}

template <class T>
std::size_t Planes<T>::most_piece_bytes(const FFT<T>& fft, int pieces) {
  const int planes = fft.plane_cells().z;
  return static_cast<std::size_t>((planes + pieces - 1) / pieces) * plane_bytes(fft, true);
}

template <class T>
std::unique_ptr<Planes<T>> planes_in_memory(const FFT<T>& fft, int count) {
  return std::make_unique<InMemory<T>>(fft, count);
}

template <class T>
std::unique_ptr<Planes<T>> planes_in_files(const FFT<T>& fft, int count, FarMemory& memory, SlabStream& ring,
                                           int pieces) {
  return std::make_unique<InFiles<T>>(fft, count, memory, ring, pieces);
}

template class Planes<float>;
template class Planes<double>;
template std::unique_ptr<Planes<float>> planes_in_memory(const FFT<float>&, int);
template std::unique_ptr<Planes<double>> planes_in_memory(const FFT<double>&, int);
template std::unique_ptr<Planes<float>> planes_in_files(const FFT<float>&, int, FarMemory&, SlabStream&, int);
template std::unique_ptr<Planes<double>> planes_in_files(const FFT<double>&, int, FarMemory&, SlabStream&,
                                                         int);

}  // namespace sc::spectral
