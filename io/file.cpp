// SPDX-License-Identifier: Apache-2.0
// Files: POSIX calls whose errors become exceptions, and atomic replacement by rename.
#include "io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "engine/base/error.hpp"

namespace sc::io {

namespace {

// Long enough that no file of a user ends in it.
constexpr const char* temporary_suffix = ".subcurrent-part";

[[noreturn]] void fail(const std::string& verb, const std::string& path, int error_number) {
  throw Error(Exit::storage, "cannot " + verb + " " + path + ": " + cause(error_number));
}

/// The kind of an existing file, for error messages.
std::string kind_of(mode_t mode) {
  const char* const kind = S_ISDIR(mode)    ? "a folder"
                           : S_ISLNK(mode)  ? "a symbolic link"
                           : S_ISFIFO(mode) ? "a pipe"
                           : S_ISSOCK(mode) ? "a socket"
                                            : "a device";
  return std::string("it is ") + kind + ", not a regular file";
}

/// Refuses to replace anything but a regular file: a rename would replace a device by a file, and a link
/// leads elsewhere.
void check_replaceable(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error(Exit::storage, "cannot write " + path + ": " + kind_of(status.st_mode));
}

/// Removes a regular file; leaves anything else with its name alone.
void remove_regular(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path, errno);
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// A rename is durable only after its folder has been synchronised.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail("open", folder, errno);
  const int code = fsync(descriptor);
  const int error_number = errno;
  ::close(descriptor);
  // Some network filesystems do not support fsync on folders, and order renames themselves.
  if (code != 0 && error_number != EINVAL && error_number != ENOTSUP) fail("sync", folder, error_number);
}

void give_name(const std::string& temporary, const std::string& path) {
  if (std::rename(temporary.c_str(), path.c_str()) != 0) fail("replace", path, errno);
  sync_folder(folder_of(path));
}

}  // namespace

std::string cause(int error_number) {
  std::string text = std::generic_category().message(error_number);
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

File::File(std::string path, Mode mode) : path_(std::move(path)) {
  const std::string verb = mode == Mode::read ? "read" : "write";
  if (mode != Mode::read) check_replaceable(path_);
  // Write-only on purpose: as long as NFS has not read a page, it writes back only the modified bytes, so
  // that ranks on several nodes may write to the same page.
  const int flags = mode == Mode::read    ? O_RDONLY
                    : mode == Mode::write ? O_WRONLY | O_NOFOLLOW
                                          : O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
  // O_NONBLOCK: open() of a pipe does not wait for its other end. It has no effect on regular files.
  descriptor_ = ::open(path_.c_str(), flags | O_NONBLOCK | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(verb, path_, errno);
  struct stat status {};
  const int error_number = fstat(descriptor_, &status) == 0 ? 0 : errno;
  if (error_number == 0 && S_ISREG(status.st_mode)) return;
  ::close(descriptor_);
  if (error_number != 0) fail(verb, path_, error_number);
  throw Error(Exit::storage, "cannot " + verb + " " + path_ + ": " + kind_of(status.st_mode));
}

File::~File() { ::close(descriptor_); }

std::int64_t File::size() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) fail("read", path_, errno);
  return status.st_size;
}

void File::read(std::int64_t offset, std::byte* data, std::size_t bytes) const {
  while (bytes > 0) {
    const ssize_t got = pread(descriptor_, data, bytes, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path_, errno);
    if (got == 0) throw Error(Exit::storage, "cannot read " + path_ + ": it is shorter than it should be");
    offset += got;
    data += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

void File::write(std::int64_t offset, const std::byte* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t put = pwrite(descriptor_, data, bytes, offset);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) fail("write", path_, put < 0 ? errno : ENOSPC);
    offset += put;
    data += put;
    bytes -= static_cast<std::size_t>(put);
  }
}

void File::reserve(std::int64_t bytes) {
  int code = 0;
  do code = fallocate(descriptor_, 0, 0, bytes);
  while (code != 0 && errno == EINTR);
  if (code == 0) return;
  if (errno != EOPNOTSUPP && errno != ENOSYS) fail("write", path_, errno);
  struct statvfs disk {};
  if (fstatvfs(descriptor_, &disk) != 0) fail("write", path_, errno);
  // Blocks that the file already has are not counted again.
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) fail("write", path_, errno);
  const auto available = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize +
                         static_cast<std::uint64_t>(status.st_blocks) * 512;
  if (static_cast<std::uint64_t>(bytes) > available) fail("write", path_, ENOSPC);
}

void File::sync() {
  if (fsync(descriptor_) != 0) fail("write", path_, errno);
}

void replace_file(const Context& context, const std::string& path,
                  const std::function<Offsets(const std::string&)>& lay_out,
                  const std::function<void(File&, const Offsets&)>& fill) {
  const std::string temporary = path + temporary_suffix;
  try {
    std::string table;
    context.together([&] {
      if (context.rank() != 0) return;
      check_replaceable(path);
      check_replaceable(temporary);
      const Offsets offsets = lay_out(temporary);
      table.assign(reinterpret_cast<const char*>(offsets.data()), offsets.size() * sizeof(std::int64_t));
    });
    context.broadcast(table);
    Offsets offsets(table.size() / sizeof(std::int64_t));
    std::memcpy(offsets.data(), table.data(), table.size());
    context.together([&] {
      File file(temporary, File::Mode::write);
      fill(file, offsets);
      file.sync();
    });
    context.together([&] {
      if (context.rank() == 0) give_name(temporary, path);
    });
  } catch (const Error&) {
    try {
      if (context.rank() == 0) remove_regular(temporary);
    } catch (const Error&) {
      // the first error is reported
    }
    context.barrier();  // no error is reported before the temporary file has been removed
    throw;
  }
}

void remove_leftovers(const Context& context, const std::string& folder) {
  context.together([&] {
    if (context.rank() != 0) return;
    std::error_code ignored;
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, ignored))
      if (entry.path().string().ends_with(temporary_suffix)) found.push_back(entry.path());
    for (const auto& leftover : found) remove_regular(leftover.string());
  });
}

}  // namespace sc::io
