use clap::Subcommand;
use serde::Serialize;

use super::output::{Output, table};
use crate::assemble::preflight;
use crate::config::{LoadedConfig, ShownSetting};
use crate::wire::failure::Result;

pub(super) const CONFIG_EXAMPLES: &str = "\
Examples:
  lacuna config show
  lacuna --config /etc/lacuna.toml config check
  LACUNA_RESIDENCY=eu lacuna config check";

#[derive(Subcommand)]
pub(super) enum ConfigCommand {
    /// Every setting with its value and where it comes from; passwords are masked.
    Show,
    /// Say everything that is wrong with it, without starting anything. Unknown variables count as wrong.
    Check,
}

#[derive(Serialize)]
struct SettingList {
    settings: Vec<ShownSetting>,
}

#[derive(Serialize)]
struct Checked {
    ok: bool,
    /// Settings that something sets.
    set: usize,
}

pub(super) fn run(loaded: LoadedConfig, command: &ConfigCommand, output: &Output) -> Result<()> {
    match command {
        ConfigCommand::Show => {
            output.show(&SettingList { settings: loaded.shown }, people)?;
            // What is wrong is told after what there is: it helps to see it.
            loaded.config.map(|config| config.warn_of_unknown())
        }
        ConfigCommand::Check => {
            let config = loaded.config?;
            config.refuse_unknown()?;
            preflight(&config)?;
            let set = loaded.shown.iter().filter(|shown| shown.is_set()).count();
            output.show(&Checked { ok: true, set }, |_| "The configuration holds.".to_owned())
        }
    }
}

fn people(answer: &SettingList) -> String {
    let row = |shown: &ShownSetting| {
        let value = shown.value.clone().unwrap_or_else(|| "-".to_owned());
        [shown.setting.clone(), value, shown.origin.clone()]
    };
    table(["setting", "value", "origin"], answer.settings.iter().map(row))
}
