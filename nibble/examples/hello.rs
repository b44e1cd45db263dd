//! Opens a store, stores a value, reads it back, and shows how the memory is used.

use nibble::{Config, Store};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store = Store::open(Config::best(64 << 20))?;
    let session = store.session()?;
    session.put(42, b"hello, log")?;

    let mut buffer = [0; 64];
    if let Some(length) = session.get(42, &mut buffer)? {
        println!("42 -> {}", String::from_utf8_lossy(&buffer[..length]));
    }
    println!("deleted: {}", session.delete(42)?);
    println!("{:#?}", store.census());
    Ok(())
}
