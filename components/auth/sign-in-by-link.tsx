'use client'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Button } from '@/components/ui/button'
import { printSignInLink } from '@/lib/queries/sign-in-link'
import { signInErrorText } from './sign-in-errors'

/** For the one person on this machine, who sees the terminal. */
export function SignInByLink({ error }: { error?: string | undefined }) {
  const [isBusy, setBusy] = useState(false)
  const [isPrinted, setPrinted] = useState(false)
  const [failure, setFailure] = useState(() => (error ? signInErrorText(error) : undefined))

  async function print() {
    setBusy(true)
    const result = await printSignInLink()
    setBusy(false)
    setPrinted(result?.ok === true)
    if (result?.ok) setFailure(undefined)
    else setFailure(result?.error.message ?? 'The console did not respond. Check that it is running.')
  }
  return (
    <div className="flex flex-col gap-3">
      {failure ? <ErrorNotice error={{ message: failure }} /> : null}
      <p className="text-ink-2">Open the one-time link that Pilothouse printed in the terminal where you started it.</p>
      <Button variant="primary" className="h-9" isBusy={isBusy} onClick={() => void print()}>
        Print a new link
      </Button>
      <p role="status" className="text-ink-2 text-xs empty:hidden">
        {isPrinted ? 'A new link is in the terminal. Earlier ones no longer work.' : ''}
      </p>
    </div>
  )
}
