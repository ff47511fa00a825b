// SPDX-License-Identifier: Apache-2.0
// Lines with pocketfft's vectors: one line for each lane of a register. Lines need no transposition in
// memory, and every lane executes the same instructions.
#define POCKETFFT_NO_MULTITHREADING
#define pocketfft sc_pocketfft  // NumPy and SciPy have their own copies in the same process
#include <pocketfft_hdronly.h>

#include "spectral/backends.hpp"
#include "spectral/packs.hpp"

#include "engine/base/align.hpp"

namespace sc::spectral {

namespace {

namespace pf = sc_pocketfft::detail;

#ifdef POCKETFFT_NO_VECTORS
template <class T>
using Vector = T __attribute__((vector_size(sizeof(T))));
#else
template <class T>
using Vector = pf::vtype_t<T>;
#endif

constexpr std::size_t blocked_bytes = std::size_t{512} << 10;  // gathered lines that stay in the L2 cache

template <class T>
class PocketLines final : public Lines<T> {
  using V = Vector<T>;
  using P = Packs<V, T>;
  using typename Lines<T>::C;
  using Lines<T>::n_, Lines<T>::kept_, Lines<T>::each_part;
  using Pack = pf::cmplx<V>;

 public:
  PocketLines(int n, Kept kept)
      : Lines<T>(n, kept),
        packs_(static_cast<int>(std::clamp(blocked_bytes / (static_cast<std::size_t>(n) * sizeof(Pack)),
                                           std::size_t{1}, std::size_t{8}))),
        plan_(static_cast<std::size_t>(n)) {}

  void forward(Stretches<const C> in, Stretches<C> out, int lines, std::byte* work) const override {
    blocks(lines, [&](int first, int some) {
      Pack* packs = reinterpret_cast<Pack*>(work);
      gather(in, 0, n_, first, some, packs);
      if (in[0].at != out[0].at) prefetch_for_writing(out, first, some);
      transform(packs, some, true);
      scatter(packs, out, 0, kept_.low, first, some);
      scatter(packs + n_ - kept_.high, out, kept_.low, kept_.high, first, some);
    });
  }

  void backward(Stretches<const C> in, Stretches<C> out, int lines, std::byte* work) const override {
    blocks(lines, [&](int first, int some) {
      Pack* packs = reinterpret_cast<Pack*>(work);
      gather(in, 0, kept_.low, first, some, packs);
      for (int b = 0; b * P::lanes < some; ++b)
        std::fill_n(packs + b * n_ + kept_.low, n_ - kept_.count(), Pack{V{}, V{}});
      gather(in, kept_.low, kept_.high, first, some, packs + n_ - kept_.high);
      if (in[0].at != out[0].at) prefetch_for_writing(out, first, some);
      transform(packs, some, false);
      scatter(packs, out, 0, n_, first, some);
    });
  }

  std::size_t work_bytes() const override {
    return static_cast<std::size_t>(packs_ * n_) * sizeof(Pack) + cache_line;
  }
  int block() const override { return packs_ * P::lanes; }

