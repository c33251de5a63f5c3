import { GraphQLObjectType, GraphQLSchema, GraphQLString } from "graphql"
import { LRUCache } from "lru-cache"
import { describe, expect, it, vi } from "vitest"
import { describeNeeds } from "../../src/access/describe-needs.js"
import { createAuthenticator } from "../../src/oauth/access-token.js"

const schemaOf = (extensions: Record<string, unknown>, secret: Record<string, unknown> = {}) => {
  const thing = new GraphQLObjectType({
    name: "Thing",
    fields: { code: { type: GraphQLString, extensions: { secret: true, needs: ["manage"], ...secret } } },
  })
  const query = new GraphQLObjectType({ name: "Query", fields: { thing: { type: thing, extensions } } })
  return new GraphQLSchema({ query })
}

describe("describeNeeds", () => {
  it("adds to descriptions what fields declare", () => {
    const schema = schemaOf({ needs: ["read", "manage"] })
    describeNeeds(schema)
    expect(schema.getQueryType()?.getFields().thing?.description).toBe("Scope: `read` and `manage`.")
  })

  it.each([
    ["a root field that declares nothing", schemaOf({}), "Query.thing does not say"],
    ["a root field that declares no scope", schemaOf({ needs: [] }), "Query.thing does not say"],
    [
      "a secret for which read is enough",
      schemaOf({ needs: ["read"] }, { needs: ["read"] }),
      "Thing.code shows a secret",
    ],
  ])("refuses %s", (_, schema, words) => {
    expect(() => describeNeeds(schema)).toThrow(words)
  })
})

describe("the scopes of a token", () => {
  it("come with it in one statement, are remembered with it, and asked for anew once it is said to have changed", async () => {
    let scopes = "read write"
    const asked: string[] = []
    const database = {
      async run<Row>(one: { name: string; read(fields: string[]): Row }): Promise<Row[]> {
        asked.push(one.name)
        return [one.read(["1", "7", "2", "client", "spec", null as never, scopes])]
      },
    }
    const { viewerOf, forget } = createAuthenticator(database as never, () => true)
    const ofPair = async () => [...((await viewerOf("client", "t"))?.scopes ?? [])]
    const ofBearer = async () => [...((await viewerOf(undefined, undefined, "Bearer t"))?.scopes ?? [])]
    for (let times = 0; times < 3; times++)
      expect([await ofPair(), await ofBearer()]).toEqual([
        ["read", "write"],
        ["read", "write"],
      ])
    expect(asked).toEqual(["viewer_of_token", "viewer_of_token"])
    scopes = "read"
    forget("7")
    expect([await ofPair(), await ofBearer()]).toEqual([["read"], ["read"]])
    expect(asked).toHaveLength(4)
  })

  it("are forgotten with their token alone, as often as it is said to have changed, without a look at any other", async () => {
    const asked: string[] = []
    const database = {
      async run<Row>(one: { read(fields: string[]): Row }, [, clientId]: [Buffer, string]): Promise<Row[]> {
        asked.push(clientId)
        return [one.read(["1", clientId, "2", clientId, "spec", null as never, "read"])]
      },
    }
    const { viewerOf, forget } = createAuthenticator(database as never, () => true)
    const askedFor = async (...clients: string[]) => {
      asked.length = 0
      for (const client of clients) await viewerOf(client, "t")
      return [...asked]
    }
    expect(await askedFor("7", "8", "7", "8")).toEqual(["7", "8"])
    const looksAtAll = vi.spyOn(LRUCache.prototype, "entries")
    for (let times = 0; times < 2; times++) {
      forget("7")
      expect(await askedFor("7", "8", "7")).toEqual(["7"])
    }
    expect(looksAtAll).not.toHaveBeenCalled()
    // What was pushed out by others is remembered anew, and forgotten anew.
    const others = Array.from({ length: 10_000 }, (_, at) => `other ${at}`)
    await askedFor(...others)
    expect(await askedFor("7", "7")).toEqual(["7"])
    forget("7")
    expect(await askedFor("7", "7", others.at(-1) as string)).toEqual(["7"])
  })
})
