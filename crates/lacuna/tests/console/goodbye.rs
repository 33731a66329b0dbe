//! Exports as files, plain and encrypted, and the refusals before a destruction.

use crate::support::Home;
use crate::visit::House;

#[test]
fn an_export_is_a_file_in_the_chosen_form_and_an_encrypted_one_comes_back() {
    let house = House::with_life();
    let visit = house.visit();
    let json = visit.post("/console/goodbye/export", "format=json");
    assert_eq!(json.status, 200, "{}", json.text());
    assert!(json.header("content-disposition").unwrap().contains("lacuna-export.json"));
    assert!(json.text().contains("orchid") && json.json().is_object());
    let markdown = visit.post("/console/goodbye/export", "format=markdown");
    assert!(markdown.text().contains("orchid") && !markdown.text().starts_with('{'));

    let weak = visit.post("/console/goodbye/export", "format=json&passphrase=abc");
    assert_eq!(weak.status, 422);
    assert!(weak.text().contains("weak_passphrase"));
    let phrase = "copper lantern meadow seven tractors";
    let sealed = visit
        .post("/console/goodbye/export", &format!("format=json&passphrase={}", phrase.replace(' ', "+")));
    assert_eq!(sealed.status, 200);
    assert!(!sealed.text().contains("orchid"), "nothing of it is readable");
    let elsewhere = Home::new().with("LACUNA_EXPORT_PASSPHRASE", phrase);
    let file = elsewhere.path("export.sealed");
    std::fs::write(&file, &sealed.bytes).unwrap();
    elsewhere.run(&["import", file.to_str().unwrap(), "--json"]).ok();
    let found = elsewhere.json(&["recall", "orchid"]);
    assert!(found.to_string().contains("Tuesdays"), "{found}");
}

#[test]
fn a_destruction_needs_the_name_and_a_plan_of_the_vault_as_it_is() {
    let house = House::with_life();
    let visit = house.visit();
    let plan = visit.post("/console/goodbye/plan", "");
    let token =
        plan.text().split("name=\"token\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let unnamed = visit.post("/console/goodbye/destroy", &format!("token={token}&name=ben"));
    assert_eq!(unnamed.status, 422);
    let forged = visit.post("/console/goodbye/destroy", "token=abc&name=anna");
    assert!(matches!(forged.status, 404 | 409 | 422), "{}", forged.status);
    assert!(visit.get("/").text().contains("orchid"), "nothing went");
}
