'use client'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import type { SecretsView } from '@/lib/contracts/deployments/secrets-view'
import { AddedLine } from './added-line'
import { type Draft, type Edit, withAdded, withoutAdded } from './draft'
import { SecretLine } from './secret-line'

type SecretsTableProps = {
  view: SecretsView
  draft: Draft
  /** Validation errors of the draft, by name. */
  problems: ReadonlyMap<string, string>
  search: string
  reason: string | undefined
  onEdit: (name: string, edit: Edit | undefined) => void
  onDraft: (change: (draft: Draft) => Draft) => void
}

/** New secrets of the draft first, then the stored ones. */
export function SecretsTable({ view, draft, problems, search, reason, onEdit, onDraft }: SecretsTableProps) {
  const [open, setOpen] = useState<string>()
  const { edits, added } = draft
  const wanted = search.trim().toLowerCase()
  const rows = wanted === '' ? view.rows : view.rows.filter(({ name }) => name.toLowerCase().includes(wanted))
  // Edits of secrets that someone else has removed; sending a value would add them again.
  const known = new Set(view.rows.map(({ name }) => name))
  const gone = Object.keys(edits).filter((name) => !known.has(name))
  const count = new Map<string, number>()
  if (rows.length + added.length + gone.length === 0)
    return (
      <div className="rounded-lg border bg-panel">
        {view.isListed ? (
          <EmptyState title={wanted ? 'No matching secrets' : 'No secrets yet'}>
            {wanted ? null : 'Add one above, or paste a .env file into the name field.'}
          </EmptyState>
        ) : (
          <EmptyState title="Secrets unknown">
            This server does not list secrets. The secrets you save replace all existing ones.
          </EmptyState>
        )}
      </div>
    )
  return (
    <div className="overflow-x-auto rounded-lg border bg-panel">
      <table aria-label="Secrets" className="w-full border-collapse text-left">
        <thead>
          <tr className="text-ink-3 text-xs [&>th]:h-8 [&>th]:whitespace-nowrap [&>th]:border-b [&>th]:bg-sunken [&>th]:font-medium">
            <th scope="col" className="px-3">
              Name
            </th>
            {/* Emptied on narrow screens instead of removed, because draft lines span these columns. */}
            <th scope="col" className="sm:px-3" title="Changes when the value changes. Reveals nothing about it.">
              <span className="max-sm:hidden">Fingerprint</span>
            </th>
            <th scope="col" className="md:px-3">
              <span className="max-md:hidden">Last changed</span>
            </th>
            <th scope="col" className="px-3">
              <span className="sr-only">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {added.map((one) => (
            <AddedLine
              key={one.id}
              added={one}
              problem={problems.get(one.name)}
              onChange={(next) => onDraft((all) => withAdded(all, next))}
              onUndo={(id) => onDraft((all) => withoutAdded(all, id))}
            />
          ))}
          {gone.map((name) => (
            <SecretLine
              key={`gone ${name}`}
              row={{ name, fingerprint: null, isHidden: false, changed: null }}
              edit={edits[name]}
              isOpen={false}
              problem={problems.get(name) ?? 'Removed by someone else'}
              reason={reason}
              onEdit={onEdit}
              onOpen={setOpen}
            />
          ))}
          {rows.map((row) => {
            const nth = (count.get(row.name) ?? 0) + 1
            count.set(row.name, nth)
            const edit = Object.hasOwn(edits, row.name) ? edits[row.name] : undefined
            return (
              <SecretLine
                key={`${row.name} ${nth}`}
                row={row}
                edit={edit}
                isOpen={open === row.name}
                problem={edit && (problems.get(row.name) ?? problems.get(edit.to ?? row.name))}
                reason={reason}
                onEdit={onEdit}
                onOpen={setOpen}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
