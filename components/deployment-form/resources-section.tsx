'use client'
import { ChevronRight } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'
import type { SectionProps } from './create-values'
import { problemsOf } from './resource-spec/check'
import { type Refusal, standingRefusals } from './resource-spec/refusals'

const SpecEditor = dynamic(() => import('./resource-spec/spec-editor').then((module) => module.SpecEditor), {
  ssr: false,
  loading: () => <Skeleton className="h-80" />,
})

type ResourcesSectionProps = Omit<SectionProps, 'workspace'> & {
  /** What the server rejected in the last request. */
  refusals: readonly Refusal[]
  isReadOnly: boolean
}

/** The resources of an image, in the editor of the settings page. Hidden, it keeps what was typed. */
export function ResourcesSection({ values, issues, change, refusals, isReadOnly }: ResourcesSectionProps) {
  const { spec, textProblem } = values.resourceSpec
  const isImage = values.source === 'external_docker'
  const [isOpen, setOpen] = useState(false)
  if (issues.resourceSpec !== undefined && !isOpen) setOpen(true)
  const set = Object.keys(spec).length
  const problems = useMemo(
    () => (isImage ? [...problemsOf(spec), ...standingRefusals(refusals, spec)] : []),
    [isImage, spec, refusals],
  )
  return (
    <section aria-label="Resources" hidden={!isImage} className="flex min-w-0 flex-col gap-3">
      <div className="rounded-lg border bg-panel p-4">
        <h2 className="font-semibold text-base">Resources</h2>
        <p className="mt-0.5 text-ink-3 text-xs">
          Optional. Fields that you leave empty use the server’s defaults.
          {set > 0 ? ` ${set} ${set === 1 ? 'field is' : 'fields are'} set.` : null}
        </p>
        <Button className="mt-3" aria-expanded={isOpen} aria-controls="create-spec" onClick={() => setOpen(!isOpen)}>
          <ChevronRight aria-hidden className={cn(isOpen && 'rotate-90')} />
          Set resources
        </Button>
        <p role="alert" className="mt-2 text-error text-xs empty:hidden">
          {issues.resourceSpec}
        </p>
      </div>
      <div id="create-spec" hidden={!isOpen} className="flex min-w-0 flex-col gap-3">
        {(isOpen && isImage) || set > 0 || textProblem ? (
          <SpecEditor
            draft={spec}
            problems={problems}
            textProblem={textProblem}
            isReadOnly={isReadOnly}
            onChange={(next) => change({ resourceSpec: { spec: next } })}
            onTextProblem={(problem) => change({ resourceSpec: { spec, textProblem: problem } })}
          />
        ) : null}
      </div>
    </section>
  )
}
