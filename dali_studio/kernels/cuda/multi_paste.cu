// Regions of images, one over the other, on canvases that are 0 elsewhere. Macros: IN and OUT, the types of the elements.
#include "../include/division.hpp"

struct Region {
  const IN* from;   // its first element
  i64 width;        // of its image
  i64 begin[2], end[2];  // rows and columns of the canvas
};
struct Item {
  OUT* to;
  i64 count, width, channels;  // elements; of the canvas
  i64 first, regions;
};

extern "C" __global__ void __launch_bounds__(256) multi_paste(const Item* __restrict__ items, const Region* __restrict__ regions) {
  const Item& item = items[blockIdx.y];
  const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= item.count) return;
  const i64 pixel = quotient(i, item.channels), channel = i - pixel * item.channels;
  const i64 y = quotient(pixel, item.width), x = pixel - y * item.width;
  OUT made = Cast<OUT, u8>::of(0);
  for (i64 number = item.first + item.regions - 1; number >= item.first; number--) {
    const Region& region = regions[number];
    if (y < region.begin[0] || y >= region.end[0] || x < region.begin[1] || x >= region.end[1]) continue;
    const i64 at = (y - region.begin[0]) * region.width + x - region.begin[1];
    made = Cast<OUT, IN>::of(region.from[at * item.channels + channel]);
    break;
  }
  item.to[i] = made;
}
