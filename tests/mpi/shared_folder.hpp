// SPDX-License-Identifier: Apache-2.0
// SharedFolder: a scratch folder of a test for all ranks of this run, on the disk of the build tree unless
// another parent is given; removed at the end.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "engine/move/stream/file_memory.hpp"

namespace sc::test {

class SharedFolder {
 public:
  SharedFolder(Context& context, const std::string& name,
               const std::filesystem::path& parent = std::filesystem::current_path())
      : context_(context) {
    std::string number = std::to_string(getpid());
    context.broadcast(number);
    path_ = (parent / (name + number)).string();
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  ~SharedFolder() {
    context_.barrier();
    std::error_code ignored;
    if (context_.rank() == 0) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  bool empty() const { return std::filesystem::is_empty(path_); }
  FileMemoryOptions options(IoMode mode = IoMode::automatic) const {
    return {.folder = path_, .name = "rank " + std::to_string(context_.rank()), .mode = mode};
  }

 private:
  Context& context_;
  std::string path_;
};

}  // namespace sc::test
