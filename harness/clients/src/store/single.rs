//! One server, through hiredis.

use std::time::Duration;

use baseline_redis::{Connection, Reply};

use super::{ERROR_BYTES, Store, StoreError, found};
use crate::target::Address;

/// A connection to one server. It is opened again when it broke.
#[derive(Debug)]
pub(super) struct Single {
    address: Address,
    timeout: Duration,
    connection: Option<Connection>,
    buffer: Vec<u8>,
}

impl Single {
    pub(super) fn open(
        address: &Address,
        value_bytes_max: usize,
        timeout: Duration,
    ) -> Result<Self, StoreError> {
        let buffer = vec![0; value_bytes_max.max(ERROR_BYTES)];
        let mut single = Self { address: address.clone(), timeout, connection: None, buffer };
        single.connection()?;
        Ok(single)
    }

    fn connection(&mut self) -> Result<&mut Connection, StoreError> {
        if self.connection.is_none() {
            let Address { host, port } = &self.address;
            let opened = Connection::open_host(host, *port, self.timeout).map_err(|text| {
                StoreError::new("connection", format!("{}: {text}", self.address))
            })?;
            self.connection = Some(opened);
        }
        Ok(self.connection.as_mut().expect("it was opened"))
    }

    fn ask(&mut self, parts: &[&[u8]]) -> Result<Reply, StoreError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let connection = self.connection();
        let answer = connection.and_then(|connection| {
            let answer = connection.append(parts).and_then(|()| connection.reply(&mut buffer));
            answer.map_err(StoreError::failed)
        });
        self.buffer = buffer;
        if answer.is_err() {
            self.connection = None;
        }
        match answer? {
            Reply::Error(bytes) => Err(StoreError::refused_by(&self.buffer, bytes)),
            reply => Ok(reply),
        }
    }
}

impl Store for Single {
    fn get(&mut self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, StoreError> {
        let answer = self.ask(&[b"GET", key])?;
        found(answer, &self.buffer, value)
    }

    fn set(&mut self, key: &[u8], value: &[u8], replicas: u32) -> Result<(), StoreError> {
        match self.ask(&[b"SET", key, value])? {
            Reply::Status => {}
            other => return Err(StoreError::answered("SET", other)),
        }
        if replicas == 0 {
            return Ok(());
        }
        let wait_ms = (self.timeout.as_millis() / 2).max(1).to_string();
        let wanted = replicas.to_string();
        match self.ask(&[b"WAIT", wanted.as_bytes(), wait_ms.as_bytes()])? {
            Reply::Integer(has) if has >= i64::from(replicas) => Ok(()),
            Reply::Integer(has) => Err(StoreError::unreplicated(has, replicas)),
            other => Err(StoreError::answered("WAIT", other)),
        }
    }
}
