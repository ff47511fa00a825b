// SPDX-License-Identifier: Apache-2.0
// FFT, the passes: all lines of a slab along one axis, shared out over the threads.
#include <algorithm>

#include "engine/exec/team.hpp"
#include "spectral/fft.hpp"

namespace sc::spectral {

namespace {

template <class T>
T* at(const Cells<T>& cells, int x, int y, int z) {
  return cells.at + x + y * cells.y + z * cells.z;
}

/// Blocks of at most `width` in [lo, hi), for every one of `layers` layers.
struct Blocks {
  int lo, hi, width, layers;
  int across() const { return (hi - lo + width - 1) / width; }
  std::int64_t count() const { return std::int64_t{across()} * layers; }
  int layer(std::int64_t n) const { return static_cast<int>(n / across()); }
  int begin(std::int64_t n) const { return lo + static_cast<int>(n % across()) * width; }
  int some(std::int64_t n) const { return std::min(width, hi - begin(n)); }
};

template <class Work>
void share(int threads, const Blocks& blocks, Work&& work) {
  const std::int64_t count = blocks.count();
  if (count <= 0) return;
  team(static_cast<int>(std::min<std::int64_t>(threads, count)), [&](int thread) {
    const auto [first, last] = team_share(count);
    for (std::int64_t n = first; n < last; ++n)
      work(thread, blocks.layer(n), blocks.begin(n), blocks.some(n));
  });
}

}  // namespace

template <class T>
void FFT<T>::x_forward(Cells<const T> in, const Box& slab) {
  if (slab.empty()) return;
  const Cells<C> out = at_x_;
  const Blocks blocks{slab.lo.y, slab.hi.y, along_x_->block(), slab.extent().z};
  timed(names_[0], Phase::all, [&] {
    share(context_.threads(), blocks, [&](int thread, int layer, int y, int some) {
      const int z = slab.lo.z + layer;
      along_x_->forward(at(in, 0, y, z), in.y, at(out, 0, y, z), out.y, some, work(thread));
    });
  });
}

template <class T>
void FFT<T>::x_backward(Cells<T> out, const Box& slab) {
  if (slab.empty()) return;
  const Cells<C> in = at_x_;
  const T scale = T(1) / (T(cells_.x) * T(cells_.y) * T(cells_.z));
  const Blocks blocks{slab.lo.y, slab.hi.y, along_x_->block(), slab.extent().z};
  timed(names_[0], Phase::all, [&] {
    share(context_.threads(), blocks, [&](int thread, int layer, int y, int some) {
      const int z = slab.lo.z + layer;
      along_x_->backward(at(in, 0, y, z), in.y, at(out, 0, y, z), out.y, some, scale, work(thread));
    });
  });
}

template <class T>
void FFT<T>::y_forward(const Box& slab) {
  if (slab.empty()) return;
  const Cells<C> cells = at_y_;
  const Blocks blocks{slab.lo.x, slab.hi.x, along_y_->block(), slab.extent().z};
  timed(names_[1], Phase::all, [&] {
    share(context_.threads(), blocks, [&](int thread, int layer, int x, int some) {
      C* first = at(cells, x, 0, slab.lo.z + layer);
      along_y_->forward(first, cells.y, first, cells.y, some, work(thread));
    });
  });
}

template <class T>
void FFT<T>::y_backward(const Box& slab) {
  if (slab.empty()) return;
  const Cells<C> cells = at_y_;
  const Blocks blocks{slab.lo.x, slab.hi.x, along_y_->block(), slab.extent().z};
  timed(names_[1], Phase::all, [&] {
    share(context_.threads(), blocks, [&](int thread, int layer, int x, int some) {
      C* first = at(cells, x, 0, slab.lo.z + layer);
      along_y_->backward(first, cells.y, first, cells.y, some, work(thread));
    });
  });
}

template <class T>
void FFT<T>::z_forward(Cells<C> out, const Box& slab) {
  if (slab.empty()) return;
  const Cells<C> in = at_z_;
  const Blocks blocks{slab.lo.x, slab.hi.x, along_z_->block(), slab.extent().y};
  timed(names_[2], Phase::all, [&] {
    share(context_.threads(), blocks, [&](int thread, int layer, int x, int some) {
      const int y = slab.lo.y + layer;
      along_z_->forward(at(in, x, y, 0), in.z, at(out, x, y, 0), out.z, some, work(thread));
    });
  });
}

template <class T>
void FFT<T>::z_backward(Cells<const C> in, const Box& slab) {
  if (slab.empty()) return;
  const Cells<C> out = at_z_;
  const Blocks blocks{slab.lo.x, slab.hi.x, along_z_->block(), slab.extent().y};
  timed(names_[2], Phase::all, [&] {
    share(context_.threads(), blocks, [&](int thread, int layer, int x, int some) {
      const int y = slab.lo.y + layer;
      along_z_->backward(at(in, x, y, 0), in.z, at(out, x, y, 0), out.z, some, work(thread));
    });
  });
}

// Where x and y pencils are the same memory, a plane is finished along both axes while it is in the cache.
template <class T>
void FFT<T>::xy_forward(Cells<const T> in, const Box& slab) {
  for (int z = slab.lo.z; z < slab.hi.z; ++z) {
    Box plane = slab;
    plane.lo.z = z;
    plane.hi.z = z + 1;
    x_forward(in, plane);
    y_forward(plane);
  }
}

template <class T>
void FFT<T>::yx_backward(Cells<T> out, const Box& slab) {
  for (int z = slab.lo.z; z < slab.hi.z; ++z) {
    Box plane = slab;
    plane.lo.z = z;
    plane.hi.z = z + 1;
    y_backward(plane);
    x_backward(out, plane);
  }
}

template class FFT<float>;
template class FFT<double>;

}  // namespace sc::spectral
