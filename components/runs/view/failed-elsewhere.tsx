import Link from 'next/link'
import { LongText } from '@/components/shared/text/long-text'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import type { ThreadTask } from '@/lib/contracts/agents/threads'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { jsonText } from '@/lib/json/value'
import { routes } from '@/lib/routes'

type Props = { place: ThreadPlace; task: Pick<ThreadTask, 'name' | 'error'> }

/** Why the last run of a thread failed, as the thread's state says it: that run has no recording. */
export const FailedElsewhere = ({ place: { workspace, deploymentId, thread }, task: { name, error } }: Props) => (
  <section
    aria-label="Failure"
    className="mx-auto mb-3 w-[calc(100%-1.5rem)] max-w-[54.5rem] rounded-lg border border-error/40 bg-error-soft px-3 py-2 text-sm"
  >
    <h2 className="font-semibold">
      Failed{' '}
      <span className="font-normal text-ink-2">
        in{' '}
        <code className="font-mono">
          <VisibleText>{name}</VisibleText>
        </code>
      </span>
    </h2>
    <LongText text={typeof error === 'string' ? error : jsonText(error)} className="mt-1 font-mono text-xs" />
    <Button asChild size="sm" className="mt-2">
      <Link prefetch={false} href={routes.runs(workspace, deploymentId, { thread })}>
        Runs of this thread
      </Link>
    </Button>
  </section>
)
