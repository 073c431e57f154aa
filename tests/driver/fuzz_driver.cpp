// Runs a fuzz target without libFuzzer: every seed once, then a fixed number of seeded mutations, so
// that each preset's ctest covers the readers with the same inputs on every machine.
// Usage:  <fuzzer> [-runs=N] [-seed=N] [seed file or folder...]
// A fuzz file that can build valid input defines hf_fuzz_seed; its bytes join the seeds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);
extern "C" [[gnu::weak]] std::size_t hf_fuzz_seed(std::uint8_t* out, std::size_t capacity);

namespace {

using Input = std::vector<std::uint8_t>;
using Random = std::mt19937_64;

constexpr std::size_t kMaxInputBytes = std::size_t{1} << 20;  // as much as a report's usual size
constexpr int kMaxEditsPerInput = 8;

struct Plan {
  std::uint64_t runs = 20000;
  std::uint64_t seed = 1;
  std::vector<Input> corpus;
};

Input read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Input(std::istreambuf_iterator<char>(in), {});
}

void add_seeds(Plan& plan, const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry);
  } else {
    files.push_back(path);
  }
  std::sort(files.begin(), files.end());  // the order of a directory is not the same everywhere
  for (const auto& file : files) plan.corpus.push_back(read_file(file));
}

void add_built_seed(Plan& plan) {
  if (hf_fuzz_seed == nullptr) return;
  Input input(kMaxInputBytes);
  input.resize(hf_fuzz_seed(input.data(), input.size()));
  plan.corpus.push_back(std::move(input));
}

Plan read_arguments(int argc, char** argv) {
  Plan plan;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with("-runs=")) {
      plan.runs = std::strtoull(argv[i] + 6, nullptr, 10);
    } else if (word.starts_with("-seed=")) {
      plan.seed = std::strtoull(argv[i] + 6, nullptr, 10);
    } else if (!word.starts_with("-")) {
      add_seeds(plan, word);
    }
  }
  add_built_seed(plan);
  plan.corpus.emplace_back();
  return plan;
}

std::size_t below(Random& random, std::size_t bound) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

std::uint8_t any_byte(Random& random) { return static_cast<std::uint8_t>(random()); }

// Numbers at the edges find more than any others.
void overwrite_word(Input& input, Random& random) {
  static constexpr std::uint64_t kEdges[] = {0, 1, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, ~0ull};
  const std::uint64_t value = kEdges[below(random, std::size(kEdges))];
  const std::size_t bytes = std::min<std::size_t>(std::size_t{1} << below(random, 4), input.size());
  std::memcpy(input.data() + below(random, input.size() - bytes + 1), &value, bytes);
}

void insert_bytes(Input& input, Random& random) {
  const auto at = static_cast<std::ptrdiff_t>(below(random, input.size() + 1));
  input.insert(input.begin() + at, 1 + below(random, 16), any_byte(random));
}

void edit(Input& input, Random& random) {
  if (input.empty()) return insert_bytes(input, random);
  switch (below(random, 5)) {
    case 0:
      input[below(random, input.size())] ^= static_cast<std::uint8_t>(1u << below(random, 8));
      break;
    case 1:
      input[below(random, input.size())] = any_byte(random);
      break;
    case 2:
      overwrite_word(input, random);
      break;
    case 3:
      input.resize(below(random, input.size()));
      break;
    default:
      insert_bytes(input, random);
      break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Plan plan = read_arguments(argc, argv);
  for (const Input& seed : plan.corpus) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  Random random(plan.seed);
  for (std::uint64_t run = 0; run < plan.runs; ++run) {
    Input input = plan.corpus[below(random, plan.corpus.size())];
    for (std::size_t left = 1 + below(random, kMaxEditsPerInput); left > 0; --left)
      edit(input, random);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu seeds, %llu mutations\n", plan.corpus.size(),
              static_cast<unsigned long long>(plan.runs));
  return 0;
}
