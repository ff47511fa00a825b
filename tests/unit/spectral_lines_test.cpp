// SPDX-License-Identifier: Apache-2.0
// Transforms of lines against the definition, for every library of the build, lengths with and without small
// factors, kept modes, and any number of lines; the bits of a line in every position.
#include "spectral/lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/base/error.hpp"
#include "tests/oracle/dft.hpp"

namespace sc::spectral {
namespace {

using test::dft;
using test::noise;
using test::Wide;

constexpr int lengths[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  11,  13,  15,
                           16, 20, 27, 30, 31, 48, 60, 64, 97, 125, 128, 211};

template <class T>
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : memory_(bytes + 64) {}
  std::byte* at() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (64 - address % 64) % 64;
  }

 private:
  std::vector<std::byte> memory_;
};

std::vector<Library> libraries() {
  std::vector<Library> all{Library::pocketfft};
  if (has(Library::fftw)) all.push_back(Library::fftw);
  return all;
}

/// Rounding error of a transform of n points of size 1.
template <class T>
double tolerance(int n) {
  return 4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * std::sqrt(n) * (1 + std::log2(n + 1.0));
}

int mode_of(const Kept& kept, int n, int i) { return i < kept.low ? i : n - kept.high + i - kept.low; }

template <class T>
class LinesOf : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(LinesOf, Types);

TYPED_TEST(LinesOf, ComplexFollowTheDefinition) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (Library library : libraries())
    for (int n : lengths)
      for (int largest : {-1, n / 3, 0}) {
        const Kept kept = kept_modes(n, largest);
        const int m = kept.count(), lines = 1 + n % 19, stride = lines + 3;
        const auto plan = make_lines<T>(library, n, kept);
        Scratch<T> work(plan->work_bytes());
        const C untouched(T(77), T(78));
        std::vector<C> points(std::size_t(n * stride), untouched), modes(std::size_t(m * stride), untouched),
            back(points);
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < lines; ++i)
            points[std::size_t(j * stride + i)] = C(T(noise(i, j, n)), T(noise(i, j, n, 2)));
        plan->forward(points.data(), stride, modes.data(), stride, lines, work.at());
        plan->backward(modes.data(), stride, back.data(), stride, lines, work.at());
        for (int i = 0; i < lines; ++i) {
          const auto size = std::size_t(n);
          std::vector<Wide> line(size), cut(size);
          for (int j = 0; j < n; ++j) line[std::size_t(j)] = Wide(points[std::size_t(j * stride + i)]);
          const auto exact = dft(line, -1);
          for (int k = 0; k < m; ++k) {
            const auto mode = std::size_t(mode_of(kept, n, k));
            const Wide got(modes[std::size_t(k * stride + i)]);
            cut[mode] = got;
            ASSERT_LT(std::abs(got - exact[mode]), n * tolerance<T>(n)) << "n " << n << " mode " << mode;
          }
          const auto points_back = dft(cut, 1);
          for (int j = 0; j < n; ++j)
            ASSERT_LT(std::abs(Wide(back[std::size_t(j * stride + i)]) - points_back[std::size_t(j)]),
                      n * n * tolerance<T>(n));
        }
        for (int j = 0; j < m; ++j)
          for (int i = lines; i < stride; ++i) ASSERT_EQ(modes[std::size_t(j * stride + i)], untouched);
        for (int j = 0; j < n; ++j)
          for (int i = lines; i < stride; ++i) ASSERT_EQ(back[std::size_t(j * stride + i)], untouched);
      }
}

TYPED_TEST(LinesOf, RealFollowTheDefinition) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (Library library : libraries())
    for (int n : lengths)
      for (int largest : {-1, n / 3, 0}) {
        const int m = kept_real_modes(n, largest), lines = 1 + n % 19;
        const int apart = n + 2, modes_apart = m + 1;
        const auto plan = make_real_lines<T>(library, n, m);
        Scratch<T> work(plan->work_bytes());
        std::vector<T> points(std::size_t(lines * apart), T(77)), back(points);
        std::vector<C> modes(std::size_t(lines * modes_apart), C(T(77)));
        for (int i = 0; i < lines; ++i)
          for (int j = 0; j < n; ++j) points[std::size_t(i * apart + j)] = T(noise(i, j, n, 3));
        plan->forward(points.data(), apart, modes.data(), modes_apart, lines, work.at());
        plan->backward(modes.data(), modes_apart, back.data(), apart, lines, T(1) / T(n), work.at());
        for (int i = 0; i < lines; ++i) {
          const auto size = std::size_t(n);
          std::vector<Wide> line(size), cut(size);
          for (int j = 0; j < n; ++j) line[std::size_t(j)] = points[std::size_t(i * apart + j)];
          const auto exact = dft(line, -1);
          for (int k = 0; k < m; ++k) {
            const Wide got(modes[std::size_t(i * modes_apart + k)]);
            cut[std::size_t(k)] = got;
            if (k > 0) cut[std::size_t(n - k)] = std::conj(got);
            ASSERT_LT(std::abs(got - exact[std::size_t(k)]), n * tolerance<T>(n))
                << "n " << n << " mode " << k;
          }
          const auto points_back = dft(cut, 1);
          for (int j = 0; j < n; ++j)
            ASSERT_LT(std::abs(Wide(back[std::size_t(i * apart + j)]) -
                               points_back[std::size_t(j)] / static_cast<long double>(n)),
                      n * tolerance<T>(n));
          ASSERT_EQ(back[std::size_t(i * apart + n)], T(77));
          ASSERT_EQ(modes[std::size_t(i * modes_apart + m)], C(T(77)));
        }
      }
}

