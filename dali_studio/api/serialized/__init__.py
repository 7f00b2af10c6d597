"""Pipelines as nvidia.dali's ``Pipeline.serialize`` writes them: read, and written."""
