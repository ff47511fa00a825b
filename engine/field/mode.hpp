// SPDX-License-Identifier: Apache-2.0
// Mode: how cells are used, by a stage or in a slot of a stream.
#pragma once

namespace sc {

enum class Mode {
  write,
  read,
  update,
  scratch  ///< in slots only: space that is neither read nor written
};

}  // namespace sc
