//! A headless Chromium, driven by its DevTools protocol over two pipes: JSON, each message ended by
//! a zero byte.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The browser has descriptors 3 and 4 for messages; its standard ones are spare.
const ON_DESCRIPTORS: &str = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";

/// No answer for so long is a failure of the browser.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
#[derive(Debug)]
pub(super) struct Browser {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    asked: u64,
    session: Option<String>,
    /// Events of the page so far, in their order.
    pub(super) events: Vec<Value>,
}

impl Browser {
    /// Starts a browser that keeps its files in `profile`.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn start(profile: &Path) -> Result<Self, String> {
        let runs = |name: &&&str| {
            let version = Command::new(name).arg("--version").stderr(Stdio::null()).output();
            version.is_ok_and(|output| output.status.success())
        };
        let program = NAMES.iter().find(runs).ok_or_else(|| {
            format!(
                "no browser: none of {} runs; scripts/setup --tests installs one",
                NAMES.join(", ")
            )
        })?;
        let mut child = Command::new("sh")
            .args(["-c", ON_DESCRIPTORS, program])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-sync"])
            .args(["--disable-component-update", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("sh: {error}"))?;
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|count| count > 0) {
                let message = serde_json::from_slice(bytes.strip_suffix(&[0]).unwrap_or(&bytes));
                if !message.is_ok_and(|message| sender.send(message).is_ok()) {
                    return;
                }
                bytes.clear();
            }
        });
        let mut browser =
            Self { child, input, messages, asked: 0, session: None, events: Vec::new() };
        let page = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached = browser.call(
            "Target.attachToTarget",
            json!({ "targetId": page["targetId"], "flatten": true }),
        );
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Ok(browser)
    }

    /// Calls a method and waits for its result; an error of the browser is a panic.
    pub(super) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let input = self.input.as_mut().expect("it is open until the end");
        input.write_all(&bytes).and_then(|()| input.flush()).expect("the browser listens");
        loop {
            let answer = self.next(method);
            if answer["id"] == id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
        }
    }

    /// Opens `url` and waits until all of it is loaded.
    pub(super) fn open(&mut self, url: &str) {
        let before = self.events.len();
        let opened = self.call("Page.navigate", json!({ "url": url }));
        assert!(opened["errorText"].is_null(), "{url}: {opened}");
        let loaded =
            |events: &[Value]| events.iter().any(|event| event["method"] == "Page.loadEventFired");
        while !loaded(&self.events[before..]) {
            self.next("Page.loadEventFired");
        }
    }

    /// The value of an expression of JavaScript in the page; promises are waited for.
    pub(super) fn evaluate(&mut self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Whether `condition` becomes true: the effect of a click may take the page a moment.
    pub(super) fn becomes(&mut self, condition: &str) -> bool {
        let waited = PATIENCE.as_millis() / 2;
        let promise = format!(
            "new Promise((done) => {{ setTimeout(() => done(false), {waited}); \
             const look = () => {condition} ? done(true) : setTimeout(look, 20); look(); }})"
        );
        self.evaluate(&promise) == true
    }

    /// The window's size in pixels.
    pub(super) fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// The medium (`screen`, `print`) and the colour scheme (`light`, `dark`).
    pub(super) fn show_on(&mut self, medium: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "media": medium, "features": features }));
    }

    /// Clicks in the middle of what `selector` finds first, as a mouse does.
    pub(super) fn click(&mut self, selector: &str) {
        let middle = self.evaluate(&format!(
            "(() => {{ const found = document.querySelector({}); \
             found.scrollIntoView({{ block: 'center' }}); \
             const box = found.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": middle[0], "y": middle[1], "button": "left", "clickCount": 1
            });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses and releases a key on what has the focus.
    pub(super) fn press(&mut self, key: &str, code: u32, text: &str) {
        let down = json!({
            "type": "keyDown", "key": key, "windowsVirtualKeyCode": code, "text": text
        });
        self.call("Input.dispatchKeyEvent", down);
        let up = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", up);
    }

    /// What the window shows, as a PNG file.
    pub(super) fn screenshot(&mut self) -> Vec<u8> {
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        STANDARD.decode(shot["data"].as_str().unwrap_or_default()).expect("base64")
    }

    /// The next message; events are kept.
    fn next(&mut self, waiting_for: &str) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        let message = message.unwrap_or_else(|error| panic!("no answer to {waiting_for}: {error}"));
        if message["method"].is_string() {
            self.events.push(message.clone());
        }
        message
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends with its pipe; whatever hangs is killed.
        self.input = None;
        let since = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && since.elapsed() < PATIENCE / 10 {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
