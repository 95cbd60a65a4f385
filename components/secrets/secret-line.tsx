'use client'
import { Pencil, Trash2, Undo2 } from 'lucide-react'
import { memo } from 'react'
import { ValueInput } from '@/components/shared/form/value-input'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Input } from '@/components/ui/input'
import { cn } from '@/lib/cn'
import type { SecretRow } from '@/lib/contracts/deployments/secrets-view'
import type { Edit } from './draft'
import { shortHash } from './rows'

type SecretLineProps = {
  row: SecretRow
  edit: Edit | undefined
  isOpen: boolean
  problem: string | undefined
  reason: string | undefined
  onEdit: (name: string, edit: Edit | undefined) => void
  onOpen: (name: string | undefined) => void
}

/** One stored secret and its draft change. Memoised, because there may be hundreds. */
export const SecretLine = memo(function SecretLine(props: SecretLineProps) {
  const { row, edit, isOpen, problem, reason, onEdit, onOpen } = props
  const { name, changed } = row
  return (
    <tr className={cn('border-b align-top last:border-b-0', edit && 'bg-accent-soft/40')}>
      <td className="max-w-0 px-3 py-2 sm:max-w-80">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <code
            className={cn(
              'min-w-0 font-mono leading-6 max-sm:break-all sm:truncate',
              edit?.isRemoved && 'text-ink-3 line-through',
            )}
            title={name}
          >
            <VisibleText>{name}</VisibleText>
          </code>
          {edit ? <EditBadge edit={edit} /> : null}
        </div>
        {isOpen && !edit?.isRemoved ? (
          <LineEditor name={name} edit={edit} onEdit={onEdit} onClose={() => onOpen(undefined)} />
        ) : null}
        {problem ? (
          <p role="alert" className="text-error text-xs">
            {problem}
          </p>
        ) : null}
      </td>
      <td className="whitespace-nowrap py-2 leading-6 max-sm:*:hidden sm:px-3">
        {row.isHidden ? (
          <span className="text-ink-3 text-xs" title="The server returns a mask or nothing instead of the value">
            hidden by server
          </span>
        ) : row.fingerprint ? (
          <code className="font-mono text-ink-2 text-xs" title={row.fingerprint}>
            {shortHash(row.fingerprint)}
          </code>
        ) : (
          <span className="text-ink-3">–</span>
        )}
      </td>
      <td className="max-w-60 truncate py-2 text-ink-2 leading-6 max-md:*:hidden md:px-3">
        {changed ? (
          <span title={changed.who}>
            <RelativeTime at={changed.at} /> by {changed.who}
          </span>
        ) : (
          <span className="text-ink-3" title="Not changed from this console">
            –
          </span>
        )}
      </td>
      <td className="whitespace-nowrap px-2 py-1.5 text-right">
        {edit ? (
          <Button
            variant="ghost"
            size="icon"
            aria-label={`Undo change of ${name}`}
            onClick={() => onEdit(name, undefined)}
          >
            <Undo2 aria-hidden />
          </Button>
        ) : null}
        {edit?.isRemoved ? null : (
          <>
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Replace or rename ${name}`}
              aria-expanded={isOpen}
              reason={reason}
              onClick={() => onOpen(isOpen ? undefined : name)}
            >
              <Pencil aria-hidden />
            </Button>
            <Button
              variant="ghost"
              size="icon"
              aria-label={`Remove ${name}`}
              reason={reason}
              onClick={() => onEdit(name, { isRemoved: true })}
            >
              <Trash2 aria-hidden />
            </Button>
          </>
        )}
      </td>
    </tr>
  )
})

function EditBadge({ edit }: { edit: Edit }) {
  const { isRemoved, to, value } = edit
  const words = isRemoved
    ? 'removed'
    : [value !== undefined && 'replaced', to !== undefined && 'renamed'].filter(Boolean).join(', ')
  return (
    <>
      {to === undefined ? null : (
        <span className="min-w-0 truncate">
          → <code className="font-mono">{to}</code>
        </span>
      )}
      <Badge>{words}</Badge>
    </>
  )
}

type LineEditorProps = {
  name: string
  edit: Edit | undefined
  onEdit: SecretLineProps['onEdit']
  onClose: () => void
}

function LineEditor({ name, edit, onEdit, onClose }: LineEditorProps) {
  const change = (more: Partial<Edit>) => {
    const { value, to } = { ...edit, ...more }
    onEdit(name, { ...(value !== undefined && { value }), ...(to !== undefined && { to }) })
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape works from each field inside
    <div
      className="flex flex-col gap-2 py-2"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <ValueInput
        id={`value-of-${name}`}
        label={`New value of ${name}`}
        placeholder="New value (empty keeps the current one)"
        value={edit?.value ?? ''}
        onChange={(value) => change({ value: value === '' ? undefined : value })}
      />
      <div className="flex items-center gap-2">
        <Input
          aria-label={`New name of ${name}`}
          placeholder="New name (empty keeps the current one)"
          className="min-w-0 font-mono"
          value={edit?.to ?? ''}
          autoComplete="off"
          spellCheck={false}
          data-1p-ignore
          data-lpignore="true"
          onChange={(event) => change({ to: nameOf(event.target.value, name) })}
        />
        <Button size="sm" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
const nameOf = (text: string, now: string) => (text.trim() === '' || text.trim() === now ? undefined : text.trim())
