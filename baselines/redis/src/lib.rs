//! Redis and Valkey servers on UNIX sockets, driven through hiredis.
