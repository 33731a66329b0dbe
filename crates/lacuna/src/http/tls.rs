//! TLS 1.3 and nothing older, with a certificate that can be changed while the server runs.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::signal::unix::{SignalKind, signal};
use tokio_rustls::TlsAcceptor;
use zeroize::Zeroizing;

use crate::codes;
use crate::config::TlsChoice;
use crate::wire::failure::{Failure, Result};

/// Interval at which the files are checked, beside the signal.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// A chain of certificates is small; anything larger is not one.
const FILE_BYTES_MAX: u64 = 1 << 20;
const READ_BY_OTHERS: u32 = 0o004;

/// The certificate in use, and the files that it comes from.
pub(crate) struct Certificate {
    files: TlsChoice,
    current: RwLock<CurrentCertificate>,
}

struct CurrentCertificate {
    config: Arc<ServerConfig>,
    /// Digest of both files, to see that they changed.
    digest: [u8; 32],
}

impl Certificate {
    pub(crate) fn load(files: &TlsChoice) -> Result<Self> {
        Ok(Self { current: RwLock::new(read(files)?), files: files.clone() })
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(current.config.clone())
    }

    /// Loads the files as they are now. After a fault the old certificate stays in use.
    fn reload(&self) -> Result<bool> {
        let new = read(&self.files)?;
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let changed = new.digest != current.digest;
        if changed {
            *current = new;
        }
        Ok(changed)
    }

    /// Reloads on SIGHUP and whenever the files have changed, for as long as the server runs.
    pub(super) async fn keep_fresh(self: Arc<Self>) -> std::io::Result<()> {
        let mut hangup = signal(SignalKind::hangup())?;
        loop {
            tokio::select! {
                _ = hangup.recv() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            let this = self.clone();
            match tokio::task::spawn_blocking(move || this.reload()).await {
                Ok(Ok(true)) => tracing::info!("the certificate was renewed"),
                Ok(Ok(false)) | Err(_) => {}
                Ok(Err(failure)) => {
                    tracing::error!(
                        detail = failure.detail,
                        "the new certificate cannot be used; the old one is"
                    );
                }
            }
        }
    }
}

fn read(files: &TlsChoice) -> Result<CurrentCertificate> {
    let (cert, key) = (small_file(&files.cert)?, small_file(&files.key)?);
    refuse_readable_key(&files.key)?;
    let chain: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&cert).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    let chain = chain.ok_or_else(|| fault(&files.cert, "holds no certificate in PEM form"))?;
    let private = PrivateKeyDer::from_pem_slice(&key);
    let private = private.map_err(|_| fault(&files.key, "holds no private key in PEM form"))?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let versions = [&rustls::version::TLS13];
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(&versions);
    let builder = builder.map_err(|_| Failure::new(&codes::INTERNAL, codes::INTERNAL.meaning))?;
    let config = builder.with_no_client_auth().with_single_cert(chain, private);
    let mut config =
        config.map_err(|_| fault(&files.cert, "does not belong to the key, or cannot be used"))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    let digest = *lacuna_seal::Digest::of("lacuna/tls-files", &[&cert, &key]).as_bytes();
    Ok(CurrentCertificate { config: Arc::new(config), digest })
}

fn small_file(path: &Path) -> Result<Zeroizing<Vec<u8>>> {
    let size = fs::metadata(path).map_err(|error| fault(path, &error.to_string()))?.len();
    if size > FILE_BYTES_MAX {
        return Err(fault(path, &format!("is larger than {FILE_BYTES_MAX} bytes")));
    }
    fs::read(path).map(Zeroizing::new).map_err(|error| fault(path, &error.to_string()))
}

fn refuse_readable_key(path: &Path) -> Result<()> {
    let mode = fs::metadata(path).map_err(|error| fault(path, &error.to_string()))?.mode();
    if mode & READ_BY_OTHERS != 0 {
        let reason = format!("{} can be read by others on this machine", path.display());
        return Err(Failure::new(&codes::KEY_FILE_PERMISSIONS, reason));
    }
    Ok(())
}

fn fault(path: &Path, reason: &str) -> Failure {
    Failure::new(&codes::BAD_CONFIG, format!("{} {reason}", path.display()))
}
