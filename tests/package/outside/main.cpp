// SPDX-License-Identifier: Apache-2.0
// Links the installed library and compares the version it reports with the one that was asked for.
#include <cstdio>
#include <cstring>

#include <subcurrent/engine/base/build_info.hpp>

int main(int argc, char** argv) {
  const sc::BuildInfo& info = sc::build_info();
  std::printf("subcurrent %s, %s, %s\n", info.version, info.compiler, info.flags);
  return argc == 2 && std::strcmp(argv[1], info.version) == 0 ? 0 : 1;
}
