// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

extension ResultsPage {
    /// What every word and figure of the page means.
    static let definitions = """
        ## Definitions

        - **Call**: alice publishes, bob subscribes, through a session server and a media router, both real, over the
          loopback interface with an emulated network at each client. Calls run one at a time. 0 s is bob's first
          frame (audio-only: his subscription). In calls with problems nothing is done for the first 10 s.
        - **Seed**: of the emulated networks' losses and delays and of alice's voice. Rules are tuned on calls with other
          seeds than those that are scored; where scored calls were looked at as well, a point above says so.
        - **Truth** comes from the scenario's schedule alone, never from what the product says.
        - **Schedule check**: a call counts only if the clock and the emulated networks' counters show that it was what
          its schedule says: each step taken within 0.3 s; losses within four standard deviations (and 0.3 points) of
          what was asked for, and none at other times; no more than 1.1 times the capacity carried, and more than the
          capacity offered in the 3 s before; nothing carried in an outage; a clock of the same process, ringing each
          50 ms, never 150 ms late and at most 1 % of the time more than 20 ms. Delays show in no counter. A call that
          fails the check is made again, at most twice. What the product said plays no part in it.
        - **Dropped**: the share of packets dropped in the worst direction while something was wrong, as the emulated
          networks counted it, in the worst of the scenario's calls.
        - **Demand** is nominal: 540 kbps, 500 of video and 40 of audio. The emulated capacity counts 28 bytes of header a
          packet. A capacity below the demand is a problem of the bandwidth for as long as it lasts: also once a sender
          has adapted to it, when only a lower layer is sent, and when the router has switched the video off for it.
        - **Jitter**: packets are handed over in groups, in order, at moments that are half to three halves of twice the
          given time apart, so that a packet comes up to about that time earlier or later than the mean. (Where order
          is kept, delays that are drawn again for each packet are smoothed to 10 to 20 ms of measured jitter however
          wide their range, and no network gives audio of 20 ms a packet more than 40 ms of it.) At 200 ms round trips are more than
          200 ms longer on average: there `latency` is right as well.
        - **Settled second**: a whole second at least 4 s after the last change of the truth (8 s after changes of the
          bandwidth, 6 s in calls without video). The call's beginning is a change as well.
        - **Said** in a second is the newest diagnosis at its end, if that is not older than 2 s; else, and where the
          diagnosis is `unknown`, the second is wrong.
        - **Cause right**: settled seconds whose cause is the true one, of all settled seconds.
        - **Side right**: at bob, settled seconds on which the side (`none`, `local`, `remote`, `bothOrUnclear`) is the
          true one, of those on which it is known; at alice the same for the direction while something is wrong.
        - **While something is wrong**: the same shares of the seconds on which the truth is a problem for that observer,
          without the easy ones.
        - **As said live**: what the observers said while the calls were made, by the rules of the commit that made them;
          all other figures are of the recordings, judged again by the rules of the commit named above. The observers get
          what they got live: reports, intents, and what the other side and the router had reported by then. Only where
          that is itself a judgement (of the publisher's uplink) today's takes its place. What the product did in
          the call because of a judgement stays as it was.
        - **Recovering**: from the end of a problem on, `recovering` and `none` are both right, because the schedule
          does not know when the estimate has climbed; a side is not judged then. Whoever was not affected has to say
          `none`.
        - **Slow encoder**: alice should say `cpu`; at bob's, `none`, `cpu` and `media` (side `none` or `remote`) are right.
        - **A long way to alice**: alice should say `latency`; at bob's, whose own leg is well, `none` and `latency` (side
          `none` or `remote`) are right.
        - **Detect**: from the beginning of a problem to the first diagnosis with the right cause. **Clear**: from the end of
          a problem that was found to the first `none` or `recovering`. Medians over calls; one that never came is
          longer than all others. Reports come once a second, so that every time is up to a second longer than it
          took. A dash: nothing was wrong for that observer.
        - **Alarms**: in calls on which nothing is wrong (those that begin with `clean`, and capacity of twice the demand;
          a dash for all others), alarming events of both observers (a condition that worsens, a
          warning, an interruption) and beginnings of a diagnosis of problems, from the first second on. Digital silence
          of a microphone that is not muted is what the warnings `zeroAudioLevel`, `constantAudioLevel` and
          `silentMicrophone` are for: in that one scenario these three are right.
        - **Load**: processes that wanted to run, averaged over the last minute of the call, those of low priority
          included; the highest of the scenario's calls.
        """
}
