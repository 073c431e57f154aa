// Which options a person may change while the VM runs, and to what.
// Why not all: dir=, memory= and the sampling ones are decided at load; a peer must not move reports to places of its own choice.
// Shape:  pure functions from text and the options in force to new options; the keys stand in run_time_options.cpp.
// Zone:   worker, offline.
// Errors: false, and an OptionError that names the key and what is allowed; the options are then as they were.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/file_name.h"
#include "common/options.h"

namespace holdfast::control {

bool changes_at_run_time(std::string_view key) noexcept;

// `text` as in every=5m,on=signal+oom, on top of `options`. `changed` gets a bit for each key it names, as Options::named has them.
bool change_run_time_options(std::string_view text, Options& options, std::uint32_t& changed,
                             OptionError& error) noexcept;

// The pattern of one dump's file name, under the rules of file=.
bool read_file_pattern(std::string_view pattern, char (&out)[kMaxFileName + 1],
                       OptionError& error) noexcept;

// AnalysisBits of one dump, under the rules of analyses=.
bool read_analyses(std::string_view words, std::uint32_t& out, OptionError& error) noexcept;

}  // namespace holdfast::control
