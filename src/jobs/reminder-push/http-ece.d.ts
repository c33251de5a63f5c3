/** What is used of http_ece, which has no types of its own. */
declare module "http_ece" {
  import type { ECDH } from "node:crypto"

  const ece: {
    /**
     * Encrypts a message to another's key: the body of RFC 8188, its key by RFC 8291. What has no key or secret of its own length
     * throws, and a key that is no point of the curve.
     */
    encrypt(
      message: Buffer,
      parameters: {
        readonly version: "aes128gcm"
        /** The receiver's, in base64url. */
        readonly dh: string
        readonly authSecret: string
        /** The sender's pair, of this message only. */
        readonly privateKey: ECDH
        readonly salt: Buffer
      },
    ): Buffer
  }
  export default ece
}
