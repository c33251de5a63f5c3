import type { Fingerprint } from "./event.js"

/** A fingerprint as clients hold it. */
export const writeFingerprint = ({ id, occurredAt }: Fingerprint): string =>
  `${Number(id).toString(36)}.${Date.parse(occurredAt).toString(36)}`
