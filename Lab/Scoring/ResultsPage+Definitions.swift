// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension ResultsPage {
    /// What every word and figure of the page means.
    static let definitions = """
        ## Definitions

        - **Call**: alice publishes, bob subscribes, through a session server and a media router, both real, over the
          loopback interface with an emulated network at each client. Calls run one at a time. 0 s is bob's first
          picture (audio-only: his subscription).
        - **Truth** comes from the scenario's schedule alone, never from what the product says. *Dropped* shows that the
          schedule took effect: the share of packets dropped in the worst direction while something was wrong, as the
          emulated networks counted it.
        - **Demand** is nominal: 540 kbps, 500 of video and 40 of audio. The emulated capacity counts 28 bytes of header a
          packet.
        - **Settled second**: a whole second at least 4 s after the last change of the truth (8 s after changes of the
          bandwidth, 6 s in calls without video). The call's beginning is a change as well.
        - **Said** in a second is the newest diagnosis at its end, if that is not older than 2 s; else, and where the
          diagnosis is `unknown`, the second is wrong.
        - **Cause right**: settled seconds whose cause is the true one, of all settled seconds.
        - **Side right**: at bob, settled seconds on which the side (`none`, `local`, `remote`, `bothOrUnclear`) is the
          true one, of those on which it is known; at alice the same for the direction while something is wrong.
        - **Recovering**: from the end of a trouble on, `recovering` and `none` are both right, because the schedule
          does not know when the estimate has climbed; a side is not judged then. Whoever was not affected has to say
          `none`.
        - **Slow encoder**: alice should say `cpu`; at bob's, `none`, `cpu` and `media` (side `none` or `remote`) are right.
        - **Detect**: from the beginning of a trouble to the first diagnosis with the right cause. **Clear**: from the end of
          a trouble that was found to the first `none` or `recovering`. Medians; one that never came is longer than all
          others.
        - **Alarms**: in calls on which nothing is wrong, alarming events of both observers (a condition that worsens, a
          warning, an interruption) and beginnings of a diagnosis of trouble, from the first second on.
        - **Load**: processes that wanted to run, averaged over the last minute of the call. Above the number of
          processors, the machine itself disturbs the calls.
        """
}
