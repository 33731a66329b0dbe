use jiff::{SignedDuration, Timestamp};
use lacuna_types::decay::Point;
use lacuna_types::{Memory, Scope, Vitality};
use serde::Serialize;

use super::MemoryView;

/// Points of each half of the curve.
const POINTS: usize = 30;
/// Half-lives that the curve looks ahead.
const HALF_LIVES_AHEAD: f32 = 2.0;
const HOURS_PER_DAY: f32 = 24.0;

/// A memory with its decay.
#[derive(Serialize)]
pub(crate) struct InspectView {
    #[serde(flatten)]
    pub(crate) memory: MemoryView,
    pub(crate) vitality: VitalityView,
}

/// Salience of a memory: now, before and later.
#[derive(Serialize)]
pub(crate) struct VitalityView {
    pub(crate) salience_now: f32,
    /// Salience at the last rehearsal, or when the memory was formed.
    pub(crate) salience_at_rehearsal: f32,
    pub(crate) half_life_days: f32,
    /// Brightness of each detail now, in their order.
    pub(crate) details_now: Vec<f32>,
    pub(crate) rehearsals: u32,
    /// Times of rehearsals as far back as they are kept, oldest first.
    pub(crate) rehearsed_at: Vec<Timestamp>,
    pub(crate) past: CurveView,
    pub(crate) future: CurveView,
}

/// Salience at evenly spaced moments.
#[derive(Serialize)]
pub(crate) struct CurveView {
    pub(crate) from: Timestamp,
    pub(crate) until: Timestamp,
    pub(crate) salience: Vec<f32>,
}

impl CurveView {
    fn of(vitality: &Vitality, from: Timestamp, until: Timestamp) -> Self {
        let points = vitality.curve(from, until, POINTS);
        Self { from, until, salience: points.iter().map(|point: &Point| point.salience).collect() }
    }
}

impl InspectView {
    pub(crate) fn of(memory: Memory, scope: &Scope, now: Timestamp) -> Self {
        let vitality = &memory.facets.vitality;
        // The curve of the past begins with the oldest peak that is kept; nothing earlier is known.
        let began = vitality.peaks.first().map_or(vitality.rehearsed_at, |peak| peak.at).min(now);
        let ahead = (vitality.decay.half_life_days * HALF_LIVES_AHEAD * HOURS_PER_DAY) as i64;
        let until = now.saturating_add(SignedDuration::from_hours(ahead)).unwrap_or(Timestamp::MAX);
        let details = memory.content.details.iter();
        let vitality = VitalityView {
            salience_now: vitality.salience_at(now),
            salience_at_rehearsal: vitality.salience,
            half_life_days: vitality.decay.half_life_days,
            details_now: details.map(|detail| vitality.brightness_at(detail.brightness, now)).collect(),
            rehearsals: vitality.rehearsals,
            rehearsed_at: vitality.rehearsal_times(),
            past: CurveView::of(vitality, began, now),
            future: CurveView::of(vitality, now, until),
        };
        Self { memory: MemoryView::of(memory, scope), vitality }
    }
}
