import { Command, Send } from '@langchain/langgraph'
import type { Command as CommandBody } from '@/lib/contracts/agents/threads'

type Goto = NonNullable<CommandBody['goto']>
type Target = Exclude<Goto, unknown[]>

const toTarget = (target: Target): string | Send =>
  typeof target === 'string' ? target : new Send(target.node, target.input)

/** Converts a request's command for the runtime, omitting absent fields. */
export function toCommand({ update, resume, goto }: CommandBody): Command {
  return new Command({
    ...(update !== undefined && update !== null && { update: update as Record<string, unknown> }),
    ...(resume !== undefined && resume !== null && { resume }),
    ...(goto !== undefined && goto !== null && { goto: (Array.isArray(goto) ? goto : [goto]).map(toTarget) }),
  })
}