 private:
  /// Blocks of nearly equal size: a block of few lines would leave most lanes idle.
  template <class F>
  void blocks(int lines, F&& one) const {
    const int count = (lines + block() - 1) / block();
    for (int k = 0; k < count; ++k) {
      const int first = lines * k / count;
      one(first, lines * (k + 1) / count - first);
    }
  }
  /// Prefetches output lines for writing: the hardware prefetcher does not detect such short and distant
  /// rows. Always inlined, because GCC leaves out the call of a function that only prefetches.
  [[gnu::always_inline]] static inline void prefetch_for_writing(Stretches<C> out, int first, int some) {
    constexpr int apart = cache_line / sizeof(C);
    for (const Stretch<C>& s : out)
      for (int j = 0; j < s.count; ++j)
        for (int l = 0; l < some; l += apart) __builtin_prefetch(s.at + first + j * s.stride + l, 1);
  }
  // Elements [begin, begin + count) of lines first … first + some - 1, to and from packs from `packs` on. If
  // lines do not fill the last pack, it also includes lines of the previous pack, which are then transformed
  // twice with equal results.
  void gather(Stretches<const C> in, int begin, int count, int first, int some, Pack* packs) const {
    each_part(in, begin, count, [&](int at, const Stretch<const C>& part) {
      gather(part.at + first, part.stride, part.count, some, packs + at, n_);
    });
  }
  void scatter(const Pack* packs, Stretches<C> out, int begin, int count, int first, int some) const {
    each_part(out, begin, count, [&](int at, const Stretch<C>& part) {
      scatter(packs + at, n_, part.at + first, part.stride, part.count, some);
    });
  }
  // Functions of their own with all values in arguments, because inlined loops do not fit into the registers.
  [[gnu::noinline]] static void gather(const C* in, std::ptrdiff_t stride, int count, int some, Pack* packs,
                                       std::ptrdiff_t n) {
    const int full = some / P::lanes;
    for (int j = 0; j < count; ++j, in += stride) {
      Pack* to = packs + j;
      for (int b = 0; b < full; ++b) P::split(in + b * P::lanes, to[b * n].r, to[b * n].i);
      if (full * P::lanes == some) continue;
      if (full > 0)
        P::split(in + some - P::lanes, to[full * n].r, to[full * n].i);
      else
        P::split(in, some, to->r, to->i);
    }
  }
  [[gnu::noinline]] static void scatter(const Pack* packs, std::ptrdiff_t n, C* out, std::ptrdiff_t stride,
                                        int count, int some) {
    const int full = some / P::lanes;
    for (int j = 0; j < count; ++j, out += stride) {
      const Pack* from = packs + j;
      for (int b = 0; b < full; ++b) P::join(out + b * P::lanes, from[b * n].r, from[b * n].i);
      if (full * P::lanes == some) continue;
      if (full > 0)
        P::join(out + some - P::lanes, from[full * n].r, from[full * n].i);
      else
        P::join(out, some, from->r, from->i);
    }
  }
  void transform(Pack* packs, int some, bool forward) const {
    for (int b = 0; b * P::lanes < some; ++b) plan_.exec(packs + b * n_, T(1), forward);
  }

  int packs_;
  pf::pocketfft_c<T> plan_;
};

template <class T>
class PocketRealLines final : public RealLines<T> {
  using V = Vector<T>;
  using P = Packs<V, T>;
  using typename RealLines<T>::C;

 public:
  PocketRealLines(int n, int kept) : n_(n), kept_(kept), plan_(static_cast<std::size_t>(n)) {}

  void forward(const T* in, std::ptrdiff_t in_distance, C* out, std::ptrdiff_t out_distance, int lines,
               std::byte* work) const override {
    V* packs = reinterpret_cast<V*>(work) + 1;
    for (int first = 0; first < lines; first += P::lanes) {
      const int some = std::min(P::lanes, lines - first);
      in_rows(in + first * in_distance, in_distance, some, packs, n_);
      from_packs(packs, out + first * out_distance, out_distance, some);
    }
  }

  void backward(const C* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance, int lines,
                T scale, std::byte* work) const override {
    V* packs = reinterpret_cast<V*>(work) + 1;
    for (int first = 0; first < lines; first += P::lanes) {
      const int some = std::min(P::lanes, lines - first);
      to_packs(in + first * in_distance, in_distance, some, scale, packs);
      out_rows(packs, out + first * out_distance, out_distance, some, n_);
    }
  }

  // A bundle has one row for each lane, so that its points need no transposition.
  typename RealLines<T>::Bundle bundle() const override {
    return {.rows = P::lanes, .points = std::ptrdiff_t{n_} * P::lanes, .room = P::lanes};
  }
  void backward_bundle(const C* in, std::ptrdiff_t in_distance, T* points, int lines, T scale,
                       std::byte* /*work*/) const override {
    to_packs(in, in_distance, lines, scale, reinterpret_cast<V*>(points));
  }
  void forward_bundle(T* points, C* out, std::ptrdiff_t out_distance, int lines,
                      std::byte* /*work*/) const override {
    from_packs(reinterpret_cast<V*>(points), out, out_distance, lines);
  }

