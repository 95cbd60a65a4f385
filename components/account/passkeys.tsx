'use client'
import { useRouter } from 'next/navigation'
import { type FormEvent, type ReactNode, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { FormButtons } from '@/components/shared/form/form-buttons'
import { useFocusRefused, useSave } from '@/components/shared/form/use-save'
import { SectionHeader } from '@/components/shared/layout/section-header'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Checkbox } from '@/components/ui/checkbox'
import { Dialog } from '@/components/ui/dialog'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { toast } from '@/components/ui/toast'
import { addPasskey, beginPasskey, removePasskey, setPasskeyRequired } from '@/lib/actions/passkeys'
import type { PasskeySettings, PasskeyView } from '@/lib/contracts/passkey'
import type { Result } from '@/lib/errors'

type Asked = { kind: 'add' } | { kind: 'remove'; passkey: PasskeyView } | { kind: 'require' }

/** The user's passkeys, and whether the password needs one too. */
export function Passkeys({ settings }: { settings: PasskeySettings }) {
  const router = useRouter()
  const [asked, setAsked] = useState<Asked>()
  const { passkeys, hasPassword, isRequired } = settings
  const close = () => setAsked(undefined)
  const done = (said: string) => {
    close()
    toast.success(said)
    router.refresh()
  }
  const actions: Column<PasskeyView> = {
    id: 'actions',
    header: <span className="sr-only">Actions</span>,
    isAside: true,
    className: 'w-24 text-right',
    cell: (passkey) => (
      <Button
        size="sm"
        variant="ghost"
        aria-label={`Remove passkey ${passkey.name}`}
        onClick={() => setAsked({ kind: 'remove', passkey })}
      >
        Remove
      </Button>
    ),
  }
  return (
    <section aria-label="Passkeys" className="mt-6">
      <SectionHeader title="Passkeys" actions={<Button onClick={() => setAsked({ kind: 'add' })}>Add passkey…</Button>}>
        <p className="mt-1 max-w-2xl text-ink-2">
          A passkey signs in without a password, with the fingerprint, face or PIN of a device. Works at {settings.host}{' '}
          only.
        </p>
      </SectionHeader>
      <DataTable
        label="Passkeys"
        columns={[...COLUMNS, actions]}
        rows={passkeys}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No passkeys yet">Add one to sign in without a password.</EmptyState>}
      />
      {hasPassword ? (
        <div className="mt-3">
          <Checkbox
            label="Ask for a passkey after my password"
            hint={
              passkeys.length > 0
                ? 'Your password alone then signs in nowhere. If you lose your passkeys, another administrator has to reset it.'
                : 'Add a passkey first.'
            }
            checked={isRequired}
            disabled={passkeys.length === 0}
            onChange={() => setAsked({ kind: 'require' })}
          />
        </div>
      ) : null}
      {asked?.kind === 'add' ? (
        <AddPasskey settings={settings} onClose={close} onDone={() => done('Passkey added')} />
      ) : null}
      {asked?.kind === 'remove' ? (
        <WithPassword
          title={`Remove passkey ${asked.passkey.name}?`}
          verb="Remove passkey"
          hasPassword={hasPassword}
          onClose={close}
          action={(password) => removePasskey({ id: asked.passkey.id, password })}
          onDone={() => done('Passkey removed')}
        >
          It signs in no more. Remove it from your device too.
          {isRequired && passkeys.length === 1 ? ' Your password alone signs in again.' : ''}
        </WithPassword>
      ) : null}
      {asked?.kind === 'require' ? (
        <WithPassword
          title={isRequired ? 'Sign in with the password alone?' : 'Ask for a passkey after the password?'}
          verb={isRequired ? 'Allow' : 'Ask for a passkey'}
          hasPassword={hasPassword}
          onClose={close}
          action={(password) => setPasskeyRequired({ isRequired: !isRequired, password })}
          onDone={() => done(isRequired ? 'Your password signs in alone' : 'Your password now needs a passkey too')}
        >
          {isRequired ? 'Who knows your password can then sign in.' : 'From your next sign-in with the password on.'}
        </WithPassword>
      ) : null}
    </section>
  )
}

