import { describe, expect, it } from "vitest"
import { signatureV2 } from "../../src/storage/signature-v2.js"
import { signatureV4 } from "../../src/storage/signature-v4.js"

// The examples of the AWS documentation, with its example keys.
const SECRET_V2 = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
const NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

const v4 = (request: Partial<Parameters<typeof signatureV4>[0]>) =>
  signatureV4(
    {
      method: "GET",
      path: "/",
      query: [],
      headers: new Map(),
      payload: NOTHING,
      date: "20130524T000000Z",
      region: "us-east-1",
      ...request,
    },
    SECRET_V2,
  )

describe("signature of version 2", () => {
  it("is that of the documentation for a GET", () => {
    const headers = { date: "Tue, 27 Mar 2007 19:36:42 +0000" }
    const request = { method: "GET", headers, path: "/johnsmith/photos/puppy.jpg", query: new URLSearchParams() }
    expect(signatureV2(request, SECRET_V2)).toBe("bWq2s1WEIj+Ydj0vQ697zp+IXMU=")
  })

  it("is that of the documentation for a PUT with a type", () => {
    const headers = { date: "Tue, 27 Mar 2007 21:15:45 +0000", "content-type": "image/jpeg" }
    const request = { method: "PUT", headers, path: "/johnsmith/photos/puppy.jpg", query: new URLSearchParams() }
    expect(signatureV2(request, SECRET_V2)).toBe("MyyxeRY7whkBe+bq8fHCL/2kKUg=")
  })

  it("is that of the documentation for a subresource among other parameters", () => {
    const headers = { date: "Tue, 27 Mar 2007 19:44:46 +0000" }
    const query = new URLSearchParams("acl&prefix=photos")
    expect(signatureV2({ method: "GET", headers, path: "/johnsmith/", query }, SECRET_V2)).toBe(
      "c2WLPFtWHVgbEmeEG93a4cG37dM=",
    )
  })
})

describe("signature of version 4", () => {
  it("is that of the documentation for a GET of a range", () => {
    const headers = new Map([
      ["host", "examplebucket.s3.amazonaws.com"],
      ["range", "bytes=0-9"],
      ["x-amz-content-sha256", NOTHING],
      ["x-amz-date", "20130524T000000Z"],
    ])
    expect(v4({ path: "/test.txt", headers })).toBe("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  })

  it("is that of the documentation for parameters that have to be sorted", () => {
    const headers = new Map([
      ["host", "examplebucket.s3.amazonaws.com"],
      ["x-amz-content-sha256", NOTHING],
      ["x-amz-date", "20130524T000000Z"],
    ])
    const query: [string, string][] = [
      ["prefix", "J"],
      ["max-keys", "2"],
    ]
    expect(v4({ headers, query })).toBe("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  })

  it("is that of the documentation for a presigned address", () => {
    const query: [string, string][] = [
      ["X-Amz-Algorithm", "AWS4-HMAC-SHA256"],
      ["X-Amz-Credential", "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"],
      ["X-Amz-Date", "20130524T000000Z"],
      ["X-Amz-Expires", "86400"],
      ["X-Amz-SignedHeaders", "host"],
    ]
    const headers = new Map([["host", "examplebucket.s3.amazonaws.com"]])
    expect(v4({ path: "/test.txt", query, headers, payload: "UNSIGNED-PAYLOAD" })).toBe(
      "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    )
  })
})
