//! RocksDB, LevelDB and LMDB in memory, through their C interfaces.
