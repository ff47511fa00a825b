// SPDX-License-Identifier: Apache-2.0
// Scratch: a folder for the temporary files of one process inside a scratch folder that many may share. A
// lock file beside it names its owner; the next process removes the folders of owners that have ended.
#pragma once

#include <string>

namespace sc {

class Scratch {
 public:
  /// `name` identifies the process in listings ("rank 3"); folders of the same name are numbered. Creates
  /// `folder` if necessary, removes folders of ended owners of this host, then creates its own folder. Throws
  /// Error (storage).
  Scratch(std::string folder, const std::string& name);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  /// Removes the folder, with its contents, and the lock.
  ~Scratch();

  const std::string& path() const { return path_; }

 private:
  void remove_leftovers();

  std::string folder_;
  std::string path_;
  std::string lock_;
};

}  // namespace sc
