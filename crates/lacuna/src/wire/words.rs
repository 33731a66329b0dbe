//! The closed sets of words on the wire: one schema each, and one message for a word that is not in it.

use std::fmt;
use std::str::FromStr;

use lacuna_core::{govern, keep, read, vault};
use lacuna_types as domain;
use lacuna_types::{policy, request};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Wraps a facet of the core in a wire form that reads and writes its public words.
macro_rules! words {
    ($module:ident { $($name:ident),+ $(,)? }) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) struct $name(pub(crate) $module::$name);

        impl $name {
            pub(crate) fn all() -> impl Iterator<Item = &'static str> {
                $module::$name::ALL.iter().map(|word| word.as_str())
            }
        }

        impl From<$module::$name> for $name {
            fn from(word: $module::$name) -> Self {
                Self(word)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.0.as_str())
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                text.parse().map(Self).map_err(|_| not_one_of(Self::all()))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.0.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new().schema_type(Type::String).enum_values(Some(Self::all())).into()
            }
        }

        impl ToSchema for $name {}
    )+};
}

words!(domain {
    Category,
    ContentType,
    Tier,
    PersonaKind,
    Lane,
    SourceType,
    Trust,
    Contribution,
    PrivacyClass,
    Sensitivity,
    ConsentBasis,
    ConsentTopic,
    RetentionTier,
    Lifecycle,
    Wait,
    Role,
    Operation,
});

words!(keep { SessionState });

words!(request { Mode });

words!(vault { Cause, HoldReason, Named, ProbePath, Speaker });

words!(govern { Job });

words!(read { Mark });

words!(policy { Confabulation });

/// The scope that a question means keeps the name that the description has always had for it.
mod intent {
    pub(super) use lacuna_types::policy::IntentScope as Reach;
}
words!(intent { Reach });

fn not_one_of(words: impl Iterator<Item = &'static str>) -> String {
    format!("must be one of {}", words.collect::<Vec<_>>().join(", "))
}
