//! Two tenants, four roles and a service, four scopes: every route that the server describes, with everything that lies
//! outside the caller's reach, answers as it does for what does not exist, and shows nothing of it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::support::{Answer, Home, Server};

const TENANTS: [&str; 2] = ["north", "south"];
const ROLES: [(&str, &str); 4] = [("uma", "user"), ("rita", "reader"), ("gus", "agent"), ("ada", "admin")];
/// A service of each tenant, which calls in its own name and for the first of [`ROLES`].
const SERVICE: &str = "sid";
/// Somebody of each tenant who shares no team and no deployment with the others.
const OUTSIDER: &str = "kim";
const MISSING_MEMORY: &str = "mem_01890000000070008000000000000000";
const MISSING_TOKEN: &str = "tok_00000000000000000000000000000000";

/// One memory, by whom it can be found, and words that stand nowhere else.
struct Secret {
    scope: String,
    id: String,
    canary: String,
}

struct Tenant {
    name: &'static str,
    /// The bearer token of each role, in the order of [`ROLES`].
    tokens: Vec<String>,
    /// The token of [`SERVICE`], which may do everything that a service may.
    service: String,
    token_id: String,
    /// Of every person's own vault, of a shared and an unshared team and deployment, and of the organisation.
    secrets: Vec<Secret>,
}

impl Tenant {
    /// Names that differ from tenant to tenant, so that none of them is at home in both.
    fn scopes(&self) -> [String; 2] {
        [format!("team:{}-desk", self.name), format!("deployment:{}-lobby", self.name)]
    }

    fn closed_scopes(&self) -> [String; 2] {
        [format!("team:{}-kitchen", self.name), format!("deployment:{}-cellar", self.name)]
    }
}

fn named(person: &str, tenant: &str) -> String {
    format!("{person}-{tenant}")
}

fn secret_of(answer: &Value) -> String {
    answer["secret"].as_str().unwrap().to_owned()
}

fn settle(home: &Home, server: &mut Server, name: &'static str) -> Tenant {
    let first =
        home.json(&["--org", name, "token", "create", "--user", &named("ada", name), "--role", "admin"]);
    let admin = secret_of(&first);
    let make = |server: &mut Server, person: &str, role: &str| {
        let request = json!({"user": named(person, name), "roles": [role]});
        secret_of(&server.bearing(&admin).post("/v1/tokens", &request).expect(201))
    };
    let tokens: Vec<String> = ROLES.iter().map(|(person, role)| make(server, person, role)).collect();
    let operations =
        ["recall", "remember", "forget", "export", "import", "freeze", "retain", "audit", "confirm"];
    let service = json!({"user": named(SERVICE, name), "roles": ["service"], "operations": operations});
    let service = secret_of(&server.bearing(&admin).post("/v1/tokens", &service).expect(201));
    let writers: Vec<(String, String)> = ROLES
        .iter()
        .map(|(person, _)| *person)
        .chain([OUTSIDER])
        .map(|person| (named(person, name), make(server, person, "user")))
        .collect();
    let mut tenant = Tenant {
        name,
        tokens,
        service,
        token_id: first["token_id"].as_str().unwrap().to_owned(),
        secrets: Vec::new(),
    };
    let join = |server: &Server, scope: &str, user: &str| {
        let (kind, group) = scope.split_once(':').unwrap();
        server.put(&format!("/v1/{kind}s/{group}/members/{user}")).expect(204);
    };
    server.bearing(&admin);
    for (person, _) in ROLES {
        tenant.scopes().iter().for_each(|scope| join(server, scope, &named(person, name)));
    }
    tenant.closed_scopes().iter().for_each(|scope| join(server, scope, &named(OUTSIDER, name)));

    let mut places: Vec<(String, String)> =
        writers.iter().map(|(user, token)| (format!("user:{user}"), token.clone())).collect();
    places.extend(tenant.scopes().map(|scope| (scope, writers[0].1.clone())));
    places.extend(tenant.closed_scopes().map(|scope| (scope, writers[4].1.clone())));
    places.push(("org".into(), admin.clone()));
    for (number, (scope, token)) in places.into_iter().enumerate() {
        let canary = format!("canary{name}{number}heron");
        let request = json!({"content": format!("The {canary} sings."), "scope": scope});
        let stored = server.bearing(&token).post("/v1/memories", &request).expect(201);
        let id = stored["memory_id"].as_str().unwrap().to_owned();
        tenant.secrets.push(Secret { scope, id, canary });
    }
    tenant
}

