import 'server-only'
import { createHmac } from 'node:crypto'
import { createTransport } from 'nodemailer'
import type { AlertMessage, ChannelKind } from '@/lib/contracts/alerts/alerts'
import { AppError } from '@/lib/errors'
import { unsealChannel } from '../access/alert-channel-secrets'
import { workspace as workspaceOf } from '../access/workspaces'
import { env } from '../process/env'
import { allowedUpstreams, isListedOrigin } from '../upstream/destination'
import { requestText } from '../upstream/request'
import { mailText, slackBody, webhookBody } from './message'

export type Channel = { id: string; workspace: string; kind: ChannelKind; target: string; sealed: string | null }

const TIMEOUT_MS = 10_000
const MAX_BYTES = 64 * 1024

/** Sends a message. Throws AppError with a reason that holds no part of an address that is a secret. */
export async function send(channel: Channel, delivery: string, subject: string, message: AlertMessage): Promise<void> {
  if (channel.kind === 'email') return await sendMail(channel, subject, message)
  const { url, secret } = secretsOf(channel)
  const body = channel.kind === 'slack' ? slackBody(message) : webhookBody(delivery, message)
  await post(channel.workspace, new URL(url), body, {
    'x-pilothouse-delivery': delivery,
    ...(secret && { 'x-pilothouse-signature': signatureOf(secret, body, Math.floor(Date.now() / 1000)) }),
  })
}

/** The time and an HMAC over it and the body, so that a receiver can refuse old messages. */
export const signatureOf = (secret: string, body: string, seconds: number): string =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`

function secretsOf({ id, sealed, target }: Channel) {
  try {
    if (sealed) return unsealChannel(id, sealed, new URL(target).origin)
  } catch (cause) {
    throw new AppError(
      'upstream_refused_key',
      `The address of this channel cannot be used. ${(cause as Error).message}`,
      {
        cause,
      },
    )
  }
  throw new AppError('invalid', 'This channel has no address. Enter it again.')
}

/** The same guard as for upstreams: private addresses only at origins that the operator or the workspace lists. */
async function post(workspace: string, url: URL, body: string, headers: Record<string, string>): Promise<void> {
  const { allowedOrigins } = await workspaceOf(workspace)
  const isListed = isListedOrigin(url, [...allowedOrigins, ...allowedUpstreams().origins])
  const response = await requestText({
    // The path is not part of the address, because messages name the address and the path may be a secret.
    to: {
      what: 'alert channel',
      base: new URL(url.origin),
      reach: isListed ? 'listed' : 'open',
      credentials: {},
      isKeyWithheld: false,
    },
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  if (response.status < 200 || response.status >= 300)
    throw new AppError('upstream_failed', `${url.host} responded with status ${response.status}.`, {
      upstreamStatus: response.status,
    })
}

/** Why no e-mail can be sent; null if it can. */
export const mailProblem = (): string | null =>
  env().SMTP_URL ? null : 'E-mail is not set up. An operator of the console sets SMTP_URL.'

async function sendMail({ target }: Channel, subject: string, message: AlertMessage): Promise<void> {
  const { SMTP_URL: url, SMTP_FROM: from } = env()
  const problem = mailProblem()
  if (!url || problem) throw new AppError('unsupported', problem ?? '')
  const transport = createTransport(
    { url, connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    { from: from ?? `alerts@${new URL(url).hostname}`, disableFileAccess: true, disableUrlAccess: true },
  )
  try {
    await transport.sendMail({ to: target.split(', '), subject: `[Pilothouse] ${subject}`, text: mailText(message) })
  } catch (cause) {
    const { responseCode, code } = cause as { responseCode?: number; code?: string }
    const reason = responseCode ? `refused the message with ${responseCode}` : `could not be used (${code ?? 'error'})`
    throw new AppError('upstream_failed', `The mail server ${reason}.`, { cause })
  } finally {
    transport.close()
  }
}
