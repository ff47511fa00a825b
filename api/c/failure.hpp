// SPDX-License-Identifier: Apache-2.0
// The exception inside the library that a halo function returns as a status and a sentence.
#pragma once

#include <stdexcept>
#include <string>

#include "api/c/include/subcurrent/halo.h"

namespace sc::halo {

class Failure : public std::runtime_error {
 public:
  Failure(halo_status status, const std::string& sentence) : std::runtime_error(sentence), status_(status) {}
  halo_status status() const { return status_; }

 private:
  halo_status status_;
};

}  // namespace sc::halo
