//! Operations with byte strings as keys.

use super::{Put, Session};
use crate::batch::{Answer, Buffers, Operation};
use crate::error::{BufferTooShort, KeyTooLong, KeyedError, PutError};
use crate::name::ByteName;
use crate::sync::Ordering;

impl Session<'_, [u8]> {
    /// As [`Session::get`] of a store of words. Takes the longer the longer the key, which is compared with
    /// the object's.
    ///
    /// ```
    /// use nibble::{Config, Store};
    ///
    /// let store = Store::open_for_byte_keys(Config::best(16 << 20))?;
    /// let session = store.session()?;
    /// session.put(b"seven", b"7")?;
    /// let mut buffer = [0; 64];
    /// assert_eq!(session.get(b"seven", &mut buffer)?, Some(1));
    /// assert_eq!(session.get(b"seve", &mut buffer)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BufferTooShort`] with the length needed; [`KeyTooLong`].
    #[inline]
    pub fn get(
        &self,
        key: &[u8],
        buffer: &mut [u8],
    ) -> Result<Option<usize>, KeyedError<BufferTooShort>> {
        self.get_named(ByteName::of(key)?, buffer).map_err(KeyedError::Value)
    }

    /// As [`Session::put`] of a store of words.
    ///
    /// # Errors
    /// [`PutError`], and [`KeyTooLong`]; the old value stays, whichever it is.
    #[inline]
    pub fn put(&self, key: &[u8], value: &[u8]) -> Result<Put, KeyedError<PutError>> {
        let done = self.put_named(ByteName::of(key)?, value).map_err(KeyedError::Value);
        if done == Ok(Put::Inserted) {
            self.count_inserted(key);
        }
        done
    }

    /// As [`Session::delete`] of a store of words.
    ///
    /// # Errors
    /// [`PutError::Closed`], and [`KeyTooLong`].
    #[inline]
    pub fn delete(&self, key: &[u8]) -> Result<bool, KeyedError<PutError>> {
        let done = self.delete_named(ByteName::of(key)?).map_err(KeyedError::Value);
        if done == Ok(true) {
            self.count_deleted(key);
        }
        done
    }

    /// As [`Session::execute`] of a store of words.
    ///
    /// # Errors
    /// [`KeyTooLong`] for the first such key. All keys are looked at before anything is executed.
    ///
    /// # Panics
    /// If a GET has no slot in `buffers`.
    pub fn execute(
        &self,
        operations: &[Operation<'_, &[u8]>],
        buffers: &mut Buffers<'_>,
        mut answers: impl FnMut(usize, Answer),
    ) -> Result<(), KeyTooLong> {
        for operation in operations {
            ByteName::check(operation.key())?;
        }
        let name = |key| ByteName::of(key).expect("its length was looked at");
        let named = operations.iter().map(|operation| match *operation {
            Operation::Get { key } => Operation::Get { key: name(key) },
            Operation::Put { key, value } => Operation::Put { key: name(key), value },
            Operation::Delete { key } => Operation::Delete { key: name(key) },
        });
        self.execute_named(named, buffers, |place, answer| {
            match answer {
                Answer::Stored(Put::Inserted) => self.count_inserted(operations[place].key()),
                Answer::Deleted(true) => self.count_deleted(operations[place].key()),
                _ => {}
            }
            answers(place, answer);
        });
        Ok(())
    }

    // Whoever makes a key present or absent counts it, so the sum is that of all that are present.

    #[inline]
    fn count_inserted(&self, key: &[u8]) {
        // Relaxed: a count orders nothing.
        self.shared.key_bytes.fetch_add(key.len() as u64, Ordering::Relaxed);
    }

    #[inline]
    fn count_deleted(&self, key: &[u8]) {
        // Relaxed: a count orders nothing.
        self.shared.key_bytes.fetch_sub(key.len() as u64, Ordering::Relaxed);
    }
}
