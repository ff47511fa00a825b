// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3
// optimise: no
// An MPI library that declares support for device memory and then loses or damages messages: this program's
// MPI_Sendrecv does so when asked. The engine must notice, and use pinned host memory.
#include <gtest/gtest.h>
#include <mpi.h>

#include "engine/exec/emulated_device.hpp"
#include "engine/move/transport/device.hpp"
#include "tests/mpi/test_context.hpp"

namespace {

/// A message of at least `from` bytes to another rank, or to this one, is damaged, or fails.
struct Lie {
  bool to_itself = false, to_others = false, fails = false;
  int from = 0;
};
Lie lie;
int sent = 0;

}  // namespace

// Calls of the engine reach this one (the profiling interface of MPI).
extern "C" int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                            void* in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                            MPI_Status* status) {
  const int result =
      PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  ++sent;
  if (in_count < lie.from || !(from == rank ? lie.to_itself : lie.to_others)) return result;
  if (lie.fails) return MPI_ERR_OTHER;
  static_cast<unsigned char*>(in)[in_count - 1] ^= 1;
  return result;
}

namespace sc::test {
namespace {

/// Whether the engine would send from device memory, with a library that tells this lie.
bool used(const Lie& told, bool declares = true) {
  TestContext context;
  context.set_device(std::make_shared<EmulatedDevice>(
      EmulatedOptions{.seed = std::uint64_t(context.rank()) + 1, .host_reaches_memory = declares}));
  lie = told;
  sent = 0;
  find_device_messages(context);
  lie = {};
  return *context.device_messages();
}

bool alone() { return TestContext().size() == 1; }

TEST(DeviceMessages, AreUsedIfTheyArrive) {
  EXPECT_TRUE(used({}));
  EXPECT_GE(sent, 4) << "small and large, to itself and around";
}

TEST(DeviceMessages, AreNotTriedIfTheLibraryDoesNotDeclareThem) {
  EXPECT_FALSE(used({}, false));
  EXPECT_EQ(sent, 0) << "it might crash";
}

TEST(DeviceMessages, AreNotUsedIfTheyAreDamaged) {
  EXPECT_FALSE(used({.to_itself = true}));
  EXPECT_FALSE(used({.to_itself = true, .from = 1 << 16})) << "only large ones";
  EXPECT_FALSE(used({.to_itself = true, .fails = true}));
  EXPECT_FALSE(used({.to_itself = true, .to_others = true}));
  EXPECT_EQ(used({.to_others = true}), alone()) << "only between ranks";
}

TEST(DeviceMessages, TheTestTellsWhichWereLost) {
  TestContext context;
  context.set_device(std::make_shared<EmulatedDevice>(
      EmulatedOptions{.seed = std::uint64_t(context.rank()) + 1, .host_reaches_memory = true}));
  lie = {.to_itself = true, .to_others = true};
  DeviceMessageTest found = test_device_messages(context);
  EXPECT_FALSE(found.to_itself || found.around);
  lie = {.to_others = true};
  found = test_device_messages(context);
  EXPECT_TRUE(found.to_itself);
  EXPECT_EQ(found.around, context.size() == 1) << "a single rank has no other";
  lie = {};
}

}  // namespace
}  // namespace sc::test
