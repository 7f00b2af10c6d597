"""CUDA kernels: every launch computes one operator for a whole ragged batch."""
