import sharp from "sharp"
import { beforeAll, describe, expect, it } from "vitest"
import { statement } from "../../src/statement.js"
import { makePeople, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { makeFile } from "../support/uploads.js"

let node: TestNode
let owner: Person
let invitee: Person
let stranger: Person
let task: { id: number }

beforeAll(async () => {
  node = await sharedNode()
  const people = await makePeople(node)
  ;({ owner, invitee, stranger } = people)
  task = await makeTask(owner, people.list)
})

const picture = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: { r: 200, g: 40, b: 40, alpha: 0.5 } } })
const previewOf = (file: { id: number }, query = "") => owner.get(`/previews?file_id=${file.id}${query}`)
const bytesAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer())
const made = statement(
  "test_previews",
  "select file_id, width, storage_key from previews where file_id = $1::bigint",
  (row) => row,
)
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>`

describe("GET /api/v1/previews", () => {
  it.each(["gif", "jpeg", "png", "webp", "tiff"] as const)("makes a real thumbnail of a %s", async (format) => {
    const bytes = await picture(1_500, 900).toFormat(format).toBuffer()
    const file = await makeFile(owner, task, bytes, { content_type: `image/${format}` })
    const { status, body } = await previewOf(file, "&platform=web&size=nonretina")
    expect(status).toBe(200)
    expect(body).toEqual({
      url: expect.stringContaining(`/previews/${file.id}/512?`),
      size: "nonretina",
      expires_at: expect.stringMatching(/Z$/),
      type: "preview",
    })
    const reply = await fetch(body.url)
    expect(reply.headers.get("content-type")).toMatch(/^image\/(png|jpeg)$/)
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff")
    const { width, height } = await sharp(Buffer.from(await reply.arrayBuffer())).metadata()
    expect([width, height]).toEqual([512, 307])
  })

  it("turns it upright, enlarges nothing and leaves out what the camera wrote", async () => {
    const exif = { IFD0: { Copyright: "Ann" }, IFD3: { GPSLatitudeRef: "N" } }
    const bytes = await picture(40, 20).jpeg().withExif(exif).withMetadata({ orientation: 6 }).toBuffer()
    const file = await makeFile(owner, task, bytes, { content_type: "image/jpeg" })
    const { body } = await previewOf(file)
    const metadata = await sharp(await bytesAt(body.url)).metadata()
    expect([metadata.width, metadata.height, metadata.exif]).toEqual([20, 40, undefined])
  })

  it("makes it once, however many ask at once, and stores it", async () => {
    const file = await makeFile(owner, task, await picture(600, 600, 4).png().toBuffer())
    const replies = await Promise.all(Array.from({ length: 8 }, () => previewOf(file, "&size=retina")))
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    const [kept, ...more] = await node.database.run(made, [file.id])
    expect(more).toEqual([])
    await bytesAt(replies[0]?.body.url)
    expect(await node.database.run(made, [file.id])).toEqual([kept])
  })

  it.each([
    ["an svg", SVG, "image/svg+xml"],
    ["an svg that says it is a png", SVG, "image/png"],
    ["a broken png", "\x89PNG\r\n\x1a\nbroken", "image/png"],
    ["text", "hello", "text/plain"],
    ["a pdf", "%PDF-1.7", "application/pdf"],
  ])("answers 400 in the words of old for %s", async (_what, content, content_type) => {
    const file = await makeFile(owner, task, Buffer.from(content, "latin1"), { content_type })
    expect(await previewOf(file)).toMatchObject({ status: 400, body: { errors: ["bad request"] } })
    const { code } = await owner.graphql(`query { preview(fileId: "${file.id}", width: 64) { url } }`)
    expect(code).toBe("BAD_REQUEST")
  })

  it("refuses a picture that would fill the memory when it is unpacked", async () => {
    const [width, height] = [8_200, 8_000]
    const raw = { width, height, channels: 1 as const }
    const monstrous = await sharp(Buffer.alloc(width * height), { raw })
      .png({ compressionLevel: 1 })
      .toBuffer()
    const file = await makeFile(owner, task, monstrous)
    expect((await previewOf(file)).status).toBe(400)
  })

  it.each([
    ["jpeg", 6_000, 5_000, { progressive: true }],
    ["png", 5_000, 5_000, { progressive: true, compressionLevel: 1 }],
    ["gif", 5_000, 5_000, {}],
  ] as const)(
    "refuses a %s that is no use line by line and would be held whole, of %i x %i",
    async (format, width, height, options) => {
      const flat = sharp({ create: { width, height, channels: 4, background: "#123" } })
      const file = await makeFile(owner, task, await flat.toFormat(format, options).toBuffer(), {
        content_type: `image/${format}`,
      })
      expect((await previewOf(file)).status).toBe(400)
    },
  )

  it("asks for a file that is open, and for a size that there is", async () => {
    const file = await makeFile(owner, task, await picture(10, 10).png().toBuffer())
    for (const person of [stranger, invitee])
      expect((await person.get(`/previews?file_id=${file.id}`)).status).toBe(404)
    expect((await owner.get("/previews")).status).toBe(400)
    expect(await previewOf(file, "&size=enormous")).toMatchObject({ status: 400, body: { errors: ["bad request"] } })
  })
})

describe("File.previewUrl", () => {
  it("leads to a thumbnail that is made when it is opened, for anyone who has the address", async () => {
    const file = await makeFile(owner, task, await picture(600, 300).png().toBuffer())
    const ask = (id: number) => owner.graphql(`query { file(id: "${id}") { previewUrl(width: 200) } }`)
    const { previewUrl } = (await ask(file.id)).data.file
    expect(await node.database.run(made, [file.id])).toEqual([])
    expect((await sharp(await bytesAt(previewUrl)).metadata()).width).toBe(256)
    expect((await fetch(previewUrl.replace("/256?", "/512?"))).status).toBe(403)
    const text = await makeFile(owner, task, Buffer.from("x"), { content_type: "text/plain" })
    expect((await ask(text.id)).data.file.previewUrl).toBeNull()
    const broken = await makeFile(owner, task, Buffer.from("x"), { content_type: "image/png" })
    expect((await fetch((await ask(broken.id)).data.file.previewUrl)).status).toBe(400)
  })
})
