//! Programs that others wrote for other stores, over Lacuna: LangGraph's own tests of stores, those of sessions of the OpenAI Agents
//! SDK and LangChain's of retrievers, a client that a generator makes, and the examples. `cargo xtask test` installs the packages.

use std::path::{Path, PathBuf};

use crate::support::{Done, Home};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Tests of stores in LangGraph's source distribution; fewer would mean that some were passed by.
const STORE_TESTS: &str = "114 passed";
/// Tests of sessions in that of the OpenAI Agents SDK, but for those that look into the file of its session.
const SESSION_TESTS: &str = "52 passed, 19 deselected";
/// Standard tests of retrievers in `langchain-tests`, none of them expected to fail.
const RETRIEVER_TESTS: &str = "5 passed";

fn tools() -> Option<PathBuf> {
    let folder = std::env::var_os("LACUNA_TEST_ADAPTER_TOOLS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: no packages for the adapters; `cargo xtask test` installs them");
    }
    folder
}

/// A home whose Python finds the SDK, its tests and this binary.
fn home(more_modules: &str) -> Home {
    let sdk = format!("{REPOSITORY}/sdk/python");
    let modules = format!("{sdk}/src:{sdk}/tests:{more_modules}");
    let home = Home::new().with("PYTHONPATH", &modules).with("PYTHONDONTWRITEBYTECODE", "1");
    let home = home.quiet_mem0();
    let binary = home.binary().to_owned();
    home.with("LACUNA_BIN", &binary)
}

fn run(home: &Home, program: &Path, args: &[&str]) -> Done {
    let done = home.program(program, args);
    assert_eq!(done.code, 0, "{args:?}\n{}\n{}", done.stdout, done.stderr);
    done
}

/// Runs tests of a source distribution with a plugin that puts Lacuna's class in the place of the package's own.
fn tests_of(package: &str, plugin: &str, tests: &[&str], passed: &str) {
    let Some(tools) = tools() else { return };
    let sources = std::env::var_os("LACUNA_TEST_SOURCES").expect("it is set with the packages");
    let source = PathBuf::from(sources).join(package);
    let home = home(source.to_str().unwrap());
    let (root, config) = (format!("--rootdir={}", source.display()), source.join("pyproject.toml"));
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", plugin, &root, "-c"];
    let tests = tests.iter().map(|test| source.join("tests").join(test));
    let files: Vec<PathBuf> = [config].into_iter().chain(tests).collect();
    let args: Vec<&str> = pytest.into_iter().chain(files.iter().map(|file| file.to_str().unwrap())).collect();
    let done = run(&home, &tools.join("python/bin/python"), &args);
    assert!(done.stdout.contains(passed), "{}", done.stdout);
}

#[test]
fn the_tests_of_langgraph_pass_with_this_store_in_place_of_theirs() {
    tests_of("langgraph-checkpoint", "langgraph_plugin", &["test_store.py"], STORE_TESTS);
}

#[test]
fn the_tests_of_the_openai_agents_sdk_pass_with_this_session_in_place_of_theirs() {
    let tests = ["memory/test_session.py", "memory/test_session_limit.py"];
    tests_of("openai-agents", "agents_plugin", &tests, SESSION_TESTS);
}

#[test]
fn the_standard_tests_of_langchain_pass_with_this_retriever() {
    let Some(tools) = tools() else { return };
    let tests = format!("{REPOSITORY}/sdk/python/tests/langchain_retrievers.py");
    let home = home("").with("LACUNA_EMBEDDER", "static");
    let root = format!("--rootdir={REPOSITORY}/sdk/python");
    let args = ["-m", "pytest", "-q", "-p", "no:cacheprovider", &root, "-o", "asyncio_mode=auto", &tests];
    let done = run(&home, &tools.join("langchain/bin/python"), &args);
    let last = done.stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with(RETRIEVER_TESTS), "{}", done.stdout);
}

#[test]
fn the_sdk_tests_of_adapters_pass_with_the_packages() {
    let Some(tools) = tools() else { return };
    let tests = format!("{REPOSITORY}/sdk/python/tests");
    let args = ["-m", "unittest", "discover", "-v", "-s", &tests, "-p", "test_stores.py"];
    let packages = [
        ("python/bin/python", &["AgentsSession"][..]),
        ("frameworks/bin/python", &["AgentFramework", "AdkMemory", "MemoryBlock"]),
        ("langchain/bin/python", &["LangMem"]),
    ];
    for (python, classes) in packages {
        let done = run(&home(""), &tools.join(python), &args);
        for class in classes {
            let mut named = done.stderr.lines().filter(|line| line.contains(class)).peekable();
            let ran = named.peek().is_some() && named.all(|line| !line.contains("skipped"));
            assert!(ran, "{class} did not run:\n{}", done.stderr);
        }
    }
}

