'use client'
import { useState } from 'react'
import { SecretDialog } from '@/components/shared/form/secret-dialog'
import { CopyButton } from '@/components/ui/copy-button'
import { describedBy, Field } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { addressWarning, helmCommands, isAddress, npmCommand } from './join-commands'

/** `token`: null where the control plane gave none. `url`: where clusters reach the platform, as far as it is known. */
export type GivenToken = { id: string; name: string; namespaces: readonly string[]; token: string | null; url: string }

/** Shows a new token once, and how to start the listener with it. */
export function ListenerToken({ given, onClose }: { given: GivenToken; onClose: () => void }) {
  const { id, name, token } = given
  if (!token)
    return (
      <SecretDialog
        title={`${name} created`}
        description="This control plane gives no tokens. Its documentation says how to start a listener with this ID."
        value={id}
        what="listener ID"
        onClose={onClose}
      />
    )
  return (
    <SecretDialog
      title={`Token of ${name}`}
      description="Copy it now. It is shown only once, and only its hash is kept."
      value={token}
      what="token"
      onClose={onClose}
      className="w-[min(44rem,calc(100vw-2rem))]"
    >
      <Commands {...given} token={token} />
    </SecretDialog>
  )
}

function Commands({ token, namespaces, url: known }: GivenToken & { token: string }) {
  const [typed, setTyped] = useState(known)
  const url = typed.trim().replace(/\/$/, '')
  const isValid = isAddress(url)
  const error = isValid ? undefined : 'Enter an address that begins with https:// or http://.'
  const joining = { url, token, namespaces }
  return (
    <>
      <h3 className="mt-4 mb-2 font-medium">Start the listener</h3>
      <Field
        id="platform-address"
        label="Address of the platform, as the cluster reaches it"
        hint={isValid ? addressWarning(url) : undefined}
        error={error}
      >
        <Input
          id="platform-address"
          value={typed}
          autoComplete="off"
          onChange={({ target }) => setTyped(target.value)}
          {...describedBy('platform-address', error)}
        />
      </Field>
      {isValid ? (
        <>
          <CommandBox title="In the cluster, with Helm" what="Helm commands" text={helmCommands(joining)}>
            Run these in a clone of Pilothouse, and name the registry that has its image <code>platform</code>.
            {namespaces.length > 0 ? ` The namespaces must exist: ${namespaces.join(', ')}.` : ''}
          </CommandBox>
          <CommandBox title="Anywhere, with KUBECONFIG" what="npm command" text={npmCommand(joining)} />
        </>
      ) : null}
    </>
  )
}

type CommandBoxProps = { title: string; what: string; text: string; children?: React.ReactNode }

const CommandBox = ({ title, what, text, children }: CommandBoxProps) => (
  <>
    <h4 className="mt-4 mb-1 font-medium text-xs">{title}</h4>
    <div className="relative rounded-md border bg-sunken">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        aria-label={title}
        className="mr-10 overflow-x-auto p-3"
      >
        <pre className="font-mono text-xs">{text}</pre>
      </section>
      <CopyButton value={text} what={what} className="absolute top-2 right-2" />
    </div>
    {children ? <p className="mt-1 text-ink-3 text-xs">{children}</p> : null}
  </>
)
