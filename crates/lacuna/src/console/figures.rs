//! The figures of the process, read from the text that `/metrics` shows, as rows of charts.

use std::collections::BTreeMap;

/// Rows of a chart; those with the largest counts.
const ROWS_MAX: usize = 12;
const MILLIS_PER_SECOND: f64 = 1_000.0;

/// Requests by route, the most frequent first.
pub(super) fn by_route(figures: &str) -> Vec<(String, usize)> {
    let mut rows = counted(figures, "route");
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    rows.truncate(ROWS_MAX);
    rows
}

/// Requests by status.
pub(super) fn by_status(figures: &str) -> Vec<(String, usize)> {
    counted(figures, "status")
}

fn counted(figures: &str, label: &str) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in figures.lines().filter(|line| line.starts_with("lacuna_http_requests_total{")) {
        if let Some((value, count)) = label_of(line, label).zip(value_of(line)) {
            *counts.entry(value).or_default() += count;
        }
    }
    counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
}

/// Requests by the time that they took: each bound in milliseconds, and the requests between it and the one before.
pub(super) fn by_time(figures: &str) -> Vec<(String, usize)> {
    let mut up_to: BTreeMap<u64, (f64, usize)> = BTreeMap::new();
    for line in figures.lines().filter(|line| line.starts_with("lacuna_http_request_seconds_bucket{")) {
        let bound = label_of(line, "le").and_then(|bound| bound.parse::<f64>().ok());
        if let Some((bound, count)) = bound.zip(value_of(line)) {
            // Bounds are positive, and so their bits have their order.
            up_to.entry(bound.to_bits()).or_insert((bound, 0)).1 += count;
        }
    }
    let mut before = 0;
    let mut rows = Vec::new();
    for (bound, all) in up_to.into_values() {
        let name = match bound.is_finite() {
            true => format!("≤ {} ms", bound * MILLIS_PER_SECOND),
            false => "∞".to_owned(),
        };
        rows.push((name, all - before));
        before = all;
    }
    rows
}

fn label_of<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("{label}=\""))?;
    rest.split('"').next()
}

fn value_of(line: &str) -> Option<usize> {
    line.rsplit(' ').next().and_then(|count| count.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_route_status_and_time() {
        let figures = "# TYPE x\nlacuna_http_requests_total{method=\"GET\",route=\"/\",status=\"200\"} 3\n\
                       lacuna_http_requests_total{method=\"POST\",route=\"/v1/search\",status=\"200\"} 9\n\
                       lacuna_http_requests_total{method=\"GET\",route=\"/\",status=\"401\"} 1\nother 5\n\
                       lacuna_http_request_seconds_bucket{route=\"/\",le=\"0.001\"} 2\n\
                       lacuna_http_request_seconds_bucket{route=\"/\",le=\"0.025\"} 3\n\
                       lacuna_http_request_seconds_bucket{route=\"/\",le=\"+Inf\"} 4\n\
                       lacuna_http_request_seconds_bucket{route=\"/v1/search\",le=\"0.001\"} 5\n\
                       lacuna_http_request_seconds_bucket{route=\"/v1/search\",le=\"0.025\"} 9\n\
                       lacuna_http_request_seconds_bucket{route=\"/v1/search\",le=\"+Inf\"} 9\n";
        let rows = |rows: &[(&str, usize)]| -> Vec<(String, usize)> {
            rows.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
        };
        assert_eq!(by_route(figures), rows(&[("/v1/search", 9), ("/", 4)]));
        assert_eq!(by_status(figures), rows(&[("200", 12), ("401", 1)]));
        assert_eq!(by_time(figures), rows(&[("≤ 1 ms", 7), ("≤ 25 ms", 5), ("∞", 1)]));
    }
}
