//! Closed sets of words that sort a memory: the facets.

/// Declares a closed set of words: the variants, their public spelling and their stable byte at rest.
#[macro_export]
macro_rules! facet {
    ($(#[$doc:meta])* $type:ident, $field:literal, {
        $($(#[$variant_doc:meta])* $variant:ident = $byte:literal $word:literal),+ $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $type {
            $(
                $(#[$variant_doc])*
                #[doc = concat!("Spelled `", $word, "`.")]
                $variant
            ),+
        }

        impl $type {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the public spelling.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The byte under which this value is stored. Frozen: never reuse or renumber one.
            pub fn code(self) -> u8 {
                match self { $(Self::$variant => $byte),+ }
            }

            /// Reads a stored byte back; `None` for one that no value has.
            pub fn from_code(code: u8) -> Option<Self> {
                match code { $($byte => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(text: &str) -> $crate::Result<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| {
                    let known: Vec<_> = Self::ALL.iter().map(|value| value.as_str()).collect();
                    $crate::Error::invalid($field, format!("must be one of {}", known.join(", ")))
                })
            }
        }
    };
}

facet!(
    /** The subject matter of a memory; the other facets have defaults by it. */
    Category, "category", {
    Conversation = 1 "conversation",
    WorkPattern = 2 "work_pattern",
    Preference = 3 "preference",
    LearnedContext = 4 "learned_context",
});

facet!(
    /** The form of a memory's text. */
    ContentType, "content_type", {
    Transcript = 1 "transcript",
    Summary = 2 "summary",
    Fact = 3 "fact",
    Preference = 4 "preference",
    Pattern = 5 "pattern",
});

facet!(
    /** The layer of memory that holds it. */
    Tier, "tier", {
    Working = 1 "working",
    Episodic = 2 "episodic",
    Semantic = 3 "semantic",
});

facet!(
    /** The kind of memory in the persona schema; the pace of decay follows from it. */
    PersonaKind, "kind", {
    Episodic = 1 "episodic",
    Semantic = 2 "semantic",
    Procedural = 3 "procedural",
});

facet!(
    /** The part of a person's life to which a memory belongs. */
    Lane, "lane", {
    Profile = 1 "profile",
    Business = 2 "business",
    Documents = 3 "documents",
});

facet!(
    /** The origin of a memory. */
    SourceType, "source.type", {
    UserMessage = 1 "user_message",
    ToolOutput = 2 "tool_output",
    AiInference = 3 "ai_inference",
    ExplicitSave = 4 "explicit_save",
});

facet!(
    /** Ordered from the least to the most trusted. */
    Trust, "source.trust", {
    Low = 1 "low",
    Medium = 2 "medium",
    High = 3 "high",
});

facet!(
    /** The part that a source had in a derived memory. */
    Contribution, "derived_from.contribution", {
    Primary = 1 "primary",
    Context = 2 "context",
    Inference = 3 "inference",
});

facet!(
    /** The class of personal data in a memory. */
    PrivacyClass, "privacy_class", {
    NonPii = 1 "non-pii",
    Aggregate = 2 "aggregate",
    GuestPii = 3 "guest-pii",
    StaffPii = 4 "staff-pii",
    SensitivePii = 5 "sensitive-pii",
    CommercialConfidential = 6 "commercial-confidential",
});

facet!(
    /** Topics that need special care. */
    Sensitivity, "sensitivity", {
    Health = 1 "health",
    Financial = 2 "financial",
    Biometric = 3 "biometric",
    Location = 4 "location",
    PoliticalReligious = 5 "political_religious",
    Relationships = 6 "relationships",
    Professional = 7 "professional",
    Preferences = 8 "preferences",
});

facet!(
    /** The topics that an owner consents to once: a sensitive category, patterns of behaviour, keeping for long, or texts
    of those categories in the hands of the language model. */
    ConsentTopic, "category", {
    Health = 1 "health",
    Financial = 2 "financial",
    Biometric = 3 "biometric",
    Location = 4 "location",
    PoliticalReligious = 5 "political_religious",
    Relationships = 6 "relationships",
    Professional = 7 "professional",
    Preferences = 8 "preferences",
    Patterns = 64 "patterns",
    LongTerm = 65 "long_term",
    LanguageModel = 66 "language_model",
});

impl ConsentTopic {
    /// The sensitive category, where it is one.
    pub fn sensitivity(self) -> Option<Sensitivity> {
        Sensitivity::from_code(self.code())
    }
}

impl From<Sensitivity> for ConsentTopic {
    fn from(category: Sensitivity) -> Self {
        match category {
            Sensitivity::Health => Self::Health,
            Sensitivity::Financial => Self::Financial,
            Sensitivity::Biometric => Self::Biometric,
            Sensitivity::Location => Self::Location,
            Sensitivity::PoliticalReligious => Self::PoliticalReligious,
            Sensitivity::Relationships => Self::Relationships,
            Sensitivity::Professional => Self::Professional,
            Sensitivity::Preferences => Self::Preferences,
        }
    }
}

facet!(
    /** The legal ground on which a memory is kept. */
    ConsentBasis, "consent_basis", {
    ServiceDelivery = 1 "service-delivery",
    LegitimateInterest = 2 "legitimate-interest",
    ExplicitConsent = 3 "explicit-consent",
    LegalObligation = 4 "legal-obligation",
    NotApplicable = 5 "not-applicable",
});

facet!(
    /** The time class after which a memory is erased. */
    RetentionTier, "retention", {
    Ephemeral = 1 "ephemeral",
    ShortTerm = 2 "short_term",
    MediumTerm = 3 "medium_term",
    LongTerm = 4 "long_term",
    Sensitive = 5 "sensitive",
});

facet!(
    /** Only `active` memories are recalled; `archived` on explicit request. */
    Lifecycle, "state", {
    Candidate = 1 "candidate",
    Approved = 2 "approved",
    Active = 3 "active",
    Deleted = 4 "deleted",
    Archived = 5 "archived",
});

facet!(
    /** The reason for which a candidate is not active yet. */
    Wait, "waits", {
    Confirmation = 1 "confirmation",
    Quarantine = 2 "quarantine",
    Approval = 3 "approval",
    Contradiction = 4 "contradiction",
    Dangling = 5 "dangling",
    Consent = 6 "consent",
});

impl Category {
    /// The tier that follows from the category unless the caller names one.
    pub fn default_tier(self) -> Tier {
        match self {
            Category::Conversation => Tier::Episodic,
            Category::WorkPattern | Category::Preference | Category::LearnedContext => Tier::Semantic,
        }
    }

    /// The kind that follows from the category unless the caller names one.
    pub fn default_kind(self) -> PersonaKind {
        match self {
            Category::Conversation => PersonaKind::Episodic,
            Category::WorkPattern => PersonaKind::Procedural,
            Category::Preference | Category::LearnedContext => PersonaKind::Semantic,
        }
    }

    /// The content type that follows from the category unless the caller names one.
    pub fn default_content_type(self) -> ContentType {
        match self {
            Category::Conversation => ContentType::Transcript,
            Category::WorkPattern => ContentType::Pattern,
            Category::Preference => ContentType::Preference,
            Category::LearnedContext => ContentType::Fact,
        }
    }
}

facet!(
    /** The rights of a token's bearer. */
    Role, "roles", {
    User = 1 "user",
    Reader = 2 "reader",
    Admin = 3 "admin",
    Agent = 4 "agent",
    Service = 5 "service",
});

facet!(
    /** The operations that a service may carry out for people. `confirm` makes its word theirs: it may answer what waits
    for them and give their consents. `provision` makes and removes people. */
    Operation, "operations", {
    Recall = 1 "recall",
    Remember = 2 "remember",
    Forget = 3 "forget",
    Export = 5 "export",
    Import = 6 "import",
    Destroy = 7 "destroy",
    Freeze = 8 "freeze",
    Retain = 9 "retain",
    ReadAudit = 10 "audit",
    Confirm = 11 "confirm",
    Provision = 12 "provision",
});

impl Sensitivity {
    /// Returns the categories that a sensitive text needs a consent for: those of a special kind, or relationships
    /// where none is named.
    pub fn needing_consent(found: &[Self]) -> Vec<Self> {
        let is_special =
            |one: &Self| matches!(one, Self::Health | Self::Biometric | Self::PoliticalReligious);
        let special: Vec<Self> = found.iter().copied().filter(is_special).collect();
        if special.is_empty() { vec![Self::Relationships] } else { special }
    }
}

impl SourceType {
    /// The trust that a source of this type starts with. A caller may lower it, never raise it.
    pub fn trust(self, tool: Option<&str>) -> Trust {
        match self {
            SourceType::UserMessage | SourceType::ExplicitSave => Trust::High,
            SourceType::ToolOutput if tool == Some("web_fetch") => Trust::Low,
            SourceType::ToolOutput => Trust::Medium,
            SourceType::AiInference => Trust::Low,
        }
    }
}