const COLUMNS: Column<PasskeyView>[] = [
  {
    id: 'name',
    header: 'Name',
    className: 'w-full max-w-0',
    cell: ({ name }) => (
      <span className="block truncate font-medium">
        <VisibleText>{name}</VisibleText>
      </span>
    ),
  },
  {
    id: 'used',
    header: 'Last used',
    className: 'w-32',
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? <RelativeTime at={lastUsedAt} /> : <span className="text-ink-3">Never</span>,
  },
  {
    id: 'created',
    header: 'Added',
    from: 'sm',
    className: 'w-32',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
]

type AddProps = { settings: PasskeySettings; onClose: () => void; onDone: () => void }

function AddPasskey({ settings, onClose, onDone }: AddProps) {
  const { isBusy, error, fieldError, save } = useSave<null>()
  const element = useFocusRefused(error)
  const [nameError, passwordError] = [fieldError('name'), fieldError('password')]
  const problem = unavailable(settings.host)
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = { name: String(form.get('name')), password: String(form.get('password') ?? '') }
    void save(() => create(given), onDone)
  }
  return (
    <Dialog open onOpenChange={onClose} title="Add passkey">
      <form ref={element} onSubmit={submit} className="flex flex-col gap-3">
        {problem ? <ErrorNotice error={{ message: problem }} /> : null}
        {error && !nameError && !passwordError ? <ErrorNotice error={error} /> : null}
        <Field id="passkey-name" label="Name" hint="To tell your devices apart." error={nameError}>
          <Input
            id="passkey-name"
            name="name"
            required
            maxLength={60}
            autoComplete="off"
            {...describedBy('passkey-name', nameError)}
          />
        </Field>
        {settings.hasPassword ? <PasswordField error={passwordError} /> : null}
        <FormButtons verb="Create passkey" isBusy={isBusy} reason={problem} onClose={onClose} />
      </form>
    </Dialog>
  )
}

/** Why this browser cannot create a passkey here. */
function unavailable(host: string): string | undefined {
  if (window.location.hostname !== host) return `Passkeys of this console work at ${host} only. Open it there.`
  return typeof window.PublicKeyCredential === 'function' ? undefined : 'This browser has no passkeys.'
}

async function create({ name, password }: { name: string; password: string }): Promise<Result<null>> {
  const begun = await beginPasskey({ password })
  if (!begun.ok) return begun
  const { startRegistration } = await import('@simplewebauthn/browser')
  const response = await startRegistration({ optionsJSON: begun.data }).catch((error: unknown) =>
    error instanceof Error && error.name === 'InvalidStateError' ? 'known' : undefined,
  )
  if (response === undefined || response === 'known')
    return {
      ok: false,
      error: {
        ...{ code: 'invalid', fields: [], requestId: '' },
        message: response ? 'This device has a passkey of your account already.' : 'No passkey was created. Try again.',
      },
    }
  return await addPasskey({ name, response })
}

const PasswordField = ({ error }: { error: string | undefined }) => (
  <Field id="passkey-password" label="Your password" error={error}>
    <Input
      id="passkey-password"
      name="password"
      type="password"
      autoComplete="current-password"
      required
      {...describedBy('passkey-password', error)}
    />
  </Field>
)

type WithPasswordProps = {
  title: string
  verb: string
  hasPassword: boolean
  action: (password: string) => Promise<Result<null>>
  onClose: () => void
  onDone: () => void
  children: ReactNode
}

/** Confirms a change of how to sign in, with the password if there is one. */
function WithPassword({ title, verb, hasPassword, action, onClose, onDone, children }: WithPasswordProps) {
  const { isBusy, error, fieldError, save } = useSave<null>()
  const element = useFocusRefused(error)
  const passwordError = fieldError('password')
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const password = String(new FormData(event.currentTarget).get('password') ?? '')
    void save(() => action(password), onDone)
  }
  return (
    <Dialog open onOpenChange={onClose} title={title}>
      <form ref={element} onSubmit={submit} className="flex flex-col gap-3">
        {error && !passwordError ? <ErrorNotice error={error} /> : null}
        <p className="text-ink-2">{children}</p>
        {hasPassword ? <PasswordField error={passwordError} /> : null}
        <FormButtons verb={verb} isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  )
}
