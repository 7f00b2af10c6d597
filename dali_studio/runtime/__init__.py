"""Running plans: one executor, its workers, memory, probes and prefetching."""
