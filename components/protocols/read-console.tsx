import type { FormEvent, ReactNode } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import type { RpcOutcome } from '@/lib/contracts/wire/exchange'
import { ExchangeView, RpcErrorNotice } from './exchange-view'
import type { useConversation } from './use-conversation'
import { Waiting } from './waiting'

type Props = {
  name: string
  description: string | undefined
  /** The name of the form: "Read resource". */
  label: string
  /** The content of its button. */
  action: ReactNode
  /** Why the button is disabled. */
  reason: string | undefined
  onSubmit: () => void
  conversation: ReturnType<typeof useConversation>
  response: RpcOutcome | undefined
  /** The parts of the result; undefined before the first one. */
  result: ReactNode[] | undefined
  /** Shown when the result has no parts. */
  empty: string
  children: ReactNode
}

/** A form that reads something from a server, its result, and the raw exchange. */
export function ReadConsole({ name, description, label, action, reason, onSubmit, conversation, ...rest }: Props) {
  const { response, result, empty, children } = rest
  const { exchanges, error, isBusy, since, wasStopped, stop } = conversation
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isBusy && !reason) onSubmit()
  }
  return (
    <section aria-label={name} className="min-w-0 space-y-4">
      <form onSubmit={submit} aria-label={label} className="min-w-0 space-y-3 rounded-lg border bg-panel p-4">
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
      {response && 'error' in response ? <RpcErrorNotice error={response.error} /> : null}
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
