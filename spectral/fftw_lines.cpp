// SPDX-License-Identifier: Apache-2.0
// Lines with FFTW, if the build found it: one kind of plan (ESTIMATE, unit stride, aligned buffers) for all
// lines. MEASURE could choose another algorithm in each run, and so give other bits.
#ifdef SUBCURRENT_HAS_FFTW
#include <fftw3.h>

#include <algorithm>
#include <cstring>

#include "engine/base/align.hpp"
#include "engine/base/error.hpp"
#include "spectral/backends.hpp"

namespace sc::spectral {

namespace {

/// FFTW's functions for an element type.
template <class T>
struct Api;
#define SC_FFTW_API(type, prefix)                                                             \
  template <>                                                                                 \
  struct Api<type> {                                                                          \
    using Complex = prefix##_complex;                                                         \
    using Plan = prefix##_plan;                                                               \
    static Plan complex(int n, Complex* at, int sign) {                                       \
      return prefix##_plan_dft_1d(n, at, at, sign, FFTW_ESTIMATE);                            \
    }                                                                                         \
    static Plan forward(int n, type* in, Complex* out) {                                      \
      return prefix##_plan_dft_r2c_1d(n, in, out, FFTW_ESTIMATE);                             \
    }                                                                                         \
    static Plan backward(int n, Complex* in, type* out) {                                     \
      return prefix##_plan_dft_c2r_1d(n, in, out, FFTW_ESTIMATE);                             \
    }                                                                                         \
    static void run(Plan p, Complex* at) { prefix##_execute_dft(p, at, at); }                 \
    static void run(Plan p, type* in, Complex* out) { prefix##_execute_dft_r2c(p, in, out); } \
    static void run(Plan p, Complex* in, type* out) { prefix##_execute_dft_c2r(p, in, out); } \
    static void destroy(Plan p) { prefix##_destroy_plan(p); }                                 \
    static void* allocate(std::size_t bytes) { return prefix##_malloc(bytes); }               \
    static void free(void* p) { prefix##_free(p); }                                           \
  };
SC_FFTW_API(double, fftw)
SC_FFTW_API(float, fftwf)
#undef SC_FFTW_API

template <class T>
class Plan {
 public:
  explicit Plan(typename Api<T>::Plan plan) : plan_(plan) {
    if (!plan_) throw Error(Exit::failure, "FFTW made no plan");
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() { Api<T>::destroy(plan_); }
  operator typename Api<T>::Plan() const { return plan_; }

 private:
  typename Api<T>::Plan plan_;
};

/// Memory with FFTW's alignment, for planning.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t bytes) : at_(Api<T>::allocate(bytes)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { Api<T>::free(at_); }
  operator typename Api<T>::Complex *() const { return static_cast<typename Api<T>::Complex*>(at_); }
  T* real() const { return static_cast<T*>(at_); }

 private:
  void* at_;
};

template <class T>
std::size_t line_bytes(int elements) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(std::complex<T>);
  // An odd number of cache lines, so that the lines of a block fall into different cache sets.
  return ((bytes + cache_line - 1) / cache_line | 1U) * cache_line;
}

constexpr int lines_a_block = 8;

template <class T>
class FftwLines final : public Lines<T> {
  using typename Lines<T>::C;
  using Lines<T>::n_, Lines<T>::kept_, Lines<T>::each_part;
  using Complex = typename Api<T>::Complex;

 public:
  FftwLines(int n, Kept kept)
      : Lines<T>(n, kept),
        buffer_(line_bytes<T>(n)),
        forward_(Api<T>::complex(n, buffer_, FFTW_FORWARD)),
        backward_(Api<T>::complex(n, buffer_, FFTW_BACKWARD)) {}

  void forward(Stretches<const C> in, Stretches<C> out, int lines, std::byte* work) const override {
    for (int first = 0; first < lines; first += lines_a_block) {
      const int some = std::min(lines_a_block, lines - first);
      C* at = cells(work, 0);
      gather(in, 0, n_, first, some, at);
      for (int l = 0; l < some; ++l) Api<T>::run(forward_, line(work, l));
      scatter(at, out, 0, kept_.low, first, some);
      scatter(at + n_ - kept_.high, out, kept_.low, kept_.high, first, some);
    }
  }

  void backward(Stretches<const C> in, Stretches<C> out, int lines, std::byte* work) const override {
    for (int first = 0; first < lines; first += lines_a_block) {
      const int some = std::min(lines_a_block, lines - first);
      C* at = cells(work, 0);
      gather(in, 0, kept_.low, first, some, at);
      for (int l = 0; l < some; ++l) std::fill_n(cells(work, l) + kept_.low, n_ - kept_.count(), C{});
      gather(in, kept_.low, kept_.high, first, some, at + n_ - kept_.high);
      for (int l = 0; l < some; ++l) Api<T>::run(backward_, line(work, l));
      scatter(at, out, 0, n_, first, some);
    }
  }

  std::size_t work_bytes() const override { return lines_a_block * line_bytes<T>(n_); }
  int block() const override { return lines_a_block; }

 private:
  C* cells(std::byte* work, int l) const {
    return reinterpret_cast<C*>(work + static_cast<std::size_t>(l) * line_bytes<T>(n_));
  }
  Complex* line(std::byte* work, int l) const { return reinterpret_cast<Complex*>(cells(work, l)); }
  /// Elements [begin, begin + count) of lines first … first + some - 1, to and from lines from `at` on.
  void gather(Stretches<const C> in, int begin, int count, int first, int some, C* at) const {
    each_part(in, begin, count, [&](int e, const Stretch<const C>& part) {
      for (int j = 0; j < part.count; ++j)
        for (int l = 0; l < some; ++l) at[e + j + l * apart()] = part.at[first + l + j * part.stride];
    });
  }
  void scatter(const C* at, Stretches<C> out, int begin, int count, int first, int some) const {
    each_part(out, begin, count, [&](int e, const Stretch<C>& part) {
      for (int j = 0; j < part.count; ++j)
        for (int l = 0; l < some; ++l) part.at[first + l + j * part.stride] = at[e + j + l * apart()];
    });
  }
  /// Elements between two lines.
  std::ptrdiff_t apart() const { return static_cast<std::ptrdiff_t>(line_bytes<T>(n_) / sizeof(C)); }

  Buffer<T> buffer_;
  Plan<T> forward_, backward_;
};

template <class T>
class FftwRealLines final : public RealLines<T> {
  using typename RealLines<T>::C;
  using Complex = typename Api<T>::Complex;

 public:
  FftwRealLines(int n, int kept)
      : n_(n),
        kept_(kept),
        real_(line_bytes<T>(n / 2 + 1)),
        modes_(line_bytes<T>(n / 2 + 1)),
        forward_(Api<T>::forward(n, real_.real(), modes_)),
        backward_(Api<T>::backward(n, modes_, real_.real())) {}

  void forward(const T* in, std::ptrdiff_t in_distance, C* out, std::ptrdiff_t out_distance, int lines,
               std::byte* work) const override {
    T* real = reinterpret_cast<T*>(work);
    C* modes = reinterpret_cast<C*>(work + line_bytes<T>(n_ / 2 + 1));
    for (int l = 0; l < lines; ++l) {
      std::copy_n(in + l * in_distance, n_, real);
      Api<T>::run(forward_, real, reinterpret_cast<Complex*>(modes));
      std::copy_n(modes, kept_, out + l * out_distance);
    }
  }

  void backward(const C* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance, int lines,
                T scale, std::byte* work) const override {
    T* real = reinterpret_cast<T*>(work);
    C* modes = reinterpret_cast<C*>(work + line_bytes<T>(n_ / 2 + 1));
    for (int l = 0; l < lines; ++l) {
      std::copy_n(in + l * in_distance, kept_, modes);
      std::fill_n(modes + kept_, n_ / 2 + 1 - kept_, C{});
      Api<T>::run(backward_, reinterpret_cast<Complex*>(modes), real);
      T* row = out + l * out_distance;
      for (int j = 0; j < n_; ++j) row[j] = scale * real[j];
    }
  }

  std::size_t work_bytes() const override { return 2 * line_bytes<T>(n_ / 2 + 1); }
  int block() const override { return 1; }

  typename RealLines<T>::Bundle bundle() const override {
    return {.rows = lines_a_block, .points = std::ptrdiff_t{n_} * lines_a_block};
  }
  void backward_bundle(const C* in, std::ptrdiff_t in_distance, T* points, int lines, T scale,
                       std::byte* work) const override {
    backward(in, in_distance, points, n_, lines, scale, work);
    std::fill(points + lines * n_, points + lines_a_block * n_, T());
  }
  void forward_bundle(T* points, C* out, std::ptrdiff_t out_distance, int lines,
                      std::byte* work) const override {
    forward(points, n_, out, out_distance, lines, work);
  }

 private:
  int n_;
  int kept_;
  Buffer<T> real_, modes_;
  Plan<T> forward_, backward_;
};

}  // namespace

template <class T>
std::unique_ptr<Lines<T>> fftw_lines(int n, Kept kept) {
  return std::make_unique<FftwLines<T>>(n, kept);
}
template <class T>
std::unique_ptr<RealLines<T>> fftw_real_lines(int n, int kept) {
  return std::make_unique<FftwRealLines<T>>(n, kept);
}

template std::unique_ptr<Lines<float>> fftw_lines(int, Kept);
template std::unique_ptr<Lines<double>> fftw_lines(int, Kept);
template std::unique_ptr<RealLines<float>> fftw_real_lines(int, int);
template std::unique_ptr<RealLines<double>> fftw_real_lines(int, int);

}  // namespace sc::spectral
#endif
