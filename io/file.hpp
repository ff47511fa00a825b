// SPDX-License-Identifier: Apache-2.0
// Files as the operating system knows them: bytes at a place, a file that appears under its name only when it
// is whole, and what is left over from runs that were killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/context.hpp"

namespace sc::io {

/// One open regular file; every failure is an Error (storage) that names the file and the cause. What is no
/// regular file, a pipe or a device, is refused, and a link is not written through.
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
  /// Claims room for the first `bytes` of the file, so that a full disk is met before anything is written.
  void reserve(std::int64_t bytes);
  /// Returns when the file is on disk and not merely in the page cache.
  void sync();

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Places inside a file, in bytes.
using Offsets = std::vector<std::int64_t>;

/// Collective: makes a file under a temporary name in the folder of `path`, then gives it its name. `lay_out`
/// runs on rank 0, makes the temporary and returns where things go in it; `fill` runs on all ranks after
/// that. When any rank fails, the temporary is removed, `path` stays as it was and all ranks throw the same
/// Error. Nothing but a regular file or a new name is replaced.
void replace_file(const Context& context, const std::string& path,
                  const std::function<Offsets(const std::string& temporary)>& lay_out,
                  const std::function<void(File& file, const Offsets& offsets)>& fill);

/// Collective: removes the temporaries that killed runs left in `folder`, regular files all of them; does
/// nothing when there is no such folder.
void remove_leftovers(const Context& context, const std::string& folder);

/// The text for an errno, as it stands in a sentence: "no space left on device".
std::string cause(int error_number);

}  // namespace sc::io
