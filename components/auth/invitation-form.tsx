'use client'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { type FormEvent, useEffect, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { Button } from '@/components/ui/button'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { loadAuthClient } from '@/lib/auth-client'
import { withBasePath } from '@/lib/base-path'
import type { OpenInvitation } from '@/lib/contracts/invitation'
import type { ErrorView } from '@/lib/errors'
import { acceptInvitation, openInvitation } from '@/lib/queries/invitations'
import { routes } from '@/lib/routes'

const UNREACHABLE = { message: 'The console did not respond. Check your network and try again.' }

/** Opens the invitation of the address's fragment, which browsers do not send, and accepts it. */
export function InvitationForm() {
  const [opened, setOpened] = useState<OpenInvitation>()
  const [failure, setFailure] = useState<Pick<ErrorView, 'message'>>()
  useEffect(() => {
    const token = window.location.hash.slice(1)
    openInvitation(token || undefined)
      .then((result) => {
        if (!result.ok) return setFailure(result.error)
        setOpened(result.data)
        // The browser's history keeps no secret; a cookie has the invitation now.
        if (token) window.history.replaceState(null, '', window.location.pathname)
      })
      .catch(() => setFailure(UNREACHABLE))
  }, [])
  if (failure)
    return (
      <div className="flex flex-col gap-3">
        <ErrorNotice error={failure} />
        <Link className="text-accent hover:underline" href={routes.signIn()}>
          Sign in
        </Link>
      </div>
    )
  if (!opened)
    return (
      <p role="status" className="text-ink-2">
        Reading the invitation…
      </p>
    )
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">
        <strong className="font-medium text-ink">{opened.email}</strong> is invited to{' '}
        <strong className="font-medium text-ink">{opened.workspaceName}</strong> as {opened.role}
        {opened.isLimited ? ' of some deployments' : ''}.
      </p>
      <Step opened={opened} />
    </div>
  )
}

const signInOnce = () =>
  void loadAuthClient().then(({ signIn }) => signIn('oidc', { callbackUrl: withBasePath(routes.invite()) }))

function Step({ opened }: { opened: OpenInvitation }) {
  const { step, email, hasSingleSignOn } = opened
  if (step === 'create') return <NewAccount email={email} hasSingleSignOn={hasSingleSignOn} />
  if (step === 'join') return <Join workspaceName={opened.workspaceName} />
  return (
    <>
      <p className="text-ink-2">
        {step === 'other'
          ? 'You are signed in with another account. Sign out first, then open the link again.'
          : 'This address has an account. Sign in with it to join.'}
      </p>
      <Link
        className="inline-flex h-9 items-center justify-center rounded-md bg-accent px-3 font-medium text-on-accent"
        href={step === 'other' ? '/' : routes.signIn(routes.invite())}
      >
        {step === 'other' ? 'Go to the console' : 'Sign in'}
      </Link>
    </>
  )
}

function Join({ workspaceName }: { workspaceName: string }) {
  const { isBusy, error, save } = useSave<{ workspace: string }>()
  const enter = useEnter()
  return (
    <>
      {error ? <ErrorNotice error={error} /> : null}
      <Button
        variant="primary"
        className="h-9"
        isBusy={isBusy}
        onClick={() => void save(() => acceptInvitation(undefined), enter)}
      >
        Join {workspaceName}
      </Button>
    </>
  )
}

function NewAccount({ email, hasSingleSignOn }: { email: string; hasSingleSignOn: boolean }) {
  const { isBusy, error, fieldError, save } = useSave<{ workspace: string }>()
  const element = useFocusRefused(error)
  const enter = useEnter()
  const [nameError, passwordError] = [fieldError('name'), fieldError('password')]
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const account = { name: String(form.get('name')), password: String(form.get('password')) }
    void save(() => acceptInvitation(account), enter)
  }
  return (
    <form method="post" ref={element} onSubmit={submit} className="flex flex-col gap-3">
      {error && !nameError && !passwordError ? <ErrorNotice error={error} /> : null}
      {/* Password managers store the address with the password. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <Field id="name" label="Your name" error={nameError}>
        <Input
          id="name"
          name="name"
          autoComplete="name"
          required
          maxLength={100}
          autoFocus
          className="h-9"
          {...describedBy('name', nameError)}
        />
      </Field>
      <Field id="password" label="Password" hint="At least 12 characters." error={passwordError}>
        <Input
          id="password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={12}
          className="h-9"
          {...describedBy('password', passwordError)}
        />
      </Field>
      <Button type="submit" variant="primary" isBusy={isBusy} className="mt-2 h-9">
        Create account and join
      </Button>
      {hasSingleSignOn ? (
        <Button className="h-9" onClick={signInOnce}>
          Sign in with single sign-on
        </Button>
      ) : null}
    </form>
  )
}

function useEnter() {
  const router = useRouter()
  return ({ workspace }: { workspace: string }) => {
    router.replace(routes.workspace(workspace))
    router.refresh()
  }
}
