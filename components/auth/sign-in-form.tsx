'use client'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { signInErrorText } from '@/components/auth/sign-in-errors'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { loadAuthClient } from '@/lib/auth-client'
import { withBasePath } from '@/lib/base-path'
import { askPasskey } from '@/lib/queries/passkeys'
import { localPath } from './local-path'

type SignInFormProps = {
  callbackUrl?: string
  error?: string
  isSessionEnded?: boolean
  hasSingleSignOn: boolean
  hasPasskeys?: boolean
}

/** Signs in without leaving the page. Null on success, else the code of the error. */
async function send(provider: string, given: Record<string, unknown>): Promise<string | null> {
  const { signIn } = await loadAuthClient()
  const result = await signIn(provider, { ...given, redirect: false })
  if (!result) throw new Error('No response')
  return result.ok && !result.error ? null : (result.error ?? '')
}

/** Keeps what was typed when sign-in fails. */
export function SignInForm(props: SignInFormProps) {
  const { callbackUrl, error, isSessionEnded, hasSingleSignOn, hasPasskeys = false } = props
  const router = useRouter()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState(() => (error ? signInErrorText(error) : undefined))
  const target = localPath(callbackUrl)

  async function enter(attempt: () => Promise<string | null>) {
    setBusy(true)
    setFailure(undefined)
    const code = await attempt().catch(() => undefined)
    if (code === null) {
      router.replace(target)
      router.refresh()
      return
    }
    setBusy(false)
    setFailure(
      code === undefined ? 'The console did not respond. Check your network and try again.' : signInErrorText(code),
    )
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = { email: form.get('email'), password: form.get('password') }
    void enter(async () => {
      const code = await send('credentials', given)
      if (code !== 'PasskeyNeeded') return code
      const asked = await askPasskey()
      return asked.passkey ? await send('credentials', { ...given, passkey: asked.passkey }) : (asked.code ?? code)
    })
  }
  const signInWithPasskey = () =>
    void enter(async () => {
      const asked = await askPasskey()
      if (!asked.passkey) return asked.code ?? 'PasskeyRefused'
      const code = await send('passkey', { passkey: asked.passkey })
      return code === 'CredentialsSignin' ? 'PasskeyRefused' : code
    })

  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-3">
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
      {hasPasskeys ? (
        <Button className="h-9" isBusy={isBusy} onClick={signInWithPasskey}>
          Sign in with a passkey
        </Button>
      ) : null}
      {hasSingleSignOn ? (
        <Button
          className="h-9"
          onClick={() =>
            void loadAuthClient().then(({ signIn }) => signIn('oidc', { callbackUrl: withBasePath(target) }))
          }
        >
          Sign in with single sign-on
        </Button>
      ) : null}
    </form>
  )
}
