// Pictures of four inks: cyan, magenta, yellow and black.
#pragma once
#include "numbers.hpp"

// RGB: light * light of black / 255, cut to whole numbers. `inverted`: 255 stands for no ink.
HD void inks_to_rgb(const u8* inks, u8* rgb, i64 pixels, bool inverted) {
  const int turn = inverted ? 0 : 255;
  for (i64 i = 0; i < pixels; i++) {
    const int black = inks[4 * i + 3] ^ turn;
    for (int c = 0; c < 3; c++) rgb[3 * i + c] = (u8)((inks[4 * i + c] ^ turn) * black / 255);
  }
}
