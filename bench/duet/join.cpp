// SPDX-License-Identifier: BSD-3-Clause
#include "bench/duet/join.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/host/file_lock.h"
#include "bench/host/rank_zero.h"
#include "bench/host/watchdog.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {

namespace {

constexpr std::string_view greeting = "gatherbench duet 2";  // the number is the protocol's
constexpr std::int64_t max_cases = 1'000'000'000;

std::string value_in(const formats::Metadata& metadata, std::string_view key) {
  const auto entry =
      std::ranges::find_if(metadata, [&](const auto& each) { return each.first == key; });
  return entry == metadata.end() ? "nothing" : entry->second;
}

}  // namespace

std::string format_hello(const DuetHello& hello) {
  std::string text = fmt::format(
      "{}\nname={}\nnew_pair={}\nresumed_pair={}\nfinished={}\nseed_is_fixed={}\nseed={}\n",
      greeting, hello.name, hello.new_pair, hello.resumed_pair, hello.finished,
      hello.seed_is_fixed ? "yes" : "no", hello.seed);
  for (const auto& [key, value] : hello.must_agree) text += fmt::format("{}={}\n", key, value);
  return text + '\n';
}

DuetHello receive_hello(DuetLink& link, const Deadline& deadline) {
  const std::string first = link.receive_line(deadline);
  if (first != greeting) {
    throw text::InputError(
        fmt::format("--duet: what answers there says '{}', not '{}': it is no partner, or of "
                    "another version",
                    first, greeting));
  }
  DuetHello hello;
  const auto next = [&](std::string_view key) {
    const std::string line = link.receive_line(deadline);
    if (!line.starts_with(key) || line.substr(key.size(), 1) != "=") {
      throw text::InputError(
          fmt::format("--duet: the partner says '{}' instead of its {}", line, key));
    }
    return line.substr(key.size() + 1);
  };
  hello.name = next("name");
  hello.new_pair = next("new_pair");
  hello.resumed_pair = next("resumed_pair");
  hello.finished =
      static_cast<std::size_t>(text::parse_integer("--duet", next("finished"), 0, max_cases));
  hello.seed_is_fixed = next("seed_is_fixed") == "yes";
  hello.seed = next("seed");
  for (;;) {
    const std::string line = link.receive_line(deadline);
    if (line.empty()) return hello;
    const std::size_t equals = std::min(line.find('='), line.size() - 1);
    hello.must_agree.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
}

namespace {

text::InputError differs(std::string_view option_value, const std::string& what) {
  return text::bad_value("--duet", option_value, what);
}

void require_same_cases(std::string_view value, const DuetHello& own, const DuetHello& partner) {
  if (own.name == partner.name) {
    throw differs(value,
                  "the partner has the same name; legal: a name of its own for each of the two");
  }
  formats::Metadata all = own.must_agree;
  all.insert(all.end(), partner.must_agree.begin(), partner.must_agree.end());
  for (const auto& [key, unused] : all) {
    const std::string here = value_in(own.must_agree, key);
    const std::string there = value_in(partner.must_agree, key);
    if (here == there) continue;
    throw differs(value,
                  fmt::format("{} differs: '{}' here, '{}' of {}", key, here, there, partner.name));
  }
  if (own.seed_is_fixed && partner.seed_is_fixed && own.seed != partner.seed) {
    throw differs(value, fmt::format("seed differs: '{}' here, '{}' of {}", own.seed, partner.seed,
                                     partner.name));
  }
}

/// Throws InputError where --resume of the two jobs would go on with files of different duets.
void require_same_files(std::string_view value, const DuetHello& own, const DuetHello& partner) {
  if (!own.resumed_pair.empty() && !partner.resumed_pair.empty() &&
      own.resumed_pair != partner.resumed_pair) {
    throw differs(value,
                  fmt::format("--resume: the file here is of duet {}, that of {} is of duet {}",
                              own.resumed_pair, partner.name, partner.resumed_pair));
  }
  // A kill between the two appends leaves one file a case longer: that case is run again. Further
  // cases are not ours to throw away.
  const auto [fewer, more] = std::minmax(own.finished, partner.finished);
  if (more - fewer > 1) {
    throw differs(value,
                  fmt::format("--resume: {} cases are finished here, {} of {}; the two files of a "
                              "duet are one case apart at most",
                              own.finished, partner.finished, partner.name));
  }
}

}  // namespace

DuetTerms agree(std::string_view value, const DuetHello& own, const DuetHello& partner) {
  require_same_cases(value, own, partner);
  require_same_files(value, own, partner);
  // A lot decides who begins, so that over several duets both sides bear what being first may cost.
  const bool begins = std::tie(own.new_pair, own.name) < std::tie(partner.new_pair, partner.name);
  std::string pair = own.resumed_pair.empty() ? partner.resumed_pair : own.resumed_pair;
  if (pair.empty()) pair = begins ? own.new_pair : partner.new_pair;
  const bool takes_own = own.seed_is_fixed || (begins && !partner.seed_is_fixed);
  return {partner.name, std::move(pair), begins, std::min(own.finished, partner.finished),
          takes_own ? own.seed : partner.seed};
}

namespace {

constexpr std::chrono::milliseconds retry_after{50};
constexpr int few_waiting = 8;

std::string error_text(int number) { return std::generic_category().message(number); }

text::InputError unusable(const DuetAddress& address, std::string_view why) {
  return text::bad_value("--duet", address.address, why);
}

DuetError no_partner(const Deadline& deadline) {
  return DuetError(fmt::format("did not come within {:g} s (--timeout)", deadline.seconds));
}

Descriptor new_socket(int family, int flags = 0) {
  Descriptor made(socket(family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!made.is_open()) throw std::system_error(errno, std::generic_category(), "socket");
  return made;
}

Descriptor accept_partner(const Descriptor& listener, const Deadline& deadline) {
  while (wait_for(listener, POLLIN, deadline)) {
    Descriptor partner(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (partner.is_open()) return partner;
  }
  throw no_partner(deadline);
}

/// A socket file of ours, removed when it is of no use any more or the watchdog ends the process.
class SocketFile {
 public:
  explicit SocketFile(std::string path) : path_(std::move(path)) { Watchdog::remove_at_end(path_); }
  ~SocketFile() {
    unlink(path_.c_str());
    Watchdog::remove_at_end("");
  }
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;

 private:
  std::string path_;
};

sockaddr_un name_of(const DuetAddress& address) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, address.path.data(), address.path.size());
  return name;
}

/// Connects to the socket of a path. If nobody listens there any more, removes the file and returns
/// none. Throws InputError where either fails.
std::optional<Descriptor> connect_to_path(const DuetAddress& address) {
  const sockaddr_un name = name_of(address);
  Descriptor socket = new_socket(AF_UNIX);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0) {
    return socket;
  }
  if (errno != ECONNREFUSED || unlink(address.path.c_str()) != 0) {
    throw unusable(address, fmt::format("cannot be connected to: {}", error_text(errno)));
  }
  return std::nullopt;
}

/// A lock on the folder keeps the other job from looking for a socket at the same time.
class LockedFolder {
 public:
  LockedFolder(const DuetAddress& address, const Deadline& deadline) {
    const std::string folder = address.path.substr(0, address.path.rfind('/') + 1);
    folder_ = Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_.is_open()) throw cannot_be_used(address, error_text(errno));
    while (!is_taken(address)) {
      if (std::chrono::steady_clock::now() >= deadline.end) throw cannot_be_used(address, why_not_);
      Watchdog::beat();
      std::this_thread::sleep_for(retry_after);
    }
  }

 private:
  static text::InputError cannot_be_used(const DuetAddress& address, const std::string& why) {
    return unusable(address, fmt::format("has a folder that cannot be used: {}", why));
  }
  bool is_taken(const DuetAddress& address) {
    try {
      why_not_ = lock_.take(folder_.get(), address.path);
    } catch (const std::system_error& error) {
      throw cannot_be_used(address, error_text(error.code().value()));
    }
    return why_not_.empty();
  }

  Descriptor folder_;
  FileLock lock_;
  std::string why_not_;
};

