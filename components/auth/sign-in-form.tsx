'use client'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { signInErrorText } from '@/components/auth/sign-in-errors'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { localPath } from './local-path'

type SignInFormProps = { callbackUrl?: string; error?: string; isSessionEnded?: boolean; hasSingleSignOn: boolean }

// Loaded on first use, which makes the page appear sooner.
const loadNextAuth = () => import('next-auth/react')

/** Keeps what was typed when sign-in fails. */
export function SignInForm({ callbackUrl, error, isSessionEnded, hasSingleSignOn }: SignInFormProps) {
  const router = useRouter()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState(() => (error ? signInErrorText(error) : undefined))
  const target = localPath(callbackUrl)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    setFailure(undefined)
    const given = { email: form.get('email'), password: form.get('password'), redirect: false }
    const result = await loadNextAuth()
      .then(({ signIn }) => signIn('credentials', given))
      .catch(() => undefined)
    if (result?.ok && !result.error) {
      router.replace(target)
      router.refresh()
      return
    }
    setBusy(false)
    setFailure(
      result ? signInErrorText(result.error ?? '') : 'The console did not respond. Check your network and try again.',
    )
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      {isSessionEnded && !failure ? (
        <p className="rounded-md bg-sunken px-3 py-2 text-ink-2 text-xs">
          Your session has ended. Sign in to continue.
        </p>
      ) : null}
      {failure ? <ErrorNotice error={{ message: failure }} /> : null}
      <Field id="email" label="Email">
        <Input id="email" name="email" type="email" autoComplete="username" required autoFocus className="h-9" />
      </Field>
      <Field id="password" label="Password">
        <Input id="password" name="password" type="password" autoComplete="current-password" required className="h-9" />
      </Field>
      <Button type="submit" variant="primary" isBusy={isBusy} className="mt-2 h-9">
        Sign in
      </Button>
      {hasSingleSignOn ? (
        <Button
          className="h-9"
          onClick={() => void loadNextAuth().then(({ signIn }) => signIn('oidc', { callbackUrl: target }))}
        >
          Sign in with single sign-on
        </Button>
      ) : null}
    </form>
  )
}
