// SPDX-License-Identifier: Apache-2.0
// Files at the level of the operating system: bytes at an offset, atomic replacement of a complete file, and
// removal of temporaries that killed runs left behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/context.hpp"

namespace sc::io {

/// An open regular file. Every failure is an Error (storage) that names the file and the cause. Pipes,
/// devices and other special files are refused; writing through a link is refused too.
class File {
 public:
  enum class Mode { read, write, create };
  File(std::string path, Mode mode);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  const std::string& path() const { return path_; }
  std::int64_t size() const;
  void read(std::int64_t offset, std::byte* data, std::size_t bytes) const;
  void write(std::int64_t offset, const std::byte* data, std::size_t bytes);
  /// Allocates space for the first `bytes` of the file, so that a full disk is detected before writing.
  void reserve(std::int64_t bytes);
  /// Returns when the file is on disk, not only in the page cache.
  void sync();

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Offsets in a file, in bytes.
using Offsets = std::vector<std::int64_t>;

/// Collective: creates a file under a temporary name in the folder of `path`, then renames it. `lay_out` runs
/// on rank 0, creates the temporary file and returns offsets in it; then `fill` runs on all ranks. If any
/// rank fails, the temporary file is removed, `path` is unchanged, and all ranks throw the same Error. Only
/// regular files are replaced.
void replace_file(const Context& context, const std::string& path,
                  const std::function<Offsets(const std::string& temporary)>& lay_out,
                  const std::function<void(File& file, const Offsets& offsets)>& fill);

/// Collective: removes temporary files, regular ones only, that killed runs left in `folder`; does nothing if
/// the folder does not exist.
void remove_leftovers(const Context& context, const std::string& folder);

/// The text for an errno, as part of a sentence: "no space left on device".
std::string cause(int error_number);

}  // namespace sc::io
