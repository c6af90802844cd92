//! A certificate that nobody vouches for. Needs python3 and openssl.

use crate::support::{Killed, verity};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Answers over TLS, and says on standard output which port it has, and each request that it could read.
const SERVER: &str = "
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        print('asked', flush=True)
        self.send_error(404)
    def log_message(self, *args):
        pass
class Quiet(http.server.HTTPServer):
    def handle_error(self, *args):
        pass
server = Quiet(('127.0.0.1', 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=True)
print(server.server_address[1], flush=True)
server.serve_forever()
";

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let dir = TempDir::new().unwrap();
    let (key, certificate) = (dir.path().join("key.pem"), dir.path().join("certificate.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .stderr(Stdio::null())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: openssl makes no certificate here");
        return;
    }
    let mut server = Killed(
        Command::new("python3")
            .args(["-c", SERVER])
            .arg(&certificate)
            .arg(&key)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut said = BufReader::new(server.0.stdout.take().unwrap());
    let mut port = String::new();
    said.read_line(&mut port).unwrap();
    let url = format!("https://localhost:{}/mcp", port.trim());
    let mut command = verity();
    command.env("MY_TOKEN", "s3cret-t0ken").args(["capture", "--timeout", "120", "--token-env", "MY_TOKEN"]);
    let out = command.args(["--url", &url]).output().unwrap();
    let err = String::from_utf8(out.stderr).unwrap();
    assert_eq!((out.status.code(), out.stdout.len()), (Some(3), 0), "{err}");
    assert!(err.contains("certificate"), "{err}");
    drop(server);
    let mut asked = String::new();
    said.read_line(&mut asked).unwrap();
    assert_eq!(asked, "", "nothing was sent to it, least of all the token");
}
