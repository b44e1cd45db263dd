//! RAMCloud's log-structured memory: one head, tombstones, a cost-benefit cleaner.
