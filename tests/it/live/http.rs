//! An HTTP server of a few lines, that answers whatever a test wants it to: broken answers, too.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request as it came in. `method` is that of JSON-RPC, or of HTTP where there is no body.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    headers: Vec<(String, String)>,
    pub body: Value,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// What goes back.
pub struct Answer {
    head: String,
    body: Vec<u8>,
    whole: Option<Vec<u8>>,
    is_chunked: bool,
    hangs: bool,
    lingers: bool,
}

impl Answer {
    pub fn new(status: u16) -> Answer {
        let head = format!("HTTP/1.1 {status} X\r\n");
        Answer { head, body: Vec::new(), whole: None, is_chunked: false, hangs: false, lingers: false }
    }

    /// These bytes and no others.
    pub fn raw(bytes: &[u8]) -> Answer {
        Answer { whole: Some(bytes.to_vec()), ..Answer::new(200) }
    }

    pub fn header(mut self, name: &str, value: &str) -> Answer {
        self.head.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub fn body(self, text: &str) -> Answer {
        self.bytes(text.as_bytes())
    }

    pub fn bytes(mut self, bytes: &[u8]) -> Answer {
        self.body = bytes.to_vec();
        self
    }

    pub fn chunked(mut self, text: &str) -> Answer {
        self.is_chunked = true;
        self.body(text)
    }

    /// Keep the connection open, and send no more.
    pub fn and_hang(mut self) -> Answer {
        self.hangs = true;
        self
    }

    /// Say nothing of the connection's end, and close it when the client has begun to send on it again, or gone.
    pub fn and_linger(mut self) -> Answer {
        self.lingers = true;
        self
    }

    fn send(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        if let Some(whole) = &self.whole {
            return stream.write_all(whole);
        }
        if !self.is_chunked {
            let length = self.body.len();
            let end = if self.lingers { "" } else { "Connection: close\r\n" };
            write!(stream, "{}Content-Length: {length}\r\n{end}\r\n", self.head)?;
            stream.write_all(&self.body)?;
            return if self.lingers { stream.peek(&mut [0]).map(drop) } else { Ok(()) };
        }
        write!(stream, "{}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n", self.head)?;
        // Chunks that end in the middle of lines and characters.
        for chunk in self.body.chunks(if self.body.len() > 10_000 { 8192 } else { 7 }) {
            write!(stream, "{:x}\r\n", chunk.len())?;
            stream.write_all(chunk)?;
            stream.write_all(b"\r\n")?;
        }
        if self.hangs {
            stream.flush()?;
            // As long as any test may take: it is known by its client that goes on, or gives up, without an end.
            std::thread::sleep(Duration::from_secs(3600));
        }
        stream.write_all(b"0\r\n\r\n")
    }
}

/// Listens until the test process ends.
pub struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn start(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&seen), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    let Some(request) = read(&stream) else { return };
                    kept.lock().unwrap().push(request.clone());
                    let _ = answer(&request).send(&mut stream); // the client may have gone
                });
            }
        });
        Server { port, seen }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    pub fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let verb = line.split(' ').next()?.to_string();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.trim().to_string())),
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, value)| value);
    let mut body = vec![0; length.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let method = body["method"].as_str().map_or(verb, str::to_string);
    Some(Request { method, headers, body })
}
