#include <gtest/gtest.h>

#include "many_clients.h"

namespace tinylm {
namespace {

TEST(ServerForAMinute, GivesEightClientsTheTextsOfTheCommandLine) {
  test::Served served;
  const test::ManyClients clients = test::ask_together(served, 8, 60.0);
  EXPECT_EQ(clients.problems, std::vector<std::string>());
  EXPECT_GE(clients.answers, 200);
}

}  // namespace
}  // namespace tinylm
