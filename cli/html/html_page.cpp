#include "cli/html/html_page.h"

#include <nlohmann/json.hpp>

#include "cli/html/packed_document.h"

namespace holdfast::cli {
namespace {

constexpr std::string_view kWithoutScript =
    "<p>This page draws itself with a script, which this browser does not run. "
    "The same command without <code>--html</code> prints it as text.</p>";

std::string policy(const PageAssets& assets) {
  return std::string("default-src 'none'; script-src '")
      .append(assets.script_hash)
      .append("'; style-src '")
      .append(assets.style_hash)
      .append("'; base-uri 'none'; form-action 'none'");
}

}  // namespace

std::string html_page(const PageAssets& assets, const Json& document) {
  std::string page(kPageMark);
  page.append("<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
      .append("<meta http-equiv=\"Content-Security-Policy\" content=\"")
      .append(policy(assets))
      .append("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
      .append("<meta name=\"referrer\" content=\"no-referrer\">\n")
      .append(
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>holdfast</title>\n<style>")
      .append(assets.style)
      .append("</style>\n</head>\n<body>\n<noscript>")
      .append(kWithoutScript)
      .append("</noscript>\n<script type=\"text/plain\" id=\"document\">")
      .append(packed_document(document))
      .append("</script>\n<script>")
      .append(assets.script)
      .append("</script>\n</body>\n</html>\n");
  return page;
}

}  // namespace holdfast::cli
