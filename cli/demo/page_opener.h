// A page in a person's browser, where there is a screen to show it on.
// Shape:  xdg-open, else the first of $BROWSER; neither is waited for. Without DISPLAY and WAYLAND_DISPLAY nothing is started.
// Zone:   offline.   Errors: false: nothing was started.
#pragma once

#include <string>

namespace holdfast::cli {

struct Screen {
  bool there = false;  // DISPLAY or WAYLAND_DISPLAY
  std::string browser, path;
};
Screen screen_here();

// The program that opens pages, its whole path; empty: none.
std::string browser_of(const Screen& screen);
bool open_in_browser(const Screen& screen, const std::string& file);

// "file:///tmp/a%20page.html"
std::string file_url(const std::string& absolute_path);

}  // namespace holdfast::cli
