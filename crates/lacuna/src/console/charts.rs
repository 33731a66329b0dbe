//! Small pictures, drawn here as SVG: the fading of a memory, and bars.

use jiff::{SignedDuration, Timestamp};
use lacuna_types::Vitality;
use lacuna_types::decay::Point;
use maud::{Markup, html};

use super::language::{PageLanguage, filled};

const WIDTH: f32 = 640.0;
const HEIGHT: f32 = 160.0;
/// Room below the curve for its dates.
const FOOT: f32 = 22.0;
const POINTS: usize = 60;
/// Half-lives that the curve looks ahead.
const HALF_LIVES_AHEAD: f32 = 2.0;
const HOURS_PER_DAY: f32 = 24.0;

/// The fading of a memory: how it was until now, and how it goes on if nobody recalls it.
pub(super) fn fading(language: PageLanguage, vitality: &Vitality, now: Timestamp) -> Markup {
    let texts = language.texts();
    let began = vitality.peaks.first().map_or(vitality.rehearsed_at, |peak| peak.at).min(now);
    let ahead = (vitality.decay.half_life_days * HALF_LIVES_AHEAD * HOURS_PER_DAY) as i64;
    let until = now.saturating_add(SignedDuration::from_hours(ahead)).unwrap_or(Timestamp::MAX);
    let span = until.duration_since(began).as_secs_f32().max(1.0);
    let across = |at: Timestamp| WIDTH * at.duration_since(began).as_secs_f32() / span;
    let line = |points: &[Point]| -> String {
        let place = |point: &Point| format!("{:.1},{:.1}", across(point.at), height(point.salience));
        points.iter().map(place).collect::<Vec<_>>().join(" ")
    };
    let (past, future) = (vitality.curve(began, now, POINTS), vitality.curve(now, until, POINTS));
    let strength = vitality.salience_at(now);
    let title = filled(texts.curve_title, &[&language.percent(strength)]);
    let (here, high) = (format!("{:.1}", across(now)), format!("{:.1}", height(strength)));
    let bottom = format!("{HEIGHT}");
    html! {
        figure class="curve" {
            svg viewBox=(format!("0 -6 {WIDTH} {}", HEIGHT + FOOT + 6.0)) role="img" aria-label=(title) {
                polygon class="area" points=(format!("0,{HEIGHT} {} {here},{HEIGHT}", line(&past))) {}
                polyline class="past" points=(line(&past)) {}
                polyline class="future" points=(line(&future)) {}
                line class="axis" x1="0" x2=(WIDTH) y1=(bottom) y2=(bottom) {}
                line class="now" x1=(here) x2=(here) y1=(high) y2=(bottom) {}
                circle class="dot" cx=(here) cy=(high) r="5" {}
                text class="label" x="0" y=(HEIGHT + FOOT - 6.0) datetime=(began) data-form="day" { (language.plain_day(began)) }
                text class="label end" x=(WIDTH) y=(HEIGHT + FOOT - 6.0) datetime=(until) data-form="day" { (language.plain_day(until)) }
            }
            figcaption { (title) " " (texts.curve_hint) }
        }
    }
}

/// The distance of a share from the top.
fn height(share: f32) -> f32 {
    HEIGHT * (1.0 - share.clamp(0.0, 1.0))
}

/// Width of a chart of bars, of its longest bar, and the height of a row: each name stands above its bar, so that both
/// can be read on a small screen.
const BARS: (f32, f32, usize) = (360.0, 300.0, 40);

/// Bars of one unit, the longest as wide as the chart.
pub(super) fn bars(language: PageLanguage, label: &str, rows: &[(String, usize)]) -> Markup {
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let (whole, wide, row) = BARS;
    html! {
        svg class="bars" viewBox=(format!("0 0 {whole} {}", rows.len().max(1) * row)) role="img" aria-label=(label) {
            @for (at, (title, count)) in rows.iter().enumerate() {
                @let y = at * row;
                @let width = wide * *count as f32 / most as f32;
                text class="label" x="0" y=(y + 14) { (title) }
                rect class="bar" x="0" y=(y + 20) width=(format!("{width:.1}")) height="14" rx="3" {}
                text class="label" x=(format!("{:.1}", width + 8.0)) y=(y + 32) { (language.number(*count)) }
            }
        }
    }
}
