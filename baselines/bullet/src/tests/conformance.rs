//! The suite every store passes, on every rung.

use baseline_bullet::{Bullet, Config, Rung};
use engine::OpenError;
use engine::conformance::keeps_what_it_acknowledged;
use kit::folder::Folder;
use platform::persist::{Latency, Medium};

/// Small logs, so that they fill and go around; no waits, which only take time.
fn open_rung(rung: Rung, object_memory_bytes: u64) -> Result<Bullet, OpenError> {
    Bullet::open(&Config {
        clients: 1,
        logs: 8,
        log_bytes: 256 << 10,
        latency: Latency::NONE,
        huge_pages: false,
        ..Config::new(rung, object_memory_bytes, object_memory_bytes / 1024)
    })
}

macro_rules! suites {
    ($($name:ident $rung:ident)*) => {
        $(engine::conformance_tests!($name, Bullet, |bytes| open_rung(Rung::$rung, bytes));)*
    };
}

suites! {
    volatile Volatile
    phash Phash
    hikv_ht HikvHt
    st St
    lfr Lfr
    opt Opt
    dynamic Dyn
    full Full
}

// Logs of a few records, that most puts find full.
engine::conformance_tests!(short_logs, Bullet, |bytes| {
    Bullet::open(&Config {
        clients: 2,
        logs: 4,
        log_bytes: 8 << 10,
        value_bytes_max: 4096,
        latency: Latency::NONE,
        huge_pages: false,
        ..Config::new(Rung::Full, bytes, bytes / 1024)
    })
});

/// Its emulated persistent memory is a file here, which outlives it.
#[test]
fn stores_keep_what_they_acknowledged() {
    for rung in Rung::ALL.into_iter().filter(|rung| rung.is_kept()) {
        let folder = Folder::create(&std::env::temp_dir(), "bullet-reopened-").unwrap();
        let file = folder.path().join("store");
        keeps_what_it_acknowledged(&|| {
            if file.exists() {
                return Bullet::recover(&file, Medium::Emulated, Latency::NONE).unwrap();
            }
            let config = Config {
                clients: 1,
                logs: 8,
                log_bytes: 256 << 10,
                latency: Latency::NONE,
                huge_pages: false,
                file: Some(file.clone()),
                ..Config::new(rung, 32 << 20, 1 << 14)
            };
            Bullet::open(&config).unwrap()
        });
    }
}
