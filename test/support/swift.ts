import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { S3Config } from "../../src/config/s3-config.js"

const PROGRAMS = ["account", "container", "object", "proxy"].map((part) => `/usr/bin/swift-${part}-server`)

/** Whether OpenStack Swift is here (Debian's swift-proxy, -account, -container, -object and memcached). */
export const hasSwift = [...PROGRAMS, "/usr/bin/memcached"].every((path) => existsSync(path))

export type Swift = { readonly s3: S3Config; stop(): Promise<void> }

const START_TIMEOUT_MS = 90_000

/** Starts Swift with its S3 interface: a real store that is not ours, on ports and in a folder of its own. */
export async function startSwift(): Promise<Swift> {
  const folder = mkdtempSync(join(tmpdir(), "tandem-swift-"))
  const [proxy, memcached, ...storage] = (await freePorts(5)) as [number, number, ...number[]]
  const servers = ["account", "container", "object"].map((kind, index) => ({ kind, port: storage[index] as number }))
  mkdirSync(join(folder, "node", "d1"), { recursive: true })
  write(folder, "swift.conf", HASH)
  for (const { kind, port } of servers) write(folder, `${kind}-server.conf`, storageServer(folder, kind, port))
  write(folder, "proxy-server.conf", proxyServer(folder, proxy, memcached))
  execFileSync("/usr/bin/python3", ["-c", RINGS, folder, JSON.stringify(servers)], {
    stdio: ["ignore", "ignore", "pipe"],
  })

  const children: ChildProcess[] = [run("memcached", "-l", "127.0.0.1", "-p", String(memcached), "-u", user())]
  for (const kind of ["account", "container", "object", "proxy"])
    children.push(run(`swift-${kind}-server`, join(folder, `${kind}-server.conf`)))
  const stop = async () => {
    const ended = children.map((child) => new Promise((resolve) => child.once("exit", resolve)))
    for (const child of children) child.kill("SIGKILL")
    await Promise.all(ended)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await answering(`http://127.0.0.1:${proxy}/healthcheck`)
  } catch (error) {
    await stop()
    throw error
  }
  const endpoint = `http://127.0.0.1:${proxy}`
  const keys = { accessKeyId: "test:tester", secretAccessKey: "testing" }
  return { s3: { endpoint, region: "us-east-1", bucket: "tandem-test", ...keys }, stop }
}

const user = () => userInfo().username
const run = (program: string, ...args: string[]) => spawn(program, args, { stdio: "ignore" })
const write = (folder: string, name: string, content: string) => writeFileSync(join(folder, name), content)

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port))
        }),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

async function answering(url: string): Promise<void> {
  for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end; await sleep(100))
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
  throw new Error("Swift does not answer.")
}

const HASH = `[swift-hash]
swift_hash_path_suffix = tandem
swift_hash_path_prefix = tandem
[storage-policy:0]
name = Policy-0
default = yes
`

const RINGS = `
import json, os, sys
from swift.common.ring import RingBuilder
folder, servers = sys.argv[1], json.loads(sys.argv[2])
for server in servers:
    builder = RingBuilder(4, 1, 1)
    builder.add_dev({"id": 0, "region": 1, "zone": 1, "ip": "127.0.0.1", "port": server["port"], "device": "d1", "weight": 1})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, server["kind"] + ".ring.gz"))
`

const storageServer = (folder: string, kind: string, port: number) => `[DEFAULT]
devices = ${folder}/node
mount_check = false
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${user()}
swift_dir = ${folder}
fallocate_reserve = 0
disable_fallocate = true
log_level = ERROR
[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`

const FILTERS = ["catch_errors", "gatekeeper", "healthcheck", "listing_formats", "bulk", "copy", "dlo"]

const proxyServer = (folder: string, port: number, memcached: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${user()}
swift_dir = ${folder}
log_level = ERROR
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
check_bucket_owner = false
location = us-east-1
allow_multipart_uploads = true
dns_compliant_bucket_names = true
min_segment_size = 1
max_upload_part_num = 10000
allowable_clock_skew = 900
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${memcached}
${[...FILTERS, "versioned_writes", "symlink"].map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join("")}
[filter:slo]
use = egg:swift#slo
max_manifest_segments = 10000
rate_limit_under_size = 0
`
