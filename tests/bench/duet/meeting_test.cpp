// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "bench/duet/join.h"
#include "tests/message_of.h"

namespace {

bool has_ipv6 = true;                             // the kernel
std::vector<const char*> addresses_of_localhost;  // none: those that it has

}  // namespace

// A kernel without IPv6, and a file of hosts that has "::1 localhost" all the same.

extern "C" int socket(int family, int type, int protocol) noexcept {
  if (family == AF_INET6 && !has_ipv6) {
    errno = EAFNOSUPPORT;
    return -1;
  }
  return static_cast<int>(syscall(SYS_socket, family, type, protocol));
}

extern "C" int getaddrinfo(const char* host, const char* port, const addrinfo* wanted,
                           addrinfo** found) {
  using Function = int(const char*, const char*, const addrinfo*, addrinfo**);
  auto* const original = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (host == nullptr || std::string(host) != "localhost" || addresses_of_localhost.empty()) {
    return original(host, port, wanted, found);
  }
  addrinfo** end = found;
  for (const char* const address : addresses_of_localhost) {
    if (const int failed = original(address, port, wanted, end); failed != 0) return failed;
    end = &(*end)->ai_next;
  }
  return 0;
}

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
  /// A port that nobody has now.
  static std::string free_port() {
    const Descriptor probe(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof any;
    EXPECT_EQ(bind(probe.get(), reinterpret_cast<sockaddr*>(&any), size), 0);
    EXPECT_EQ(getsockname(probe.get(), reinterpret_cast<sockaddr*>(&any), &size), 0);
    return std::to_string(ntohs(any.sin_port));
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
  const std::string port = free_port();
  for (int i = 0; i < 20; ++i) expect_meeting("127.0.0.1:" + port);
}

TEST_F(DuetMeeting, AddressesThatTheKernelLacksAreLeftOut) {
  const std::string port = free_port();
  has_ipv6 = false;
  addresses_of_localhost = {"::1", "127.0.0.1"};
  expect_meeting("localhost:" + port);
  addresses_of_localhost = {"::1"};
  EXPECT_THAT(
      message_of([&] { meet(parse_duet("--duet", "a@localhost:" + port), Deadline(long_enough)); }),
      HasSubstr("' has a host that cannot be reached from here: Address family not supported"));
  has_ipv6 = true;
  addresses_of_localhost.clear();
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
