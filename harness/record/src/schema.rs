//! JSON Schemas of the files in a run folder, derived from the types.

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};

/// The schema for lines of `T`, draft 2020-12, as text. It accepts everything this program reads: rows of
/// earlier formats lack some fields.
#[must_use]
pub fn text_of<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().with_transform(Plain);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    serde_json::to_string_pretty(&schema).expect("plain data") + "\n"
}

/// Turns doc comments into descriptions: their first paragraph, on one line, without links to items,
/// which have no meaning outside the code.
#[derive(Clone, Debug)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(text) = schema.get("description").and_then(|text| text.as_str()) {
            let first = text.split("\n\n").next().unwrap_or_default();
            let text = first.replace("[`", "`").replace("`]", "`").replace('\n', " ");
            schema.insert("description".to_owned(), text.into());
        }
        transform_subschemas(self, schema);
    }
}
