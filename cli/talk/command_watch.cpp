#include "cli/talk/command_watch.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/talk/live_table.h"
#include "cli/talk/watch_json.h"
#include "cli/text/number_text.h"
#include "common/time_units.h"
#include "platforms/clock.h"
#include "platforms/interrupts.h"
#include "platforms/terminal.h"

namespace holdfast::cli {
namespace {

using control::AnswerKind;
using control::Command;
using Heard = AgentConnection::Heard;

constexpr const char* kHome = "\x1b[H";       // to the upper left corner
constexpr const char* kEndOfLine = "\x1b[K";  // what stood there before goes
constexpr const char* kEndOfScreen = "\x1b[J";

WatchOrder next_order(WatchOrder order) {
  return order == WatchOrder::kInstances
             ? WatchOrder::kGrowth
             : static_cast<WatchOrder>(static_cast<std::uint8_t>(order) + 1);
}

// Drawn over the last frame without clearing first, so that nothing flickers; no line end after the last line, which would scroll.
std::string overdrawn(const std::string& frame) {
  std::string text = kHome;
  for (const char letter : frame.substr(0, frame.empty() ? 0 : frame.size() - 1)) {
    if (letter == '\n') text += kEndOfLine;
    text += letter;
  }
  return text + kEndOfLine + kEndOfScreen;
}

class Watch {
 public:
  Watch(const WatchCommand& command, Surroundings& surroundings, const AgentDoor& door)
      : command_(command), surroundings_(surroundings), door_(door) {
    options_.order = command.ordered || !command.once ? command.order : WatchOrder::kBytes;
    options_.filter = command.filter;
    options_.top = command.top;
    options_.colour = choose_colour(ColourChoice::kAuto, surroundings);
    live_ = surroundings.out_is_terminal && !surroundings.dumb_terminal && !command.json &&
            !command.once;
  }

  ExitCode run() {
    pid_ = door_.find(command_.process);
    AgentConnection agent(agent_socket(door_, pid_), pid_);
    state_.process = who();
    state_.holders = HolderWatch(command_.holders, pid_);
    if (const int error = interrupts_.open(); error != 0)
      throw Stop{ExitCode::kOurFault, std::string("signals: ") + std::strerror(error)};
    agent.send(request());
    if (live_) enter();
    while (goes_on()) listen(agent);
    screen_.leave();
    interrupts_.close();
    return written("watch", surroundings_);
  }

 private:
  bool goes_on() const {
    const std::uint64_t wanted = command_.once ? 1 : command_.count;
    return !ended_ && surroundings_.out && (wanted == 0 || classes_.taken() < wanted);
  }

  control::Request request() const {
    control::Request request = request_for(Command::kWatch);
    request.interval_ms = static_cast<std::uint32_t>(command_.interval_ns / kNsPerMs);
    return request;
  }

  // Who is watched is nice to know; a watch does not fail for it.
  WatchedProcess who() {
    AgentConnection agent(agent_socket(door_, pid_), pid_);
    const control::Status& status =
        agent.ask(request_for(Command::kStatus), AnswerKind::kStatus).status;
    return {std::string(status.main_name), pid_, std::string(status.host), status.vm_uptime_ms};
  }

  void listen(AgentConnection& agent) {
    const std::array<int, 2> wakers = {interrupts_.descriptor(), screen_.key_descriptor()};
    const Heard heard = agent.next(deadline(), wakers);
    if (heard == Heard::kTimeout) nothing_came();
    if (heard == Heard::kAnswer) hear(agent.answer());
    heed_signal();
    heed_key();
  }

  // An agent that answers a question, but takes no sample, has its reasons.
  [[noreturn]] void nothing_came() {
    who();
    throw Stop{
        ExitCode::kRefused,
        "process " + std::to_string(pid_) + ": no histogram within " +
            human_duration(kAnswerTimeoutNs + command_.interval_ns) +
            "; a dump may be running, or counting would stop the application for longer than "
            "pause= allows"};
  }

