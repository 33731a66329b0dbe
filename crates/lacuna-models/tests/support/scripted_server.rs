//! A server on this machine that speaks the APIs of language models, well and badly.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// The server's answer to one request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// The model's text, in the wrapping of the API that was asked.
    Says(String),
    /// A failure that quotes the whole request.
    Status(u16),
    Body(String),
    /// No answer until the client gives up.
    Hang,
}

pub(crate) struct ScriptedServer {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<(String, Value)>>>,
}

impl ScriptedServer {
    /// Answers with the replies in turn, and with the last one from then on.
    pub(crate) fn start(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (replies, log) = (replies.to_vec(), Arc::clone(&seen));
        thread::spawn(move || {
            for (number, stream) in listener.incoming().map_while(Result::ok).enumerate() {
                let (reply, log) = (replies[number.min(replies.len() - 1)].clone(), Arc::clone(&log));
                thread::spawn(move || serve(stream, &reply, &log));
            }
        });
        Self { url, seen }
    }

    pub(crate) fn says(answer: &Value) -> Self {
        Self::start(&[Reply::Says(answer.to_string())])
    }

    /// The requests so far, head and body.
    pub(crate) fn requests(&self) -> Vec<(String, Value)> {
        self.seen.lock().unwrap().clone()
    }
}

/// A chat completion as a server of OpenAI's API writes it. `finish` is `length` for one that was cut at its last token.
pub(crate) fn completion(text: &str, finish: &str) -> Value {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "test-model",
        "choices": [{
            "index": 0,
            "finish_reason": finish,
            "message": {"role": "assistant", "content": text},
        }],
        "usage": {"prompt_tokens": 7, "completion_tokens": 256, "total_tokens": 263},
    })
}

fn serve(mut stream: TcpStream, reply: &Reply, log: &Mutex<Vec<(String, Value)>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).ok().filter(|read| *read > 0)?;
    }
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length?];
    reader.read_exact(&mut body).ok()?;
    let asked: Value = serde_json::from_slice(&body).ok()?;
    log.lock().unwrap().push((head.clone(), asked.clone()));
    let (status, body) = match reply {
        Reply::Says(text) if head.contains("/chat/completions") => {
            (200, completion(text, "stop").to_string())
        }
        Reply::Says(text) => (200, json!({"content": [{"type": "text", "text": text}]}).to_string()),
        Reply::Status(status) => (*status, json!({"error": head, "request": asked}).to_string()),
        Reply::Body(body) => (200, body.clone()),
        Reply::Hang => {
            // Until the client gives up and closes.
            let _ = reader.read(&mut [0]);
            return None;
        }
    };
    let head =
        format!("HTTP/1.1 {status} Test\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()
}
