// SPDX-License-Identifier: Apache-2.0
// timeline.json: what every rank of a context did when, as a trace that ui.perfetto.dev and chrome://tracing
// open.
#pragma once

#include <string>

#include "engine/base/context.hpp"

namespace sc::io {

/// Collective: the spans of all ranks in one file, a process a rank, their clocks aligned. Replaces `path`
/// only once the new file is whole. Throws Error (storage) on every rank when that fails.
void write_timeline(Context& context, const std::string& path);

}  // namespace sc::io
