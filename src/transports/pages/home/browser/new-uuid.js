/** A random UUID. `crypto.randomUUID` is missing where the page comes over plain http from another host than localhost. */
export function newUuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes.set([(Number(bytes[6]) & 0x0f) | 0x40], 6)
  bytes.set([(Number(bytes[8]) & 0x3f) | 0x80], 8)
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return text.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5")
}
