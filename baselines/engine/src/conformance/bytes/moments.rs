//! Tests of snapshots and of writes in one step, of keys that some layout takes for each other. The suite of
//! words, on spelled keys, asks what is seen of them while others write.

use super::keys::peculiar_keys;
use super::model::Model;
use super::operations::{limit_bytes, session};
use crate::conformance::value::Random;
use crate::conformance::{Opener, check, open_checked};
use crate::{BytesSession, FullMeaning, KvBytesEngine, Snapshots};

/// A snapshot shows what every key had when it was taken, also where a key that looks like it was put, changed
/// or removed since. Writes in one step are of the keys that they name, and of no other.
///
/// # Panics
/// If the store behaves otherwise.
pub fn byte_keys_keep_their_moments<E: KvBytesEngine>(open: Opener<'_, E>) {
    let peculiar = peculiar_keys(limit_bytes::<E>());
    let engine = open_checked(open);
    if E::TRAITS.full == FullMeaning::Evict {
        assert_eq!(engine.snapshots(), Snapshots::No, "what a snapshot shows is not evicted");
        return;
    }
    let (mut writer, mut reader) = (session(&engine), session(&engine));
    let mut model = Model::of(&engine);
    let mut random = Random::new(8);
    for key in peculiar.iter().filter(|_| random.percent(60)).collect::<Vec<_>>() {
        model.put(&mut writer, key, &mut random);
    }
    for keys in peculiar.chunks(3) {
        let told = model.write_in_one_step(&mut writer, keys, &mut random);
        assert_eq!(told, engine.writes_in_one_step(), "writes in one step");
        model.verify_all(&mut writer, &peculiar);
    }
    let then = model.clone();
    let has = reader.with_snapshot(&mut |snapshot| {
        for key in &peculiar {
            match random.below(3) {
                0 => model.delete(&mut writer, key),
                1 => model.put(&mut writer, key, &mut random),
                _ => {}
            }
        }
        engine.settle();
        engine.trim();
        then.expect_at::<E>(snapshot, &peculiar);
    });
    assert_eq!(has, engine.snapshots() != Snapshots::No, "the store has snapshots");
    reader.with_snapshot(&mut |snapshot| model.expect_at::<E>(snapshot, &peculiar));
    check(&engine);
}
