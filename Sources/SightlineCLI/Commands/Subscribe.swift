// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import AnalysisCommands
import ArgumentParser

struct Subscribe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Receives a stream with a headless client and shows its statistics.",
        discussion: "Waits for the stream if it is not there yet.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var conditions: ConditionOptions
    @OptionGroup var quality: QualityOptions
    @OptionGroup var recording: RecordOptions
    @OptionGroup var statistics: StatisticsOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Id or name of the stream; without it, the first stream of another client.")
    var stream: String?

    @Option(help: "This client's name in the output.")
    var name: String = "subscriber"

    @OptionGroup var network: NetworkOptions

    func run() async throws {
        let url = try server.requireURL()
        let token = try server.requireToken()
        let schedule = try conditions.schedule()
        let (name, wanted, network) = (name, stream, network)
        let quality = try quality.configuration()
        let recorder = try recording.recorder()
        let statistics = statistics
        let run = CallRun(output: output, recorder: recorder)
        try await run.run { bus in
            let participant = try Participant(
                name: name, url: url, token: token, loopbackOnly: network.loopbackOnly,
                relayOnly: network.relayOnly, bus: bus, quality: quality,
                recorder: recorder, statistics: statistics)
            return try await explained {
                try await participant.connect()
                let stream = try await participant.stream(wanted)
                return [try await participant.subscribe(stream, conditions: schedule)]
            }
        }
    }
}
