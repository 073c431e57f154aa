#include "analysis/import/source.h"

#include <cstring>

#include "analysis/import/import_failure.h"

namespace holdfast::analysis {

Source::Source(const std::string& path) {
  const int refused = platforms::map_file(path.c_str(), file_);
  if (refused != 0) throw ImportFailure(ErrorCode::kIo, 0, std::strerror(refused));
  if (file_.data == nullptr) throw ImportFailure(ErrorCode::kNotOurs, 0, "the file is empty");
}

}  // namespace holdfast::analysis
