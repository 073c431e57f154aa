// A document as a page for a browser: one file that asks nobody for anything.
// Why a shell: the pages of a report, of a difference and of a trend differ in their script and their document, in nothing else.
// Shape:  doctype and mark, the policy, style, title, the packed document, script. The policy allows exactly the style and the
//         script by their hashes: no request, no inline handler, no eval. Names of programs are in the packed document alone.
// Zone:   offline.   Errors: those of packed_document.h.
// Source: Content Security Policy Level 3, section 2.3.1 (hashes); HTML, section 4.12.1 (a data block is not run).
#pragma once

#include <string>
#include <string_view>

#include "cli/report/json_value.h"

namespace holdfast::cli {

// A page of a kind, bundled from page/ when this is built (cmake/HfWebPage.cmake).
struct PageAssets {
  std::string_view script, script_hash;  // "sha256-..." as the policy wants it
  std::string_view style, style_hash;
};

// -- generated --
extern const PageAssets kReportPage;
extern const PageAssets kDiffPage;
extern const PageAssets kTrendPage;

// How our pages begin, by which they are known again.
inline constexpr std::string_view kPageMark = "<!doctype html>\n<!-- a page of holdfast -->\n";

std::string html_page(const PageAssets& assets, const Json& document);

}  // namespace holdfast::cli
