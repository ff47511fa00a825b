// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 3 5
// optimise: no
// Snapshots: every point once, including walls, in VTK's order, and the same bytes for every decomposition.
#include "io/snapshot.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <chrono>
#include <thread>

#include "tests/mpi/io_state.hpp"

namespace sc::test {
namespace {

struct State {
  State(Context& context, Int3 cells, Bool3 periodic, int layers, Int3 split = {0, 0, 0})
      : grid(context, {.cells = cells, .periodic = periodic, .halo = 1, .split = split}),
        coordinates(grid, "coordinates"),
        velocity(grid, "velocity"),
        pressure(grid, "pressure"),
        wave(grid, "wave") {
    set<double>(coordinates.storage(0), layers, 1);
    set<double>(velocity.storage(0), layers, 2);
    set<float>(pressure.storage(0), layers, 3);
    set<std::complex<double>>(wave.storage(0), layers, 4);
    snapshot = {.coordinates = &coordinates.storage(0),
                .fields = {{"velocity", &velocity.storage(0)},
                           {"p", &pressure.storage(0)},
                           {"wave", &wave.storage(0)}},
                .layers = layers,
                .step = 12,
                .time = 0.75};
  }
  Grid grid;
  Field<double, 3> coordinates;
  Field<double, 3> velocity;
  Field<float> pressure;
  Field<std::complex<double>> wave;
  io::Snapshot snapshot;
};

template <class T>
std::vector<T> read(const std::string& path, const std::string& name, hid_t type,
                    std::vector<hsize_t> shape) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  std::vector<hsize_t> found(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, found.data(), nullptr);
  EXPECT_EQ(found, shape) << name;
  std::vector<T> values(found == shape ? static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)) : 0);
  EXPECT_GE(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return values;
}

/// Compares all values of velocity, p, wave and x in `fields` and `grid` with the formula, including walls.
void check_arrays(const std::string& path, Int3 n, Int3 first) {
  const auto size = [](int v) { return static_cast<hsize_t>(v); };
  const std::vector<hsize_t> one = {size(n.z), size(n.y), size(n.x)};
  const std::vector<hsize_t> two = {one[0], one[1], one[2], 2};
  const std::vector<hsize_t> three = {one[0], one[1], one[2], 3};
  const auto points = read<double>(path, "grid/points", H5T_NATIVE_DOUBLE, three);
  const auto y_axis = read<double>(path, "grid/y", H5T_NATIVE_DOUBLE, one);
  const auto velocity = read<double>(path, "fields/velocity", H5T_NATIVE_DOUBLE, three);
  const auto pressure = read<float>(path, "fields/p", H5T_NATIVE_FLOAT, one);
  const auto wave = read<double>(path, "fields/wave", H5T_NATIVE_DOUBLE, two);
  if (testing::Test::HasFailure()) return;
  std::size_t i = 0;
  std::int64_t bad = 0;
  for (int z = first.z; z < first.z + n.z; ++z)
    for (int y = first.y; y < first.y + n.y; ++y)
      for (int x = first.x; x < first.x + n.x; ++x, ++i) {
        for (int k = 0; k < 3; ++k) {
          const auto at = 3 * i + static_cast<std::size_t>(k);
          bad += points[at] != value_at<double>(1, k, x, y, z);
          bad += velocity[at] != value_at<double>(2, k, x, y, z);
        }
        bad += y_axis[i] != value_at<double>(1, 1, x, y, z);
        bad += pressure[i] != value_at<float>(3, 0, x, y, z);
        const auto w = value_at<std::complex<double>>(4, 0, x, y, z);
        bad += wave[2 * i] != w.real() || wave[2 * i + 1] != w.imag();
      }
  EXPECT_EQ(bad, 0);
}

TEST(Snapshot, HoldsEveryPointWithItsWalls) {
  TestContext context;
  const Folder folder(context);
  for (const auto kind : {io::SnapshotKind::unstructured, io::SnapshotKind::structured}) {
    State state(context, {7, 6, 11}, {}, 1);
    state.snapshot.kind = kind;
    io::write_snapshot(folder / "s.vtkhdf", state.snapshot);
    if (context.rank() == 0) check_arrays(folder / "s.vtkhdf", {9, 8, 13}, {-1, -1, -1});
  }
}