/// What fills the variable parts of a request.
#[derive(Clone)]
struct Slots {
    memory: String,
    token: String,
    scope: Option<String>,
    to: String,
    group: String,
    user: String,
    words: String,
}

struct Route {
    method: String,
    path: String,
    operation: Value,
}

fn routes(api: &Value) -> Vec<Route> {
    let mut routes = Vec::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            routes.push(Route {
                method: method.to_uppercase(),
                path: path.clone(),
                operation: operation.clone(),
            });
        }
    }
    routes
}

/// One call: its path with the query, and its JSON body if it has one.
#[derive(PartialEq)]
struct Request {
    url: String,
    body: Option<String>,
}

impl Route {
    fn request(&self, api: &Value, slots: &Slots) -> Request {
        let mut url = self.path.clone();
        for parameter in self.operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            if parameter["in"] == "path" {
                url = url.replace(&format!("{{{name}}}"), &part(name, slots));
            } else if let ("scope", Some(scope)) = (name, &slots.scope) {
                url = format!("{url}?scope={scope}");
            }
        }
        let schema = &self.operation["requestBody"]["content"]["application/json"]["schema"];
        Request { url, body: (!schema.is_null()).then(|| body(api, schema, slots).to_string()) }
    }

    /// Sends it as the bearer of the server's token, or for the person whom it names.
    fn send_for(&self, server: &Server, request: &Request, person: Option<&str>) -> Answer {
        let json = request.body.as_ref().map(|_| ("content-type", "application/json"));
        let person = person.map(|person| ("lacuna-user", person));
        let headers: Vec<_> = json.into_iter().chain(person).collect();
        let body = request.body.as_deref().unwrap_or_default();
        server.send(&self.method, &request.url, &headers, body.as_bytes())
    }

    fn send(&self, server: &Server, request: &Request) -> Answer {
        self.send_for(server, request, None)
    }

    /// The route destroys a person's vault, which an administrator may do within their own organisation.
    fn removes_people(&self) -> bool {
        self.method == "DELETE" && self.path == "/v1/users/{user}"
    }
}

/// A name that no call had before: what one call puts, another does not find.
fn fresh_name() -> String {
    static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    format!("note-{}", CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
}

/// A new kind of path part has to be taught here, or its route would not be tested.
fn part(name: &str, slots: &Slots) -> String {
    match name {
        "memory_id" => slots.memory.clone(),
        "token_id" => slots.token.clone(),
        "atom_id" => slots.memory.clone(),
        "hold" => "1".to_owned(),
        // A guess: no link was ever made.
        "export_token" => slots.memory.replace("mem_", "exp_"),
        "receipt" => "1".into(),
        "team" | "deployment" => slots.group.clone(),
        "user" => slots.user.clone(),
        "request" => "1".to_owned(),
        // A name that nobody has to guess: what matters is the vault.
        "session_id" => "desk".to_owned(),
        "path" => format!("desk/{}", fresh_name()),
        other => panic!("the matrix does not know what to put for {{{other}}}"),
    }
}

/// The least that a schema accepts, with every place for an id or a scope filled in.
fn body(api: &Value, schema: &Value, slots: &Slots) -> Value {
    if let Some(target) = schema["$ref"].as_str() {
        return body(api, api.pointer(&target[1..]).unwrap(), slots);
    }
    if let Some(word) = schema["enum"][0].as_str() {
        return json!(word);
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].clone(),
        kind => kind.clone(),
    };
    match kind.as_str() {
        Some("object") => object(api, schema, slots),
        Some("array") => json!([body(api, &schema["items"], slots)]),
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(false),
        _ => json!("a text of no importance"),
    }
}

