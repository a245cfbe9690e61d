#include "core/processor.h"

#include <fstream>
#include <map>
#include <sstream>

namespace tinylm {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

/// "key : value" up to the empty line that ends the first processor.
std::map<std::string, std::string> fields_of_first(std::istream& lines) {
  std::map<std::string, std::string> fields;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) fields[trimmed(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
  }
  return fields;
}

}  // namespace

bool Processor::favours_bfloat16() const {
  return has("amx_bf16") || (vendor == "AuthenticAMD" && has("avx512_bf16"));
}

Processor read_processor(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/cpuinfo");
  std::map<std::string, std::string> fields = fields_of_first(file);
  Processor processor;
  processor.name = fields["model name"].empty() ? "unknown" : fields["model name"];
  if (!fields["cpu family"].empty()) processor.name += ", family " + fields["cpu family"] + " model " + fields["model"];
  processor.vendor = fields["vendor_id"];
  std::istringstream flags(fields["flags"]);
  for (std::string flag; flags >> flag;) processor.features.insert(flag);
  return processor;
}

}  // namespace tinylm
