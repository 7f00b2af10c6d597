// The scans of a progressive file, for those who decode them: the CPU, and the host of the GPU's kernels. What libjpeg would
// find fault with is refused. Sources: ITU-T T.81, annexes B and G.
#pragma once
#include "../include/jpeg.hpp"
#include "file.hpp"
#include "libjpeg.hpp"
#include "scan.hpp"
#include "scan_codes.hpp"
#include "segments.hpp"

enum { MAX_COMPONENTS = 3, MAX_TABLES = 4, UNKNOWN = -1 };

// What a scan brings: of which components, of which coefficients, down to which bit, and whether those above it are there.
struct Scan {
  int components, component[MAX_COMPONENTS], first, last, low;
  bool refines;
  const CodeTable* tables[MAX_COMPONENTS];  // none where bits have no codes
  int interval;                             // between restart markers: units, or blocks of a single component
};

// A file as far as it has been read.
struct ProgressiveFile {
  JpegFile data;
  Picture& picture;
  i64 frame = 0;
  int interval = 0;
  bool begun = false;
  QuantTables quants{};
  CodeTable tables[2][MAX_TABLES]{};
  bool defined[2][MAX_TABLES]{};
  i8 low[MAX_COMPONENTS][64]{};  // down to which bit coefficients are known

  // Blocks of a component that have pixels of the picture.
  i64 rows(int c) const { return divided_up(data.two(frame + 5), 8 * (c ? picture.v : 1)); }
  i64 columns(int c) const { return divided_up(data.two(frame + 7), 8 * (c ? picture.h : 1)); }

  // False for what the kernels do not decode, or what is not as wanted.
  bool read_frame_of(const Request& wanted) {
    read_frame(data, frame, picture);
    if (picture.h == 0 || data[frame + 4] != 8 || data.two(frame + 5) != wanted.height || data.two(frame + 7) != wanted.width) return false;
    for (int c = 0; c < picture.components; c++)
      for (int other = 0; other < c; other++)
        if (data[frame + 10 + 3 * c] == data[frame + 10 + 3 * other]) return false;
    set_window(picture, wanted);
    return true;
  }

  // Tables that the first scan finds are those of all components.
  bool set_quants() {
    for (int c = 0; c < picture.components; c++) {
      int quant = data[frame + 12 + 3 * c];
      if (quant > 3 || quants[quant][0] == 0) return false;
      memcpy(picture.quant[c], quants[quant], sizeof quants[quant]);
    }
    return begun = true;
  }

  // False also for scans of several components in another order.
  bool read_scan(i64 at, Scan& scan) {
    i64 behind = at + 1 + 2 * data[at];
    scan.components = data[at], scan.first = data[behind], scan.last = data[behind + 1], scan.low = data[behind + 2] & 15;
    int high = data[behind + 2] >> 4, ac = scan.first > 0;
    if (scan.components < 1 || scan.components > picture.components || scan.low > 13) return false;
    if (ac ? scan.components != 1 || scan.last < scan.first || scan.last > 63 : scan.last != 0) return false;
    scan.refines = high != 0, scan.interval = interval;
    if (scan.refines && high != scan.low + 1) return false;
    for (int i = 0, c = 0; i < scan.components; i++, c++) {
      while (c < picture.components && data[frame + 10 + 3 * c] != data[at + 1 + 2 * i]) c++;
      if (c == picture.components || (ac && low[c][0] == UNKNOWN)) return false;
      scan.component[i] = c;
      for (int k = scan.first; k <= scan.last; k++) {
        if (low[c][k] != (scan.refines ? high : UNKNOWN)) return false;
        low[c][k] = (i8)scan.low;
      }
      if (!ac && scan.refines) continue;
      int wanted = data[at + 2 + 2 * i], which = ac ? wanted & 15 : wanted >> 4;
      if (which >= MAX_TABLES || !defined[ac][which]) return false;
      scan.tables[i] = &tables[ac][which];
    }
    return true;
  }

  bool complete() const {
    for (int c = 0; c < picture.components; c++)
      for (int k = 0; k < 64; k++)
        if (low[c][k] != 0) return false;
    return begun;
  }

  // Calls `framed()` once the geometry is known, and for each scan `decode(scan, where its data begins)`, which says where that
  // ends, or -1. False if one of them is not content, and for what is damaged, incomplete or unusual.
  template <class F, class D> bool each_scan(const Request& wanted, F framed, D decode) {
    memset(low, UNKNOWN, sizeof low);
    for (i64 at = 2, end; at + 2 <= data.size; at = end) {
      int marker = data[at + 1];
      if (data[at] != 0xFF) return false;
      if (marker == 0xFF) {
        end = at + 1;
        continue;
      }
      if (marker == 0xD9) return complete();
      i64 body = at + 4;
      end = at + 2 + data.two(at + 2);
      if (end < body || end > data.size) return false;
      switch (marker) {
        case 0xC2:
          if (frame > 0 || end - at != 10 + 3 * data[body + 5]) return false;
          frame = at;
          if (!read_frame_of(wanted) || !framed()) return false;
          break;
        case 0xDB:
          if (begun || !read_quant(data, body, end, quants)) return false;
          break;
        case 0xC4: {
          bool sound = read_codes(data, body, end, MAX_TABLES, [&](int kind, int number, const u8* lengths, const u8* symbols, int count) {
            CodeTable& table = tables[kind][number];
            memset(&table, 0, sizeof table);
            memcpy(table.counts + 1, lengths, 16);
            memcpy(table.symbols, symbols, count);
            defined[kind][number] = true;
          });
          if (!sound) return false;
          break;
        }
        case 0xDD:
          if (end - at != 6) return false;
          interval = data.two(body);
          break;
        case 0xDA: {
          Scan scan{};
          if (frame == 0 || end - at != 8 + 2 * data[body] || (!begun && !set_quants()) || !read_scan(body, scan)) return false;
          end = decode(scan, end);
          if (end < 0) return false;
          break;
        }
        case 0xFE: break;
        default:
          if (marker < 0xE0 || marker > 0xEF || !usual_mark(data, marker, body, end - body)) return false;
      }
    }
    return false;
  }
};