  std::size_t work_bytes() const override {
    return static_cast<std::size_t>(n_ + 3 + P::lanes) * sizeof(V) + cache_line;
  }
  int block() const override { return P::lanes; }

 private:
  // pocketfft returns r0, r1, i1, r2, i2, …; one element earlier, with i0 = 0 inserted, they are complex
  // numbers.
  void from_packs(V* packs, C* out, std::ptrdiff_t distance, int some) const {
    plan_.exec(packs, T(1), true);
    packs[-1] = packs[0];
    packs[0] = V{};
    packs[n_] = V{};  // the imaginary part of mode n / 2
    out_rows(packs - 1, reinterpret_cast<T*>(out), 2 * distance, some, 2 * kept_);
  }
  void to_packs(const C* in, std::ptrdiff_t distance, int some, T scale, V* packs) const {
    in_rows(reinterpret_cast<const T*>(in), 2 * distance, some, packs - 1, 2 * kept_);
    packs[0] = packs[-1];
    V scales{};  // zero for lanes without a line
    for (int l = 0; l < some; ++l) scales[l] = scale;
    for (int j = 0; j < 2 * kept_ - 1 && j < n_; ++j) packs[j] *= scales;
    for (int j = 2 * kept_ - 1; j < n_; ++j) packs[j] = V{};
    plan_.exec(packs, T(1), false);
  }
  // `count` elements of `some` rows in memory into as many packs, and back, by transposed squares; the last
  // square overlaps the previous one.
  static void in_rows(const T* in, std::ptrdiff_t distance, int some, V* packs, int count) {
    const T* row[P::lanes];
    for (int l = 0; l < P::lanes; ++l) row[l] = in + std::min(l, some - 1) * distance;
    for_squares(count, [&](int j) {
      P::transpose([&](int l) { return P::load(row[l] + j); }, [&](int l, const V& v) { packs[j + l] = v; });
    });
    for (int j = 0; count < P::lanes && j < count; ++j)
      for (int l = 0; l < P::lanes; ++l) packs[j][l] = row[l][j];
  }
  static void out_rows(const V* packs, T* out, std::ptrdiff_t distance, int some, int count) {
    for_squares(count, [&](int j) {
      P::transpose([&](int l) { return packs[j + l]; },
                   [&](int l, const V& v) {
                     if (l < some) P::store(out + l * distance + j, v);
                   });
    });
    for (int j = 0; count < P::lanes && j < count; ++j)
      for (int l = 0; l < some; ++l) out[l * distance + j] = packs[j][l];
  }
  template <class Square>
  static void for_squares(int count, Square&& square) {
    int j = 0;
    for (; j + P::lanes <= count; j += P::lanes) square(j);
    if (j < count && count >= P::lanes) square(count - P::lanes);
  }

  int n_;
  int kept_;
  pf::pocketfft_r<T> plan_;
};

}  // namespace

template <class T>
std::unique_ptr<Lines<T>> pocketfft_lines(int n, Kept kept) {
  return std::make_unique<PocketLines<T>>(n, kept);
}
template <class T>
std::unique_ptr<RealLines<T>> pocketfft_real_lines(int n, int kept) {
  return std::make_unique<PocketRealLines<T>>(n, kept);
}

template std::unique_ptr<Lines<float>> pocketfft_lines(int, Kept);
template std::unique_ptr<Lines<double>> pocketfft_lines(int, Kept);
template std::unique_ptr<RealLines<float>> pocketfft_real_lines(int, int);
template std::unique_ptr<RealLines<double>> pocketfft_real_lines(int, int);

}  // namespace sc::spectral
