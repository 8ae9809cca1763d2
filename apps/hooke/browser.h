#pragma once
#include <optional>
#include <string>

namespace hooke::program {

/// Shows an address in the user's browser ($BROWSER, else what the desktop has); false when there is none.
bool open_browser(const std::string& address);

/// A browser that can print pages without a window: $HOOKE_BROWSER, chromium, chrome.
std::optional<std::string> find_headless_browser();

/// Has it print the text of a page (PDF) or show it (PNG, of that size in pixels). Throws Error when that fails.
void print_pdf(const std::string& html, const std::string& pdf);
void print_png(const std::string& html, const std::string& png, int width, int height);

}  // namespace hooke::program
