import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { NONE } from '@/components/traces/common/format'
import type { Feedback } from '@/lib/contracts/traces/trace-run'
import { count } from '@/lib/format/format'
import { isRecord } from '@/lib/json/guards'
import { jsonText } from '@/lib/json/value'
import { get } from '@/lib/traces/blocks/values'

type Props = { given: readonly Feedback[]; stats: Record<string, unknown> | null | undefined }

/** Feedback on a run: each entry if the server returns them, otherwise the totals per key. */
export function FeedbackList({ given, stats }: Props) {
  const sums = given.length > 0 ? [] : Object.entries(stats ?? {})
  if (given.length + sums.length === 0) return null
  return (
    <section aria-label="Feedback">
      <p className="mb-1.5 font-medium text-ink-2 text-xs">Feedback</p>
      <div className="overflow-x-auto rounded-md border">
        <table aria-label="Feedback" className="w-full border-collapse text-left text-xs">
          <thead>
            <tr className="bg-sunken text-ink-3 [&>th]:h-7 [&>th]:px-2 [&>th]:font-medium">
              <th scope="col">Key</th>
              <th scope="col">Score</th>
              <th scope="col">Value</th>
              <th scope="col">Comment</th>
            </tr>
          </thead>
          <tbody className="[&_td]:px-2 [&_td]:py-1.5 [&_td]:align-top [&_th]:px-2 [&_th]:py-1.5 [&_th]:align-top">
            {given.map(({ id, key, score, value, comment, correction }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is never reordered, and an id may be missing
              <tr key={`${id ?? ''} ${index}`} className="border-t">
                <Key text={shown(key)} />
                <td className="tabular-nums">{shown(score)}</td>
                <td className="break-words">
                  <VisibleText>{shown(value)}</VisibleText>
                </td>
                <td className="min-w-36 break-words">
                  <LongText text={shown(comment)} />
                  {correction === null || correction === undefined ? null : (
                    <LongText text={`Corrected: ${shown(correction)}`} className="text-ink-3" />
                  )}
                </td>
              </tr>
            ))}
            {sums.map(([key, sum]) => (
              <tr key={key} className="border-t">
                <Key text={key} />
                <td className="tabular-nums">{shown(get(sum, 'avg'))}</td>
                <td className="break-words">
                  <VisibleText>{valuesOf(get(sum, 'values'))}</VisibleText>
                </td>
                <td className="text-ink-3">{timesOf(get(sum, 'n'))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const Key = ({ text }: { text: string }) => (
  <th scope="row" className="max-w-40 break-words font-medium">
    <VisibleText>{text.slice(0, 200)}</VisibleText>
  </th>
)

const shown = (value: unknown): string =>
  value === null || value === undefined ? NONE : typeof value === 'string' ? value : jsonText(value)
const valuesOf = (values: unknown): string =>
  isRecord(values) && Object.keys(values).length > 0 ? jsonText(values) : NONE
const timesOf = (n: unknown): string =>
  typeof n === 'number' ? `given ${count(n)} ${n === 1 ? 'time' : 'times'}` : NONE