fn object(api: &Value, schema: &Value, slots: &Slots) -> Value {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fields = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let value = match name.as_str() {
            "scope" => slots.scope.as_ref().map(|scope| json!(scope)),
            "to" => Some(json!(slots.to)),
            "memory_id" => Some(json!(slots.memory)),
            "memory_ids" | "ids" => Some(json!([slots.memory])),
            "user" => Some(json!(slots.user)),
            "namespace" | "namespace_prefix" => Some(json!([fresh_name()])),
            // A request that may name its target in several ways names it in one.
            "query" if !schema["properties"]["memory_ids"].is_null() => None,
            "query" => Some(json!(slots.words)),
            // Members of a batch bear no scope of their own.
            "memories" => {
                Some(json!([body(api, &property["items"], &Slots { scope: None, ..slots.clone() })]))
            }
            _ if required.contains(&name.as_str()) => Some(body(api, property, slots)),
            _ => None,
        };
        fields.extend(value.map(|value| (name.clone(), value)));
    }
    Value::Object(fields)
}

/// One thing out of reach beside one that does not exist.
struct Pair {
    foreign: Slots,
    missing: Slots,
}

impl Pair {
    /// A refusal must be the same to the byte, but for the id of the request. In an answer that was permitted, what the caller asked for may be
    /// told back to them, and differs between the two.
    fn masked(slots: &Slots, answer: &Answer) -> (u16, String) {
        let mut text = answer.text();
        if answer.status >= 400 {
            return (answer.status, answer.without_id());
        }
        let asked = [&slots.memory, &slots.token, &slots.to, &slots.group, &slots.user];
        for word in asked.into_iter().chain(&slots.scope) {
            text = text.replace(word.as_str(), "§");
        }
        (answer.status, without_measurements(&text))
    }
}

/// The text without what differs from call to call on its own: times, durations and fresh secrets.
fn without_measurements(text: &str) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    for volatile in [
        "query_time_ms",
        "memory_id",
        "created_at",
        "given_at",
        "content_hash",
        "secret",
        "token_id",
        "session_id",
        "hold",
        "number",
        "vault",
        "placed_at",
        "until",
        "record_id",
        "updated_at",
        "is_new",
        "expires_at",
        "records",
    ] {
        fields.remove(volatile);
    }
    if let Some(members) = fields.get_mut("members").and_then(Value::as_array_mut) {
        members.iter_mut().for_each(|member| member["added_at"] = Value::Null);
    }
    Value::Object(fields).to_string()
}

