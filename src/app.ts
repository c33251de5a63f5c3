import "reflect-metadata"
import type { IncomingMessage } from "node:http"
import express, { type Response } from "express"
import { createIdentityProvider } from "./accounts/identity-provider.js"
import { createMailer } from "./accounts/mailer.js"
import type { Config } from "./config/config.js"
import type { DatabaseClient } from "./database/client.js"
import { readinessOf } from "./database/readiness.js"
import { signingKey } from "./database/signing-key.js"
import { startDatabase } from "./database/start-database.js"
import { createCursors } from "./events/cursor.js"
import { type LiveParts, startLive } from "./events/live.js"
import { calendarMaintenance } from "./exchange/calendar-maintenance.js"
import { startBackground } from "./jobs/background.js"
import { vapidKeys } from "./jobs/reminder-push/vapid.js"
import type { DeliverySettings } from "./jobs/webhook-delivery/webhook-delivery.js"
import type { Log } from "./log.js"
import { createAuthenticator } from "./oauth/access-token.js"
import { recordTokenUse } from "./oauth/token-use.js"
import { asGraphQLError, visibleError } from "./operations/format-error.js"
import { createHeldMemory } from "./operations/held-memory.js"
import { createOperations } from "./operations/operations.js"
import { openRateLimit } from "./operations/rate-limit.js"
import { openSkippedWriters } from "./operations/skipped-writers.js"
import { egressPolicy } from "./outbound/egress-policy.js"
import type { Id } from "./statement.js"
import { createExposition, type Status } from "./telemetry/exposition.js"
import { createMeters } from "./telemetry/meters.js"
import { openTracing } from "./telemetry/open-tracing.js"
import { requestIdOf } from "./telemetry/request-log.js"
import { calendar } from "./transports/calendar/calendar.js"
import { openCarriers } from "./transports/carriers.js"
import { docs } from "./transports/docs/docs.js"
import { servedSchema } from "./transports/docs/served-schema.js"
import { avatars } from "./transports/files/avatars.js"
import { openFiles } from "./transports/files/files.js"
import { createGraphqlHttp } from "./transports/graphql/http.js"
import { drainable } from "./transports/http/drain.js"
import { createExpressServer } from "./transports/http/express-server.js"
import { readJson } from "./transports/http/json-body.js"
import { listen } from "./transports/http/listen.js"
import { metricsEndpoint } from "./transports/http/metrics.js"
import { requestContexts } from "./transports/http/request-context.js"
import { nothingStarted, type Started } from "./transports/http/started.js"
import { mountTransports } from "./transports/mount.js"
import { oauthRoutes } from "./transports/oauth/routes.js"
import { pages } from "./transports/pages/pages.js"
import { notFoundPage } from "./transports/pages/router.js"
import { openTags } from "./transports/rest/etag.js"
import { restRouter } from "./transports/rest/router.js"
import { routes } from "./transports/rest/routes.js"

/** One node, running. */
export type App = {
  /** Where it listens, as its clients write it. */
  readonly url: string
  readonly database: DatabaseClient
  /** How much is live here at the moment, as metrics show it. */
  status(): Status
  /** Ends what is in flight, closes sockets with 1001, then the database; resolves when nothing is left. */
  stop(): Promise<void>
}

/** What only tests set. */
export type TestSettings = DeliverySettings & Pick<LiveParts, "accessWatchMs">

/**
 * The only place that knows all parts: starts a node and resolves when it answers. When something cannot be started, whatever
 * was is stopped again.
 */
export async function startApp(config: Config, log: Log, settings: TestSettings = {}): Promise<App> {
  const started = nothingStarted()
  try {
    return await startParts(config, log, started, settings)
  } catch (error) {
    await started.stop().catch((failure: unknown) => log.error({ err: failure }, "stopping failed"))
    throw error
  }
}

