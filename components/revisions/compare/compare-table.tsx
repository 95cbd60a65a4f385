import { Equal, EqualNot, HelpCircle } from 'lucide-react'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import type { Change } from '@/lib/contracts/deployments/changes'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import type { Difference, Verdict } from './compare'

const VERDICTS: Record<Verdict, { said: string; style: string; Icon: typeof Equal }> = {
  same: { said: 'same', style: 'text-ink-3', Icon: Equal },
  changed: { said: 'changed', style: 'text-warn', Icon: EqualNot },
  unknown: { said: 'unknown', style: 'text-ink-3', Icon: HelpCircle },
}

/** A comparison field by field, including fields that the server does not record. */
export function CompareTable({ rows }: { rows: readonly Difference[] }) {
  const changed = rows.filter(({ verdict }) => verdict === 'changed').length
  const unknown = rows.filter(({ verdict }) => verdict === 'unknown').length
  return (
    <section aria-label="Comparison">
      <p role="status" className="mb-2 text-ink-2">
        {changed === 0 ? 'No recorded differences' : changed === 1 ? '1 field differs' : `${changed} fields differ`}
        {unknown > 0 ? `; ${unknown} not recorded per revision.` : '.'}
      </p>
      <div className="overflow-x-auto rounded-lg border bg-panel">
        <table aria-label="Fields" className="w-full border-collapse text-left">
          <thead className="bg-sunken text-ink-3 text-xs">
            <tr className="[&>th]:h-8 [&>th]:px-3 [&>th]:font-medium">
              <th scope="col">Field</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ group, name, a, b, verdict }) => {
              const { said, style, Icon } = VERDICTS[verdict]
              return (
                <tr
                  key={`${group} ${name}`}
                  className={cn('border-t align-top', verdict === 'changed' && 'bg-warn-soft')}
                >
                  <th scope="row" className="px-3 py-2 font-normal">
                    <span className="block text-ink-3 text-xs">{group}</span>
                    <VisibleText>{name}</VisibleText>
                  </th>
                  <Cell value={a} />
                  <Cell value={b} />
                  <td className={cn('whitespace-nowrap px-3 py-2 text-xs', style)}>
                    <span className="inline-flex items-center gap-1.5">
                      <Icon aria-hidden className="size-3.5" />
                      {said}
                    </span>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const Cell = ({ value }: { value: string | null | undefined }) => (
  <td className="min-w-32 px-3 py-2">
    {value === undefined ? (
      <span className="text-ink-3 text-xs">not recorded</span>
    ) : value === null ? (
      <span className="text-ink-3">none</span>
    ) : (
      <span className="break-all font-mono text-xs">
        <VisibleText>{value}</VisibleText>
      </span>
    )}
  </td>
)

type BetweenProps = { a: Revision; b: Revision; changes: readonly Change[] }

/** Changes made from this console between the two revisions, by field name. */
export function ChangesBetween({ a, b, changes }: BetweenProps) {
  const [from, to] = [Date.parse(a.created_at), Date.parse(b.created_at)].sort((x, y) => x - y) as [number, number]
  // The write that created the newer revision came just before it; the one that created the older is not in between.
  const between = changes.filter(({ at, until, operation, isDone }) => {
    const end = Date.parse(until ?? at)
    return (
      isDone &&
      (operation === 'updateDeployment' || operation === 'createRevision') &&
      end > from + 3_000 &&
      Date.parse(at) <= to + 3_000
    )
  })
  return (
    <section aria-label="Changes from this console" className="rounded-lg border bg-panel p-4">
      <h3 className="mb-1 font-semibold text-sm">Changes from this console</h3>
      {between.length === 0 ? (
        <p className="text-ink-2">No changes recorded. Changes made elsewhere, such as by the API, are not listed.</p>
      ) : (
        <ul className="flex flex-col gap-1.5">
          {between.map(({ seq, who, at, fields }) => (
            <li key={seq} className="flex flex-wrap items-baseline gap-x-2 text-ink-2 text-xs">
              <span>{who}</span>
              <RelativeTime at={at} />
              <span className="break-all font-mono">
                <VisibleText>{fields.join(', ') || 'no fields'}</VisibleText>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
