// SPDX-License-Identifier: Apache-2.0
// 1-D transforms of many lines, behind which the FFT library stays: plan once, execute from any thread.
//
// A line is always transformed by the same instructions, wherever it lies and whatever lies beside it:
// lines are gathered into buffers of one fixed layout. So the bits of a 3-D transform do not depend on
// how it is split.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace sc::spectral {

/// The program that transforms a line. `automatic` is pocketfft, which is part of every build.
enum class Library { automatic, pocketfft, fftw };

/// Throws Error (bad_input) for any other name than auto, pocketfft, fftw.
Library library_of(std::string_view name);
/// Whether this build has it.
bool has(Library library);

/// The modes that remain of a line: 0 … low - 1, then -high … -1. Those left out are never stored.
struct Kept {
  int low = 0;
  int high = 0;
  int count() const { return low + high; }
};
/// All modes of a line of `n` points with |k| <= largest (all where that is negative or n / 2 and more).
Kept kept_modes(int n, int largest);
/// The same of a real line, whose negative modes are the conjugates of the positive ones.
int kept_real_modes(int n, int largest);

/// A stretch is `count` successive elements of each of several lines. The lines are adjacent: element j of
/// line i is at [i + j * stride].
template <class C>
struct Stretch {
  C* at = nullptr;
  std::ptrdiff_t stride = 0;
  int count = 0;
};
/// All elements, one stretch after the other.
template <class C>
using Stretches = std::span<const Stretch<C>>;

/// Complex lines that lie next to each other. Forward: all points in, the kept modes out, densely; backward:
/// the kept modes in, all points out. Unscaled. In place is allowed.
template <class T>
class Lines {
 public:
  using C = std::complex<T>;
  Lines(int n, Kept kept) : n_(n), kept_(kept) {}
  virtual ~Lines() = default;
  virtual void forward(Stretches<const C> in, Stretches<C> out, int lines, std::byte* work) const = 0;
  virtual void backward(Stretches<const C> in, Stretches<C> out, int lines, std::byte* work) const = 0;
  /// The same with one stretch each.
  void forward(const C* in, std::ptrdiff_t in_stride, C* out, std::ptrdiff_t out_stride, int lines,
               std::byte* work) const {
    const Stretch<const C> points{in, in_stride, n_};
    const Stretch<C> modes{out, out_stride, kept_.count()};
    forward({&points, 1}, {&modes, 1}, lines, work);
  }
  void backward(const C* in, std::ptrdiff_t in_stride, C* out, std::ptrdiff_t out_stride, int lines,
                std::byte* work) const {
    const Stretch<const C> modes{in, in_stride, kept_.count()};
    const Stretch<C> points{out, out_stride, n_};
    backward({&modes, 1}, {&points, 1}, lines, work);
  }
  /// Of the 64-byte aligned scratch memory of one thread.
  virtual std::size_t work_bytes() const = 0;
  /// How many lines at a time make the best use of the cache.
  virtual int block() const = 0;

 protected:
  /// part(first, stretch) for the parts of elements [begin, begin + count): `first` is counted from `begin`.
  template <class E, class F>
  static void each_part(Stretches<E> all, int begin, int count, F&& part) {
    int from = 0;  // the stretch's first element
    for (const Stretch<E>& s : all) {
      const int lo = begin > from ? begin - from : 0;
      const int hi = s.count < begin + count - from ? s.count : begin + count - from;
      if (lo < hi) part(from + lo - begin, Stretch<E>{s.at + lo * s.stride, s.stride, hi - lo});
      from += s.count;
    }
  }

  int n_;
  Kept kept_;
};

/// Real lines that are rows of memory, `distance` elements apart.
template <class T>
class RealLines {
 public:
  using C = std::complex<T>;
  virtual ~RealLines() = default;
  virtual void forward(const T* in, std::ptrdiff_t in_distance, C* out, std::ptrdiff_t out_distance,
                       int lines, std::byte* work) const = 0;
  /// Times `scale`. The imaginary parts of mode 0 and, where n is even, of mode n / 2 are ignored.
  virtual void backward(const C* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance,
                        int lines, T scale, std::byte* work) const = 0;
  virtual std::size_t work_bytes() const = 0;
  virtual int block() const = 0;

  /// Rows transformed at a time for work that is the same at every point. Their points, `rows` times the
  /// line, lie one after the other in an order of the library's own, with `room` elements before and after
  /// them that are written too.
  struct Bundle {
    int rows = 0;
    std::ptrdiff_t points = 0, room = 0;
  };
  virtual Bundle bundle() const = 0;
  /// Into a bundle of lines, zero where it has more; `points` on a cache line.
  virtual void backward_bundle(const C* in, std::ptrdiff_t in_distance, T* points, int lines, T scale,
                               std::byte* work) const = 0;
  /// Destroys the points.
  virtual void forward_bundle(T* points, C* out, std::ptrdiff_t out_distance, int lines,
                              std::byte* work) const = 0;
};

/// For lines of `n` points. Throws Error (bad_input) for a library that this build does not have.
template <class T>
std::unique_ptr<Lines<T>> make_lines(Library library, int n, Kept kept);
template <class T>
std::unique_ptr<RealLines<T>> make_real_lines(Library library, int n, int kept);

}  // namespace sc::spectral
