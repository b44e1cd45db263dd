//! Opens Redis or Valkey servers.

use std::iter;
use std::str::FromStr;

use baseline_redis::{Config, Preload, RedisServers, Server};
use engine::{OpenError, Setup};

/// Parses `none` or the name of an allocator to preload.
struct OrNone(Option<Preload>);

impl FromStr for OrNone {
    type Err = <Preload as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == NONE { Ok(Self(None)) } else { text.parse().map(|preload| Self(Some(preload))) }
    }
}

const NONE: &str = "none";

pub(crate) fn open(setup: &Setup) -> Result<RedisServers, OpenError> {
    RedisServers::open(config(setup)?)
}

fn config(setup: &Setup) -> Result<Config, OpenError> {
    let mut config = Config {
        object_memory_bytes: setup.object_memory_bytes,
        ask_presence: setup.tells_updates,
        ..Config::default()
    };
    let mut preload = OrNone(config.preload);
    let mut options = setup.options();
    options.read("servers", &mut config.servers)?;
    options.read_one_of("server", &mut config.server, Server::ALL)?;
    let preloads = Preload::ALL.map(|preload| preload.to_string());
    let preloads = iter::once(NONE.to_owned()).chain(preloads);
    options.read_one_of("preload", &mut preload, preloads)?;
    options.read("pin", &mut config.pin)?;
    options.read("active-defrag", &mut config.active_defrag)?;
    options.read("ask-presence", &mut config.ask_presence)?;
    options.finish()?;
    config.preload = preload.0;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn given(options: &[(&str, &str)]) -> Result<Config, OpenError> {
        let options = options.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        config(&Setup {
            object_memory_bytes: Some(64 << 20),
            live_bytes: 1 << 20,
            records_max: 1 << 14,
            value_bytes_max: 100,
            resident: false,
            tells_updates: true,
            options: options.collect::<BTreeMap<String, String>>(),
            heap: None,
        })
    }

    #[test]
    fn every_option_reaches_the_servers() {
        let options = [
            ("servers", "3"),
            ("server", "valkey"),
            ("preload", "tcmalloc-minimal"),
            ("pin", "true"),
            ("active-defrag", "true"),
            ("ask-presence", "false"),
        ];
        let expected = Config {
            servers: 3,
            server: Server::Valkey,
            preload: Some(Preload::TcmallocMinimal),
            object_memory_bytes: Some(64 << 20),
            pin: true,
            active_defrag: true,
            ask_presence: false,
            ..Config::default()
        };
        assert_eq!(given(&options), Ok(expected));
        assert_eq!(given(&[("preload", "none")]).unwrap().preload, None);
    }

    #[test]
    fn what_cannot_be_is_answered_with_what_can() {
        for (name, value, accepted) in [
            ("server", "keydb", "redis, valkey"),
            ("preload", "glibc", "none, jemalloc, tcmalloc-minimal, mimalloc"),
            ("pin", "yes", "true and false"),
            ("shards", "2", "the settings servers, server, preload"),
        ] {
            let message = given(&[(name, value)]).unwrap_err().to_string();
            let expected = format!("setting `{name}` = `{value}`: accepted are {accepted}");
            assert!(message.starts_with(&expected), "{message}");
        }
    }
}
