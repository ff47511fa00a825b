// SPDX-License-Identifier: Apache-2.0
// What a halo function throws inside the library and returns outside of it: a status and a sentence.
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