  // Samples may be far apart where one costs much; only the first must come soon. A process that is stopped says nothing for ever.
  std::uint64_t deadline() {
    if (classes_.taken() > 0) return kForever;
    if (first_deadline_ns_ == 0)
      first_deadline_ns_ = platforms::monotonic_ns() + kAnswerTimeoutNs + command_.interval_ns;
    return first_deadline_ns_;
  }

  void hear(const control::Answer& answer) {
    if (answer.kind != AnswerKind::kHistogram)
      throw Stop{ExitCode::kBadInput, "process " + std::to_string(pid_) +
                                          ": the agent answers something else than asked"};
    classes_.add(answer.histogram);
    note_sample(state_, answer.histogram, answer.collections);
    state_.ages = answer.ages;
    state_.left_out = answer.left_out;
    look_for_holders(answer.histogram.taken_utc_ms);
    if (answer.last) ended_ = true;
    if (!options_.paused) show();
  }

  // Where the last extended report is. Without an answer the watch goes on; if the process has gone, that shows soon enough.
  void look_for_holders(std::uint64_t sample_utc_ms) {
    if (!state_.holders.wants_status(sample_utc_ms)) return;
    try {
      AgentConnection agent(agent_socket(door_, pid_), pid_);
      state_.holders.look(agent.ask(request_for(Command::kStatus), AnswerKind::kStatus).status,
                          sample_utc_ms);
    } catch (const Stop& stop) {
      state_.holders.could_not_look(stop.text, sample_utc_ms);
    }
  }

  void show() {
    if (live_) return draw();
    options_.columns = choose_columns(0, surroundings_);
    if (command_.json) {
      const std::optional<Json> holders = state_.holders.changed_json();
      surroundings_.out << sample_json(state_, classes_, options_, !command_.once,
                                       holders ? &*holders : nullptr);
    } else if (command_.once) {
      surroundings_.out << histogram_text(state_, classes_, options_);
    } else {
      if (classes_.taken() > 1) surroundings_.out << '\n';
      surroundings_.out << frame_text(state_, classes_, options_);
    }
    surroundings_.out.flush();
  }

  // What is known is drawn at once. The keys are named only where some come: not when standard input is no terminal.
  void enter() {
    screen_.enter();
    options_.keys = screen_.key_descriptor() >= 0;
    draw();
  }

  void draw() {
    const platforms::TerminalFacts terminal = platforms::standard_output_terminal();
    if (terminal.columns != 0) surroundings_.terminal_columns = terminal.columns;
    options_.columns = choose_columns(0, surroundings_);
    options_.lines = terminal.rows;
    if (classes_.taken() == 0) return;
    surroundings_.out << overdrawn(frame_text(state_, classes_, options_)) << std::flush;
  }

  void heed_signal() {
    switch (interrupts_.take()) {
      case platforms::Interrupt::kEnd:
        ended_ = true;
        return;
      case platforms::Interrupt::kStop:
        screen_.leave();
        interrupts_.stop_process();
        if (live_) enter();
        return;
      case platforms::Interrupt::kResized:
        if (live_) draw();
        return;
      case platforms::Interrupt::kNone:
        return;
    }
  }

  void heed_key() {
    const int descriptor = screen_.key_descriptor();
    if (descriptor < 0) return;
    switch (screen_.read_key()) {
      case -1:
      case 'q':
      case 'Q':
        ended_ = true;
        return;
      case 's':
        options_.order = next_order(options_.order);
        return draw();
      case ' ':
        options_.paused = !options_.paused;
        return draw();
      default:
        return;
    }
  }

  const WatchCommand& command_;
  Surroundings& surroundings_;
  const AgentDoor& door_;
  std::uint32_t pid_ = 0;
  bool live_ = false;
  bool ended_ = false;
  std::uint64_t first_deadline_ns_ = 0;
  FrameOptions options_;
  WatchState state_;
  WatchedClasses classes_;
  platforms::Interrupts interrupts_;
  platforms::TerminalScreen screen_;
};

}  // namespace

ExitCode run_watch(const WatchCommand& command, Surroundings& surroundings, const AgentDoor& door) {
  return run_for_agent("watch", surroundings,
                       [&] { return Watch(command, surroundings, door).run(); });
}

}  // namespace holdfast::cli