// The same line alone, first, last and between other lines.
TYPED_TEST(LinesOf, BitsDoNotDependOnTheNeighbours) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (Library library : libraries())
    for (int n : {15, 64, 97, 96, 211}) {
      const auto plan = make_lines<T>(library, n, kept_modes(n, -1));
      const auto real_plan = make_real_lines<T>(library, n, kept_real_modes(n, -1));
      Scratch<T> work(std::max(plan->work_bytes(), real_plan->work_bytes()));
      const int most = 37, m = n / 2 + 1;
      const auto size = std::size_t(n);
      std::vector<C> alone(size), modes_alone(std::size_t(n / 2 + 1));
      std::vector<T> real(size);
      for (int j = 0; j < n; ++j) {
        alone[std::size_t(j)] = C(T(noise(5, j, n)), T(noise(6, j, n)));
        real[std::size_t(j)] = T(noise(7, j, n));
      }
      std::vector<C> expected(alone);
      plan->forward(alone.data(), 1, expected.data(), 1, 1, work.at());
      real_plan->forward(real.data(), n, modes_alone.data(), m, 1, work.at());
      for (int lines : {2, 8, 9, 31, most})
        for (int place : {0, 1, lines / 2, lines - 1}) {
          std::vector<C> many(std::size_t(n * most)), modes(std::size_t(m * most));
          std::vector<T> rows(std::size_t(n * most));
          for (int j = 0; j < n; ++j)
            for (int i = 0; i < lines; ++i) {
              many[std::size_t(j * lines + i)] =
                  i == place ? alone[std::size_t(j)] : C(T(noise(i, j, 1)), T(1e30));
              rows[std::size_t(i * n + j)] = i == place ? real[std::size_t(j)] : T(1e30 * noise(i, j, 2));
            }
          plan->forward(many.data(), lines, many.data(), lines, lines, work.at());
          real_plan->forward(rows.data(), n, modes.data(), m, lines, work.at());
          int differ = 0;
          for (int j = 0; j < n; ++j)
            differ +=
                std::memcmp(&many[std::size_t(j * lines + place)], &expected[std::size_t(j)], sizeof(C)) != 0;
          EXPECT_EQ(differ, 0) << "n " << n << ", " << lines << " lines, place " << place;
          EXPECT_EQ(
              std::memcmp(&modes[std::size_t(m * place)], modes_alone.data(), std::size_t(m) * sizeof(C)), 0);
        }
    }
}

