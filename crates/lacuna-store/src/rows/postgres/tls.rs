//! TLS to a PostgreSQL server: the modes of `sslmode`, the roots to trust, and a certificate of our own.

use std::fs;
use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;

use lacuna_types::{Error, Result};

/// A file of certificates is small; anything larger is not one.
const PEM_BYTES_MAX: u64 = 1 << 20;
/// The code of settings for TLS that cannot be used, and of a server that TLS does not trust.
pub(super) const TLS_UNTRUSTED: &str = "store_tls";

/// The checks that a server has to pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TlsMode {
    /// None: the connection is encrypted, to whoever answers.
    Require,
    /// Its certificate comes from a root that is trusted.
    VerifyCa,
    /// The same, and the certificate is for the host that was asked for.
    VerifyFull,
}

/// Files that the address of a server names.
#[derive(Default)]
pub(super) struct TlsFiles {
    /// Roots to trust in place of the system's.
    pub(super) root: Option<String>,
    /// Our certificate and its key, for servers that ask for one.
    pub(super) certificate: Option<String>,
    pub(super) key: Option<String>,
}

/// Makes TLS connections to one server.
#[derive(Clone)]
pub(super) struct PostgresTls(TlsConnector);

impl PostgresTls {
    pub(super) fn new(mode: TlsMode, files: &TlsFiles) -> Result<Self> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        // As PostgreSQL's own clients do: a named root is meant to be checked.
        let mode = match mode {
            TlsMode::Require if files.root.is_some() => TlsMode::VerifyCa,
            mode => mode,
        };
        let verifier = verifier(mode, files, &provider)?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable(error.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let config = match (&files.certificate, &files.key) {
            (Some(certificate), Some(key)) => {
                let key = PrivateKeyDer::from_pem_slice(&read(Path::new(key), "sslkey")?)
                    .map_err(|_| unusable("sslkey names no private key in PEM".into()))?;
                config
                    .with_client_auth_cert(certificates(certificate, "sslcert")?, key)
                    .map_err(|error| unusable(format!("sslcert and sslkey do not fit: {error}")))?
            }
            (None, None) => config.with_no_client_auth(),
            _ => return Err(unusable("sslcert and sslkey belong together".into())),
        };
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

fn verifier(
    mode: TlsMode,
    files: &TlsFiles,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>> {
    if mode == TlsMode::Require {
        return Ok(Arc::new(Unchecked { provider: provider.clone(), chain: None }));
    }
    let chain: Arc<dyn ServerCertVerifier> = match files.root.as_deref().filter(|root| *root != "system") {
        None => Arc::new(
            rustls_platform_verifier::Verifier::new(provider.clone())
                .map_err(|error| unusable(format!("the system's roots cannot be read: {error}")))?,
        ),
        Some(file) => {
            let mut roots = RootCertStore::empty();
            for root in certificates(file, "sslrootcert")? {
                roots.add(root).map_err(|error| unusable(format!("sslrootcert: {error}")))?;
            }
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
                .build()
                .map_err(|error| unusable(format!("sslrootcert: {error}")))?
        }
    };
    match mode {
        TlsMode::VerifyFull => Ok(chain),
        _ => Ok(Arc::new(Unchecked { provider: provider.clone(), chain: Some(chain) })),
    }
}

fn certificates(file: &str, parameter: &str) -> Result<Vec<CertificateDer<'static>>> {
    let pem = read(Path::new(file), parameter)?;
    let found: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    found
        .ok()
        .filter(|found| !found.is_empty())
        .ok_or_else(|| unusable(format!("{parameter} names no certificate in PEM")))
}

fn read(path: &Path, parameter: &str) -> Result<zeroize::Zeroizing<Vec<u8>>> {
    let unreadable = |error: io::Error| unusable(format!("the file of {parameter} cannot be read: {error}"));
    if fs::metadata(path).map_err(unreadable)?.len() > PEM_BYTES_MAX {
        return Err(unusable(format!("the file of {parameter} is too large for certificates")));
    }
    fs::read(path).map(zeroize::Zeroizing::new).map_err(unreadable)
}

/// A verifier that does not compare names, and without a `chain` none of the certificate. The handshake is checked
/// against the certificate in any case.
#[derive(Debug)]
struct Unchecked {
    provider: Arc<CryptoProvider>,
    chain: Option<Arc<dyn ServerCertVerifier>>,
}

impl ServerCertVerifier for Unchecked {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        let checked = chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match checked {
            // The name is compared last, so everything else is in order.
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

fn unusable(reason: String) -> Error {
    Error::Misconfigured { code: TLS_UNTRUSTED, reason: format!("TLS to PostgreSQL: {reason}") }
}

/// The error of a handshake that failed, in words for whoever runs the server; `None` for other failures.
pub(super) fn refusal(error: &postgres::Error) -> Option<Error> {
    use CertificateError as C;
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(current) = cause {
        let inner = current.downcast_ref::<io::Error>().and_then(|error| error.get_ref());
        let found = inner
            .and_then(|inner| inner.downcast_ref::<rustls::Error>())
            .or_else(|| current.downcast_ref::<rustls::Error>());
        if let Some(found) = found {
            return Some(unusable(match found {
                rustls::Error::InvalidCertificate(C::UnknownIssuer) => {
                    "no root of sslrootcert has signed the server's certificate".into()
                }
                rustls::Error::InvalidCertificate(C::Expired | C::ExpiredContext { .. }) => {
                    "the server's certificate has expired, or this machine's clock is off".into()
                }
                rustls::Error::InvalidCertificate(C::NotValidYet | C::NotValidYetContext { .. }) => {
                    "the server's certificate is not valid yet, or this machine's clock is off".into()
                }
                rustls::Error::InvalidCertificate(C::NotValidForName | C::NotValidForNameContext { .. }) => {
                    "the server's certificate is for another host name than the one in the URL".into()
                }
                rustls::Error::AlertReceived(_) => {
                    format!("the server refuses the handshake; it may ask for sslcert and sslkey ({found})")
                }
                other => other.to_string(),
            }));
        }
        if current.to_string() == "server does not support TLS" {
            return Some(unusable("the server does not offer TLS".into()));
        }
        cause = current.source();
    }
    None
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for PostgresTls {
    type Stream = PostgresStream<S>;
    type TlsConnect = NamedTls;
    type Error = rustls::pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> std::result::Result<NamedTls, Self::Error> {
        Ok(NamedTls { connector: self.0.clone(), name: ServerName::try_from(host.to_owned())? })
    }
}

/// TLS to one host by its name.
pub(super) struct NamedTls {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for NamedTls {
    type Stream = PostgresStream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<PostgresStream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.connector.connect(self.name, stream).await.map(PostgresStream) })
    }
}

/// A connection under TLS.
pub(super) struct PostgresStream<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for PostgresStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for PostgresStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for PostgresStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
