// One connection to an agent: a request goes out, answers come in, each whole and checked.
// Shape:  one buffer of kMaxAnswerBytes and one AnswerRoom; an answer lives until the next is asked for.
// Zone:   offline.
// Errors: Stop: the agent refused (2, 4 or 5), its answer is damaged or newer (3), it hung up or died (4).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cli/output_file.h"
#include "common/control/messages.h"

namespace holdfast::cli {

inline constexpr std::uint64_t kForever = UINT64_MAX;
// An agent answers from a thread that waits for nothing; only a stopped process or a drowned machine takes this long.
inline constexpr std::uint64_t kAnswerTimeoutNs = 10'000'000'000;

class AgentConnection {
 public:
  enum class Heard : std::uint8_t { kAnswer, kTimeout, kWoken };

  // Takes the descriptor. `pid` is for the words of errors.
  AgentConnection(int descriptor, std::uint32_t pid);
  ~AgentConnection();
  AgentConnection(const AgentConnection&) = delete;
  AgentConnection& operator=(const AgentConnection&) = delete;

  void send(const control::Request& request);
  // An answer of a kind that only newer versions know is passed over; a last one is a Stop (4).
  // Waits until an answer is whole, the deadline (monotonic) has passed, or one of `wakers` is readable; those below 0 are none.
  Heard next(std::uint64_t deadline_ns, std::span<const int> wakers = {});
  const control::Answer& answer() const { return answer_; }

  // One request, one answer of this kind, within kAnswerTimeoutNs.
  const control::Answer& ask(const control::Request& request, control::AnswerKind kind);

 private:
  bool decode_whole();
  void check_unknown(const control::Answer& answer) const;
  void drop(std::size_t bytes);
  bool receive();
  [[noreturn]] void hung_up() const;
  [[noreturn]] void refused() const;

  int descriptor_;
  std::uint32_t pid_;
  std::vector<std::byte> buffer_;
  std::size_t filled_ = 0;
  std::size_t decoded_ = 0;  // bytes up to the end of the answer that was given; next() drops them
  bool ended_ = false;       // the last answer was given
  std::unique_ptr<control::AnswerRoom> room_;
  control::Answer answer_;
};

// A request that is nothing but its command.
control::Request request_for(control::Command command);
// "process 4242: 3 rows are left out, ..." and a line end; empty where nothing is left out. Of a newer agent's longer lists.
std::string left_out_line(std::uint32_t pid, const control::Answer& answer);
// "process 4242 does not answer" and what may be the matter.
Stop no_answer(std::uint32_t pid, std::uint64_t waited_ns);

}  // namespace holdfast::cli
