// SPDX-License-Identifier: Apache-2.0
// Which library transforms lines, and which modes are kept.
#include "spectral/lines.hpp"

#include "engine/base/error.hpp"
#include "spectral/backends.hpp"

namespace sc::spectral {

Library library_of(std::string_view name) {
  if (name == "auto") return Library::automatic;
  if (name == "pocketfft") return Library::pocketfft;
  if (name == "fftw") return Library::fftw;
  refuse("the FFT library is \"" + std::string(name) + "\"; allowed are auto, pocketfft, fftw");
}

bool has(Library library) {
#ifdef SUBCURRENT_HAS_FFTW
  return library == Library::automatic || library == Library::pocketfft || library == Library::fftw;
#else
  return library != Library::fftw;
#endif
}

Kept kept_modes(int n, int largest) {
  if (largest < 0 || 2 * largest + 1 >= n) return {.low = n, .high = 0};
  return {.low = largest + 1, .high = largest};
}

int kept_real_modes(int n, int largest) { return largest < 0 || largest > n / 2 ? n / 2 + 1 : largest + 1; }

namespace {

void check(Library library, int n) {
  if (n < 1) refuse("a line of a transform has " + std::to_string(n) + " points; at least 1 is needed");
  if (!has(library))
    refuse("this build has no FFTW: install libfftw3-dev and build again, or choose pocketfft");
}

}  // namespace

template <class T>
std::unique_ptr<Lines<T>> make_lines(Library library, int n, Kept kept) {
  check(library, n);
#ifdef SUBCURRENT_HAS_FFTW
  if (library == Library::fftw) return fftw_lines<T>(n, kept);
#endif
  return pocketfft_lines<T>(n, kept);
}

template <class T>
std::unique_ptr<RealLines<T>> make_real_lines(Library library, int n, int kept) {
  check(library, n);
#ifdef SUBCURRENT_HAS_FFTW
  if (library == Library::fftw) return fftw_real_lines<T>(n, kept);
#endif
  return pocketfft_real_lines<T>(n, kept);
}

template std::unique_ptr<Lines<float>> make_lines(Library, int, Kept);
template std::unique_ptr<Lines<double>> make_lines(Library, int, Kept);
template std::unique_ptr<RealLines<float>> make_real_lines(Library, int, int);
template std::unique_ptr<RealLines<double>> make_real_lines(Library, int, int);

}  // namespace sc::spectral
