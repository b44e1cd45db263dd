//! Opens Redis or Valkey servers.

use std::iter;
use std::str::FromStr;

use baseline_redis::{Config, Defrag, Preload, RedisServers, Server};
use engine::{OpenError, Options, Setup};

use super::Opening;

/// Parses `none` or the name of an allocator to preload.
struct OrNone(Option<Preload>);

impl FromStr for OrNone {
    type Err = <Preload as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == NONE { Ok(Self(None)) } else { text.parse().map(|preload| Self(Some(preload))) }
    }
}

const NONE: &str = "none";

pub(crate) fn open(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<RedisServers>, OpenError> {
    let config = config(setup, options)?;
    Ok(Box::new(move || RedisServers::open(config)))
}

fn config(setup: &Setup, options: &mut Options) -> Result<Config, OpenError> {
    let mut config = Config {
        object_memory_bytes: setup.object_memory_bytes,
        ask_presence: setup.tells_updates,
        ..Config::default()
    };
    let mut preload = OrNone(config.preload);
    let servers_max = config.servers_max();
    options.whole("servers", &mut config.servers, 1..=servers_max)?;
    options.one_of("server", &mut config.server, Server::ALL)?;
    let preloads = Preload::ALL.map(|preload| preload.to_string());
    let preloads = iter::once(NONE.to_owned()).chain(preloads);
    options.one_of("preload", &mut preload, preloads)?;
    options.switch("pin", &mut config.pin)?;
    options.one_of("defrag", &mut config.defrag, Defrag::ALL)?;
    options.switch("ask-presence", &mut config.ask_presence)?;
    config.preload = preload.0;
    config.check()?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::made_up::setup;

    fn given(options: &[(&str, &str)]) -> Result<Config, OpenError> {
        let setup = Setup { object_memory_bytes: Some(64 << 20), ..setup(options) };
        let mut options = setup.options();
        let config = config(&Setup { tells_updates: true, ..setup }, &mut options)?;
        options.finish().map(|()| config)
    }

    #[test]
    fn every_option_reaches_the_servers() {
        let options = [
            ("servers", "3"),
            ("server", "valkey"),
            ("preload", "tcmalloc-minimal"),
            ("pin", "true"),
            ("ask-presence", "false"),
        ];
        let expected = Config {
            servers: 3,
            server: Server::Valkey,
            preload: Some(Preload::TcmallocMinimal),
            object_memory_bytes: Some(64 << 20),
            pin: true,
            ask_presence: false,
            ..Config::default()
        };
        assert_eq!(given(&options), Ok(expected));
        assert_eq!(given(&[("preload", "none")]).unwrap().preload, None);
        for (name, defrag) in
            [("off", Defrag::Off), ("default", Defrag::Default), ("tuned", Defrag::Tuned)]
        {
            let config = given(&[("server", "redis8"), ("defrag", name)]).unwrap();
            assert_eq!((config.server, config.defrag), (Server::Redis8, defrag));
        }
    }

    #[test]
    fn what_cannot_be_is_answered_with_what_can() {
        for (name, value, expected) in [
            ("server", "keydb", "accepted are redis, redis8, valkey"),
            ("servers", "0", "accepted are whole numbers from 1 to 16; the nearest is 1"),
            ("servers", "64", "accepted are whole numbers from 1 to 16; the nearest is 16"),
            ("preload", "glibc", "accepted are none, jemalloc, tcmalloc-minimal, mimalloc"),
            ("preload", "mimalloc", "accepted are none with the server `redis`"),
            ("pin", "yes", "accepted are true and false"),
            ("defrag", "true", "accepted are off, default, tuned"),
            ("shards", "2", "unknown setting `shards`: there are servers, server, preload"),
        ] {
            let message = given(&[(name, value)]).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
