// An HTTPS server and client with rustls 0.20 to 0.23. Each prints what it counts:
// "SIDE METHOD PATH STATUS BYTES".
//
//     https server FOLDER       listens at a free port, which it prints
//     https client FOLDER PORT  makes requests when it has read a line
//
// FOLDER has cert.der, key.der and, for clients, authority.der.
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned};

#[cfg(feature = "new")]
mod api {
    pub use rustls::pki_types::ServerName;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
    pub fn certificate(der: Vec<u8>) -> CertificateDer<'static> { der.into() }
    pub fn key(der: Vec<u8>) -> PrivateKeyDer<'static> { PrivatePkcs8KeyDer::from(der).into() }
    pub fn add(roots: &mut rustls::RootCertStore, der: Vec<u8>) { roots.add(certificate(der)).unwrap() }
    pub fn server() -> rustls::ConfigBuilder<rustls::ServerConfig, rustls::WantsVerifier> { rustls::ServerConfig::builder() }
    pub fn client() -> rustls::ConfigBuilder<rustls::ClientConfig, rustls::WantsVerifier> { rustls::ClientConfig::builder() }
}
#[cfg(not(feature = "new"))]
mod api {
    pub use rustls::ServerName;
    use rustls::{Certificate, PrivateKey};
    pub fn certificate(der: Vec<u8>) -> Certificate { Certificate(der) }
    pub fn key(der: Vec<u8>) -> PrivateKey { PrivateKey(der) }
    pub fn add(roots: &mut rustls::RootCertStore, der: Vec<u8>) { roots.add(&certificate(der)).unwrap() }
    pub fn server() -> rustls::ConfigBuilder<rustls::ServerConfig, rustls::WantsVerifier> { rustls::ServerConfig::builder().with_safe_defaults() }
    pub fn client() -> rustls::ConfigBuilder<rustls::ClientConfig, rustls::WantsVerifier> { rustls::ClientConfig::builder().with_safe_defaults() }
}

fn read_head(stream: &mut impl BufRead) -> Option<(String, usize)> {
    let mut first = String::new();
    if stream.read_line(&mut first).unwrap_or(0) == 0 {
        return None;
    }
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let line = line.trim().to_ascii_lowercase();
        if line.is_empty() {
            return Some((first.trim().to_string(), length));
        }
        if let Some(number) = line.strip_prefix("content-length:") {
            length = number.trim().parse().ok()?;
        }
    }
}

fn serve(socket: TcpStream, config: Arc<ServerConfig>) {
    let tls = StreamOwned::new(ServerConnection::new(config).unwrap(), socket);
    let mut stream = BufReader::new(tls);
    while let Some((line, length)) = read_head(&mut stream) {
        let mut words = line.split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let mut posted = vec![0; length];
        stream.read_exact(&mut posted).unwrap();
        let (status, body) = match path {
            "/missing" => ("404 Not Found", b"no".to_vec()),
            "/big" => ("200 OK", vec![b'x'; 1 << 20]),
            _ if method == "POST" => ("200 OK", format!("got {length}").into_bytes()),
            _ => ("200 OK", format!("answer {path}").into_bytes()),
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len());
        println!("server {method} {path} {} {}", &status[..3], body.len());
        let tls = stream.get_mut();
        tls.write_all(head.as_bytes()).and_then(|()| tls.write_all(&body)).and_then(|()| tls.flush()).unwrap();
    }
}

fn request(config: &Arc<ClientConfig>, port: u16, requests: &[(&str, &str, usize)]) {
    let name = api::ServerName::try_from("localhost").unwrap();
    let tls = ClientConnection::new(config.clone(), name).unwrap();
    let mut stream = BufReader::new(StreamOwned::new(tls, TcpStream::connect(("127.0.0.1", port)).unwrap()));
    for (method, path, length) in requests {
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: {length}\r\n\r\n").into_bytes();
        request.resize(request.len() + length, b'p');
        stream.get_mut().write_all(&request).unwrap();
        let (line, length) = read_head(&mut stream).unwrap();
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        println!("client {method} {path} {} {}", line.split(' ').nth(1).unwrap(), body.len());
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let file = |name: &str| std::fs::read(format!("{}/{name}", arguments[2])).unwrap();
    if arguments[1] == "server" {
        let config = api::server().with_no_client_auth().with_single_cert(vec![api::certificate(file("cert.der"))], api::key(file("key.der"))).unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        println!("{}", listener.local_addr().unwrap().port());
        for socket in listener.incoming() {
            let (socket, config) = (socket.unwrap(), config.clone());
            std::thread::spawn(move || serve(socket, config));
        }
    }
    let mut roots = RootCertStore::empty();
    api::add(&mut roots, file("authority.der"));
    let config = Arc::new(api::client().with_root_certificates(roots).with_no_client_auth());
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let port = arguments[3].parse().unwrap();
    request(&config, port, &[("GET", "/one", 0), ("GET", "/missing", 0)]);
    request(&config, port, &[("GET", "/big", 0), ("POST", "/post", 300000), ("GET", "/last", 0)]);
    println!("done");
}