/// All that lies outside the reach of one caller.
fn pairs(own: &Tenant, other: &Tenant, person: &str, role: &str) -> Vec<Pair> {
    let home = Slots {
        memory: MISSING_MEMORY.into(),
        token: MISSING_TOKEN.into(),
        scope: None,
        to: own.scopes()[0].clone(),
        group: "nowhere-at-all".into(),
        user: "nobody-at-all".into(),
        words: "nothing-at-all".into(),
    };
    let private = format!("user:{}", named(person, own.name));
    let is_foreign = |secret: &&Secret| match secret.scope.split_once(':') {
        Some(("user", _)) => secret.scope != private,
        // Administrators may govern the vaults of their own organisation that they do not belong to.
        Some(_) => own.closed_scopes().contains(&secret.scope) && role != "admin",
        None => false,
    };
    let foreign: Vec<&Secret> = other.secrets.iter().chain(own.secrets.iter().filter(is_foreign)).collect();
    let [team, deployment] = own.scopes();
    let mut pairs = Vec::new();
    for secret in foreign {
        // A foreign id in every vault that the caller does reach, asked for in its own words.
        let reached = [None, Some(team.clone()), Some(deployment.clone()), Some("org".to_owned())];
        for scope in reached {
            let missing = Slots { scope, words: secret.canary.clone(), ..home.clone() };
            let foreign =
                Slots { memory: secret.id.clone(), token: other.token_id.clone(), ..missing.clone() };
            pairs.push(Pair { foreign, missing });
        }
        // The foreign vault itself, by name. The organisation's own name means the caller's.
        let Some((kind, name)) = secret.scope.split_once(':') else { continue };
        let missing_name = if kind == "user" { "nobody-at-all" } else { "nowhere-at-all" };
        let group = if kind == "user" { "nowhere-at-all" } else { name };
        let user = if kind == "user" { name } else { "nobody-at-all" };
        let foreign = Slots {
            memory: secret.id.clone(),
            scope: Some(secret.scope.clone()),
            group: group.into(),
            user: user.into(),
            words: secret.canary.clone(),
            ..home.clone()
        };
        let scope = Some(format!("{kind}:{missing_name}"));
        let missing = Slots { scope, words: secret.canary.clone(), ..home.clone() };
        pairs.push(Pair { foreign: foreign.clone(), missing: missing.clone() });
        // And as the place where one's own memory is to go.
        let to = |slots: Slots, to: String| Slots { scope: None, to, ..slots };
        pairs.push(Pair {
            foreign: to(foreign, secret.scope.clone()),
            missing: to(missing, format!("{kind}:{missing_name}")),
        });
    }
    pairs
}

