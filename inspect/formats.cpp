#include "inspect/formats.h"

#include "inspect/json_export.h"
#include "inspect/npy.h"

namespace tinylm {

const std::vector<Format>& formats() {
  static const std::vector<Format> table = {
      {"npy", "DIR", "attention.npy (float32, layers x heads x tokens x tokens) and tokens.json", write_npy},
      {"json", "FILE",
       "ids, token texts, losses and attention weights as one JSON object; '-': to standard output, instead of the map",
       write_json, inspection_json},
  };
  return table;
}

}  // namespace tinylm
