//! A value within JSON that knows where it stands, so that errors name it.

use serde_json::Value;

use super::ImportFault;

/// A value with its place, as `results[0].times[2]`.
#[derive(Clone, Debug)]
pub(super) struct Field<'v> {
    place: String,
    value: &'v Value,
}

impl<'v> Field<'v> {
    pub(super) fn root(value: &'v Value) -> Self {
        Self { place: String::new(), value }
    }

    /// The member `key`; none where there is none.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key)?;
        Some(Self { place: self.place_of(key), value })
    }

    /// The member `key`, which has to be there.
    pub(super) fn need(&self, key: &str) -> Result<Self, ImportFault> {
        self.get(key).ok_or_else(|| ImportFault::Shape {
            field: self.place_of(key),
            expected: "there",
            found: "missing".to_owned(),
        })
    }

    /// The values of an array.
    pub(super) fn items(&self) -> Result<Vec<Self>, ImportFault> {
        let items = self.value.as_array().ok_or_else(|| self.unlike("an array"))?;
        let place = |index| format!("{}[{index}]", self.place);
        Ok(items.iter().enumerate().map(|(at, value)| Self { place: place(at), value }).collect())
    }

    /// The members of an object; none of anything else.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'v str, Self)> {
        let members = self.value.as_object().into_iter().flatten();
        members.map(|(key, value)| (key.as_str(), Self { place: self.place_of(key), value }))
    }

    /// A measured value.
    pub(super) fn number(&self) -> Result<f64, ImportFault> {
        let number = self.value.as_f64().ok_or_else(|| self.unlike("a number"))?;
        measured(&self.place, number)
    }

    /// The measured values of an array.
    pub(super) fn numbers(&self) -> Result<Vec<f64>, ImportFault> {
        self.items()?.iter().map(Self::number).collect()
    }

    pub(super) fn text(&self) -> Result<&'v str, ImportFault> {
        self.value.as_str().ok_or_else(|| self.unlike("a text"))
    }

    /// A text or number as it is written; none of anything else.
    pub(super) fn written(&self) -> Option<String> {
        match self.value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Whether the value is exactly this.
    pub(super) fn is(&self, value: &Value) -> bool {
        self.value == value
    }

    /// The fault that the value is not `expected`.
    pub(super) fn unlike(&self, expected: &'static str) -> ImportFault {
        let found = match self.value {
            Value::Null => "null".to_owned(),
            Value::Array(items) => format!("an array of {}", items.len()),
            Value::Object(_) => "an object".to_owned(),
            plain => plain.to_string(),
        };
        ImportFault::Shape { field: self.place.clone(), expected, found }
    }

    fn place_of(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }
}

/// `value`, if a measurement can have it.
pub(super) fn measured(field: &str, value: f64) -> Result<f64, ImportFault> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(ImportFault::Number { field: field.to_owned(), value })
    }
}
