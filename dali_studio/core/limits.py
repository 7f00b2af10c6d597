"""Bounds of numbers from which memory, threads or time follow, so that no document or slip of the hand takes them all.

nvidia.dali takes whatever its types hold (mostly 31 bits) and lets the machine fail; each bound here is far above what
any pipeline uses. The API, documents and the designer refuse what is beyond by a finding.
"""

from __future__ import annotations

#: Samples of a batch: lists with an item for each are made in every iteration.
MAX_SAMPLES = 2**20
#: Worker threads of a pipeline; the largest machines have half as many processors.
MAX_THREADS = 1024
#: Iterations, or batches of a reader, that are made ahead: all are in memory.
MAX_AHEAD = 256
#: Threads of a reader, which read a batch each: beyond that, disks and networks are busy, and threads cost stacks.
MAX_READER_THREADS = 16
#: Threads of a reader that wait for a batch each, while others do the work.
MAX_WAITING_THREADS = 64
#: Outputs of one node. nvidia.dali takes 0.9 s to build 1,000 of `external_source`, and 23 s for 20,000.
MAX_OUTPUTS = 256
#: Windows that are drawn for one sample; their random numbers are made at once. nvidia.dali's default is 10.
MAX_ATTEMPTS = 1000
#: Axes of a tensor; numpy has no more in all releases that are supported.
MAX_AXES = 32
#: Elements of one sample of a given shape: a gigabyte of single floats.
MAX_ELEMENTS = 2**28
#: Lists and objects inside each other, in parts of a document that nothing here reads.
DEEPEST = 100
#: Bytes of a document's file; 5,000 nodes take one megabyte or two.
MAX_DOCUMENT_BYTES = 2**26
#: Seeds and other whole numbers, as far as nvidia.dali's types go.
MIN_INT, MAX_INT = -(2**63), 2**63 - 1