// Points in stretches of several lengths, one of them empty, with other strides, give the bits of each line
// alone.
TYPED_TEST(LinesOf, BitsDoNotDependOnStretches) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (Library library : libraries())
    for (int largest : {-1, 7}) {
      const int n = 30, lines = 150;  // of more than one block
      const Kept kept = kept_modes(n, largest);
      const int m = kept.count();
      const auto plan = make_lines<T>(library, n, kept);
      Scratch<T> work(plan->work_bytes());
      std::vector<C> points(std::size_t(n * lines)), modes(std::size_t(m * lines)), back(points), got(modes);
      for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = C(T(noise(int(i), 1, 2)), T(noise(int(i), 3, 4)));
      for (int i = 0; i < lines; ++i) {
        plan->forward(points.data() + i, lines, modes.data() + i, lines, 1, work.at());
        plan->backward(modes.data() + i, lines, back.data() + i, lines, 1, work.at());
      }
      const std::vector<int> counts{1, 0, 12, 1, 16};
      const C untouched(T(77), T(78));
      std::vector<std::vector<C>> parts;
      std::vector<Stretch<const C>> in;
      std::vector<Stretch<C>> out;
      int first = 0;
      for (const int count : counts) {
        const int stride = lines + count % 5;
        auto& part = parts.emplace_back(std::size_t(std::max(1, count) * stride), untouched);
        for (int j = 0; j < count; ++j)
          std::copy_n(points.data() + (first + j) * lines, lines, part.data() + j * stride);
        in.push_back({part.data(), stride, count});
        out.push_back({part.data(), stride, count});
        first += count;
      }
      const Stretch<C> to{got.data(), lines, m};
      plan->forward(in, {&to, 1}, lines, work.at());
      EXPECT_EQ(std::memcmp(got.data(), modes.data(), modes.size() * sizeof(C)), 0);
      const Stretch<const C> from{modes.data(), lines, m};
      plan->backward({&from, 1}, out, lines, work.at());
      first = 0;
      for (const Stretch<C>& part : out)
        for (int j = 0; j < part.count; ++j, ++first) {
          EXPECT_EQ(std::memcmp(part.at + j * part.stride, back.data() + first * lines, lines * sizeof(C)),
                    0);
          for (auto l = std::ptrdiff_t{lines}; l < part.stride; ++l)
            EXPECT_EQ(part.at[j * part.stride + l], untouched);
        }
    }
}

// A bundle contains the points of its rows in some order, zero for missing rows, and is transformed back
// equally.
TYPED_TEST(LinesOf, BundlesAreTheirRows) {
  using T = TypeParam;
  using C = std::complex<T>;
  for (Library library : libraries())
    for (int n : lengths)
      for (int largest : {-1, n / 3, 0}) {
        const int m = kept_real_modes(n, largest);
        const auto plan = make_real_lines<T>(library, n, m);
        const auto bundle = plan->bundle();
        ASSERT_EQ(bundle.points, bundle.rows * n);
        Scratch<T> work(plan->work_bytes());
        const auto room = static_cast<std::size_t>(bundle.room),
                   count = static_cast<std::size_t>(bundle.points);
        Scratch<T> memory((count + 2 * room) * sizeof(T));
        T* points = reinterpret_cast<T*>(memory.at()) + room;
        for (int lines : {1, bundle.rows - 1, bundle.rows}) {
          if (lines < 1) continue;
          const auto size = static_cast<std::size_t>(lines * m);
          std::vector<C> modes(size), expected(size), got(size);
          std::vector<T> rows(static_cast<std::size_t>(lines * n));
          for (std::size_t k = 0; k < size; ++k) modes[k] = C(T(noise(int(k), 1, n)), T(noise(int(k), 2, n)));
          plan->backward(modes.data(), m, rows.data(), n, lines, T(1) / T(n), work.at());
          plan->backward_bundle(modes.data(), m, points, lines, T(1) / T(n), work.at());
          std::vector<T> sorted(points, points + count);
          std::ranges::sort(sorted);
          std::vector<T> wanted(rows);
          wanted.resize(count);
          std::ranges::sort(wanted);
          ASSERT_EQ(sorted, wanted) << "n " << n << ", " << lines << " lines";
          plan->forward(rows.data(), n, expected.data(), m, lines, work.at());
          plan->forward_bundle(points, got.data(), m, lines, work.at());
          ASSERT_EQ(got, expected) << "n " << n << ", " << lines << " lines";
        }
      }
}

TEST(LinesOf, KeepTheModesAsked) {
  EXPECT_EQ(kept_modes(8, -1).count(), 8);
  EXPECT_EQ(kept_modes(8, 4).count(), 8);
  EXPECT_EQ(kept_modes(8, 3).count(), 7);  // mode 4 is not kept
  EXPECT_EQ(kept_modes(9, 4).count(), 9);
  EXPECT_EQ(kept_modes(12, 3).low, 4);
  EXPECT_EQ(kept_modes(12, 3).high, 3);
  EXPECT_EQ(kept_real_modes(12, -1), 7);
  EXPECT_EQ(kept_real_modes(12, 3), 4);
  EXPECT_EQ(kept_real_modes(11, 8), 6);
}

TEST(LinesOf, RefusesWhatIsNotThere) {
  EXPECT_THROW(make_lines<double>(Library::pocketfft, 0, {}), Error);
  EXPECT_THROW(library_of("mkl"), Error);
  EXPECT_EQ(library_of("fftw"), Library::fftw);
  if (!has(Library::fftw)) {
    EXPECT_THROW(make_lines<double>(Library::fftw, 8, kept_modes(8, -1)), Error);
  }
}

}  // namespace
}  // namespace sc::spectral
