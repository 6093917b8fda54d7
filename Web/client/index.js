// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** What pages may use; `index.d.ts` says what each does. */

import { Session } from "./client.js";

export { SessionError } from "./link.js";
export { NetworkTestError, testNetwork } from "./network-test.js";
export { testPattern } from "./test-pattern.js";

/**
 * Enters the session of a token.
 *
 * @param {string|URL} url
 * @param {string} token
 * @param {Object} [options]
 * @returns {Promise<Session>}
 */
export const connect = (url, token, options) => Session.connect(url, token, options);
