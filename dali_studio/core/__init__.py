"""Data words that every other group uses: dtypes, layouts, tensors, random streams, diagnostics."""
