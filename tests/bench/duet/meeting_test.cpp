// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>

#include "bench/duet/join.h"
#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;

constexpr double long_enough = 60;

class DuetMeeting : public testing::Test {
 protected:
  DuetMeeting() { std::filesystem::create_directories(folder_); }
  ~DuetMeeting() override { std::filesystem::remove_all(folder_); }

  /// Both come at once; what one says, the other hears; one has listened.
  static void expect_meeting(const std::string& address) {
    const auto come = [&](const char* name, const char* other) {
      DuetLink link = meet(parse_duet("--duet", name + ("@" + address)), Deadline(long_enough));
      EXPECT_TRUE(link.send(std::string(name) + "\n"));
      EXPECT_EQ(link.receive_line(Deadline(long_enough)), other);
      return link.listened();
    };
    auto first = std::async(std::launch::async, come, "a", "b");
    auto second = std::async(std::launch::async, come, "b", "a");
    EXPECT_NE(first.get(), second.get());
  }
  [[nodiscard]] std::string refusal() const {
    return message_of([&] { meet(parse_duet("--duet", "a@" + path_), Deadline(long_enough)); });
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("duet_" + std::to_string(getpid()));
  std::string path_ = folder_ / "socket";
};

TEST_F(DuetMeeting, OneListensWhoeverComesFirst) {
  for (int i = 0; i < 100; ++i) {
    expect_meeting(path_);
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
  }
}

TEST_F(DuetMeeting, ByTcpToo) {
  // A port that nobody has now.
  Descriptor probe(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof any;
  ASSERT_EQ(bind(probe.get(), reinterpret_cast<sockaddr*>(&any), size), 0);
  ASSERT_EQ(getsockname(probe.get(), reinterpret_cast<sockaddr*>(&any), &size), 0);
  probe = Descriptor();
  for (int i = 0; i < 20; ++i) {
    expect_meeting("127.0.0.1:" + std::to_string(ntohs(any.sin_port)));
  }
}

TEST_F(DuetMeeting, WhatAKilledJobLeftIsRemoved) {
  {
    const Descriptor killed(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::ranges::copy(path_, name.sun_path);
    ASSERT_EQ(bind(killed.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  }
  ASSERT_TRUE(std::filesystem::is_socket(path_));
  expect_meeting(path_);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(DuetMeeting, OtherFilesStay) {
  std::ofstream(path_) << "precious";
  EXPECT_THAT(refusal(), HasSubstr("socket' exists and is no socket"));
  EXPECT_EQ(std::filesystem::file_size(path_), 8U);
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_THAT(refusal(), HasSubstr("exists and is no socket"));
  path_ += "/nosuch/socket";
  EXPECT_THAT(refusal(), HasSubstr("has a folder that cannot be used: No such file"));
}

TEST_F(DuetMeeting, AloneItEnds) {
  const std::string message =
      message_of<DuetError>([&] { meet(parse_duet("--duet", "a@" + path_), Deadline(0.05)); });
  EXPECT_EQ(message, "did not come within 0.05 s (--timeout)");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(DuetMeeting, HostsThatNobodyKnowsAreNamed) {
  EXPECT_THAT(
      message_of([] { meet(parse_duet("--duet", "a@no.such.host.invalid:7"), Deadline(1)); }),
      HasSubstr("'no.such.host.invalid:7' has a host that is not known"));
}

}  // namespace
}  // namespace gatherbench::bench
