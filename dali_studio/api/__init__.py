"""Behind the public modules: tracing, pipelines, generated functions."""
