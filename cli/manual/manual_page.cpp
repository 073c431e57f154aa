#include "cli/manual/manual_page.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <sstream>
#include <string_view>

#include "cli/text/display_text.h"
#include "common/version.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kItemIndent = 2;

constexpr std::uint32_t kAsciiEnd = 0x80;

const char* order_for(std::uint32_t character) {
  switch (character) {
    case '\\':
      return "\\(rs";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    case '`':
      return "\\(ga";
    default:
      return nullptr;
  }
}

// Text as roff: no character of it is an order, and a '-' stays one that can be pasted.
std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (const char* order = order_for(point.value); order != nullptr) {
      out += order;
    } else if (point.value < kAsciiEnd) {
      out += static_cast<char>(point.value);
    } else {
      char order_text[16];
      std::snprintf(order_text, sizeof order_text, "\\[u%04X]", static_cast<unsigned>(point.value));
      out += order_text;
    }
    text.remove_prefix(point.bytes);
  }
  return out;
}

// A line of text: one that begins with '.' or a quote would be a request.
std::string text_line(std::string_view text) {
  const std::string line = escaped(text);
  return (line.starts_with('.') ? "\\&" : "") + line + "\n";
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

std::string_view without_indent(std::string_view line) { return line.substr(indent_of(line)); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// "--json" is bold, "FILE" is a value.
std::string styled_term(const std::string& term) {
  std::istringstream words(term);
  std::string out;
  for (std::string word; words >> word;) {
    const bool value = std::ranges::all_of(word, [](char c) {
      return std::isupper(static_cast<unsigned char>(c)) != 0 ||
             std::ispunct(static_cast<unsigned char>(c)) != 0;
    });
    const bool option = word.starts_with('-') || !value;
    out +=
        (out.empty() ? "" : " ") + std::string(option ? "\\fB" : "\\fI") + escaped(word) + "\\fR";
  }
  return out;
}

class PageWriter {
 public:
  PageWriter(const CommandText& command, const std::vector<CommandText>& all)
      : command_(command), all_(all), lines_(lines_of(command.help)) {}

  std::string write() {
    head();
    for (at_ = 1; at_ < lines_.size(); ++at_) line(lines_[at_]);
    end_examples();
    spellings();
    see_also();
    return out_;
  }

 private:
  std::string title() const {
    return command_.name.empty() ? "holdfast" : "holdfast-" + command_.name;
  }

  static std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return escaped(text);
  }

  void head() {
    out_ += ".\\\" Made from 'holdfast" + (command_.name.empty() ? "" : " " + command_.name) +
            " --help'.\n.TH " + upper(title()) + " 1 \"\" \"holdfast " + escaped(kVersion) +
            "\" \"User Commands\"\n.SH NAME\n" + escaped(title()) + " \\- " + summary();
  }

  // "Dumps a running process, ..." without its full stop.
  std::string summary() const {
    std::string text = lines_.empty() ? "" : lines_.front();
    if (text.starts_with("holdfast ")) text.erase(0, std::string_view("holdfast ").size());
    if (!text.empty())
      text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    if (text.ends_with('.')) text.pop_back();
    return text_line(text);
  }

  void line(const std::string& text) {
    if (text.empty()) return blank();
    if (text.starts_with("Usage: ")) return synopsis(text.substr(7));
    if (text[0] != ' ') return outer_line(text);
    if (examples_) return example(text);
    if (indent_of(text) == kItemIndent) return item(text);
    out_ += text_line(without_indent(text));  // an item's description goes on
    term_open_ = false;
  }

  void blank() {
    paragraph_ended_ = true;
    term_open_ = false;
  }

  void synopsis(const std::string& usage) {
    out_ += ".SH SYNOPSIS\n" + styled_term(usage) + "\n.SH DESCRIPTION\n";
    begun_ = false;
  }

  // A section's name, or text.
  void outer_line(const std::string& text) {
    const bool next_is_item = at_ + 1 < lines_.size() && indent_of(lines_[at_ + 1]) == kItemIndent;
    if (text.ends_with(':') && next_is_item && paragraph_ended_) return section(text);
    if (text.starts_with("Exit code")) {
      end_examples();
      out_ += ".SH EXIT STATUS\n";
    } else if (begun_ && (paragraph_ended_ || in_items_)) {
      end_examples();
      out_ += ".PP\n";
    }
    in_items_ = false;
    paragraph_ended_ = false;
    begun_ = true;
    out_ += text_line(text);
  }

  // "Options:" and its like are sections; what else stands above options is a part of them.
  void section(const std::string& text) {
    end_examples();
    const std::string name = text.substr(0, text.size() - 1);
    const bool of_options = without_indent(lines_[at_ + 1]).starts_with('-');
    if (name == "Options" || name == "Examples" || name == "Commands") {
      out_ += ".SH " + upper(name) + "\n";
    } else if (of_options) {
      if (out_.find("\n.SH OPTIONS\n") == std::string::npos) out_ += ".SH OPTIONS\n";
      out_ += ".SS " + escaped(name) + "\n";
    } else {
      const std::size_t aside = std::min(name.find(" ("), name.size());
      out_ += ".SH " + upper(name.substr(0, aside)) + "\n";
      if (aside < name.size()) out_ += text_line(name.substr(aside + 1));
    }
    examples_ = name == "Examples";
    if (examples_) out_ += ".nf\n";
    in_items_ = false;
    paragraph_ended_ = false;
    description_column_ = most_usual_column();
  }

  void example(const std::string& text) { out_ += text_line(without_indent(text)); }

  void end_examples() {
    if (examples_) out_ += ".fi\n";
    examples_ = false;
  }

  // Where descriptions of this section stand: behind two blanks, in most of its items.
  std::size_t most_usual_column() const {
    std::map<std::size_t, std::size_t> counts;
    for (std::size_t i = at_ + 1; i < lines_.size(); ++i) {
      const std::string& text = lines_[i];
      if (!text.empty() && text[0] != ' ') break;
      if (indent_of(text) != kItemIndent) continue;
      const std::size_t gap = text.find("  ", kItemIndent);
      if (gap != std::string::npos) ++counts[text.find_first_not_of(' ', gap)];
    }
    std::size_t column = 0, most = 0;
    for (const auto& [at, count] : counts)
      if (count > most) {
        column = at;
        most = count;
      }
    return column;
  }

  void item(const std::string& text) {
    std::size_t behind = text.find("  ", kItemIndent);
    std::size_t description =
        behind == std::string::npos ? behind : text.find_first_not_of(' ', behind);
    // A term that is as long as its column leaves one blank.
    const std::size_t column = description_column_;
    const bool touches = column > kItemIndent && text.size() > column && text[column - 1] == ' ' &&
                         text[column] != ' ';
    if (behind == std::string::npos && touches) {
      behind = column - 1;
      description = column;
    }
    std::string term =
        text.substr(kItemIndent, behind == std::string::npos ? behind : behind - kItemIndent);
    out_ += (term_open_ ? ".TQ\n" : ".TP\n") + styled_term(with_long_name(term)) + "\n";
    term_open_ = description == std::string::npos;
    if (!term_open_) out_ += text_line(text.substr(description));
    in_items_ = true;
    paragraph_ended_ = false;
  }

  // "-o FILE" is "-o, --output FILE" in the tables.
  std::string with_long_name(const std::string& term) const {
    if (!term.starts_with('-') || term.starts_with("--")) return term;
    const std::string name = term.substr(0, 2);
    for (const auto& option : command_.options) {
      if (std::ranges::find(option, name) == option.end()) continue;
      std::string all = name;
      for (const std::string& other : option)
        if (other != name) all += ", " + other;
      return all + term.substr(2);
    }
    return term;
  }

  // What the help has no place for.
  void spellings() {
    std::string missing;
    for (const auto& option : command_.options)
      for (const std::string& name : option)
        if (out_.find(escaped(name)) == std::string::npos)
          missing += (missing.empty() ? "" : ", ") + name;
    if (!missing.empty()) out_ += ".SH OTHER OPTIONS\n" + styled_term(missing) + "\n";
  }

  void see_also() {
    out_ += ".SH SEE ALSO\n";
    std::vector<std::string> names;
    for (const CommandText& other : all_)
      if (other.name != command_.name)
        names.push_back(other.name.empty() ? "holdfast" : "holdfast-" + other.name);
    for (std::size_t i = 0; i < names.size(); ++i)
      out_ += ".BR " + escaped(names[i]) + " (1)" + (i + 1 < names.size() ? " ,\n" : "\n");
  }

  const CommandText& command_;
  const std::vector<CommandText>& all_;
  const std::vector<std::string> lines_;
  std::string out_;
  std::size_t at_ = 0, description_column_ = 0;
  bool begun_ = true;  // there is text in this section
  bool examples_ = false, in_items_ = false, paragraph_ended_ = false, term_open_ = false;
};

}  // namespace

std::string manual_file_name(const CommandText& command) {
  return (command.name.empty() ? std::string("holdfast") : "holdfast-" + command.name) + ".1";
}

std::string manual_page(const CommandText& command, const std::vector<CommandText>& all) {
  return PageWriter(command, all).write();
}

}  // namespace holdfast::cli
