//! A real Chromium, driven over WebDriver: a small client of the few commands that the tests need.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::Agent;

const PATIENCE: Duration = Duration::from_secs(180);
/// Milliseconds that a script may take; the rules of accessibility take long on long pages.
const SCRIPT_MILLIS: u32 = 150_000;
/// Milliseconds that an element may take to appear: a form without scripts leads to a page that is still loading.
const ELEMENT_MILLIS: u32 = 15_000;
/// Milliseconds between two looks for a file.
const DOWNLOAD_LOOK_MILLIS: u32 = 100;
/// The key under which WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Nothing of the browser's own goes to the network, and it runs as root in a container.
const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
];

/// The folder of the rules that pages are checked by, if a browser is installed.
pub(crate) fn rules() -> Option<PathBuf> {
    let folder = std::env::var_os("LACUNA_TEST_BROWSER").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: no browser; `cargo xtask test` installs one");
    }
    folder
}

/// A browser with a profile of its own, which ends with the test.
pub(crate) struct Browser {
    driver: Child,
    agent: Agent,
    session: String,
    profile: TempDir,
}

impl Browser {
    pub(crate) fn start(language: &str) -> Self {
        Self::start_with(language, &[])
    }

    /// A browser with more flags of its own.
    pub(crate) fn start_with(language: &str, more: &[&str]) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let port = line.strip_prefix("ChromeDriver was started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let base = format!("http://127.0.0.1:{}", port.expect("the driver says its port"));
        let profile = tempfile::tempdir().unwrap();
        let mut flags: Vec<String> = FLAGS.iter().map(ToString::to_string).collect();
        flags.push(format!("--user-data-dir={}", profile.path().display()));
        flags.push(format!("--accept-lang={language}"));
        flags.extend(more.iter().map(ToString::to_string));
        let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(PATIENCE));
        let agent: Agent = config.build().into();
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "timeouts": {"script": SCRIPT_MILLIS, "implicit": ELEMENT_MILLIS},
            "goog:chromeOptions": {"binary": "/usr/bin/chromium", "args": flags, "prefs": {
                "download.default_directory": downloads(&profile),
                "download.prompt_for_download": false,
            }},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let made = send(&agent, "POST", &format!("{base}/session"), &wanted);
        let id = made["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {made}")).to_owned();
        Self { driver, agent, session: format!("{base}/session/{id}"), profile }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        send(&self.agent, "POST", &format!("{}/{path}", self.session), body)
    }

    pub(crate) fn go(&self, url: &str) {
        self.post("url", &json!({"url": url}));
    }

    pub(crate) fn resize(&self, width: u32, height: u32) {
        self.command(
            "Emulation.setDeviceMetricsOverride",
            &json!({
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
            }),
        );
    }

    /// Shows pages as a reader with this colour scheme sees them.
    pub(crate) fn scheme(&self, scheme: &str) {
        let features = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.command("Emulation.setEmulatedMedia", &features);
    }

    /// Turns scripts of pages off or on.
    pub(crate) fn scripts(&self, on: bool) {
        self.command("Emulation.setScriptExecutionDisabled", &json!({"value": !on}));
    }

    pub(crate) fn command(&self, name: &str, params: &Value) -> Value {
        self.post("goog/cdp/execute", &json!({"cmd": name, "params": params}))
    }

    /// The value of a script that returns one.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({"script": script, "args": []}))
    }

    /// The value that a script hands to its last argument.
    pub(crate) fn run_async(&self, script: &str) -> Value {
        self.post("execute/async", &json!({"script": script, "args": []}))
    }

    fn find(&self, selector: &str) -> String {
        let found = self.post("element", &json!({"using": "css selector", "value": selector}));
        found[ELEMENT]
            .as_str()
            .unwrap_or_else(|| panic!("no {selector}: {found}\n{}", self.text()))
            .to_owned()
    }

    pub(crate) fn click(&self, selector: &str) {
        let element = self.find(selector);
        let clicked = self.post(&format!("element/{element}/click"), &json!({}));
        assert!(clicked.is_null(), "{selector}: {clicked}");
    }

    /// Waits for a file with this ending that the page hands over, and returns what it holds. The form that asks for it leads to no
    /// other page, and a visit to another before it has answered would be undone by it.
    pub(crate) fn downloaded(&self, ending: &str) -> Vec<u8> {
        let folder = downloads(&self.profile);
        let whole = (0..ELEMENT_MILLIS / DOWNLOAD_LOOK_MILLIS).find_map(|_| {
            std::thread::sleep(Duration::from_millis(DOWNLOAD_LOOK_MILLIS.into()));
            let mut files = fs::read_dir(&folder).ok()?.map(|entry| entry.unwrap().path());
            files.find(|path| path.extension().is_some_and(|end| end == ending))
        });
        let path = whole.unwrap_or_else(|| panic!("no file came from {}\n{}", self.url(), self.text()));
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(path).unwrap();
        bytes
    }

    /// Types into a field, after what it held is gone.
    pub(crate) fn fill(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.post(&format!("element/{element}/clear"), &json!({}));
        self.post(&format!("element/{element}/value"), &json!({"text": text}));
    }

    /// The words that the page shows.
    pub(crate) fn text(&self) -> String {
        let element = self.post("element", &json!({"using": "css selector", "value": "body"}));
        let Some(id) = element[ELEMENT].as_str() else { return String::new() };
        let text = send(&self.agent, "GET", &format!("{}/element/{id}/text", self.session), &Value::Null);
        text.as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn url(&self) -> String {
        send(&self.agent, "GET", &format!("{}/url", self.session), &Value::Null).as_str().unwrap().to_owned()
    }

    /// Messages of the browser that tell of a refused script or style, or of an error.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.post("se/log", &json!({"type": "browser"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        let messages = entries.iter().filter_map(|entry| entry["message"].as_str());
        messages
            .filter(|text| text.contains("Content Security Policy") || text.contains("Uncaught"))
            .map(str::to_owned)
            .collect()
    }

    /// The whole page as a picture, up to a height.
    pub(crate) fn screenshot(&self, height_max: u64) -> Vec<u8> {
        let size = self.run("const d = document.documentElement; return [d.clientWidth, d.scrollHeight]");
        let (width, height) = (size[0].as_u64().unwrap(), size[1].as_u64().unwrap().min(height_max));
        let clip = json!({"x": 0, "y": 0, "width": width, "height": height, "scale": 1});
        let params = json!({"format": "png", "captureBeyondViewport": true, "clip": clip});
        let shot = self.command("Page.captureScreenshot", &params);
        STANDARD.decode(shot["data"].as_str().unwrap()).unwrap()
    }

    /// Findings of the accessibility rules that are serious or critical.
    pub(crate) fn barriers(&self, rules: &str) -> Vec<String> {
        self.barriers_in(rules, "html")
    }

    /// The same within the first part of the page that a selector names: some pages have too many parts for all.
    pub(crate) fn barriers_in(&self, rules: &str, selector: &str) -> Vec<String> {
        self.run(rules);
        let script = format!(
            "const done = arguments[arguments.length - 1]; const part = document.querySelector({selector:?});
            axe.run(part, {{resultTypes: ['violations']}}).then((found) => done(found.violations
                .filter((one) => ['serious', 'critical'].includes(one.impact))
                .map((one) => `${{one.id}}: ${{one.nodes.map((node) => node.target.join(' ')).slice(0, 5).join(', ')}}`)));"
        );
        let found = self.run_async(&script);
        let found = found.as_array().unwrap_or_else(|| panic!("the rules did not run: {found}"));
        found.iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    }
}

/// The folder that files of a browser with this profile go to.
fn downloads(profile: &TempDir) -> PathBuf {
    profile.path().join("downloads")
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn send(agent: &Agent, method: &str, url: &str, body: &Value) -> Value {
    let request =
        ureq::http::Request::builder().method(method).uri(url).header("content-type", "application/json");
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let mut response = agent.run(request.body(text).unwrap()).unwrap();
    let bytes = response.body_mut().with_config().limit(64 << 20).read_to_vec().unwrap();
    let answer: Value = serde_json::from_slice(&bytes).unwrap();
    answer["value"].clone()
}
