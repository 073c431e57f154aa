// Of what is not shipped: tests. The linker takes this one where no other is there (cmake/HfVersion.cmake).
#include "common/version.h"

namespace holdfast {

std::string_view build_description() noexcept { return {}; }

}  // namespace holdfast
