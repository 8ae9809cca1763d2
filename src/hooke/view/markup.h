#pragma once
#include <string>
#include <string_view>

/// Texts of a results file on their way into pages, pictures and files of other programs. Whoever wrote the
/// file chose them, so they must stay text wherever they come to stand.
namespace hooke {

/// With U+FFFD in place of each byte that is not UTF-8.
std::string valid_utf8(std::string_view text);

/// As it may stand in XML and HTML, between tags and in quotes. Control characters are left out.
std::string escape_xml(std::string_view text);

/// JSON as it may stand in a script element of a page: nothing in it ends the element or opens a comment.
std::string escape_json(std::string_view json);

/// Characters, not bytes, of UTF-8.
std::size_t count_characters(std::string_view text);
/// At most so many characters: a longer text ends in "…".
std::string clipped(std::string_view text, std::size_t most);

/// For the head of a page without scripts: the browser runs none and loads nothing.
inline constexpr std::string_view policy_without_scripts =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'\">";

}  // namespace hooke
