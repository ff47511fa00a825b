// SPDX-License-Identifier: Apache-2.0
// A link that is shared evenly, against sums by hand.
#include <gtest/gtest.h>

#include "model/predict/shared_link.hpp"

namespace sc::model {
namespace {

using Times = std::vector<double>;

TEST(SharedLink, AMessageAloneHasTheWholeRate) {
  EXPECT_EQ(ends_on_link({}), Times{});
  EXPECT_EQ(ends_on_link({{0, 3, 4}}), Times{7});
  EXPECT_EQ(ends_on_link({{0, 20, 1}, {1, 3, 4}, {2, 7, 2}}), (Times{21, 7, 9}))
      << "one after the other, in any order";
}

TEST(SharedLink, MessagesThatBeginTogetherEndTogether) {
  EXPECT_EQ(ends_on_link({{0, 1, 2}, {1, 1, 2}, {2, 1, 2}}), (Times{7, 7, 7}));
}

// The first has the link for 2 s, then half of it for 4 s; the second half of it for 4 s, then all for 2 s.
TEST(SharedLink, ALaterMessageTakesHalfOfTheRate) {
  EXPECT_EQ(ends_on_link({{0, 0, 4}, {1, 2, 4}}), (Times{6, 8}));
}

// 1 s alone, 3 s of three messages at a third each: the short one ends at 4; then the others, 1 s each.
TEST(SharedLink, AShortMessageOvertakesLongOnes) {
  EXPECT_EQ(ends_on_link({{0, 0, 3}, {1, 1, 2}, {2, 1, 1}}), (Times{6, 6, 4}));
}

// The two of one connection take as long as the other's, which has as many bytes.
TEST(SharedLink, MessagesOfAConnectionAreTransferredInOrder) {
  EXPECT_EQ(ends_on_link({{0, 0, 1}, {1, 0, 2}, {0, 0, 1}}), (Times{2, 4, 4}));
  EXPECT_EQ(ends_on_link({{0, 0, 4}, {0, 2, 4}}), (Times{4, 8}));
}

// 1 s of three at a third each, then 8 s of four at a quarter each: the short one ends at 9, the others, with
// two thirds of a second left each, at 11.
TEST(SharedLink, MessagesThatAreAlikeAreCounted) {
  const Times ends = ends_on_link({{0, 0, 3, 3}, {1, 1, 2}});
  EXPECT_DOUBLE_EQ(ends[0], 11);
  EXPECT_DOUBLE_EQ(ends[1], 9);
}

}  // namespace
}  // namespace sc::model
