//! The tasks of a person on the pages, in a real browser: find, read, correct, forget, verify, consent, destroy.

use crate::browser::{Browser, rules};
use crate::visit::{House, press, shows};

#[test]
fn somebody_finds_corrects_forgets_and_holds_the_proof() {
    if rules().is_none() {
        return;
    }
    let house = House::with_life();
    let browser = Browser::start("en");
    let at = |path: &str| browser.go(&format!("{}{path}", house.server.url));
    house.enter(&browser);
    shows(&browser, "14 memories in all");
    shows(&browser, "orchid");

    // Find, with a reason; nothing of the question is in the address.
    browser.fill("#query", "when do I water the orchid?");
    browser.click("form.search button");
    shows(&browser, "similar");
    shows(&browser, "orchid");
    assert!(browser.url().ends_with("/console/search"), "{}", browser.url());

    // Read one memory, with its curve, and pin it.
    press(&browser, "The orchid in the kitchen");
    shows(&browser, "How it fades");
    shows(&browser, "You in this console · read");
    for part in ["polyline.future", "circle.dot", "line.axis"] {
        let drawn =
            format!("return document.querySelector('.curve {part}').getBoundingClientRect().width > 0");
        assert_eq!(browser.run(&drawn), true, "{part} is not drawn");
    }
    press(&browser, "Pin");
    shows(&browser, "pinned");

    // Correct it: the old text is gone, with a receipt.
    press(&browser, "Correct");
    browser.fill("#text", "The orchid in the kitchen wants water on Fridays.");
    press(&browser, "Put it right");
    shows(&browser, "It is corrected");
    press(&browser, "Show the new memory");
    shows(&browser, "on Fridays");

    hide_and_restore(&browser, &house);

    // Forget a topic: plan, choice, confirmation, receipt.
    at("/console/forget");
    browser.fill("#words", "everything about my dentist");
    press(&browser, "Show the plan");
    shows(&browser, "Say it");
    shows(&browser, "Lindengasse");
    press(&browser, "Forget what is ticked");
    shows(&browser, "Keys destroyed: ");
    shows(&browser, "Found: 0");
    press(&browser, "Receipt DEL-");
    shows(&browser, "afterwards nothing was found");
    verify_receipt(&browser);

    // It is gone, and the answer names the receipt.
    at("/console/ask");
    browser.fill("#about", "my dentist");
    press(&browser, "Ask");
    shows(&browser, "It was forgotten before");
    assert!(!browser.text().contains("Lindengasse"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Hides a memory, finds it among the hidden ones, and brings it back.
fn hide_and_restore(browser: &Browser, house: &House) {
    browser.go(&format!("{}/", house.server.url));
    press(browser, "I prefer the window seat");
    press(browser, "Hide");
    shows(browser, "It is hidden");
    press(browser, "Filters");
    browser.run("document.querySelector('#state').value = 'deleted'");
    press(browser, "Show");
    shows(browser, "window seat");
    press(browser, "Restore");
    shows(browser, "Where it comes from");
}

/// The receipt holds under its key; it does not under another, nor when a figure is changed.
fn verify_receipt(browser: &Browser) {
    let told = |browser: &Browser, words: &str| {
        let script = "const done = arguments[arguments.length - 1]; const wait = () => {
            const text = document.querySelector('.result').textContent; text ? done(text) : setTimeout(wait, 20); }; wait();";
        let result = browser.run_async(script);
        assert!(result.as_str().unwrap().contains(words), "{result}");
        browser.run("document.querySelector('.result').textContent = ''");
    };
    press(browser, "Verify in this browser");
    told(browser, "The receipt holds");
    let key = browser.run("return document.querySelector('#key').value").as_str().unwrap().to_owned();
    let other = key.replace(&key[8..12], "0000");
    browser.fill("#key", &other);
    press(browser, "Verify in this browser");
    told(browser, "does not hold");
    browser.fill("#key", &key);
    browser.run(
        "const place = document.querySelector('.verify'); const receipt = JSON.parse(place.dataset.receipt);
         receipt.counts.keys_destroyed += 1; place.dataset.receipt = JSON.stringify(receipt);",
    );
    press(browser, "Verify in this browser");
    told(browser, "does not hold");
}

#[test]
fn without_scripts_the_same_is_done_by_forms_and_links() {
    if rules().is_none() {
        return;
    }
    let house = House::with_life();
    let browser = Browser::start("de");
    house.enter(&browser);
    browser.scripts(false);
    let at = |path: &str| browser.go(&format!("{}{path}", house.server.url));
    at("/");
    shows(&browser, "14 Erinnerungen");
    shows(&browser, "UTC");
    browser.fill("#query", "Lisbon");
    browser.click("form.search button");
    shows(&browser, "Maria");
    browser.click("main a.entry-link");
    shows(&browser, "Wie sie verblasst");
    at("/console/forget");
    browser.fill("#words", "everything about my coffee");
    browser.click("main form button");
    shows(&browser, "Der Plan");
    browser.click("main form button.danger");
    shows(&browser, "Schlüssel zerstört: 1");
    at("/console/retention");
    browser.fill("#days_health", "30");
    browser.click("main form button");
    shows(&browser, "Das würde geschehen");
    browser.click(".preview button");
    shows(&browser, "Eingestellt");
    at("/console/consents");
    browser.click("main form button");
    shows(&browser, "Vermerkt");
    at("/console/goodbye");
    browser.click("form.danger-zone button");
    browser.fill("#name", "anna");
    browser.click("form.danger-zone button");
    shows(&browser, "Alles ist vernichtet");
    at("/");
    shows(&browser, "0 Erinnerungen");
}