#[test]
fn whatever_is_out_of_reach_answers_like_what_does_not_exist() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let api = server.get("/openapi.json").expect(200);
    let routes = routes(&api);
    let tenants = TENANTS.map(|name| settle(&home, &mut server, name));
    let mut compared: BTreeMap<String, usize> = BTreeMap::new();
    for (own, other) in [(&tenants[0], &tenants[1]), (&tenants[1], &tenants[0])] {
        let acting = named(ROLES[0].0, own.name);
        let callers = ROLES.iter().zip(&own.tokens).map(|(role, token)| (*role, token, None));
        // Before the administrator, who changes the memberships of others.
        let services = [
            ((SERVICE, "service"), &own.service, None),
            ((ROLES[0].0, "service for a user"), &own.service, Some(acting.as_str())),
        ];
        for ((person, role), token, acting) in services.into_iter().chain(callers) {
            server.bearing(token);
            let pairs = pairs(own, other, person, role);
            for route in routes.iter().filter(|route| !(role == "admin" && route.removes_people())) {
                let what = format!("{} {} as {role} of {}", route.method, route.path, own.name);
                let differing = compare(&api, &server, route, &pairs, acting, &mut |pair, answer| {
                    assert_no_content(
                        &format!("{what} in {:?}", pair.foreign.scope),
                        own,
                        other,
                        person,
                        answer,
                    );
                });
                *compared.entry(format!("{} {}", route.method, route.path)).or_default() += differing;
            }
        }
    }
    let total: usize = compared.values().sum();
    let without_variables: Vec<_> =
        compared.iter().filter(|(_, count)| **count == 0).map(|(route, _)| route.as_str()).collect();
    println!("{total} pairs of answers over {} routes", routes.len());
    // Whatever else is described has a place for an id, a name or a scope, and was asked for every foreign one.
    // A person's request names no vault: it means all of the caller's organisation. The memory tool means the
    // caller's own vault, and has a test of its own; so do the routes of a vault's passphrase.
    let fixed = [
        "GET /docs/api",
        "GET /healthz",
        "GET /metrics",
        "GET /openapi.json",
        "GET /readyz",
        "GET /v1/admin/holds",
        "GET /v1/admin/jobs",
        "GET /v1/people/requests",
        "GET /v1/policy",
        "GET /v1/protection",
        "GET /v1/scopes",
        "GET /v1/tokens",
        "GET /v1/views/forgetting/deletions",
        "GET /v1/views/forgetting/export",
        "GET /v1/views/persona/document",
        "GET /v1/views/persona/memory",
        "GET /v1/views/personal/audit",
        "GET /v1/views/safety/audit",
        "POST /v1/admin/holds/{hold}/confirm",
        "POST /v1/admin/holds/{hold}/end",
        "POST /v1/lock",
        "POST /v1/memory-tool",
        "POST /v1/people/requests",
        "POST /v1/people/requests/{request}/confirm",
        "POST /v1/people/requests/{request}/plan",
        "POST /v1/protection/remove",
        "POST /v1/unlock",
        "POST /v1/views/forgetting/request",
        "POST /v1/views/forgetting/verify",
        "POST /v1/views/governance/promote_scope",
        "POST /v1/views/governance/resolve",
        "POST /v1/views/persona/import",
        "POST /v1/views/persona/validate",
        "POST /v1/views/personal/destroy",
        "POST /v1/views/personal/export",
        "POST /v1/views/personal/forget",
        "POST /v1/views/personal/retrieve",
        "POST /v1/views/personal/store",
        "POST /v1/views/safety/delete",
        "POST /v1/views/safety/detect-secrets",
        "POST /v1/views/safety/format",
        "POST /v1/views/safety/memories",
        "PUT /v1/protection",
    ];
    assert_eq!(without_variables, fixed);
    assert!(compared.values().all(|count| *count == 0 || *count > 80), "{compared:?}");
    // Nothing was moved or erased on the way, and everybody still reads what is theirs.
    for tenant in &tenants {
        for ((person, role), token) in ROLES.iter().zip(&tenant.tokens) {
            server.bearing(token);
            let private = format!("user:{}", named(person, tenant.name));
            for secret in &tenant.secrets {
                let readable = match *role {
                    "admin" => secret.scope == "org",
                    _ => {
                        secret.scope == private
                            || secret.scope == "org"
                            || tenant.scopes().contains(&secret.scope)
                    }
                };
                let answer = server.get(&format!("/v1/memories/{}?scope={}", secret.id, secret.scope));
                assert_eq!(answer.status == 200, readable, "{role} {}: {}", secret.scope, answer.text());
                assert_eq!(answer.text().contains(&secret.canary), readable);
            }
        }
    }
}

/// Sends every pair whose two requests differ, and requires the same answer. Of requests that do not, the first
/// is sent once, for what it shows. Answers with how many differed.
fn compare(
    api: &Value,
    server: &Server,
    route: &Route,
    pairs: &[Pair],
    acting: Option<&str>,
    look: &mut dyn FnMut(&Pair, &Answer),
) -> usize {
    let mut differing = 0;
    for (number, pair) in pairs.iter().enumerate() {
        let (foreign, missing) = (route.request(api, &pair.foreign), route.request(api, &pair.missing));
        if foreign == missing && number > 0 {
            continue;
        }
        let answer = route.send_for(server, &foreign, acting);
        look(pair, &answer);
        if foreign == missing {
            continue;
        }
        differing += 1;
        let expected = Pair::masked(&pair.missing, &route.send_for(server, &missing, acting));
        let found = Pair::masked(&pair.foreign, &answer);
        assert_eq!(found, expected, "{} {} and {}", route.method, foreign.url, missing.url);
    }
    differing
}

/// No canary stands in an answer but those of the vaults that the caller reaches.
fn assert_no_content(what: &str, own: &Tenant, other: &Tenant, person: &str, answer: &Answer) {
    let text = answer.text();
    let private = format!("user:{}", named(person, own.name));
    let reached = |secret: &&Secret| {
        secret.scope == private || secret.scope == "org" || own.scopes().contains(&secret.scope)
    };
    let foreign = other.secrets.iter().chain(own.secrets.iter().filter(|secret| !reached(secret)));
    for secret in foreign {
        assert!(!text.contains(&secret.canary), "{what} shows {}: {text}", secret.scope);
    }
}

