// SPDX-License-Identifier: Apache-2.0
// Whether MPI takes messages from a device's memory and puts them there. Libraries that say so are not
// believed: a message is sent and looked at.
#pragma once

#include "engine/base/context.hpp"

namespace sc {

/// Collective, once a context: fills context.device_messages().
void find_device_messages(Context& context);

}  // namespace sc