DuetLink meet_at_path(const DuetAddress& address, const Deadline& deadline) {
  std::optional<LockedFolder> locked(std::in_place, address, deadline);
  struct stat found {};
  const bool exists = lstat(address.path.c_str(), &found) == 0;
  if (exists && !S_ISSOCK(found.st_mode)) {
    throw unusable(address, "exists and is no socket; name another path");
  }
  if (exists) {
    if (auto partner = connect_to_path(address)) return {std::move(*partner), false};
  }
  const sockaddr_un name = name_of(address);
  const Descriptor listener = new_socket(AF_UNIX);
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
    throw unusable(address, fmt::format("cannot be made: {}", error_text(errno)));
  }
  const SocketFile file(address.path);
  if (listen(listener.get(), few_waiting) != 0) {
    throw unusable(address, fmt::format("cannot be listened at: {}", error_text(errno)));
  }
  locked.reset();
  return {accept_partner(listener, deadline), true};
}

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

AddressList resolve(const DuetAddress& address) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found);
  if (failed != 0) {
    throw unusable(address, fmt::format("has a host that is not known: {}", gai_strerror(failed)));
  }
  return {found, freeaddrinfo};
}

using Addresses = std::vector<const addrinfo*>;

/// Returns the addresses of the families that this kernel has: it may be one without IPv6. Throws
/// InputError if there are none.
Addresses find_usable(const DuetAddress& address, const addrinfo& list) {
  Addresses usable;
  for (const addrinfo* one = &list; one != nullptr; one = one->ai_next) {
    const Descriptor tried(socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (tried.is_open() || errno != EAFNOSUPPORT) usable.push_back(one);
  }
  if (usable.empty()) {
    throw unusable(address, fmt::format("has a host that cannot be reached from here: {}",
                                        error_text(EAFNOSUPPORT)));
  }
  return usable;
}

/// Listens at an address of this host. Returns none if the host is another one, or if another
/// program listens there already. Throws InputError if the address cannot be used.
std::optional<Descriptor> listen_here(const DuetAddress& address, const Addresses& usable) {
  for (const addrinfo* one : usable) {
    Descriptor listener = new_socket(one->ai_family);
    const int yes = 1;  // else a port that was just used is taken for a minute
    setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener.get(), one->ai_addr, one->ai_addrlen) == 0 &&
        listen(listener.get(), few_waiting) == 0) {
      return listener;
    }
    if (errno == EADDRINUSE) return std::nullopt;
    if (errno != EADDRNOTAVAIL) {
      throw unusable(address, fmt::format("cannot be listened at: {}", error_text(errno)));
    }
  }
  return std::nullopt;
}

