#include "clrprofiler/frozen/class_data.h"

#include "platforms/private_copy.h"

namespace holdfast::clr {

Result<void> own_class_data(Arena& arena) noexcept {
  constexpr std::string_view kPath = "/memfd:doublemapper";
  constexpr std::size_t kMostMappings = 16 * 1024;
  const ArenaScope scratch(arena);
  HF_TRY(room, arena.make<platforms::MappedRange>(kMostMappings));
  const platforms::PrivateCopies copied = platforms::make_private(kPath, room);
  if (copied.error != 0) return make_error(ErrorCode::kRefused, copied.error);
  return {};
}

}  // namespace holdfast::clr
