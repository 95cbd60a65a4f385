'use client'
import { useEffect, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Notice } from '@/components/shared/feedback/notice'
import { Button } from '@/components/ui/button'
import type { ErrorView, Result } from '@/lib/errors'

type Props<T> = {
  test: (form: FormData) => Promise<Result<T>>
  say: (found: T) => string
  reason?: string
  size?: 'sm'
}
type Outcome = { found: string } | { error: Pick<ErrorView, 'message'> & Partial<ErrorView> }

const LOST = { message: 'The console did not respond. Nothing was saved. Try again.' }

/** Tries an address and its keys without saving them, and says what responded. Passes on the fields of the form around it. */
export function TestConnection<T>({ test, say, reason, size }: Props<T>) {
  const button = useRef<HTMLButtonElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()
  // An outcome is about the values that were tried.
  useEffect(() => {
    const form = button.current?.form
    const forget = () => setOutcome(undefined)
    for (const event of ['input', 'reset']) form?.addEventListener(event, forget)
    return () => {
      for (const event of ['input', 'reset']) form?.removeEventListener(event, forget)
    }
  }, [])
  useEffect(() => {
    if (outcome) box.current?.scrollIntoView({ block: 'nearest' })
  }, [outcome])

  async function run() {
    setOutcome(undefined)
    setBusy(true)
    const result = await test(new FormData(button.current?.form ?? undefined)).catch(() => undefined)
    setBusy(false)
    setOutcome(result?.ok ? { found: say(result.data) } : { error: result?.error ?? LOST })
  }
  return (
    <>
      <Button ref={button} size={size} isBusy={isBusy} reason={reason} onClick={() => void run()}>
        Test connection
      </Button>
      {outcome ? (
        <div ref={box} className="order-last basis-full">
          {'found' in outcome ? <Notice tone="ok">{outcome.found}</Notice> : <ErrorNotice error={outcome.error} />}
        </div>
      ) : null}
    </>
  )
}
