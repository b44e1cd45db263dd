//! Options for settings of requests, made from the table of dimensions.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use record::{
    KeyValue,
    dimensions::{DIMENSIONS, Dimension, Given},
};

/// The settings that were given, by name.
#[derive(Clone, Debug, Default)]
pub struct SettingArguments {
    given: Vec<(&'static Dimension, String)>,
}

impl SettingArguments {
    /// Sets them.
    ///
    /// # Errors
    /// The option, its value and what is wrong with it.
    pub fn set(&self, work: &mut KeyValue) -> Result<(), String> {
        for (dimension, value) in &self.given {
            (dimension.set)(work, value)
                .map_err(|error| format!("--{} {value}: {error}", dimension.name))?;
        }
        Ok(())
    }
}

fn options() -> impl Iterator<Item = &'static Dimension> {
    DIMENSIONS.iter().filter(|dimension| dimension.given == Given::Plainly)
}

impl FromArgMatches for SettingArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = options().filter_map(|dimension| {
            Some((dimension, matches.get_one::<String>(dimension.name)?.clone()))
        });
        Ok(Self { given: given.collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for SettingArguments {
    fn augment_args(command: Command) -> Command {
        command.args(options().map(|dimension| {
            Arg::new(dimension.name).long(dimension.name).value_name("VALUE").help(dimension.help)
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
