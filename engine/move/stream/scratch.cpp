// SPDX-License-Identifier: Apache-2.0
// Scratch: ownership of folders, and whether an owner is still alive.
#include "engine/move/stream/scratch.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "engine/base/error.hpp"

namespace sc {

namespace fs = std::filesystem;

namespace {

constexpr const char* prefix = "subcurrent-";
constexpr const char* lock_suffix = ".lock";

[[noreturn]] void fail(const std::string& what, const std::string& path, int error) {
  throw Error(Exit::storage, "cannot " + what + " " + path + ": " +
                                 std::error_code(error, std::generic_category()).message());
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// Identifies one boot of the host: after a reboot none of the earlier processes exists.
std::string boot() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

/// Identifies the processes among which a number means the same process: those of one container, for example.
std::string pid_namespace() {
  std::error_code error;
  const fs::path id = fs::read_symlink("/proc/self/ns/pid", error);
  return error ? "unknown" : id.string();
}

/// Parses a whole number; false if the text contains anything else.
template <class T>
bool parse(const std::string& text, T& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end;
}

/// Start time of a process in clock ticks after boot; 0 if it does not exist, or is a zombie (its files are
/// closed). It distinguishes the process from a later one with the same number.
std::uint64_t start_time(long pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t after_name = text.rfind(')');
  if (after_name == std::string::npos) return 0;
  std::istringstream fields(text.substr(after_name + 1));
  char state = 0;
  fields >> state;
  if (state == 'Z' || state == 'X') return 0;
  std::string field;
  constexpr int place = 19;  // field 22 of the line; the remaining text begins with field 3
  for (int n = 0; n < place; ++n) fields >> field;
  std::uint64_t start = 0;
  return parse(field, start) ? start : 0;
}

struct Owner {
  std::string host, boot, space;
  long pid = 0;
  std::uint64_t start = 0;

  static Owner self() { return {host_name(), sc::boot(), pid_namespace(), getpid(), start_time(getpid())}; }
  /// False if the file is not a lock of this program, or is not completely written.
  static bool read(const fs::path& lock, Owner& owner) {
    std::error_code ignored;
    if (!fs::is_regular_file(fs::symlink_status(lock, ignored))) return false;
    std::ifstream file(lock);
    std::string key;
    std::array<std::string, 6> values;
    const std::array<const char*, 6> keys{"host", "boot", "namespace", "pid", "start", "end"};
    for (std::size_t n = 0; n < keys.size(); ++n)
      if (!(file >> key >> values[n]) || key != keys[n]) return false;
    owner.host = values[0];
    owner.boot = values[1];
    owner.space = values[2];
    return parse(values[3], owner.pid) && parse(values[4], owner.start) && owner.pid > 0;
  }
  std::string text() const {
    return "host " + host + "\nboot " + boot + "\nnamespace " + space + "\npid " + std::to_string(pid) +
           "\nstart " + std::to_string(start) + "\nend .\n";
  }
  bool dead(const Owner& here) const {
    if (host != here.host) return false;  // processes of another host cannot be checked
    if (boot != here.boot) return true;
    return space == here.space && start_time(pid) != start;  // nor can those of another namespace
  }
};

/// Creates the lock atomically with its contents; false if it exists.
bool write_lock(const std::string& path, const std::string& text) {
  const std::string draft = path + ".draft";
  ::unlink(draft.c_str());
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) fail("make", draft, errno);
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int cause = written ? 0 : errno;
  ::close(file);
  const bool linked = written && ::link(draft.c_str(), path.c_str()) == 0;
  const int error = written ? errno : cause;
  ::unlink(draft.c_str());
  if (!linked && !(written && error == EEXIST)) fail("make", path, error);
  return linked;
}

}  // namespace

Scratch::Scratch(std::string folder, const std::string& name) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail("make the scratch folder", folder_, error.value());
  remove_leftovers();
  const Owner self = Owner::self();
  std::string plain;
  for (char c : name) plain += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  const std::string own = folder_ + "/" + prefix + self.host + "-" + std::to_string(self.pid) + "-" + plain;
  for (int number = 1;; ++number) {  // a process may have several of one name, each of another solver
    path_ = number == 1 ? own : own + "-" + std::to_string(number);
    lock_ = path_ + lock_suffix;
    if (write_lock(lock_, self.text())) break;
  }
  if (::mkdir(path_.c_str(), 0700) != 0) {
    const int cause = errno;
    ::unlink(lock_.c_str());
    fail("make", path_, cause);
  }
}

Scratch::~Scratch() {
  std::error_code ignored;  // the next start of the program tries again
  fs::remove_all(path_, ignored);
  fs::remove(lock_, ignored);
}

void Scratch::remove_leftovers() {
  const Owner here = Owner::self();
  std::vector<fs::path> locks;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const std::string file = at->path().filename().string();
    if (file.starts_with(prefix) && file.ends_with(lock_suffix)) locks.push_back(at->path());
  }
  if (error) fail("read the scratch folder", folder_, error.value());
  for (const fs::path& lock : locks) {
    Owner owner;
    if (!Owner::read(lock, owner) || !owner.dead(here)) continue;
    fs::path left = lock;
    left.replace_extension();
    std::error_code ignored;  // another process may be removing it at the same time
    fs::remove_all(left, ignored);
    fs::remove(lock, ignored);
  }
}

}  // namespace sc
