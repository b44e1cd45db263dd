//! Concurrent maps that people use, with values on any heap.
