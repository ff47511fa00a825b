// SPDX-License-Identifier: Apache-2.0
// The factory functions of the FFT libraries; only lines.cpp calls them.
#pragma once

#include <memory>

#include "spectral/lines.hpp"

namespace sc::spectral {

template <class T>
std::unique_ptr<Lines<T>> pocketfft_lines(int n, Kept kept);
template <class T>
std::unique_ptr<RealLines<T>> pocketfft_real_lines(int n, int kept);

template <class T>
std::unique_ptr<Lines<T>> fftw_lines(int n, Kept kept);
template <class T>
std::unique_ptr<RealLines<T>> fftw_real_lines(int n, int kept);

}  // namespace sc::spectral
