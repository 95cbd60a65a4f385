'use client'
import { Plus, Trash2 } from 'lucide-react'
import { type ClipboardEvent, useRef, useState } from 'react'
import { ValueInput } from '@/components/shared/form/value-input'
import { Button } from '@/components/ui/button'
import { describedBy } from '@/components/ui/field'
import { Input } from '@/components/ui/input'
import { looksLikeEnv, parseEnv } from '@/lib/format/dotenv'
import type { CreateValues, Issues, SecretDraft } from './create-values'
import { SecretsOffer } from './secrets-offer'

type SecretsSectionProps = {
  workspace: string
  values: CreateValues
  secrets: readonly SecretDraft[]
  issues: Issues
  onChange: (secrets: readonly SecretDraft[]) => void
}

let ids = 0
const line = (name = '', value = '', note?: string): SecretDraft => ({ id: ++ids, name, value, ...(note && { note }) })

/** Environment variables for the agent. Typed values exist only in this page's memory. */
export function SecretsSection({ workspace, values, secrets, issues, onChange }: SecretsSectionProps) {
  const [said, setSaid] = useState<{ count: number; problems: { line: number; message: string }[] }>()
  const list = useRef<HTMLDivElement>(null)
  const edit = (changed: SecretDraft) => onChange(secrets.map((one) => (one.id === changed.id ? changed : one)))
  const add = () => {
    onChange([...secrets, line()])
    setTimeout(() => list.current?.querySelector<HTMLInputElement>('[data-secret]:last-child input')?.focus())
  }
  function paste(event: ClipboardEvent, into: SecretDraft) {
    const text = event.clipboardData.getData('text/plain')
    if (!looksLikeEnv(text)) return
    event.preventDefault()
    const { entries, problems } = parseEnv(text)
    const kept = secrets.filter(({ id, name, value }) => id !== into.id || name !== '' || value !== '')
    onChange([...kept, ...entries.map(({ name, value, note }) => line(name, value, note))])
    setSaid({ count: entries.length, problems })
  }
  return (
    <section aria-label="Secrets" className="rounded-lg border bg-panel p-4">
      <h2 className="font-semibold text-base">Secrets</h2>
      <p className="mt-0.5 text-ink-3 text-xs">
        Passed to the agent as environment variables. Paste a whole .env file into a name field to add its lines. Values
        are never shown again.
      </p>
      <SecretsOffer
        workspace={workspace}
        values={values}
        names={secrets.map(({ name }) => name)}
        onAdd={(file, variables) =>
          onChange([
            ...secrets,
            ...variables.map(({ name, is_optional }): SecretDraft => {
              const note = `From ${file}${is_optional ? ', optional' : ''}. Not sent while it is empty.`
              return { ...line(name, '', note), isOffered: true }
            }),
          ])
        }
      />
      <div ref={list} className="mt-3 flex flex-col gap-2">
        {secrets.map((secret, index) => {
          const id = `create-secret-${secret.id}`
          const error = issues[`secret ${secret.id}`]
          return (
            <div key={secret.id} data-secret className="flex flex-col gap-1">
              <div className="flex flex-wrap items-start gap-2 sm:flex-nowrap">
                <Input
                  id={id}
                  aria-label={`Name of secret ${index + 1}`}
                  placeholder="NAME"
                  className="font-mono base:sm:w-64"
                  autoComplete="off"
                  spellCheck={false}
                  value={secret.name}
                  onChange={(event) => edit({ ...secret, name: event.target.value })}
                  onPaste={(event) => paste(event, secret)}
                  {...describedBy(id, error)}
                />
                <ValueInput
                  id={`${id}-value`}
                  label={`Value of secret ${index + 1}`}
                  placeholder="Value"
                  value={secret.value}
                  onChange={(value) => edit({ ...secret, value })}
                />
                <Button
                  variant="ghost"
                  size="icon"
                  className="mt-0.5"
                  aria-label={`Remove secret ${index + 1}${secret.name ? `, ${secret.name}` : ''}`}
                  onClick={() => onChange(secrets.filter(({ id }) => id !== secret.id))}
                >
                  <Trash2 aria-hidden />
                </Button>
              </div>
              {error ? (
                <p id={`${id}-error`} role="alert" className="text-error text-xs">
                  {error}
                </p>
              ) : null}
              {secret.note ? (
                <p id={`${id}-hint`} className="text-ink-3 text-xs">
                  {secret.note}
                </p>
              ) : null}
            </div>
          )
        })}
      </div>
      {issues.secrets ? (
        <p role="alert" className="text-error text-xs">
          {issues.secrets}
        </p>
      ) : null}
      <div className="mt-2 flex flex-wrap items-center gap-3">
        <Button size="sm" onClick={add}>
          <Plus aria-hidden />
          Add secret
        </Button>
        <output aria-live="polite" className="text-ink-2 text-xs">
          {said ? `${said.count} pasted` : ''}
          {said?.problems.map((problem) => (
            <span key={problem.line} className="block text-error">
              Line {problem.line} skipped: {problem.message}.
            </span>
          ))}
        </output>
      </div>
    </section>
  )
}
