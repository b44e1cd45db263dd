//! `about`: what this program is, for another one that wants to run its workers.

use builds::About;

use super::Failure;
use crate::environment::capture;
use record::SCHEMA;
use worker::protocol::PROTOCOL;

/// What this program says of itself: the facts of its build, and of the machine that it sees.
pub(super) fn this_program() -> About {
    About { protocol: PROTOCOL, schema: SCHEMA, facts: capture().facts }
}

/// Prints the facts, as JSON or one per line.
pub(super) fn run(json: bool) -> Result<(), Failure> {
    let about = this_program();
    if json {
        println!("{}", serde_json::to_string(&about).expect("plain data"));
        return Ok(());
    }
    println!("protocol: {}", about.protocol);
    println!("schema: {}", about.schema);
    for (fact, value) in &about.facts {
        println!("{fact}: {value}");
    }
    Ok(())
}
