'use client'

import { Bot, CodeXml, Settings2, UserRound, Wrench } from 'lucide-react'
import { memo, type ReactNode, useState } from 'react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { CopyButton } from '@/components/ui/copy-button'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { entryOf } from '@/lib/json/guards'
import { MessagePart } from './message-part'
import { roleName, type ShownMessage, type ShownToolCall, textOf } from './message-types'
import { ToolCallCard } from './tool-call-card'

type Props = {
  /** May be mutated in place, which changes `version`. */
  message: ShownMessage
  version: number
  /** Tool results by call id. */
  results?: ReadonlyMap<string, ShownMessage>
  /** Stands for missing results, where none can come any more. */
  noResult?: string | undefined
  /** The node that wrote it, and that node's subgraph. */
  node?: string
  namespace?: string
  /** Shown at the end of the header. */
  aside?: ReactNode
}

const ICONS: Record<string, ReactNode> = {
  human: <UserRound aria-hidden className="size-3.5" />,
  ai: <Bot aria-hidden className="size-3.5" />,
  tool: <Wrench aria-hidden className="size-3.5" />,
}

/** One message: author, text, collapsed reasoning, and each tool call with its result. */
export const MessageCard = memo(function MessageCard({ message, results, noResult, node, namespace, aside }: Props) {
  const isToolResult = message.role === 'tool'
  const [isPlain, setPlain] = useState(isToolResult)
  const usage = message.usage
  const cardOf = (call: ShownToolCall) => ({
    call,
    result: call.result ?? (call.id ? results?.get(call.id) : undefined),
    isComplete: message.isComplete,
    noResult,
  })
  return (
    <article
      aria-label={`${roleName(message.role)} message`}
      className={cn(
        'group rounded-lg border px-3 py-2.5',
        message.role === 'human' ? 'border-accent/25 bg-accent-soft/60' : 'bg-panel',
      )}
    >
      <header className="mb-1 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 text-ink-3 text-xs">
        <span className="inline-flex items-center gap-1.5 font-semibold text-ink-2">
          {entryOf(ICONS, message.role) ?? <Settings2 aria-hidden className="size-3.5" />}
          {roleName(message.role)}
        </span>
        {message.name ? (
          <span className="max-w-60 truncate font-mono" title={message.name}>
            <VisibleText>{message.name}</VisibleText>
          </span>
        ) : null}
        {namespace ? (
          <Badge title={`Subgraph ${namespace}`} className="max-w-60">
            <span className="truncate">{namespace}</span>
          </Badge>
        ) : null}
        {node ? (
          <Badge title={`Node ${node}`} className="max-w-60">
            <span className="truncate">{node}</span>
          </Badge>
        ) : null}
        <span className="ml-auto inline-flex items-center gap-2 tabular-nums">
          {usage ? (
            <span title={`${count(usage.input)} tokens in, ${count(usage.output)} out`}>
              {count(usage.total)} tokens
            </span>
          ) : null}
          {aside}
          {isToolResult || !message.parts.some(({ kind }) => kind === 'text') ? null : (
            <button
              type="button"
              aria-pressed={isPlain}
              aria-label="As written"
              title={isPlain ? 'Show formatted' : 'Show source'}
              className="inline-flex size-5 items-center justify-center rounded-sm opacity-0 hover:bg-hover hover:text-ink focus-visible:opacity-100 aria-pressed:opacity-100 group-hover:opacity-100"
              onClick={() => setPlain(!isPlain)}
            >
              <CodeXml aria-hidden className="size-3" />
            </button>
          )}
          <CopyButton
            value={() => textOf(message)}
            what="message"
            className="opacity-0 focus-visible:opacity-100 group-hover:opacity-100"
          />
        </span>
      </header>
      <div className="space-y-2">
        {message.parts.map((part, index) =>
          part.kind === 'call' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only appended
            <ToolCallCard key={index} {...cardOf(part.call)} />
          ) : (
            <MessagePart
              // biome-ignore lint/suspicious/noArrayIndexKey: parts are only appended
              key={index}
              part={part}
              isMono={isToolResult}
              isPlain={isPlain}
              isOpen={!message.isComplete && index === message.parts.length - 1}
            />
          ),
        )}
        {message.toolCalls.map((call, index) => (
          <ToolCallCard key={call.id ?? `call-${index}`} {...cardOf(call)} />
        ))}
        {message.parts.length === 0 && message.toolCalls.length === 0 ? (
          <p className="text-ink-3 text-xs">{message.isComplete ? (message.emptyText ?? 'No content') : 'Writing…'}</p>
        ) : null}
      </div>
    </article>
  )
}, isSame)

function isSame(before: Props, after: Props): boolean {
  return (
    before.message === after.message &&
    before.version === after.version &&
    before.node === after.node &&
    before.namespace === after.namespace &&
    before.results === after.results &&
    before.noResult === after.noResult
  )
}
