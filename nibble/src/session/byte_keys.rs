//! Operations with byte strings as keys.

use super::{Put, Session};
use crate::batch::{Answer, Buffers, Operation};
use crate::error::{BufferTooShort, KeyTooLong, KeyedError, PutError};
use crate::name::ByteName;

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
        self.put_named(ByteName::of(key)?, value).map_err(KeyedError::Value)
    }

    /// As [`Session::delete`] of a store of words.
    ///
    /// # Errors
    /// [`PutError::Closed`], and [`KeyTooLong`].
    #[inline]
    pub fn delete(&self, key: &[u8]) -> Result<bool, KeyedError<PutError>> {
        self.delete_named(ByteName::of(key)?).map_err(KeyedError::Value)
    }

    /// As [`Session::execute`] of a store of words.
    ///
    /// # Errors
    /// [`KeyTooLong`] for the first such key. All keys are looked at before anything is executed, so the
    /// operations are drawn twice.
    ///
    /// # Panics
    /// If a GET has no slot in `buffers`.
    pub fn execute<'batch>(
        &self,
        operations: impl IntoIterator<Item = Operation<'batch, &'batch [u8]>, IntoIter: Clone>,
        buffers: &mut Buffers<'_>,
        answers: impl FnMut(usize, Answer),
    ) -> Result<(), KeyTooLong> {
        let operations = operations.into_iter();
        operations.clone().try_for_each(|operation| ByteName::check(operation.key()).map(drop))?;
        let name = |key| ByteName::of(key).expect("its length was looked at");
        let named = operations.map(|operation| match operation {
            Operation::Get { key } => Operation::Get { key: name(key) },
            Operation::Put { key, value } => Operation::Put { key: name(key), value },
            Operation::Delete { key } => Operation::Delete { key: name(key) },
        });
        self.execute_named(named, buffers, answers);
        Ok(())
    }
}
