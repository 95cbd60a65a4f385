'use client'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { type Exchange, methodOf, type WireHeader } from '@/lib/contracts/wire/exchange'
import { count, duration } from '@/lib/format/format'
import { parseJson } from '@/lib/json/lossless'
import { jsonText } from '@/lib/json/value'

/** Of one answer; more are in the copy. */
const MOST_SHOWN = 100

/** What went over the wire, request by request: as it was sent, but for credentials. */
export function ExchangeView({ exchanges }: { exchanges: readonly Exchange[] }) {
  const [isRaw, setRaw] = useState(false)
  if (exchanges.length === 0) return null
  return (
    <section aria-label="Raw exchange" className="min-w-0 rounded-lg border bg-panel">
      <header className="flex flex-wrap items-center gap-2 border-b px-3 py-2">
        <h3 className="font-semibold text-sm">Raw exchange</h3>
        <span className="text-ink-3 text-xs">Credentials are not shown.</span>
        <span className="ml-auto flex items-center gap-1">
          <Button size="sm" variant="ghost" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {isRaw ? 'As it was sent' : 'Indented'}
          </Button>
          <CopyButton value={() => JSON.stringify(exchanges, null, 2)} what="raw exchange" />
        </span>
      </header>
      <ol className="divide-y">
        {exchanges.map((exchange, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: exchanges are only ever added at the end
          <li key={index}>
            <One exchange={exchange} isRaw={isRaw} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function One({ exchange, isRaw }: { exchange: Exchange; isRaw: boolean }) {
  const { request, response, messages, endedAt } = exchange
  const shown = messages.length > MOST_SHOWN ? messages.slice(-MOST_SHOWN) : messages
  return (
    <details className="group">
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5 text-xs">
        <ChevronRight aria-hidden className="size-3 shrink-0 text-ink-3 group-open:rotate-90" />
        <code className="font-medium font-mono">{methodOf(exchange) ?? request.method}</code>
        {response ? (
          <StatusBadge tone={response.status < 400 ? 'ok' : 'error'}>{response.status}</StatusBadge>
        ) : (
          <StatusBadge tone="unknown">no answer</StatusBadge>
        )}
        <span className="text-ink-3 tabular-nums">
          {endedAt === undefined ? '' : `${duration(endedAt - request.at)}, `}
          {messages.length === 1 ? 'one message' : `${count(messages.length)} messages`}
        </span>
      </summary>
      <div className="space-y-3 px-3 pb-3">
        <Part title="Sent" at={request.at}>
          <Headers first={`${request.method} ${request.url}`} headers={request.headers} />
          {request.body === null ? null : <Message text={request.body} isRaw={isRaw} />}
        </Part>
        {response ? (
          <Part title="Answered" at={response.at}>
            <Headers first={String(response.status)} headers={response.headers} />
          </Part>
        ) : null}
        {messages.length > shown.length ? (
          <p className="text-ink-3 text-xs">The last {count(shown.length)} messages; the copy has all of them.</p>
        ) : null}
        {shown.map(({ at, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above; of a long answer the first ones leave
          <Part key={messages.length - shown.length + index} title="Message" at={at}>
            <Message text={text} isRaw={isRaw} />
          </Part>
        ))}
      </div>
    </details>
  )
}

const Part = ({ title, at, children }: { title: string; at: number; children: ReactNode }) => (
  <div className="min-w-0">
    <p className="text-ink-3 text-xs">
      {title} <span className="tabular-nums">at {count(at)} ms</span>
    </p>
    {children}
  </div>
)

const Headers = ({ first, headers }: { first: string; headers: readonly WireHeader[] }) => (
  <div className="break-all font-mono text-ink-2 text-xs">
    <VisibleText>{first}</VisibleText>
    {headers.map(([name, value]) => (
      <div key={name}>
        <span className="text-ink-3">{name}:</span> <VisibleText>{value}</VisibleText>
      </div>
    ))}
  </div>
)

const Message = ({ text, isRaw }: { text: string; isRaw: boolean }) => (
  <LongText text={isRaw ? text : indented(text)} className="mt-1 rounded-md border bg-sunken p-2 font-mono text-xs" />
)

function indented(text: string): string {
  try {
    return jsonText(parseJson(text))
  } catch {
    return text
  }
}
