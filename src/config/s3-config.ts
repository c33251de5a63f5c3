/** A store of files that speaks S3. */
export type S3Config = {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const NEEDED = ["S3_ENDPOINT", "S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"] as const

/** What is wrong with S3 settings of which some are missing: they are of use only together. */
export function missingS3(env: Record<string, string>): string[] {
  const missing = NEEDED.filter((name) => env[name] === undefined)
  if (missing.length === NEEDED.length && env.S3_REGION === undefined) return []
  const why = `must be set too when one of ${NEEDED.join(", ")}, S3_REGION is; unset all for the embedded store`
  return missing.map((name) => `${name} is not set: it ${why}`)
}

type Data = { [Name in (typeof NEEDED)[number]]?: string | undefined } & { S3_REGION: string }

/** The store, if one is named; call it when nothing is wrong. */
export function s3Config(data: Data): S3Config | undefined {
  if (data.S3_ENDPOINT === undefined) return undefined
  return Object.freeze({
    endpoint: data.S3_ENDPOINT,
    region: data.S3_REGION,
    bucket: data.S3_BUCKET as string,
    accessKeyId: data.S3_ACCESS_KEY_ID as string,
    secretAccessKey: data.S3_SECRET_ACCESS_KEY as string,
  })
}
