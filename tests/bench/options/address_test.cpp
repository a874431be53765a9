// SPDX-License-Identifier: BSD-3-Clause
#include "bench/options/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/message_of.h"

namespace gatherbench::bench {
namespace {

using testing::HasSubstr;

DuetAddress parse(std::string_view text) { return parse_duet("--duet", text); }
std::string refusal(std::string_view text) {
  return message_of([&] { parse(text); });
}

TEST(DuetAddress, IsAPathOrAHostAndAPort) {
  const DuetAddress unix_socket = parse("openmpi-4.1@/tmp/a@b:7");
  EXPECT_EQ(unix_socket.name, "openmpi-4.1");
  EXPECT_EQ(unix_socket.path, "/tmp/a@b:7");
  EXPECT_EQ(unix_socket.text(), "openmpi-4.1@/tmp/a@b:7");
  const DuetAddress tcp = parse("A@node7.cluster:7000");
  EXPECT_EQ(tcp.path, "");
  EXPECT_EQ(tcp.host, "node7.cluster");
  EXPECT_EQ(tcp.port, "7000");
  EXPECT_EQ(tcp.address, "node7.cluster:7000");
  EXPECT_EQ(parse("A@[::1]:7").host, "::1");
}

TEST(DuetAddress, RefusalsSayWhatIsLegal) {
  constexpr const char* form = "legal: NAME@/PATH or NAME@HOST:PORT";
  EXPECT_THAT(refusal(""), HasSubstr(form));
  EXPECT_THAT(refusal("/tmp/x"), testing::AllOf(HasSubstr("'/tmp/x' has no @"), HasSubstr(form)));
  EXPECT_THAT(refusal("@/tmp/x"), HasSubstr("has no name"));
  EXPECT_THAT(refusal("A B@/tmp/x"), HasSubstr("'A B' is no name"));
  EXPECT_THAT(refusal("A@"), HasSubstr(form));
  EXPECT_THAT(refusal("A@duet.sock"), HasSubstr(form));
  EXPECT_THAT(refusal("A@:7000"), HasSubstr(form));
  EXPECT_THAT(refusal("A@node7:0"), HasSubstr("'0' is not between 1 and 65535"));
  EXPECT_THAT(refusal("A@node7:65536"), HasSubstr("'65536' is not between 1 and 65535"));
  EXPECT_THAT(refusal("A@node7:http"), HasSubstr("'http'"));
  EXPECT_THAT(refusal("A@/" + std::string(107, 'x')), HasSubstr("108 bytes long"));
  EXPECT_EQ(parse("A@/" + std::string(106, 'x')).path.size(), 107U);
}

}  // namespace
}  // namespace gatherbench::bench
