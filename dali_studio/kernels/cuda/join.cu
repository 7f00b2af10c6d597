// Rows of arrays that are written one after the other. UNIT is the widest word that all places and lengths are multiples of.
struct Piece {
  const UNIT* from;
  UNIT* to;
  i64 length, pitch, count;  // of a row, from row to row of the output, and of all rows, in words
};

extern "C" __global__ void __launch_bounds__(256) join(const Piece* __restrict__ pieces) {
  const Piece& piece = pieces[blockIdx.y];
  i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
  if (i >= piece.count) return;
  piece.to[i / piece.length * piece.pitch + i % piece.length] = piece.from[i];
}
