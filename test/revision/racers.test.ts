import { createClient as createSocket } from "graphql-ws"
import { beforeAll, describe, expect, it } from "vitest"
import WebSocket from "ws"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { repetitions } from "../support/repetitions.js"

const RACERS = 16
const ROUNDS = repetitions(100, 5)
const UPDATE = "mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { title revision } }"

let node: TestNode
let owner: Person

beforeAll(async () => {
  node = await sharedNode()
  owner = await makePerson(node)
})

/** A racer's outcome: the title when it won, or how it was refused. */
type Race = (id: number, revision: number, title: string) => Promise<string>

async function race(run: Race): Promise<void> {
  const list = await makeList(owner)
  const { id } = await makeTask(owner, list)
  for (let revision = 1; revision <= ROUNDS; revision++) {
    const results = await Promise.all(
      Array.from({ length: RACERS }, (_, racer) => run(id, revision, `${revision}-${racer}`)),
    )
    const winners = results.filter((result) => result !== "CONFLICT")
    expect(winners).toHaveLength(1)
    expect((await owner.get(`/tasks/${id}`)).body).toMatchObject({ title: winners[0], revision: revision + 1 })
  }
  // One change, one event: the list has been made and bumped by the task, then by each winner.
  expect((await owner.get(`/lists/${list.id}`)).body.revision).toBe(2 + ROUNDS)
}

const outcome = (data: any, code: string | undefined): string => (code === undefined ? data.updateTask.title : code)

describe("sixteen writers with one revision (§9)", { timeout: 180_000 }, () => {
  it(`over REST: one wins, fifteen are told of the conflict, in ${ROUNDS} rounds of ${ROUNDS}`, () =>
    race(async (id, revision, title) => {
      const { status, body } = await owner.patch(`/tasks/${id}`, { revision, title })
      return status === 200 ? body.title : body.error.type.toUpperCase()
    }))

  it("over GraphQL: the same", () =>
    race(async (id, revision, title) => {
      const { data, code } = await owner.graphql(UPDATE, { id, input: { revision, title } })
      return outcome(data, code)
    }))

  it("over WebSocket: the same", async () => {
    const socket = createSocket({
      url: `${node.url.replace("http", "ws")}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: owner.headers,
      lazy: false,
    })
    try {
      await race(async (id, revision, title) => {
        const results = socket.iterate<any>({ query: UPDATE, variables: { id, input: { revision, title } } })
        const { value } = await results.next()
        return outcome(value.data, value.errors?.[0]?.extensions?.code as string | undefined)
      })
    } finally {
      await socket.dispose()
    }
  })
})
