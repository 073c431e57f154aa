#include "cli/text/class_name.h"

#include <vector>

#include "cli/text/display_text.h"
#include "common/snapshot/catalog.h"
#include "common/utf8.h"

namespace holdfast::cli {
namespace {

// Offsets just after each separator outside of brackets.
std::vector<std::size_t> part_starts(std::string_view name) {
  std::vector<std::size_t> starts{0};
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '[' || c == '(') ++depth;
    if (c == '>' || c == ']' || c == ')') --depth;
    if (c == '.' && depth <= 0) starts.push_back(i + 1);
  }
  return starts;
}

struct Cut {
  std::size_t head = 0;  // parts kept at the front
  std::size_t tail = 1;  // parts kept at the end
};

std::string joined(std::string_view name, const std::vector<std::size_t>& starts, Cut cut) {
  // The separator before the gap goes: "com.acme…pool.Session".
  std::string_view head = cut.head == 0 ? std::string_view{} : name.substr(0, starts[cut.head] - 1);
  return std::string(head).append(kEllipsis).append(name.substr(starts[starts.size() - cut.tail]));
}

constexpr std::string_view kLambda = "$$Lambda";

bool is_digits(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

// "shop.Window$$Lambda$14" -> "shop.Window$$Lambda"
std::string_view without_number(std::string_view name) {
  const std::size_t at = name.rfind(kLambda);
  if (at == std::string_view::npos) return name;
  const std::string_view rest = name.substr(at + kLambda.size());
  const bool number = rest.starts_with('$') && is_digits(rest.substr(1), "0123456789");
  return number ? name.substr(0, at + kLambda.size()) : name;
}

}  // namespace

std::string_view without_run(std::string_view name) {
  return without_number(name.substr(0, hidden_class_suffix(name)));
}

std::string shorten_middle(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns <= 1) return std::string(kEllipsis);
  const std::size_t head = (columns - 1) / 3;
  const std::string_view front = prefix_of_width(text, head);
  return std::string(front).append(kEllipsis).append(suffix_of_width(text, columns - 1 - head));
}

std::string shorten_name(std::string_view name, std::size_t columns) {
  if (display_width(name) <= columns) return std::string(name);
  const std::vector<std::size_t> starts = part_starts(name);
  Cut best;
  if (display_width(joined(name, starts, best)) > columns) {
    return shorten_middle(name.substr(starts.back()), columns);
  }
  bool at_head = true;  // front and end grow in turns, the front first
  for (int refused = 0; refused < 2 && best.head + best.tail + 1 < starts.size();
       at_head = !at_head) {
    Cut next = best;
    (at_head ? next.head : next.tail) += 1;
    if (display_width(joined(name, starts, next)) > columns) {
      ++refused;
    } else {
      best = next;
      refused = 0;
    }
  }
  return joined(name, starts, best);
}

}  // namespace holdfast::cli
