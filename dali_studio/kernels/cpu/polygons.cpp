// The loop of `polygons.py`.
#include "arguments.hpp"

// Why masks cannot be selected; in place of the sample's number of vertices.
enum { TWICE = -1, MISSING = -2, OUTSIDE = -3 };

// The polygon of each wanted mask, the last one of several: (number, first vertex, end), vertices counted anew, and in `firsts` where
// they were. Rows of each sample begin at `starts`.
static i64 select_polygons(Array<const i64, 1> ids, Array<const i64, 1> id_counts, Array<const i64, 1> polygons,
                           Array<const i64, 1> polygon_counts, Array<const i64, 1> vertices, Array<const i64, 1> starts, bool renumber,
                           Dense<i32, 2> table, Dense<i64, 1> firsts, Dense<i64, 1> used) {
  const i64 samples = ids.shape[0];
  if (id_counts.shape[0] != samples || polygons.shape[0] != samples || polygon_counts.shape[0] != samples || vertices.shape[0] != samples ||
      starts.shape[0] != samples || used.shape[0] != samples || table.shape[1] != 3 || firsts.shape[0] != table.shape[0])
    return MISFIT;
  for (i64 s = 0; s < samples; s++)
    if (starts(s) < 0 || id_counts(s) < 0 || starts(s) + id_counts(s) > table.shape[0]) return MISFIT;
  for (i64 s = 0; s < samples; s++) {
    const i32 *wanted = (const i32*)(u64)ids(s), *all = (const i32*)(u64)polygons(s);
    i64 made = 0;
    for (i64 k = 0; k < id_counts(s) && made >= 0; k++) {
      i64 found = polygon_counts(s) - 1;
      while (found >= 0 && all[3 * found] != wanted[k]) found--;
      bool again = false;
      for (i64 other = 0; other < k; other++) again = again || wanted[other] == wanted[k];
      const i64 first = found < 0 ? 0 : all[3 * found + 1], end = found < 0 ? 0 : all[3 * found + 2], row = starts(s) + k;
      if (again || found < 0 || first < 0 || end < first || end > vertices(s)) {
        made = again ? TWICE : found < 0 ? MISSING : OUTSIDE;
        break;
      }
      table(row, 0) = renumber ? (i32)k : wanted[k], table(row, 1) = (i32)made, table(row, 2) = (i32)(made + end - first);
      firsts(row) = first, made += end - first;
    }
    used(s) = made;
  }
  return 0;
}
REGISTER_SHORT(select_polygons)
