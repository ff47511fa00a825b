// SPDX-License-Identifier: Apache-2.0
// Scratch: a folder for the temporary files of one process inside a scratch folder that many may share. A
// lock file beside it names its owner; what a dead owner left is removed by the process that comes
// next.
#pragma once

#include <string>

namespace sc {

class Scratch {
 public:
  /// `name` tells the processes of one host apart in listings ("rank 3"). Makes `folder` where it is missing,
  /// removes what dead owners of this host left there, then makes a folder of its own. Throws Error
  /// (storage).
  Scratch(std::string folder, const std::string& name);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  /// Removes the folder, whatever is in it, and the lock.
  ~Scratch();

  const std::string& path() const { return path_; }
  /// How many dead owners' folders were removed.
  int removed() const { return removed_; }

 private:
  void remove_leftovers();

  std::string folder_;
  std::string path_;
  std::string lock_;
  int removed_ = 0;
};

}  // namespace sc
