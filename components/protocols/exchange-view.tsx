'use client'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { type Exchange, methodOf, type RpcError, type WireHeader } from '@/lib/contracts/wire/exchange'
import { count, duration } from '@/lib/format/format'
import { parseJson } from '@/lib/json/lossless'
import { jsonText } from '@/lib/json/value'

/** Messages shown per response; the copy button includes all of them. */
const MAX_SHOWN = 100

/** The raw requests and responses, without credentials. */
export function ExchangeView({ exchanges }: { exchanges: readonly Exchange[] }) {
  const [isRaw, setRaw] = useState(false)
  if (exchanges.length === 0) return null
  return (
    <section aria-label="Raw exchange" className="min-w-0 rounded-lg border bg-panel">
      <header className="flex flex-wrap items-center gap-2 border-b px-3 py-2">
        <h3 className="font-semibold text-sm">Raw exchange</h3>
        <span className="text-ink-3 text-xs">Credentials are hidden.</span>
        <span className="ml-auto flex items-center gap-1">
          <Button size="sm" variant="ghost" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            {isRaw ? 'Raw' : 'Formatted'}
          </Button>
          <CopyButton value={() => JSON.stringify(exchanges, null, 2)} what="raw exchange" />
        </span>
      </header>
      <ol className="divide-y">
        {exchanges.map((exchange, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: exchanges are only ever added at the end
          <li key={index}>
            <ExchangeDetails exchange={exchange} isRaw={isRaw} />
          </li>
        ))}
      </ol>
    </section>
  )
}

function ExchangeDetails({ exchange, isRaw }: { exchange: Exchange; isRaw: boolean }) {
  const { request, response, messages, endedAt } = exchange
  const shown = messages.length > MAX_SHOWN ? messages.slice(-MAX_SHOWN) : messages
  return (
    <details className="group">
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-0.5 px-3 py-1.5 text-xs">
        <ChevronRight aria-hidden className="size-3 shrink-0 text-ink-3 group-open:rotate-90" />
        <code className="font-medium font-mono">{methodOf(exchange) ?? request.method}</code>
        {response ? (
          <StatusBadge tone={response.status < 400 ? 'ok' : 'error'}>{response.status}</StatusBadge>
        ) : (
          <StatusBadge tone="unknown">no response</StatusBadge>
        )}
        <span className="text-ink-3 tabular-nums">
          {endedAt === undefined ? '' : `${duration(endedAt - request.at)}, `}
          {messages.length === 1 ? '1 message' : `${count(messages.length)} messages`}
        </span>
      </summary>
      <div className="space-y-3 px-3 pb-3">
        <Part title="Sent" at={request.at}>
          <Headers first={`${request.method} ${request.url}`} headers={request.headers} />
          {request.body === null ? null : <Message text={request.body} isRaw={isRaw} />}
        </Part>
        {response ? (
          <Part title="Received" at={response.at}>
            <Headers first={String(response.status)} headers={response.headers} />
          </Part>
        ) : null}
        {messages.length > shown.length ? (
          <p className="text-ink-3 text-xs">
            Showing the last {count(shown.length)} messages. Copy the exchange to get all of them.
          </p>
        ) : null}
        {shown.map(({ at, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are only added at the end; the key is their number in the response
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

/** A JSON-RPC error response from the server. */
export const RpcErrorNotice = ({ error: { code, message, data } }: { error: RpcError }) => (
  <div role="alert" className="min-w-0 rounded-md border border-error/30 bg-error-soft px-3 py-2 text-sm">
    <p className="font-medium">The server returned an error{code === undefined ? '' : ` (${String(code)})`}</p>
    <LongText text={message} className="text-ink-2" />
    {data === undefined ? null : (
      <LongText text={jsonText(data)} limit={1_000} className="mt-1 font-mono text-ink-2 text-xs" />
    )}
  </div>
)
