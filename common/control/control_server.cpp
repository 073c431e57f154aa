#include "common/control/control_server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/log.h"
#include "platforms/clock.h"
#include "platforms/process.h"

namespace holdfast::control {

using platforms::Interest;

namespace {

constexpr std::uint32_t kListenerNumber = 0;  // connections have their index + 1
constexpr std::uint64_t kPostAgainNs = 1'000'000;

bool may_connect(const platforms::Peer& peer) noexcept {
  constexpr std::uint32_t kRoot = 0;
  return peer.user == kRoot || peer.user == platforms::effective_user();
}

}  // namespace

// -- load and end; any thread but the loop's --

Result<void> ControlServer::open(DumpEngine& engine, const Options& options,
                                 const ControlCalls& calls) noexcept {
  if (!options.control) return {};
  return open(engine, usual_places(options), calls);
}

Result<void> ControlServer::open(DumpEngine& engine, const SocketPlaces& places,
                                 const ControlCalls& calls) noexcept {
  const auto on_news = [](void* self) noexcept { static_cast<ControlServer*>(self)->on_news(); };
  HF_CHECK_OK(memory_.open(engine.ledger()));
  if (!engine.observe(on_news, this)) {
    memory_.close();
    return make_error(ErrorCode::kTooMany, DumpEngine::kMaxObservers);
  }
  engine_ = &engine;
  calls_ = calls;
  places_ = places;
  owner_ = platforms::process_id();
  commands_.open(engine, memory_, calls, counts_);
  return {};
}

void ControlServer::start() noexcept {
  if (engine_ == nullptr) return;
  const auto begin = [](void* self) noexcept {
    static_cast<ControlServer*>(self)->begin_serving();
  };
  if (!engine_->loop().post(begin, this))
    log_line(LogLevel::kInfo, "no control socket: the loop takes no tasks");
}

void ControlServer::close() noexcept {
  if (engine_ == nullptr) return;
  if (platforms::process_id() != owner_) {  // forked: the loop and the file are the parent's
    socket_.close();
    engine_ = nullptr;
    return;
  }
  const auto stop = [](void* raw) noexcept {
    auto& self = *static_cast<ControlServer*>(raw);
    self.stop_serving();
    platforms::MutexLock lock(self.mutex_);
    self.stopped_ = true;
    self.changed_.notify_all();
  };
  WorkerLoop& loop = engine_->loop();
  bool posted = loop.post(stop, this);
  while (!posted && loop.up()) {  // its queue is full
    platforms::sleep_ns(kPostAgainNs);
    posted = loop.post(stop, this);
  }
  if (posted) {
    platforms::MutexLock lock(mutex_);
    while (!stopped_) changed_.wait(mutex_);
  } else {
    stop_serving();  // nobody else runs here any more
  }
  memory_.close();
  engine_ = nullptr;
}

// -- the loop's thread --

void ControlServer::begin_serving() noexcept {
  if (const Result<void> up = listen(); !up) {
    stop_serving();
    const Error& why = up.error();
    log_line(LogLevel::kInfo, "no control socket: %s",
             why.code == ErrorCode::kIo ? std::strerror(static_cast<int>(why.detail))
                                        : error_text(why.code).data());
    return;
  }
  serving_.store(true, std::memory_order_release);
  log_line(LogLevel::kInfo, "control socket: %s/%s", socket_.directory(), socket_.name());
}

Result<void> ControlServer::listen() noexcept {
  ready_set_ = platforms::open_ready_set();
  if (ready_set_ < 0) return make_error(ErrorCode::kIo, -ready_set_);
  HF_CHECK_OK(socket_.open(places_));
  const int refused =
      platforms::watch_ready(ready_set_, socket_.descriptor(), kListenerNumber, Interest::kRead);
  if (refused != 0) return make_error(ErrorCode::kIo, refused);
  const auto ready = [](void* self) noexcept { static_cast<ControlServer*>(self)->on_ready(); };
  return engine_->loop().watch_descriptor(ready_set_, ready, this);
}

void ControlServer::stop_serving() noexcept {
  serving_.store(false, std::memory_order_release);
  for (Client& client : clients_) end(client);
  engine_->loop().clear_timer(&alarm_task, this);
  if (ready_set_ >= 0) {
    engine_->loop().unwatch_descriptor();
    platforms::close_socket(ready_set_);
  }
  ready_set_ = -1;
  alarm_ns_ = accept_again_ns_ = kNoDeadline;
  socket_.close();
}

// The listener comes last: a place that becomes free in this turn must not get what was told of its old connection.
void ControlServer::on_ready() noexcept {
  if (hear_clients()) accept_all();
  set_alarm();
}

// True when somebody knocked.
bool ControlServer::hear_clients() noexcept {
  platforms::Ready ready[kMaxConnections + 1];
  const int count = platforms::take_ready(ready_set_, ready, kMaxConnections + 1);
  bool knocked = false;
  for (int i = 0; i < count; ++i) {
    if (ready[i].number == kListenerNumber)
      knocked = true;
    else
      on_client(clients_[ready[i].number - 1], ready[i]);
  }
  return knocked;
}

void ControlServer::on_client(Client& client, const platforms::Ready& ready) noexcept {
  if (!client.connection.in_use()) return;
  if (ready.readable) receive(client);
  if (!client.connection.in_use()) return;
  client.broken = client.broken || ready.gone;
  if (client.broken) return settle(client);
  if (!ready.writable) return;
  client.broken = !client.connection.flush();
  commands_.look(client);
  settle(client);
}

void ControlServer::receive(Client& client) noexcept {
  switch (client.connection.receive()) {
    case Connection::Received::kMore:
      return;
    case Connection::Received::kBroken:
      return cut_off(client);
    case Connection::Received::kWhole:
      ++counts_.connections;
      if (!commands_.begin(client, client.connection.message())) {
        --counts_.connections;
        return cut_off(client);
      }
      return settle(client);
  }
}

void ControlServer::on_news() noexcept {
  if (!serving()) return;
  for (Client& client : clients_) {
    if (!client.connection.in_use()) continue;
    commands_.look(client);
    settle(client);
  }
  set_alarm();
}

void ControlServer::alarm_task(void* server) noexcept {
  static_cast<ControlServer*>(server)->on_alarm();
}

void ControlServer::on_alarm() noexcept {
  if (!serving()) return;
  alarm_ns_ = kNoDeadline;
  const std::uint64_t now_ns = platforms::monotonic_ns();
  for (Client& client : clients_) {
    if (!client.connection.in_use()) continue;
    if (client.connection.deadline_ns() <= now_ns) {
      cut_off(client);
    } else if (client.look_at_ns <= now_ns) {
      commands_.look(client);
      settle(client);
    }
  }
  if (accept_again_ns_ <= now_ns) {
    accept_again_ns_ = kNoDeadline;
    platforms::change_ready(ready_set_, socket_.descriptor(), kListenerNumber, Interest::kRead);
  }
  set_alarm();
}

// -- connections --

void ControlServer::accept_all() noexcept {
  for (int i = 0; i < kMaxAcceptsATurn; ++i) {
    const int descriptor = platforms::accept_connection(socket_.descriptor());
    if (descriptor >= 0)
      admit(descriptor);
    else if (descriptor == -EAGAIN)
      return;
    else
      return pause_accepting();
  }
}

void ControlServer::admit(int descriptor) noexcept {
  platforms::Peer peer;
  std::size_t place = free_place();
  if (place == kMaxConnections) {  // of those who came in this turn some may have hung up already
    (void)hear_clients();
    place = free_place();
  }
  if (place == kMaxConnections || !platforms::peer_of(descriptor, peer) || !may_connect(peer)) {
    ++counts_.connections_refused;
    return platforms::close_socket(descriptor);
  }
  const auto number = static_cast<std::uint32_t>(place);
  if (!clients_[place].connection.open(descriptor, ready_set_, number, memory_))
    ++counts_.connections_refused;
}

std::size_t ControlServer::free_place() const noexcept {
  std::size_t place = 0;
  while (place < kMaxConnections && clients_[place].connection.in_use()) ++place;
  return place;
}

// The system has no descriptor or memory for it: the one who knocks stays there, and must not keep the loop awake meanwhile.
void ControlServer::pause_accepting() noexcept {
  accept_again_ns_ = platforms::monotonic_ns() + kAcceptPauseNs;
  platforms::change_ready(ready_set_, socket_.descriptor(), kListenerNumber, Interest::kNothing);
}

// A peer that does not wait for the answer has still asked for what it asked for.
void ControlServer::settle(Client& client) noexcept {
  const bool taken = client.finished && !client.connection.blocked();
  if (!taken && !client.broken) return;
  const bool detach = client.detach;
  end(client);
  if (detach) calls_.detach_requested(calls_.context);
}

void ControlServer::cut_off(Client& client) noexcept {
  ++counts_.connections_refused;
  client.broken = true;
  settle(client);
}

void ControlServer::end(Client& client) noexcept {
  if (!client.connection.in_use()) return;
  commands_.end(client);
  client.connection.close();
  client = Client{};
}

void ControlServer::set_alarm() noexcept {
  std::uint64_t next_ns = accept_again_ns_;
  for (const Client& client : clients_) {
    if (!client.connection.in_use()) continue;
    next_ns = std::min(next_ns, client.connection.deadline_ns());
    if (!client.connection.blocked()) next_ns = std::min(next_ns, client.look_at_ns);
  }
  // An alarm that comes too early only looks again, so a later deadline needs no new one.
  if (next_ns >= alarm_ns_) return;
  const std::uint64_t now_ns = platforms::monotonic_ns();
  if (engine_->loop().set_timer(&alarm_task, this, next_ns - std::min(next_ns, now_ns)))
    alarm_ns_ = next_ns;
}

}  // namespace holdfast::control
