//! The pages of the console on a large vault: the first page, and the page of one memory, as a signed-in browser asks.

use std::path::Path;

use serde_json::Value;

use super::http::{Connection, Server, Setting};
use super::measure::{Latency, latency};
use super::random::Random;
use crate::Result;

/// Memories whose pages are asked for in turn.
const PAGES_VISITED: usize = 40;
const SEED: u64 = 21;

/// Times of the pages.
pub(super) struct PageTimes {
    pub(super) first: Latency,
    pub(super) memory: Latency,
}

/// Fills a vault of `memories`, signs in with a token, and looks at pages `visits` times.
pub(super) fn visit(memories: usize, visits: usize, folder: &Path) -> Result<PageTimes> {
    let server = Server::start(&Setting { embedder: "static", requests_max: None }, folder)?;
    server.fill(memories)?;
    let mut connection = server.connect()?;
    let cookie = sign_in(&server, &mut connection)?;
    let ids = ids(&server, &mut connection)?;
    let mut page = |path: &str| -> Result {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n", server.authority);
        let answer = connection.exchange(&request)?;
        match answer.status == 200 && answer.body.ends_with(b"</html>") {
            true => Ok(()),
            false => Err(format!("{path} was answered with {}", answer.status).into()),
        }
    };
    let first = latency(visits, |_| page("/"))?;
    let mut random = Random::new(SEED);
    let chosen: Vec<&String> = (0..PAGES_VISITED).map(|_| &ids[random.below(ids.len())]).collect();
    let memory =
        latency(visits, |number| page(&format!("/console/memories/{}", chosen[number % PAGES_VISITED])))?;
    Ok(PageTimes { first, memory })
}

/// Signs in as a page does. Returns the cookie.
fn sign_in(server: &Server, connection: &mut Connection) -> Result<String> {
    let body = format!("token={}", server.token);
    let request = format!(
        "POST /console/sign-in HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {1}\r\n\r\n{body}",
        server.authority,
        body.len()
    );
    let answer = connection.exchange(&request)?;
    let cookie = answer.headers.iter().find(|(name, _)| name == "set-cookie").map(|(_, value)| value);
    let cookie = cookie.ok_or_else(|| format!("signing in was answered with {}", answer.status))?;
    Ok(cookie.split(';').next().unwrap_or_default().to_owned())
}

/// Ids from one page of the list.
fn ids(server: &Server, connection: &mut Connection) -> Result<Vec<String>> {
    let request = format!(
        "GET /v1/memories?limit=200 HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.authority, server.token
    );
    let listed: Value = serde_json::from_slice(&connection.exchange(&request)?.body)?;
    let memories = listed["memories"].as_array().ok_or("no list")?;
    Ok(memories.iter().filter_map(|memory| memory["memory_id"].as_str().map(str::to_owned)).collect())
}
