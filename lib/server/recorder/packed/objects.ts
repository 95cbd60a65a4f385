import 'server-only'
import { AppError } from '@/lib/errors'
import { type Env, env } from '../../process/env'
import { log } from '../../process/log'

/** The S3-compatible store to which old recordings are moved. */
export type ObjectStore = {
  put(key: string, bytes: Buffer): Promise<void>
  /** Throws an AppError that says what is wrong with the store. */
  read(key: string, from: number, length: number): Promise<Buffer>
  remove(key: string): Promise<void>
}

// With each settings object, because tests replace them.
const opened = new WeakMap<Env, Promise<ObjectStore>>()

/** Undefined if none is set up. */
export function objectStore(): Promise<ObjectStore> | undefined {
  const settings = env()
  if (settings.S3_BUCKET === undefined) return undefined
  const known = opened.get(settings) ?? open(settings)
  opened.set(settings, known)
  return known
}

async function open(settings: Env): Promise<ObjectStore> {
  const { S3_BUCKET: Bucket, S3_ENDPOINT: endpoint, S3_REGION: region } = settings
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings
  // Loaded only where it is used.
  const { S3Client, PutObjectCommand, GetObjectCommand, DeleteObjectCommand } = await import('@aws-sdk/client-s3')
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    // Servers other than Amazon's do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 20_000, throwOnRequestTimeout: true },
  })
  return {
    put: async (Key, Body) => void (await client.send(new PutObjectCommand({ Bucket, Key, Body }))),
    remove: async (Key) => void (await client.send(new DeleteObjectCommand({ Bucket, Key }))),
    read: async (Key, from, length) => {
      try {
        const Range = `bytes=${from}-${from + length - 1}`
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range }))
        const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
        if (bytes.length !== length) throw new Error(`The object has ${bytes.length} of ${length} bytes.`)
        return bytes
      } catch (error) {
        log.warn('recorder.object_unreadable', { key: Key, ...toldBy(error) })
        throw problemOf(error)
      }
    },
  }
}

/** What an error of the client tells, without what its response may quote, such as a key. */
export function toldBy(error: unknown): { reason: string; status?: number } {
  const { name, code, $metadata } = error as { name?: string; code?: string; $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode
  return { reason: code ?? name ?? 'unknown', ...(status !== undefined && { status }) }
}

function problemOf(error: unknown): AppError {
  const { reason, status } = toldBy(error)
  if (reason === 'NoSuchKey')
    return new AppError('upstream_failed', 'This recording was moved to object storage, and is no longer there.')
  if (status === 401 || status === 403)
    return new AppError(
      'upstream_refused_key',
      'This recording is in object storage, which refuses the console. Ask its operator to check the settings S3_….',
    )
  if (reason === 'NoSuchBucket')
    return new AppError('upstream_failed', 'This recording is in object storage, whose bucket does not exist.')
  return new AppError(
    'upstream_unreachable',
    'This recording is in object storage, which does not answer. Try again later.',
  )
}
