import { createHash } from 'node:crypto'

/** Names of this server's default assistants are hashed under it; never change it. */
const NAMESPACE = Buffer.from('6f1d7c0e3b6a5a0f9c51d2f0b8a7e4c3', 'hex')

/** The id of a graph's default assistant: a version 5 UUID, so the same on every start and every server of ours. */
export function defaultAssistantId(graphId: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(graphId).digest().subarray(0, 16)
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