std::optional<Descriptor> connect_to(const Addresses& usable, const Deadline& deadline) {
  for (const addrinfo* one : usable) {
    Descriptor socket = new_socket(one->ai_family, SOCK_NONBLOCK);
    if (connect(socket.get(), one->ai_addr, one->ai_addrlen) != 0) {
      if (errno != EINPROGRESS || !wait_for(socket, POLLOUT, deadline)) continue;
      int failed = 0;
      socklen_t size = sizeof failed;
      if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &failed, &size) != 0 || failed != 0) {
        continue;
      }
    }
    fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
    return socket;
  }
  return std::nullopt;
}

DuetLink meet_at_port(const DuetAddress& address, const Deadline& deadline) {
  const AddressList list = resolve(address);
  const Addresses usable = find_usable(address, *list);
  const auto linked = [](Descriptor socket, bool listened) {
    const int yes = 1;  // a turn is a few bytes and urgent
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return DuetLink(std::move(socket), listened);
  };
  while (std::chrono::steady_clock::now() < deadline.end) {
    if (const auto listener = listen_here(address, usable)) {
      return linked(accept_partner(*listener, deadline), true);
    }
    if (auto connected = connect_to(usable, deadline)) return linked(std::move(*connected), false);
    Watchdog::beat();
    std::this_thread::sleep_for(retry_after);
  }
  throw no_partner(deadline);
}

}  // namespace

DuetLink meet(const DuetAddress& address, const Deadline& deadline) {
  return address.path.empty() ? meet_at_port(address, deadline) : meet_at_path(address, deadline);
}

namespace {

std::string draw_id() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

DuetTerms say_hello(DuetLink& link, const DuetAddress& address, const DuetHello& own,
                    const Deadline& deadline) {
  // They speak one after the other: two long texts at once could fill both ways and wait for ever.
  const auto speak = [&] {
    if (!link.send(format_hello(own))) throw DuetError("has ended");
  };
  if (link.listened()) speak();
  const DuetHello partner = receive_hello(link, deadline);
  if (!link.listened()) speak();
  return agree(address.text(), own, partner);
}

}  // namespace

Duet join_duet(const DuetAddress& address, DuetHello own, double timeout, MPI_Comm world) {
  const int rank = mpi::rank_of(world);
  Duet duet;
  DuetLink link;
  DuetTerms agreed{};
  std::exception_ptr refused;
  if (rank == 0) {
    try {
      own.name = address.name;
      own.new_pair = draw_id();
      const Deadline deadline(timeout);
      link = meet(address, deadline);
      agreed = say_hello(link, address, own, deadline);
    } catch (const text::InputError&) {
      refused = std::current_exception();
    } catch (const DuetError& error) {
      throw std::runtime_error(
          fmt::format("--duet: '{}': the partner {}", address.text(), error.what()));
    }
  }
  broadcast_quietly(0, world);
  run_on_rank_zero(world, [&] {
    if (refused) std::rethrow_exception(refused);
  });
  if (rank == 0) {
    duet.metadata = {{"duet_partner", agreed.partner},
                     {"duet_pair", agreed.pair},
                     {"duet_begins", agreed.begins ? "yes" : "no"},
                     {"duet_address", address.address}};
    duet.max_cases = agreed.finished;
    duet.seed = agreed.seed;
  }
  duet.turns = Turns(std::move(link), agreed.begins,
                     fmt::format("--duet: '{}': the partner {}", address.text(), agreed.partner),
                     timeout, world);
  return duet;
}

}  // namespace gatherbench::bench
