#include "cli/text/golden_for_test.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace holdfast::cli {

void check_golden(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(__FILE__).parent_path() / "golden" / (name + ".txt");
  if (std::getenv("HF_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ostringstream wanted;
  wanted << std::ifstream(path, std::ios::binary).rdbuf();
  CHECK_MESSAGE(text == wanted.str(), path.string());
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

}  // namespace holdfast::cli