#[test]
fn an_administrator_governs_the_vaults_of_others_without_reading_them() {
    let home = Home::new();
    let mut server = home.serve(&[]);
    let api = server.get("/openapi.json").expect(200);
    let tenant = settle(&home, &mut server, "north");
    server.bearing(&tenant.tokens[3]);
    let closed: Vec<&Secret> = tenant
        .secrets
        .iter()
        .filter(|secret| secret.scope != "org" && !tenant.scopes().contains(&secret.scope))
        .collect();
    assert_eq!(closed.len(), 7, "five people, a team and a deployment");
    for secret in &closed {
        let slots = Slots {
            memory: secret.id.clone(),
            token: MISSING_TOKEN.into(),
            scope: Some(secret.scope.clone()),
            to: "org".into(),
            group: "north-kitchen".into(),
            user: named(OUTSIDER, "north"),
            words: "heron".into(),
        };
        // Promotion to the organisation is an administrator's to decide; after it everybody reads the memory.
        let kept = |route: &&Route| !route.path.ends_with("/promote") && !route.removes_people();
        for route in routes(&api).iter().filter(kept) {
            let answer = route.send(&server, &route.request(&api, &slots));
            assert!(
                !answer.text().contains(&secret.canary),
                "{} {}: {}",
                route.method,
                route.path,
                answer.text()
            );
        }
    }
}

/// What is open to everybody: health, figures, the description, and links that are their own token.
const OPEN: [&str; 6] =
    ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs/api", "/v1/exports/{export_token}"];

#[test]
fn without_a_good_token_no_route_does_anything() {
    // The tenant of the local user, who is let in as long as it has no token.
    let home = Home::new().with("LACUNA_ORG", "north");
    let mut server = home.serve(&[]);
    let api = server.get("/openapi.json").expect(200);
    let tenant = settle(&home, &mut server, "north");
    let secret = &tenant.secrets[0];
    let slots = Slots {
        memory: secret.id.clone(),
        token: tenant.token_id.clone(),
        scope: Some(secret.scope.clone()),
        to: "org".into(),
        group: "north-desk".into(),
        user: named("uma", "north"),
        words: "heron".into(),
    };
    let state = |server: &mut Server| {
        let seen = ["/v1/memories", "/v1/vault", "/v1/retention", "/v1/sessions"];
        let own = seen.map(|path| server.bearing(&tenant.tokens[0]).get(path).expect(200));
        let governed = ["/v1/tokens", "/v1/teams/north-desk/members", "/v1/people/requests"];
        (own, governed.map(|path| server.bearing(&tenant.tokens[3]).get(path).expect(200)))
    };
    let before = state(&mut server);
    let mut refused = 0;
    for route in routes(&api) {
        let request = route.request(&api, &slots);
        for header in [None, Some("Bearer lac_0000"), Some("Bearer a.b.c"), Some("Basic YTpi")] {
            let nobody = server.without_token();
            let mut headers = vec![("content-type", "application/json"), ("idempotency-key", "k")];
            headers.extend(header.map(|header| ("authorization", header)));
            let body = request.body.as_deref().unwrap_or_default();
            let answer = nobody.send(&route.method, &request.url, &headers, body.as_bytes());
            let what = format!("{} {} with {header:?}: {}", route.method, route.path, answer.text());
            match OPEN.contains(&route.path.as_str()) {
                true => assert!(matches!(answer.status, 200 | 404), "{what}"),
                false => {
                    assert_eq!(answer.status, 401, "{what}");
                    refused += 1;
                }
            }
            assert!(!answer.text().contains(&secret.canary), "{what}");
        }
    }
    assert!(refused > 4 * 50, "only {refused}");
    assert_eq!(state(&mut server), before, "somebody without a token changed something");
}
