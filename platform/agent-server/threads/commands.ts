import { Command, type Send } from '@langchain/langgraph'
import type { Command as CommandBody } from '@/lib/contracts/agents/threads'
import type { Packet } from '../assistants/packets'

type Goto = NonNullable<CommandBody['goto']>
type Target = Exclude<Goto, unknown[]>

/** Converts a request's command for the runtime, omitting absent fields. */
export function toCommand({ update, resume, goto }: CommandBody, Packet: Packet): Command {
  const toTarget = (target: Target): string | Send =>
    typeof target === 'string' ? target : new Packet(target.node, target.input)
  return new Command({
    ...(update !== undefined && update !== null && { update: update as Record<string, unknown> }),
    ...(resume !== undefined && resume !== null && { resume }),
    ...(goto !== undefined && goto !== null && { goto: (Array.isArray(goto) ? goto : [goto]).map(toTarget) }),
  })
}
