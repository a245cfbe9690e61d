#include "inspect/pictures.h"

#include <png.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <spdlog/fmt/fmt.h>

#include "core/numbers.h"
#include "core/utf8.h"
#include "inspect/shade.h"

namespace tinylm {
namespace {

constexpr std::int64_t kPictureWidth = 768;

std::string png_bytes(std::int64_t width, std::int64_t height, const std::vector<png_byte>& rgba) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGBA;
  png_alloc_size_t size = 0;
  const auto write = [&](void* memory) {
    return png_image_write_to_memory(&image, memory, &size, /*convert_to_8_bit=*/0, rgba.data(), /*row_stride=*/0,
                                     /*colormap=*/nullptr);
  };
  std::string bytes;
  bool done = write(nullptr) != 0;
  if (done) {
    bytes.resize(size);
    done = write(bytes.data()) != 0;
  }
  if (!done) throw std::runtime_error(std::string("libpng could not make the picture: ") + image.message);
  bytes.resize(size);
  return bytes;
}

/// `text` as the content of an XML element.
std::string xml(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string hexadecimal(const Color& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

}  // namespace

std::string head_png(const Inspection& text, const HeadPlace& head) {
  const std::int64_t T = text.tokens(), side = std::max<std::int64_t>(1, kPictureWidth / T), width = side * T;
  const torch::Tensor weights = text.attention[head.layer][head.head].contiguous();
  std::vector<png_byte> pixels(static_cast<std::size_t>(4 * width * width), 0);
  for (std::int64_t q = 0; q < T; ++q) {
    png_byte* const first = pixels.data() + 4 * width * side * q;
    for (std::int64_t x = 0; x < (text.causal ? side * (q + 1) : width); ++x) {
      const Color color = color_of_weight(weights.data_ptr<float>()[q * T + x / side]);
      const png_byte pixel[4] = {static_cast<png_byte>(color.red), static_cast<png_byte>(color.green),
                                 static_cast<png_byte>(color.blue), 255};
      std::memcpy(first + 4 * x, pixel, 4);
    }
    for (std::int64_t y = 1; y < side; ++y)
      std::memcpy(first + 4 * width * y, first, static_cast<std::size_t>(4 * width));
  }
  return png_bytes(width, width, pixels);
}

std::string head_svg(const Inspection& text, const HeadPlace& head) {
  constexpr std::int64_t kCell = 16, kLetter = 8;
  const std::int64_t T = text.tokens();
  std::size_t widest = 1;
  for (const std::string& label : text.labels) widest = std::max(widest, utf8::display_width(label));
  const std::int64_t margin = static_cast<std::int64_t>(widest) * kLetter + 8, size = margin + T * kCell + 4;
  const torch::Tensor weights = text.attention[head.layer][head.head].contiguous();
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {0}\" width=\"{0}\" height=\"{0}\" "
      "font-family=\"monospace\" font-size=\"12\">\n<title>{1}: each row looks at the columns</title>\n"
      "<rect width=\"{0}\" height=\"{0}\" fill=\"white\"/>\n",
      size, head_name(head.layer, head.head));
  for (std::int64_t t = 0; t < T; ++t) {
    const std::string label = xml(text.labels[static_cast<std::size_t>(t)]);
    const std::int64_t middle = margin + t * kCell + kCell / 2;
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" xml:space=\"preserve\">{}</text>\n", margin - 4,
                       middle + 4, label);
    svg += fmt::format("<text transform=\"translate({},{}) rotate(-90)\" xml:space=\"preserve\">{}</text>\n",
                       middle + 4, margin - 4, label);
  }
  for (std::int64_t q = 0; q < T; ++q) {
    for (std::int64_t k = 0; k < (text.causal ? q + 1 : T); ++k) {
      const double weight = weights.data_ptr<float>()[q * T + k];
      svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{}</title></rect>\n",
                         margin + k * kCell, margin + q * kCell, kCell, kCell, hexadecimal(color_of_weight(weight)),
                         fixed(weight, 4));
    }
  }
  return svg + "</svg>\n";
}

}  // namespace tinylm