#[test]
fn a_generated_client_is_complete_and_works() {
    let Some(tools) = tools() else { return };
    let home = home("");
    let server = home.serve(&[]);
    let api = home.path("openapi.json");
    std::fs::write(&api, server.get("/openapi.json").text()).unwrap();
    let (made, python) = (home.path("made"), tools.join("python/bin/python"));
    let path = format!("{}:{}", tools.join("python/bin").display(), std::env::var("PATH").unwrap());
    let home = home.with("PATH", &path);
    let args = [
        "-m",
        "openapi_python_client",
        "generate",
        "--meta",
        "none",
        "--path",
        api.to_str().unwrap(),
        "--output-path",
        made.to_str().unwrap(),
        "--fail-on-warning",
    ];
    let done = run(&home, &python, &args);
    for word in ["WARNING", "omitted", "Unsupported"] {
        assert!(!done.stdout.contains(word) && !done.stderr.contains(word), "{}{}", done.stdout, done.stderr);
    }
    let script = "
import sys
sys.path.insert(0, sys.argv[1])
from made import Client
from made.api.memories import remember, search
from made.api.records import put_record, get_record
from made.models import RecordRequest, RememberRequest, SearchRequest
client = Client(base_url=sys.argv[2])
stored = remember.sync(client=client, body=RememberRequest(content='The ferry leaves at nine.'))
found = search.sync(client=client, body=SearchRequest(query='When does the ferry leave?'))
assert found.memories[0].memory_id == stored.memory_id, found
put_record.sync('users/ava/theme', client=client, body=RecordRequest(value={'text': 'dark'}))
assert get_record.sync('users/ava/theme', client=client).value == {'text': 'dark'}
print('called')
";
    let folder = made.parent().unwrap().to_str().unwrap();
    assert!(run(&home, &python, &["-c", script, folder, &server.url]).stdout.contains("called"));
}

/// A home with a server and a token, as the examples want it.
fn home_of_examples() -> (Home, crate::support::Server) {
    let home = home("");
    let server = home.serve(&[]);
    let token = home.token("ada", "user", &[])["secret"].as_str().unwrap().to_owned();
    let home = home.with("LACUNA_URL", &server.url).with("LACUNA_TOKEN", &token);
    (home, server)
}

#[test]
fn the_examples_for_python_run() {
    let (Some(tools), Some(sdk)) = (tools(), crate::sdk::tools()) else { return };
    let python = tools.join("python/bin/python");
    let (frameworks, langchain) = (tools.join("frameworks/bin/python"), tools.join("langchain/bin/python"));
    let sdk = sdk.join("python/bin/python");
    let tools_listed = "context, correct, forget, memory_status, recall, remember, review_memories\nTrue\n";
    let cases = [
        ("mem0/app.py", &python, "I cycle to work along the canal.\n1 key destroyed\n"),
        ("langgraph/app.py", &python, "cycles to work along the canal\nNone\n"),
        ("openai_agents/app.py", &python, "['Hello', 'Good day']\n[]\n"),
        ("anthropic/app.py", &sdk, "True\nFalse\n"),
        ("langchain/retriever.py", &sdk, "The spare key is with Ingrid.\n"),
        ("langchain/mcp_tools.py", &langchain, tools_listed),
        ("langmem/app.py", &langchain, "True\n"),
        ("google_adk/app.py", &frameworks, "The spare key is with Ingrid.\n"),
        ("llama_index/app.py", &frameworks, "True\n"),
        ("agent_framework/app.py", &frameworks, "True\n"),
    ];
    for (example, program, printed) in cases {
        let (home, _server) = home_of_examples();
        let done = run(&home, program, &[&format!("{REPOSITORY}/examples/{example}")]);
        assert_eq!(done.stdout, printed, "{example}");
    }
}

#[test]
fn the_examples_for_node_run() {
    let (Some(tools), Some(sdk)) = (tools(), crate::sdk::tools()) else { return };
    let cases = [
        ("mem0/app.mjs", &tools, "I cycle to work along the canal.\n"),
        ("langgraph/app.mjs", &tools, "cycles to work along the canal\nnull\n"),
        ("anthropic/app.mjs", &sdk, "true\nfalse\n"),
    ];
    let keeps = home("");
    let compiled = crate::sdk::compiled(&keeps, &sdk);
    for (example, packages, printed) in cases {
        let (home, _server) = home_of_examples();
        // A module is looked for beside the file that names it.
        let folder = home.path("application");
        let packages = packages.join("node/node_modules");
        let modules = folder.join("node_modules");
        std::fs::create_dir_all(modules.join("lacuna-memory")).unwrap();
        for entry in std::fs::read_dir(&packages).unwrap() {
            let entry = entry.unwrap();
            std::os::unix::fs::symlink(entry.path(), modules.join(entry.file_name())).unwrap();
        }
        std::os::unix::fs::symlink(&compiled, modules.join("lacuna-memory/dist")).unwrap();
        std::fs::copy(compiled.join("package.json"), modules.join("lacuna-memory/package.json")).unwrap();
        let copy = folder.join("app.mjs");
        std::fs::copy(format!("{REPOSITORY}/examples/{example}"), &copy).unwrap();
        let done = run(&home, &packages.join("node/bin/node"), &[copy.to_str().unwrap()]);
        assert_eq!(done.stdout, printed, "{example}");
    }
}

#[test]
fn the_store_for_javascript_works_under_langgraphs_class() {
    let Some(tools) = tools() else { return };
    tell_story("langgraph_story.mjs", &tools);
}

#[test]
fn anthropics_memory_tool_for_javascript_works() {
    // Its package is among the SDK's tools: mem0's, among the others, wants an older one.
    let Some(tools) = crate::sdk::tools() else { return };
    tell_story("anthropic_story.mjs", &tools);
}

/// Runs a script over the compiled SDK, with the packages that it is for.
fn tell_story(story: &str, packages: &Path) {
    let Some(sdk) = crate::sdk::tools() else { return };
    let home = home("");
    let built = crate::sdk::compiled(&home, &sdk);
    let server = home.serve(&[]);
    let token = home.token("ada", "user", &[])["secret"].as_str().unwrap().to_owned();
    let modules = packages.join("node/node_modules");
    let script = format!("{REPOSITORY}/crates/lacuna/tests/doors/{story}");
    let args = [script.as_str(), built.to_str().unwrap(), modules.to_str().unwrap(), &server.url, &token];
    let done = run(&home, &modules.join("node/bin/node"), &args);
    assert!(done.stdout.contains("done"), "{}", done.stdout);
}
