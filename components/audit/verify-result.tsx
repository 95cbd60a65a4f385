import { ShieldAlert, ShieldCheck } from 'lucide-react'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { count } from '@/lib/format/format'

export type AuditReportShown = {
  isWhole: boolean
  rows: number
  /** How many were exported and removed. */
  removed: number
  problems: string[]
  at: number
}

/** Whether any row of the console's audit trail was changed, inserted, moved or removed, as far as this is known. */
export function VerifyResult({ report }: { report: AuditReportShown | undefined }) {
  if (!report)
    return <p className="mb-3 text-ink-3 text-xs">The log has not been verified since this console started.</p>
  const { isWhole, rows, removed, problems, at } = report
  return (
    <section
      aria-label="Verification result"
      className={`mb-3 flex items-start gap-2.5 rounded-md border px-3 py-2 ${isWhole ? 'border-ok/30 bg-ok-soft' : 'border-error/30 bg-error-soft'}`}
    >
      {isWhole ? (
        <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" />
      ) : (
        <ShieldAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-error" />
      )}
      <div className="min-w-0">
        <p>
          {isWhole
            ? `The log is intact: all ${count(rows)} entries of this console are unchanged.`
            : `The log was changed (${count(rows)} entries).`}{' '}
          {removed > 0 ? `${count(removed)} older entries were exported and removed. ` : null}
          <span className="text-ink-2">
            Checked <RelativeTime at={at} />.
          </span>
        </p>
        {problems.length > 0 ? (
          <ul className="mt-1 list-disc pl-4 text-ink-2">
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        ) : null}
      </div>
    </section>
  )
}