TEST(Snapshot, WithoutWallsAndOnPeriodicAxes) {
  TestContext context;
  const Folder folder(context);
  {
    const State state(context, {7, 6, 11}, {}, 0);
    io::write_snapshot(folder / "s.vtkhdf", state.snapshot);
    if (context.rank() == 0) check_arrays(folder / "s.vtkhdf", {7, 6, 11}, {0, 0, 0});
  }
  const State state(context, {7, 6, 11}, {true, false, true}, 1);
  io::write_snapshot(folder / "s.vtkhdf", state.snapshot);
  if (context.rank() == 0) check_arrays(folder / "s.vtkhdf", {7, 8, 11}, {0, -1, 0});
}

TEST(Snapshot, HexahedraJoinNeighbours) {
  TestContext context;
  const Folder folder(context);
  const State state(context, {6, 5, 7}, {}, 1);
  io::write_snapshot(folder / "s.vtkhdf", state.snapshot);
  if (context.rank() != 0) return;
  const std::int64_t nx = 8, ny = 7, nz = 9, count = (nx - 1) * (ny - 1) * (nz - 1);
  const auto ids = read<std::int64_t>(folder / "s.vtkhdf", "VTKHDF/Connectivity", H5T_NATIVE_INT64,
                                      {static_cast<hsize_t>(8 * count)});
  const auto offsets = read<std::int64_t>(folder / "s.vtkhdf", "VTKHDF/Offsets", H5T_NATIVE_INT64,
                                          {static_cast<hsize_t>(count + 1)});
  const auto types =
      read<int>(folder / "s.vtkhdf", "VTKHDF/Types", H5T_NATIVE_INT, {static_cast<hsize_t>(count)});
  ASSERT_EQ(ids.size(), static_cast<std::size_t>(8 * count));
  EXPECT_TRUE(std::ranges::all_of(types, [](int type) { return type == 12; }));
  for (std::int64_t i = 0; i <= count; ++i) ASSERT_EQ(offsets[static_cast<std::size_t>(i)], 8 * i);
  const std::array<std::array<int, 3>, 8> corners = {
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  std::size_t i = 0;
  for (std::int64_t z = 0; z + 1 < nz; ++z)
    for (std::int64_t y = 0; y + 1 < ny; ++y)
      for (std::int64_t x = 0; x + 1 < nx; ++x)
        for (const auto& c : corners) ASSERT_EQ(ids[i++], x + c[0] + nx * (y + c[1] + ny * (z + c[2])));
}

// A grid of a single layer has quadrilaterals.
TEST(Snapshot, FlatGrid) {
  TestContext context;
  const Folder folder(context);
  const State state(context, {12, 1, 9}, {true, true, false}, 0, {1, 1, context.size()});
  io::write_snapshot(folder / "s.vtkhdf", state.snapshot);
  if (context.rank() != 0) return;
  check_arrays(folder / "s.vtkhdf", {12, 1, 9}, {0, 0, 0});
  const auto types = read<int>(folder / "s.vtkhdf", "VTKHDF/Types", H5T_NATIVE_INT, {11 * 8});
  EXPECT_TRUE(std::ranges::all_of(types, [](int type) { return type == 9; }));
  const auto ids =
      read<std::int64_t>(folder / "s.vtkhdf", "VTKHDF/Connectivity", H5T_NATIVE_INT64, {4 * 11 * 8});
  EXPECT_EQ(std::vector<std::int64_t>(ids.end() - 4, ids.end()),
            (std::vector<std::int64_t>{94, 95, 107, 106}));
}

TEST(Snapshot, UniformPointsNeedNoCoordinates) {
  TestContext context;
  const Folder folder(context);
  State state(context, {7, 6, 11}, {}, 0);
  state.snapshot.coordinates = nullptr;
  EXPECT_THROW(io::write_snapshot(folder / "s.vtkhdf", state.snapshot), Error);
  state.snapshot.uniform = io::UniformPoints{{1, 2, 3}, {0.5, 0.25, 2}};
  io::write_snapshot(folder / "s.vtkhdf", state.snapshot);
  if (context.rank() != 0) return;
  const auto velocity =
      read<double>(folder / "s.vtkhdf", "VTKHDF/PointData/velocity", H5T_NATIVE_DOUBLE, {11, 6, 7, 3});
  const auto pressure = read<float>(folder / "s.vtkhdf", "fields/p", H5T_NATIVE_FLOAT, {11, 6, 7});
  ASSERT_FALSE(testing::Test::HasFailure());
  std::size_t i = 0;
  for (int z = 0; z < 11; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 7; ++x, ++i) {
        for (int k = 0; k < 3; ++k)
          ASSERT_EQ(velocity[3 * i + static_cast<std::size_t>(k)], value_at<double>(2, k, x, y, z));
        ASSERT_EQ(pressure[i], value_at<float>(3, 0, x, y, z));
      }
  const hid_t file = H5Fopen((folder / "s.vtkhdf").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  std::array<std::int64_t, 6> extent{};
  std::array<double, 3> origin{}, spacing{};
  const auto attribute = [&](const char* name, hid_t type, void* into) {
    const hid_t a = H5Aopen_by_name(file, "VTKHDF", name, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Aread(a, type, into), 0) << name;
    H5Aclose(a);
  };
  attribute("WholeExtent", H5T_NATIVE_INT64, extent.data());
  attribute("Origin", H5T_NATIVE_DOUBLE, origin.data());
  attribute("Spacing", H5T_NATIVE_DOUBLE, spacing.data());
  EXPECT_EQ(extent, (std::array<std::int64_t, 6>{0, 6, 0, 5, 0, 10}));
  EXPECT_EQ(origin, (std::array<double, 3>{1, 2, 3}));
  EXPECT_EQ(spacing, (std::array<double, 3>{0.5, 0.25, 2}));
  EXPECT_LE(H5Lexists(file, "grid/points", H5P_DEFAULT), 0);
  EXPECT_LE(H5Lexists(file, "VTKHDF/Connectivity", H5P_DEFAULT), 0);
  H5Fclose(file);
}

TEST(Snapshot, BytesDoNotDependOnRanksOrSplit) {
  TestContext context;
  const Folder folder(context);
  for (const auto kind : {io::SnapshotKind::unstructured, io::SnapshotKind::structured}) {
    std::string first;
    const auto compare = [&](const std::string& path) {
      if (context.rank() != 0) return;
      const std::string bytes = bytes_of(path);
      EXPECT_GT(bytes.size(), 10000u);
      if (first.empty()) first = bytes;
      EXPECT_TRUE(bytes == first) << path;
    };
    const auto write = [&](Context& some, Int3 split) {
      State state(some, {11, 7, 9}, {false, true, false}, 1, split);
      state.snapshot.kind = kind;
      io::write_snapshot(folder / "s.vtkhdf", state.snapshot);
    };
    for (int ranks = 1; ranks <= context.size(); ++ranks) {
      on_ranks(context, ranks, [&](Context& some) { write(some, {0, 0, 0}); });
      compare(folder / "s.vtkhdf");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // a time stamp would differ by now
    for (int axis = 0; axis < 3; ++axis) {
      Int3 split{1, 1, 1};
      split[axis] = context.size();
      write(context, split);
      compare(folder / "s.vtkhdf");
    }
  }
  EXPECT_EQ(folder.entries(), 1);
}

TEST(Snapshot, RanksWithoutCellsTakePart) {
  TestContext context;
  const Folder folder(context);
  const Grid grid = Grid(context, {.cells = {7, 6, 11}, .halo = 1}).on(1);
  Field<double, 3> coordinates(grid, "coordinates");
  set<double>(coordinates.storage(0), 1, 1);
  io::write_snapshot(folder / "s.vtkhdf",
                     {.coordinates = &coordinates.storage(0), .fields = {}, .layers = 1});
  if (context.rank() == 0) {
    const auto points =
        read<double>(folder / "s.vtkhdf", "VTKHDF/Points", H5T_NATIVE_DOUBLE, {9 * 8 * 13, 3});
    EXPECT_EQ(points.back(), value_at<double>(1, 2, 7, 6, 11));
  }
}

// One more layer than the halo has would be a halo that was never filled.
TEST(Snapshot, RefusesLayersBeyondTheHalo) {
  TestContext context;
  const Folder folder(context);
  const State state(context, {7, 6, 11}, {}, 1);
  io::Snapshot snapshot = state.snapshot;
  snapshot.layers = 2;
  EXPECT_EQ(error_of([&] { io::write_snapshot(folder / "s.vtkhdf", snapshot); }).second, Exit::failure);
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace sc::test
