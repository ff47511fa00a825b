// SPDX-License-Identifier: Apache-2.0
// timeline.json: the timelines of all ranks as a trace for ui.perfetto.dev and chrome://tracing.
#pragma once

#include <string>

#include "engine/base/context.hpp"

namespace sc::io {

/// Collective: writes the spans of all ranks to one file, one process for each rank, with aligned clocks.
/// Replaces `path` only after the new file is complete. Throws Error (storage) on all ranks if that fails.
void write_timeline(Context& context, const std::string& path);

}  // namespace sc::io
