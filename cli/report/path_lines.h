// A path from a GC root as an indented chain, and as one line.
// Shape:  one line per object: its class, then the field or element that holds the next one. A class object whose static field
//         holds the next object is one line, "static shop.SessionRegistry.SESSIONS". Where there is no class object, and the field
//         itself is the GC root, that line stands before the first object's. O(steps).
// Zone:   offline.   Errors: none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/report/report_view.h"
#include "cli/text/page.h"

namespace holdfast::cli {

struct PathLine {
  std::string
      object;  // "java.util.HashMap"; "static shop.SessionRegistry" when a static field follows; a gap: "… 12 objects …"
  std::string link;                                            // " .table", " [17]", "" at the end
  std::optional<std::uint64_t> retained_bytes = std::nullopt;  // of an object
  bool gap = false;
};

std::vector<PathLine> path_lines(const PathView& path);
void write_path(Page& page, const PathView& path);
// The reference that is to be cut: "java.util.HashMap .table", "GC root: local of shop.Worker.run()".
std::string cut_text(const CutView& cut);
// What holds the path's last object: "static shop.Registry.SESSIONS → java.util.HashMap .table", in at most `columns` columns.
std::string holders_in_one_line(const PathView& path, std::size_t columns);

}  // namespace holdfast::cli
