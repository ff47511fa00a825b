// SPDX-License-Identifier: Apache-2.0
// ranks: 3
// The eager limit is found of an MPI whose limit is known: with this program's MPI_Isend, messages up to it
// are complete at once, and larger ones wait for their receive.
#include <gtest/gtest.h>
#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/move/transport/eager_limit.hpp"
#include "tests/mpi/test_context.hpp"
#include "tests/refusal.hpp"

namespace {

int limit = 0;
std::vector<char> anything(sc::most_eager);  // what small messages contain, for as long as MPI needs it
std::vector<MPI_Request> on_their_way;

int nothing_said(void* /*state*/, MPI_Status* status) { return MPI_Status_set_cancelled(status, 0); }
int nothing_freed(void* /*state*/) { return MPI_SUCCESS; }
int nothing_cancelled(void* /*state*/, int /*complete*/) { return MPI_SUCCESS; }

}  // namespace

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  if (count > limit) return PMPI_Issend(data, count, type, to, tag, comm, request);
  PMPI_Isend(anything.data(), count, type, to, tag, comm, &on_their_way.emplace_back());
  MPI_Grequest_start(nothing_said, nothing_freed, nothing_cancelled, nullptr, request);
  return MPI_Grequest_complete(*request);
}

namespace sc::test {
namespace {

std::optional<int> found(Context& context, int of) {
  limit = of;
  return eager_limit(context);
}

TEST(EagerLimit, IsFoundToTheByte) {
  TestContext context;
  for (const int of : {1, 65411}) EXPECT_EQ(found(context, of), std::optional(of)) << "on every rank";
  EXPECT_EQ(found(context, most_eager), std::nullopt);
  MPI_Waitall(static_cast<int>(on_their_way.size()), on_their_way.data(), MPI_STATUSES_IGNORE);
}

TEST(EagerLimit, OfASingleRankIsRefused) {
  const std::string said = refusal([] { on_one_rank([](Context& alone) { return eager_limit(alone); }); });
  EXPECT_NE(said.find("at least 2 ranks"), std::string::npos) << said;
}

}  // namespace
}  // namespace sc::test
