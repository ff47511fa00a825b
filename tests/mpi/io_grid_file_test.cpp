// SPDX-License-Identifier: Apache-2.0
// ranks: 1 2 4
// optimise: no
// Grid files: every rank gets its points, from every number type; files without a grid are refused.
#include "engine/grid/cells.hpp"
#include "io/grid_file.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>

#include "io/snapshot.hpp"
#include "tests/mpi/io_state.hpp"

namespace sc::test {
namespace {

constexpr Int3 points{7, 6, 9};

/// A sheared, stretched, right-handed grid.
double place(int axis, int x, int y, int z) {
  const double p[3] = {0.1 * x * x + 0.3 * x, 0.2 * y, 0.1 * z * (1 + 0.05 * z)};
  return p[axis] + 0.1 * p[(axis + 1) % 3];
}

std::vector<double> axis_values(int axis) {
  std::vector<double> values;
  each_cell({{}, points}, [&](Int3 c) { values.push_back(place(axis, c.x, c.y, c.z)); });
  return values;
}

void put(hid_t file, const std::string& name, const std::vector<double>& values, hid_t type = H5T_IEEE_F64LE,
         std::vector<hsize_t> shape = {9, 6, 7}) {
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t dataset = H5Dcreate2(file, name.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Dclose(dataset);
  H5Pclose(links);
  H5Sclose(space);
}

void put_axes(hid_t file, const std::array<std::vector<double>, 3>& axes) {
  for (std::size_t a = 0; a < 3; ++a) put(file, std::string(1, "xyz"[a]), axes[a]);
}

class GridFiles : public testing::Test {
 protected:
  GridFiles() : folder_(context_), path_(folder_ / "grid.h5") {}

  /// Rank 0 writes a file; the others wait.
  template <class F>
  void write(F&& action) {
    if (context_.rank() == 0) {
      const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      action(file);
      H5Fclose(file);
    }
    context_.barrier();
  }
  Box whole() const { return {{0, 0, 0}, points}; }
  std::string refusal() {
    const auto [sentence, code] = error_of([&] { io::GridFile(context_, path_).read(whole()); });
    std::string of_rank_0 = sentence;
    context_.broadcast(of_rank_0);
    EXPECT_EQ(sentence, of_rank_0);
    EXPECT_NE(code, Exit::ok);
    EXPECT_NE(sentence.find(path_), std::string::npos) << sentence;
    return sentence;
  }
  void expect_refusal(const std::string& words) {
    const std::string sentence = refusal();
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
  }
  void expect_box(const io::GridFile& file, const Box& box, double tolerance) {
    const auto r = file.read(box);
    for (int a = 0; a < 3; ++a) {
      const auto& values = r[static_cast<std::size_t>(a)];
      ASSERT_EQ(static_cast<std::int64_t>(values.size()), box.cells());
      std::size_t i = 0;
      each_cell(box, [&](Int3 c) { EXPECT_NEAR(values[i++], place(a, c.x, c.y, c.z), tolerance); });
    }
  }

  TestContext context_;
  Folder folder_;
  std::string path_;
};

TEST_F(GridFiles, EachRankReadsItsOwnBox) {
  write([](hid_t file) { put_axes(file, {axis_values(0), axis_values(1), axis_values(2)}); });
  const io::GridFile file(context_, path_);
  EXPECT_EQ(file.points(), points);
  expect_box(file, whole(), 0);
  const int r = context_.rank();
  expect_box(file, {{r, 1, 2 * r}, {r + 3, 5, 2 * r + 3}}, 0);
  Box some = whole();
  if (r > 0) some = {};
  EXPECT_EQ(file.read(some)[0].empty(), r > 0);
}

TEST_F(GridFiles, OtherNumberTypesWillDo) {
  write([](hid_t file) {
    put(file, "grid/x", axis_values(0), H5T_IEEE_F32BE);
    put(file, "grid/y", axis_values(1), H5T_IEEE_F64BE);
    put(file, "grid/z", axis_values(2), H5T_IEEE_F32LE);
  });
  expect_box(io::GridFile(context_, path_), whole(), 1e-6);
}

TEST_F(GridFiles, ASnapshotIsAGridFile) {
  const Grid grid(context_, {.cells = {5, 4, 7}, .halo = 1});
  Field<double, 3> coordinates(grid, "coordinates");
  for_each_value<double>(coordinates.storage(0), 1,
                         [](double& v, int k, int x, int y, int z) { v = place(k, x + 1, y + 1, z + 1); });
  io::write_snapshot(path_, {.coordinates = &coordinates.storage(0), .fields = {}, .layers = 1});
  expect_box(io::GridFile(context_, path_), whole(), 0);
}

TEST_F(GridFiles, Missing) { expect_refusal("does not exist"); }

TEST_F(GridFiles, NotHdf5) {
  if (context_.rank() == 0) put_bytes(path_, "x y z\n0 0 0\n");
  context_.barrier();
  expect_refusal("is not an HDF5 file");
}

TEST_F(GridFiles, NoArrays) {
  write([](hid_t) {});
  expect_refusal("has no array \"x\"");
}

TEST_F(GridFiles, OneArrayMissing) {
  write([](hid_t file) {
    put(file, "x", axis_values(0));
    put(file, "y", axis_values(1));
  });
  expect_refusal("has no array /z");
}

TEST_F(GridFiles, ShapesDiffer) {
  write([](hid_t file) {
    put(file, "x", axis_values(0));
    put(file, "y", axis_values(1), H5T_IEEE_F64LE, {9, 7, 6});
    put(file, "z", axis_values(2));
  });
  expect_refusal("has [7, 6, 9] points in x and [6, 7, 9] in y");
}

TEST_F(GridFiles, NotThreeAxes) {
  write([](hid_t file) { put(file, "x", axis_values(0), H5T_IEEE_F64LE, {54, 7}); });
  expect_refusal("does not have three axes");
}

TEST_F(GridFiles, WholeNumbers) {
  write([](hid_t file) { put(file, "x", axis_values(0), H5T_STD_I32LE); });
  expect_refusal("does not hold real numbers");
}

TEST_F(GridFiles, NotANumber) {
  write([](hid_t file) {
    auto x = axis_values(0);
    x[7 * (6 * 4 + 2) + 3] = std::nan("");
    put_axes(file, {x, axis_values(1), axis_values(2)});
  });
  expect_refusal("has no finite x at point [3, 2, 4]");
}

TEST_F(GridFiles, TurnedInsideOut) {
  write([](hid_t file) { put_axes(file, {axis_values(1), axis_values(0), axis_values(2)}); });
  expect_refusal("has a cell without positive volume at point [0, 0, 0]");
}

TEST_F(GridFiles, CutShort) {
  write([](hid_t file) { put_axes(file, {axis_values(0), axis_values(1), axis_values(2)}); });
  if (context_.rank() == 0) put_bytes(path_, bytes_of(path_).substr(0, 5000));
  context_.barrier();
  expect_refusal("cannot be opened: truncated file");
}

TEST_F(GridFiles, BoxOutside) {
  write([](hid_t file) { put_axes(file, {axis_values(0), axis_values(1), axis_values(2)}); });
  const io::GridFile file(context_, path_);
  const auto code = error_of([&] { file.read({{0, 0, 0}, {8, 6, 9}}); }).second;
  EXPECT_EQ(code, Exit::bad_input);
}

}  // namespace
}  // namespace sc::test
