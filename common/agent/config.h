// The file of `uscope agent`: which tools run, with which options.
//
//     agent:
//       metrics: 127.0.0.1:9464
//       otlp: http://localhost:4318
//       cpu: 1%
//     tools:
//       httpsnoop:
//       slow-statements:
//         tool: mysqlqueries
//         options: [--min, 5ms]
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace uscope::agent {

struct ToolConfig {
    std::string name;  // also a label of its metrics
    std::string tool;
    std::vector<std::string> options;
    size_t line = 0;  // in the file
};

struct Config {
    std::string metrics, otlp;  // "": none
    double cpu = 0;             // the tools' budget, in processors; 0: none
    std::vector<ToolConfig> tools;
};

// An error in the file.
struct Problem {
    size_t line;  // from 1
    std::string text;
};

// Reads the file's text. `tools`: the names of all tools. Appends to `problems` what is wrong; the
// result has the rest.
Config parse_config(std::string_view text, const std::vector<std::string> &tools,
                    std::vector<Problem> &problems);

}  // namespace uscope::agent
