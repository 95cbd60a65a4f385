import 'server-only'
import { z } from 'zod'
import { seal, unseal } from '../process/sealing'

/** What is sealed of a channel. `url` is the whole address: those of chat services contain their key. */
const Secrets = z.object({ url: z.string(), secret: z.string().optional() })
export type ChannelSecrets = z.output<typeof Secrets>

const sealOf = (id: string, origin: string) => ({ owner: `alert channel ${id}`, origin })

export const sealChannel = (id: string, secrets: ChannelSecrets): string =>
  seal(JSON.stringify(secrets), sealOf(id, new URL(secrets.url).origin))

/** The secrets of a channel. Throws an Error that contains no part of them. */
export const unsealChannel = (id: string, sealed: string, origin: string): ChannelSecrets =>
  Secrets.parse(JSON.parse(unseal(sealed, sealOf(id, origin))))
