// How questions and answers name objects: SET and AT of a question, "shop.Session @ 0x7f…" of an answer.
// Shape:  SET: a pattern for class names (*, ?), or loader:PATTERN, package:PATTERN. AT: an address as the dump has it, #NUMBER, or a
//         SET: its object that retains most. Class objects are found by a table, made once.
// Zone:   offline.   Errors: QueryError, one line, for a set that matches nothing and an unknown address.
#pragma once

#include <string>
#include <unordered_map>

#include "analysis/object_sets.h"
#include "cli/analyze/graph_queries.h"

namespace holdfast::cli {

template <class T>
T need(Result<T> result, const char* what) {
  if (!result)
    throw QueryError(std::string(what) + ": " + std::string(error_text(result.error().code)));
  return std::move(*result);
}

class ObjectNames {
 public:
  explicit ObjectNames(const QueryInput& input);

  std::string class_text(ClassId id) const;
  std::string address_text(std::uint32_t object) const;
  // "shop.Session @ 0x7f…", or "class shop.Main @ …" for a class object.
  std::string object_text(ObjectId object) const;

  // What SET chooses; it stays in the arena.
  analysis::ObjectSet chosen(const std::string& set) const;
  // What AT names; `option` is for the line that says that there is none.
  std::uint32_t object_at(const char* option, const std::string& at) const;

 private:
  const QueryInput& in_;
  std::unordered_map<std::uint32_t, std::size_t> class_of_mirror_;
};

}  // namespace holdfast::cli
