// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

import CLinkModel

extension sl_link_settings {
    static func make(
        delay: Double = 0, jitter: Double = 0, loss: Double = 0, rate: Double = 0, queue: Double = 300,
        outage: Bool = false
    ) -> sl_link_settings {
        var settings = sl_link_settings()
        settings.delay_ms = delay
        settings.jitter_ms = jitter
        settings.loss_percent = loss
        settings.rate_kbps = rate
        settings.queue_ms = queue
        settings.outage = outage
        return settings
    }
}
