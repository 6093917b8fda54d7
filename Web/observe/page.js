// SPDX-License-Identifier: Apache-2.0
// Copyright the Sightline authors

/** Says once that the observer itself failed: what it observes works all the same. @param {Error} error */
function warn(error) {
    if (warn.isDone) return;
    warn.isDone = true;
    console.warn(`Sightline does not observe all of this call: ${error?.message ?? error}`);
}

/**
 * Does something for the observer while the app does something of its own, which does not fail by it.
 *
 * @param {function(): *} action
 * @returns {*} What came of it; `undefined` if it failed.
 */
export function guarded(action) {
    try {
        return action();
    } catch (error) {
        warn(error);
        return undefined;
    }
}

/**
 * @param {?Object} owner
 * @param {string} name
 * @returns {?Object} What has the property itself: the owner, where a library has replaced it, or what it inherits from.
 */
function holderOf(owner, name) {
    if (!owner || Object.getOwnPropertyDescriptor(owner, name)) return owner ?? null;
    return holderOf(Object.getPrototypeOf(owner), name);
}

/**
 * Has a function noted when it is called; it does what it did.
 *
 * @param {?Object} owner What has it, or inherits it.
 * @param {string} name
 * @param {function(): boolean} isObserving Whether anyone is to know.
 * @param {function(Array): {done?: function(*): void, failed: function(string): void}} look Gets what it was called with,
 *   and says who hears of the outcome.
 */
function wrap(owner, name, isObserving, look) {
    const holder = holderOf(owner, name);
    const descriptor = holder && Object.getOwnPropertyDescriptor(holder, name);
    if (typeof descriptor?.value !== "function" || !(descriptor.configurable || descriptor.writable)) return;
    const apply = (target, self, values) => {
        const result = Reflect.apply(target, self, values);
        if (!isObserving() || typeof result?.then !== "function") return result;
        // The page gets what follows from it: a refusal that no one handles stays one.
        const { done, failed } = guarded(() => look(values)) ?? {};
        return result.then((value) => {
            guarded(() => done?.(value));
            return value;
        }, (error) => {
            guarded(() => failed?.(kindOf(error)));
            throw error;
        });
    };
    Object.defineProperty(holder, name, { ...descriptor, value: new Proxy(descriptor.value, { apply }) });
}

/** @param {*} error @returns {string} What kind of error it is: its message may name a device. */
const kindOf = (error) => String(error?.name ?? "Error");

/**
 * Has what pages make calls of noted: what is there now, for libraries may have replaced what the browser has.
 *
 * @param {function(): ?Object} observing What hears of it, by `note` and `watch`; `null` while nothing does.
 * @param {function(RTCPeerConnection): void} made Gets each peer connection that the page makes.
 */
export function wrapPage(observing, made) {
    const native = globalThis.RTCPeerConnection;
    const isObserving = () => observing() !== null;
    const note = (type, detail) => observing()?.note(type, detail);
    const construct = (target, values, newTarget) => {
        const connection = Reflect.construct(target, values, newTarget);
        guarded(() => made(connection));
        return connection;
    };
    const { prototype } = native;
    const wrapped = new Proxy(native, { construct });
    prototype.constructor = wrapped;
    for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) {
        if (globalThis[name] === native) globalThis[name] = wrapped;
    }
    wrap(prototype, "addIceCandidate", isObserving, () => ({
        failed: (error) => note("addIceCandidate", { error }),
    }));
    const devices = globalThis.navigator?.mediaDevices;
    for (const name of ["getUserMedia", "getDisplayMedia"]) {
        wrap(devices, name, isObserving, ([asked]) => {
            const wants = ["audio", "video"].filter((kind) => asked?.[kind]).join(" ");
            return {
                done: (media) => {
                    note(name, { wants });
                    for (const track of media.getTracks()) observing()?.watch(track, "local");
                },
                failed: (error) => note(name, { wants, error }),
            };
        });
    }
    wrap(devices, "enumerateDevices", isObserving, () => ({
        done: (all) => {
            const count = (kind) => String(all.filter((device) => device.kind === kind).length);
            note("enumerateDevices", {
                audioinput: count("audioinput"), videoinput: count("videoinput"), audiooutput: count("audiooutput"),
            });
        },
        failed: (error) => note("enumerateDevices", { error }),
    }));
}
