#include "cli/report/nearest_name.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace holdfast::cli {

TEST_CASE("nearest name: a slip of the finger, the wrong package, the wrong case, nothing near") {
  const std::vector<std::string_view> names = {"com.acme.Session", "com.acme.SessionStore",
                                               "java.lang.String", "byte[]"};
  CHECK(nearest_name("com.acme.Sesion", names) == "com.acme.Session");
  CHECK(nearest_name("org.other.Session", names) == "com.acme.Session");
  CHECK(nearest_name("JAVA.LANG.STRING", names) == "java.lang.String");
  CHECK(nearest_name("Strnig", names) == "java.lang.String");
  CHECK(nearest_name("*SessionStor*", names) == "com.acme.SessionStore");
  CHECK(nearest_name("bytes[]", names) == "byte[]");
  CHECK(nearest_name("Customer", names).empty());
  CHECK(nearest_name("Version", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name("x", {}).empty());
  const std::string longest(10'000, 'x');
  CHECK(nearest_name(longest + "y", std::vector<std::string_view>{longest}) == longest);
}

}  // namespace holdfast::cli
