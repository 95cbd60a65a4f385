import type { FormEvent, ReactNode } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import type { RpcAnswer } from '@/lib/contracts/wire/exchange'
import { ExchangeView } from './exchange-view'
import { RpcErrorNotice } from './rpc-error-notice'
import type { useConversation } from './use-conversation'
import { Waiting } from './waiting'

type Props = {
  name: string
  description: string | undefined
  /** What the form does: "Read the resource". */
  label: string
  /** What its button says. */
  action: ReactNode
  /** Why it cannot be asked for yet. */
  reason: string | undefined
  onAsk: () => void
  conversation: ReturnType<typeof useConversation>
  answer: RpcAnswer | undefined
  /** What was read, part by part; undefined before. */
  result: ReactNode[] | undefined
  /** Said where there are no parts. */
  empty: string
  children: ReactNode
}

/** A form that reads something from a server, what came of it, and the raw exchange. */
export function ReadConsole({ name, description, label, action, reason, onAsk, conversation, ...rest }: Props) {
  const { answer, result, empty, children } = rest
  const { exchanges, error, isBusy, since, wasStopped, stop } = conversation
  function ask(event: FormEvent) {
    event.preventDefault()
    if (!isBusy && !reason) onAsk()
  }
  return (
    <section aria-label={name} className="min-w-0 space-y-4">
      <form onSubmit={ask} aria-label={label} className="min-w-0 space-y-3 rounded-lg border bg-panel p-4">
        <h2 className="break-words font-semibold text-base">
          <VisibleText>{name}</VisibleText>
        </h2>
        {description ? <LongText text={description} limit={1_000} className="text-ink-2 text-sm" /> : null}
        {children}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" isBusy={isBusy} reason={reason}>
            {action}
          </Button>
          {isBusy ? <Button onClick={stop}>Stop</Button> : null}
        </div>
        <Waiting since={since} wasStopped={wasStopped} />
      </form>
      {error ? <ErrorNotice error={error} /> : null}
      {answer && 'error' in answer ? <RpcErrorNotice error={answer.error} /> : null}
      {result ? (
        <section aria-label="Result" className="min-w-0 space-y-3 rounded-lg border bg-panel p-4">
          <h3 className="font-semibold text-sm">Result</h3>
          {result.length === 0 ? <p className="text-ink-3 text-sm">{empty}</p> : result}
        </section>
      ) : null}
      <ExchangeView exchanges={exchanges} />
    </section>
  )
}
