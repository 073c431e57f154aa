#include "analysis/lab/delta/dot_picture.h"

#include "analysis/lab/delta/drawn_graph.h"

namespace holdfast::analysis::lab {

namespace {

std::string quoted(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return made;
}

// Number, class name where there is one, bytes, what kinds of root it is: a line each.
std::string node(const Snapshot& s, std::uint32_t v, const std::vector<RootKind>& kinds) {
  std::string made = "  " + std::to_string(v) + " [label=\"" + std::to_string(v);
  const ClassId c = s.class_of[v];
  if (c.valid() && !s.catalog.class_name(c).empty())
    made += "\\n" + quoted(s.catalog.class_name(c));
  made += "\\n" + std::to_string(s.shallow_bytes(ObjectId{v})) + " B";
  for (const RootKind kind : kinds) made += "\\nroot: " + std::string(root_kind_name(kind));
  made += '"';
  if (!kinds.empty()) made += ", peripheries=2";
  return made + "];\n";
}

std::string edge(const DrawnLine& line) {
  std::string made = "  " + std::to_string(line.from) + " -> " + std::to_string(line.to);
  if (line.implied) return made + " [style=dotted, label=\"its class\"];\n";
  if (line.strength == Strength::kStrong) return made + ";\n";
  return made + " [style=dashed, label=\"" + std::string(strength_name(line.strength)) + "\"];\n";
}

std::string counted(std::uint64_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string arrow(const DrawnLine& line) {
  std::string made = std::to_string(line.from) + '-';
  if (line.strength != Strength::kStrong) made += std::string(strength_name(line.strength)) + '-';
  return made + '>' + std::to_string(line.to);
}

}  // namespace

std::string dot_picture(const Snapshot& snapshot, std::size_t most_lines) {
  const DrawnGraph graph = drawn(snapshot, most_lines);
  std::string made = "digraph heap {\n  node [shape=box];\n";
  for (std::size_t i = 0; i < graph.objects.size(); ++i)
    made += node(snapshot, graph.objects[i], graph.root_kinds[i]);
  for (const DrawnLine& line : graph.lines) made += edge(line);
  if (graph.lines_left_out > 0)
    made += "  // " + counted(graph.lines_left_out, "more reference") + '\n';
  return made + "}\n";
}

std::string graph_text(const Snapshot& snapshot, std::size_t most_lines) {
  const DrawnGraph graph = drawn(snapshot, most_lines);
  std::string stored, implied, roots;
  for (const DrawnLine& line : graph.lines) (line.implied ? implied : stored) += ' ' + arrow(line);
  for (std::size_t i = 0; i < graph.objects.size(); ++i)
    if (!graph.root_kinds[i].empty()) roots += ' ' + std::to_string(graph.objects[i]);
  std::string made = counted(snapshot.object_count(), "object") + ", " +
                     counted(snapshot.reference_count(), "reference");
  if (!stored.empty()) made += ':' + stored;
  made += "; " + (roots.empty() ? "no roots" : "roots" + roots);
  if (!implied.empty()) made += "; implied" + implied;
  if (graph.lines_left_out > 0)
    made += "; " + std::to_string(graph.lines_left_out) + " more are not shown";
  return made;
}

}  // namespace holdfast::analysis::lab
