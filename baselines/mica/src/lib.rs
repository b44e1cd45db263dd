//! MICA: partitions, segregated fits or a circular log.
