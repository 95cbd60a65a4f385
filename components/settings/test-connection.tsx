'use client'
import { useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Notice } from '@/components/shared/feedback/notice'
import { useSave } from '@/components/shared/form/use-save'
import { Button } from '@/components/ui/button'
import type { Result } from '@/lib/errors'

type Props<T> = {
  test: (form: FormData) => Promise<Result<T>>
  say: (found: T) => string
  reason?: string
  size?: 'sm'
}

/** Tries an address and its keys without saving them, and says what answered. Passes on the fields of the form around it. */
export function TestConnection<T>({ test, say, reason, size }: Props<T>) {
  const button = useRef<HTMLButtonElement>(null)
  const [found, setFound] = useState<string>()
  const { isBusy, error, save } = useSave<T>()
  function run() {
    setFound(undefined)
    void save(
      () => test(new FormData(button.current?.form ?? undefined)),
      (value) => setFound(say(value)),
    )
  }
  return (
    <>
      <Button ref={button} size={size} isBusy={isBusy} reason={reason} onClick={run}>
        Test connection
      </Button>
      {error || found ? (
        <div ref={(box) => box?.scrollIntoView({ block: 'nearest' })} className="order-last basis-full">
          {error ? <ErrorNotice error={error} /> : <Notice tone="ok">{found}</Notice>}
        </div>
      ) : null}
    </>
  )
}
