// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libpng leaves a function by longjmp after an error. The functions between setjmp() and such a
// jump have no objects with destructors.
#include "oracles/input/Picture.h"

#include "oracles/input/Limits.h"
#include "support/Error.h"
#include <csetjmp>
#include <cstring>
#include <png.h>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {
/// What libpng reads from, and its last message.
struct Source {
  const char *bytes = nullptr;
  size_t left = 0; ///< Bytes that are not read yet.
  char message[80] = {};
};

/// Pixels.
struct Extent {
  uint32_t width = 0;
  uint32_t height = 0;
};
} // namespace

/// libpng's read function: copies \p count bytes, or jumps when there are fewer.
static void readBytes(png_structp png, png_bytep target, size_t count) {
  auto *source = static_cast<Source *>(png_get_io_ptr(png));
  if (count > source->left)
    png_error(png, "the file ends too early");
  std::memcpy(target, source->bytes, count);
  source->bytes += count;
  source->left -= count;
}

/// libpng's error function: keeps the message and jumps to the last setjmp().
[[noreturn]] static void noteError(png_structp png, png_const_charp message) {
  auto *source = static_cast<Source *>(png_get_error_ptr(png));
  std::strncpy(source->message, message, sizeof source->message - 1);
  png_longjmp(png, 1);
}

static void ignoreWarning(png_structp, png_const_charp) {}

/// Reads what precedes the pixels. False after an error.
static bool readHeader(png_structp png, png_infop info, Extent &extent) {
  if (setjmp(png_jmpbuf(png)))
    return false;
  png_read_info(png, info);
  extent = {png_get_image_width(png, info), png_get_image_height(png, info)};
  return true;
}

/// Reads the pixels as R, G, B, A of 8 bits. False after an error.
static bool readPixels(png_structp png, png_infop info, png_bytep target) {
  if (setjmp(png_jmpbuf(png)))
    return false;
  png_set_expand(png); // Palettes, fewer than 8 bits, a transparent colour.
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  uint32_t height = png_get_image_height(png, info);
  size_t rowBytes = png_get_rowbytes(png, info);
  for (int pass = 0; pass < passes; ++pass)
    for (uint32_t y = 0; y < height; ++y)
      png_read_row(png, target + y * rowBytes, nullptr);
  png_read_end(png, info);
  return true;
}

/// InvalidInput with libpng's message.
static Error damaged(const Source &source) {
  return invalidInput("PNG: " + Twine(source.message));
}

/// Checks the size before it allocates the pixels. The caller destroys \p png and \p info.
static Expected<Picture> readAll(png_structp png, png_infop info, const Source &source) {
  Extent extent;
  if (!readHeader(png, info, extent))
    return damaged(source);
  if (extent.width > maxImageExtent || extent.height > maxImageExtent ||
      uint64_t(extent.width) * extent.height > maxPicturePixels)
    return limitExceeded("PNG: more than " + Twine(maxPicturePixels) + " pixels");
  Picture picture{extent.width, extent.height, {}};
  picture.texels.resize(uint64_t(extent.width) * extent.height * 4);
  if (!readPixels(png, info, picture.texels.data()))
    return damaged(source);
  return picture;
}

/// Returns InvalidInput for bytes that are not a PNG or are damaged; the limits are those of
/// readAll().
Expected<Picture> input::readPng(StringRef bytes) {
  constexpr size_t signatureBytes = 8;
  if (bytes.size() < signatureBytes ||
      png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, signatureBytes))
    return invalidInput("the file is no PNG");
  Source source{bytes.data(), bytes.size()};
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, noteError, ignoreWarning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) {
    png_destroy_read_struct(&png, nullptr, nullptr);
    return environmentError("libpng has no memory, or is another version than its header");
  }
  png_set_read_fn(png, &source, readBytes);
  // Above the limit of readAll(), whose message says more.
  png_set_user_limits(png, 1u << 24, 1u << 24);
  Expected<Picture> picture = readAll(png, info, source);
  png_destroy_read_struct(&png, &info, nullptr);
  return picture;
}
