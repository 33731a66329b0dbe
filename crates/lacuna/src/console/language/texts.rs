//! The names of all texts. A language that lacks one does not compile.

macro_rules! catalogue {
    ($($name:ident)+) => {
        /// Every text of the pages in one language. `{}` is a gap; a bar stands between singular and plural.
        pub(in crate::console) struct Catalogue { $(pub(in crate::console) $name: &'static str),+ }

        impl Catalogue {
            /// Every text with its name.
            #[cfg(test)]
            pub(super) fn each(&self) -> Vec<(&'static str, &'static str)> {
                vec![$((stringify!($name), self.$name)),+]
            }
        }
    };
}

catalogue! {
    months memories answers times days you menu navigation skip_to_content sign_out sign_in back_to_start
    nothing_here older newer any number when why how until forever nav_memory nav_overview nav_forget
    nav_ask nav_receipts nav_review nav_consents nav_retention nav_access nav_goodbye nav_operate nav_docs
    entrance_title entrance_lead entrance_local entrance_local_how entrance_token entrance_token_how
    entrance_token_wrong entrance_link_over entrance_sign_on
    entrance_sign_on_how entrance_sign_on_do entrance_sign_on_failed token signed_in_title signed_in continue_here search
    search_title search_label search_placeholder filters filter_name filter_tag filter_sensitivity
    filter_source filter_assistant filter_state filter_since filter_until filter_apply filter_clear
    remembered_in_all memory_empty_title memory_empty memory_empty_more
    damaged found_among found_nothing weak_title weak_hint how_sure why_meaning
    why_context why_words why_both pinned note_mark memory_title actions pin unpin hide archive restore
    forget_this correct correct_label correct_hint correct_do correct_asked correct_refused correct_waits
    yes_store share share_label share_hint share_do show_new show_receipt done_corrected done_hidden
    done_shared how_it_fades curve_title curve_hint where_from source tool assistant channel external
    external_hint kept_until privacy ground names around made_of made_into says_alike who_read nobody_read
    in_console through assistant_read about_topics overview_lead picture_label picture_hint names_title topics_title sensitive_title
    access_lead forget_lead forget_label forget_placeholder forget_examples forget_how forget_partial
    forget_plan forget_unclear which_person plan_title plan_lead plan_direct plan_direct_hint plan_possible
    plan_possible_hint plan_all plan_leaves plan_falls plan_falls_hint plan_rebuilt plan_goes plan_stays
    plan_stays_hint plan_these plan_confirm plan_leave plan_expires plan_nothing plan_others plan_again
    plan_none_ticked again_title again_lead again_confirm done_title done_lead done_restorable
    done_held_back step_keys step_fell step_probes step_signed ask_title ask_lead ask_label ask_placeholder
    ask_do ask_nothing ask_found ask_forget ask_receipts receipts_lead receipts_key receipts_key_hint
    receipt_title receipt_clean receipt_not_clean receipt_said receipt_perhaps keys_destroyed found_after named_by fell cut rebuilt
    looked_for probe_result backups backup proof proof_hint signed_by signature verify_key verify_key_hint
    verify_do verify_good verify_bad verify_cannot verify_elsewhere print save_file review_lead review_empty
    review_accept review_keep_both review_reject review_hint review_decided note_waits held_hint month_link
    month_title month_expiring month_to_review month_nothing month_hidden month_keep month_erase month_done
    consents_lead consents_none consent_purpose consent_purpose_default consent_since consent_revoke
    consent_give consent_category consent_hint consent_give_do consent_given consent_revoked
    consent_forget_kept retention_lead retention_max retention_empty retention_categories retention_people
    retention_days retention_rule_hint retention_preview retention_would retention_now retention_soon
    retention_shorter retention_do retention_set export_title export_lead export_format export_health
    export_passphrase export_hint export_do destroy_title destroy_lead destroy_plan destroy_would
    nav_protection minutes hours protection_lead protection_lost protection_locked_title protection_locked protection_open
    protection_passphrase protection_new protection_again protection_new_hint protection_understood protection_do
    protection_how_long protection_unlock protection_unlock_hint protection_lock protection_change protection_change_do
    protection_forgotten protection_code protection_recover_do protection_remove protection_remove_lead protection_remove_do
    protection_done_title protection_done protection_done_next protection_removed protection_now_locked protection_wrong
    protection_wait protection_weak protection_differ protection_unticked
    destroy_type destroy_do destroyed destroyed_title operate_lead operate_open operate_ram operate_backlog
    operate_tokens operate_failed operate_key operate_chain operate_jobs operate_job operate_last
    operate_outcome operate_due operate_running operate_people operate_by operate_backups operate_requests
    operate_version operate_since operate_nodes operate_node operate_vaults operate_vault operate_frozen operate_protected
    operate_memories operate_states operate_locked operate_count operate_count_hint operate_keys operate_master
    operate_outdated operate_epochs operate_rotated operate_renewed operate_receipts operate_entries operate_hash
    operate_look_by operate_late operate_by_route operate_by_status operate_by_time
    failure_not_found failure_not_found_do failure_denied failure_denied_do failure_stale failure_stale_do
    failure_changed failure_changed_do failure_busy failure_busy_do failure_frozen failure_frozen_do
    failure_input failure_input_do failure_server failure_server_do
}
