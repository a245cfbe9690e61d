#include "serve/access.h"

#include <gtest/gtest.h>

namespace tinylm {
namespace {

HttpRequest asking(const std::string& host) {
  return {
      .method = "POST", .path = "/next", .host = host, .origin = "", .fetch_site = "", .authorization = "", .body = ""};
}

int status_of(const HttpRequest& request, const std::string& token = "") {
  const std::optional<ApiError> error = refusal(request, token);
  return error ? error->status : 200;
}

TEST(Access, TakesTheNamesOfThisMachineAlone) {
  for (const char* host : {"localhost", "LocalHost:8080", "127.0.0.1:80", "127.1.2.3", "[::1]:8080", "[::1]"})
    EXPECT_EQ(status_of(asking(host)), 200) << host;
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8080", "192.168.0.1",
                           "0.0.0.0", "[::2]", "::1", "localhost@evil.example"})
    EXPECT_EQ(status_of(asking(host)), 403) << host;
  EXPECT_EQ(status_of(asking("")), 400);
}

TEST(Access, TakesTheOriginOfItsOwnPageAlone) {
  HttpRequest request = asking("127.0.0.1:8080");
  request.origin = "http://127.0.0.1:8080";
  EXPECT_EQ(status_of(request), 200);
  for (const char* origin :
       {"http://evil.example", "http://127.0.0.1:9000", "http://localhost:8080", "null", "file://"}) {
    request.origin = origin;
    EXPECT_EQ(status_of(request), 403) << origin;
    EXPECT_EQ(status_of(request, "a secret token"), 403) << origin;
  }
}

TEST(Access, RefusesWhatPagesOfOtherSitesLoad) {
  HttpRequest request = asking("localhost:8080");
  request.method = "GET";
  request.path = "/model";
  for (const char* site : {"cross-site", "same-site"}) {
    request.fetch_site = site;
    request.path = "/model";
    EXPECT_EQ(status_of(request), 403) << site;
    request.path = "/";  // a link that is followed
    EXPECT_EQ(status_of(request), 200) << site;
  }
  for (const char* site : {"same-origin", "none"}) {
    request.fetch_site = site;
    request.path = "/model";
    EXPECT_EQ(status_of(request), 200) << site;
  }
}

TEST(Access, AsksForTheTokenWhereThereIsOne) {
  const std::string token = "a-secret-token";
  HttpRequest request = asking("my-machine.example:8080");
  EXPECT_EQ(status_of(request, token), 401);
  for (const char* wrong : {"a-secret-token", "Bearer a-secret-toker", "Bearer a-secret-token2", "Bearer ", "Bearer",
                            "Basic a-secret-token"}) {
    request.authorization = wrong;
    EXPECT_EQ(status_of(request, token), 401) << wrong;
  }
  request.authorization = "Bearer a-secret-token";
  EXPECT_EQ(status_of(request, token), 200);
  request.authorization = "bearer a-secret-token";
  EXPECT_EQ(status_of(request, token), 200);
}

TEST(Access, LeavesThePageAndTheHealthOpen) {
  HttpRequest request = asking("my-machine.example");
  request.method = "GET";
  for (const char* path : {"/", "/health"}) {
    request.path = path;
    EXPECT_EQ(status_of(request, "a-secret-token"), 200) << path;
  }
}

TEST(Access, KnowsTheAddressesOfThisMachine) {
  EXPECT_EQ(is_loopback("127.0.0.1"), true);
  EXPECT_EQ(is_loopback("::1"), true);
  EXPECT_EQ(is_loopback("0.0.0.0"), false);
  EXPECT_EQ(is_loopback("10.0.0.1"), false);
  EXPECT_EQ(is_loopback("localhost"), std::nullopt);
  EXPECT_EQ(is_loopback("127.0.0.1.evil.example"), std::nullopt);
}

}  // namespace
}  // namespace tinylm
