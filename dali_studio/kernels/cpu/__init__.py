"""One-sample CPU kernels on numpy arrays; each releases the GIL and writes into a given output."""