async function startParts(config: Config, log: Log, started: Started, settings: TestSettings): Promise<App> {
  const { keep } = started
  const tracing = keep(await openTracing(config, log))
  const { url: databaseUrl, folder, client } = keep(await startDatabase(config, log))
  const database = tracing?.database(client) ?? client

  const schema = servedSchema()
  const meters = createMeters()
  const operations = createOperations(
    schema,
    { introspection: config.introspection, suggestions: config.environment !== "production" },
    (operation, isOurs) => {
      const counted = isOurs ? operation : meters.watched(operation)
      return tracing?.watched(counted, isOurs) ?? counted
    },
  )
  const egress = egressPolicy(config.webhookAllowedNetworks)
  // Without a name of its own the service is where it listens, which is known below.
  let url = config.publicUrl ?? ""
  const mailer = keep(createMailer(config, log, database))
  const tokenUse = keep(recordTokenUse(database, log))
  const authenticator = createAuthenticator(database, () => live.isCurrent(), tokenUse.note)
  const tokensEnded = (ids: readonly Id[]) => {
    for (const id of ids) authenticator.forget(id)
    live.wakeUp()
  }
  const authenticate = ({ headers }: IncomingMessage) =>
    authenticator.viewerOf(headers["x-client-id"], headers["x-access-token"], headers.authorization)
  const now = () => new Date()
  const publicUrl = () => url
  const vapid = await vapidKeys(database)
  const cursors = createCursors(await signingKey(database, "cursors"))
  const files = keep(await openFiles({ config, db: database, log, publicUrl, now }))
  const memory = createHeldMemory()
  const skippedWriters = await openSkippedWriters(database, log)
  const contexts = requestContexts({
    memory,
    db: database,
    publicUrl,
    storage: files.storage,
    sign: files.sign,
    mayConnect: egress.host,
    vapidPublicKey: vapid.publicKey,
    defaultDialect: config.defaultDialect,
    cursors,
    distrust: () => live.distrust(),
    tokensEnded,
    skippedWriters,
  })

  const app = express()
  app.locals.publicUrl = publicUrl
  app.disable("x-powered-by").disable("etag").set("query parser", "simple").set("trust proxy", config.trustProxy)
  const server = createExpressServer(app)
  const drain = drainable(server, { closeSockets: () => Promise.all([carriers.stop(), live.waits.stop()]) })
  const { redisUrl } = config
  const onTokenEnd = authenticator.forget
  const live = keep(
    await startLive({ db: database, url: databaseUrl, folder, cursors, redisUrl, log, onTokenEnd, ...settings }),
  )
  live.pubSub.listen("*", ({ subjectType }) => void (subjectType === "webhook" && skippedWriters.refresh()))
  const rateLimit = keep(await openRateLimit({ config, db: database, log, meters }))
  const carriers = openCarriers({
    schema,
    operations,
    live,
    cursors,
    server,
    database,
    contexts,
    memory,
    viewerOf: authenticator.viewerOf,
    authenticate,
    rateLimit,
    log,
  })
  const background = keep(
    startBackground({
      db: database,
      live,
      cursors,
      log,
      egress,
      vapid,
      mailer,
      mailFrom: config.mailFrom,
      maintenance: { ...files.maintenance, ...calendarMaintenance(database) },
      meters,
      tracing,
      publicUrl,
      deliverySettings: settings,
    }),
  )
  function onWrite(): void {
    live.wakeUp()
    background.wake()
  }
  const graphql = keep(
    await createGraphqlHttp({
      schema,
      operations,
      contextOf: async (request) => contexts.for(await authenticate(request), request, request.res as Response),
      viewerOf: authenticate,
      onWrite,
      transaction: database.transaction,
      rateLimit,
      eventStream: carriers.eventStream,
      log,
    }),
  )

  const rest = restRouter({
    schema,
    operations,
    routes,
    log,
    authenticate,
    contextOf: contexts.for,
    contextOfStream: contexts.of,
    streams: carriers.streams,
    readJson,
    visible: (error, requestId) => visibleError(asGraphQLError(error), log, requestId),
    requestIdOf,
    transaction: database.transaction,
    tags: await openTags(database, live.history),
    rateLimit,
    waits: live.waits,
    onWrite,
  })
  const { signUp, passwordSignIn, identity } = config
  const identityProvider = identity && createIdentityProvider(identity, { log, publicUrl, now })
  const accounts = { database, mailer, log, publicUrl, tokensEnded, now, signUp, passwordSignIn, identityProvider }
  const pageParts = {
    ...accounts,
    defaultDialect: config.defaultDialect,
    home: {
      operations,
      viewerOf: authenticator.viewerOf,
      contextOf: contexts.for,
      storeOrigin: config.s3 && new URL(config.s3.endpoint).origin,
      rateLimit,
    },
    webhooks: { mayConnect: egress.host, skippedWriters },
    lagMs: () => live.status().lagMs,
  }
  const status = () => ({ ...live.status(), ...carriers.status(), ...database.status() })
  const exposition = keep(createExposition({ db: database, meters, status }))
  mountTransports(app, {
    log,
    answered: meters.answered,
    trace: tracing?.request,
    metrics: metricsEndpoint(exposition, config.metricsToken),
    checkReady: await readinessOf(database, log),
    isDraining: drain.isDraining,
    rest,
    graphql: graphql.handler,
    avatars: avatars({ db: database, publicUrl }),
    calendar: calendar({ db: database, publicUrl, rateLimit }),
    files: files.router,
    docs: docs({ schema, introspection: config.introspection, publicUrl }),
    pages: pages(pageParts),
    notFoundPage: notFoundPage(pageParts),
    oauth: oauthRoutes(accounts),
  })

  keep({ stop: () => Promise.all([drain.stop(), background.stopDelivering()]) })
  const address = await listen(server, config)
  url ||= address
  return { url, database, status, stop: started.stop }
}
