'use server'
import { z } from 'zod'
import {
  ALERT_FIELDS,
  ALERT_KINDS,
  type AlertDelivery,
  type AlertField,
  type AlertKind,
  CHANNEL_KINDS,
  type ChannelKind,
  SILENCE_HOURS,
} from '@/lib/contracts/alerts/alerts'
import type { Result } from '@/lib/errors'
import { deliverDue } from '@/lib/server/alerts/deliver'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as records from '@/lib/server/records/alerts'

const keysOf = <Key extends string>(of: Record<Key, unknown>) => Object.keys(of) as [Key, ...Key[]]
const Workspace = z.string().min(1).max(80)
const name = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(80, 'Use at most 80 characters.')
  .regex(/^[^\p{Cc}]*$/u, 'Use visible characters.')
const numberOf = (field: AlertField) => {
  const { min, max } = ALERT_FIELDS[field]
  const message = `Enter a number from ${min} to ${max}.`
  return z.number(message).min(min, message).max(max, message).optional()
}
const Rule = z.strictObject({
  id: z.uuid().optional(),
  name,
  kind: z.enum(keysOf<AlertKind>(ALERT_KINDS)),
  settings: z.strictObject({
    minutes: numberOf('minutes'),
    percent: numberOf('percent'),
    seconds: numberOf('seconds'),
    window: numberOf('window'),
    runs: numberOf('runs'),
  }),
  deployments: z.array(z.string().min(1).max(300)).min(1, 'Choose at least one deployment.').max(200).nullable(),
  channels: z.array(z.uuid()).max(20),
  isEnabled: z.boolean(),
})
const WEB_ADDRESS = 'Enter an address such as https://hooks.example.com/alerts.'
const Channel = z.strictObject({
  id: z.uuid().optional(),
  name,
  kind: z.enum(keysOf<ChannelKind>(CHANNEL_KINDS)),
  url: z
    .url({ protocol: /^https?$/, error: WEB_ADDRESS })
    .max(2_000)
    .refine((text) => !new URL(text).username && !new URL(text).password, 'Leave out user name and password.')
    .optional(),
  secret: z.string().min(16, 'Use at least 16 characters.').max(200).optional(),
  recipients: z
    .array(z.email('Enter e-mail addresses, with commas between.'))
    .min(1, 'Enter at least one address.')
    .max(20, 'Enter at most 20 addresses.')
    .optional(),
})
const Item = z.strictObject({ workspace: Workspace, id: z.uuid() })
const Silence = z.strictObject({
  workspace: Workspace,
  rule: z.uuid().nullable(),
  deployment: z.string().min(1).max(300).nullable(),
  reason: z.string().trim().max(300, 'Use at most 300 characters.'),
  hours: z.literal(SILENCE_HOURS),
})

/** Runs one of the writes below as the user. */
const write = <S extends z.ZodType<{ workspace: string }>, T>(
  schema: S,
  given: unknown,
  run: (context: Parameters<typeof records.deleteAlertRule>[0], input: z.output<S>) => Promise<T>,
): Promise<Result<T>> =>
  guardAction(async ({ actor, requestId }) => {
    const input = parseInput(schema, given)
    return await run({ actor, workspace: input.workspace, requestId }, input)
  })

const SaveRule = z.strictObject({ workspace: Workspace, rule: Rule })
export async function saveAlertRule(given: z.input<typeof SaveRule>): Promise<Result<string>> {
  return write(SaveRule, given, (context, { rule }) => records.saveAlertRule(context, rule))
}

export async function deleteAlertRule(given: z.input<typeof Item>): Promise<Result<null>> {
  return write(Item, given, async (context, { id }) => {
    await records.deleteAlertRule(context, id)
    return null
  })
}

const SaveChannel = z.strictObject({ workspace: Workspace, channel: Channel })
export async function saveAlertChannel(given: z.input<typeof SaveChannel>): Promise<Result<string>> {
  return write(SaveChannel, given, (context, { channel }) => records.saveAlertChannel(context, channel))
}

export async function deleteAlertChannel(given: z.input<typeof Item>): Promise<Result<null>> {
  return write(Item, given, async (context, { id }) => {
    await records.deleteAlertChannel(context, id)
    return null
  })
}

/** Sends a test message at once and returns its outcome. */
export async function testAlertChannel(given: z.input<typeof Item>): Promise<Result<AlertDelivery>> {
  return write(Item, given, (context, { id }) => records.testAlertChannel(context, id, deliverDue))
}

export async function silenceAlerts(given: z.input<typeof Silence>): Promise<Result<null>> {
  return write(Silence, given, async (context, { workspace: _, ...silence }) => {
    await records.silenceAlerts(context, silence)
    return null
  })
}

export async function endAlertSilence(given: z.input<typeof Item>): Promise<Result<null>> {
  return write(Item, given, async (context, { id }) => {
    await records.endAlertSilence(context, id)
    return null
  })
}
