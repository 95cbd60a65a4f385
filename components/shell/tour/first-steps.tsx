'use client'
import { CheckCircle2, Circle, X } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { useState } from 'react'
import { Panel } from '@/components/shared/layout/panel'
import { Button } from '@/components/ui/button'
import { withBasePath } from '@/lib/base-path'
import { rememberInBrowser, STEPS_COOKIE } from './places'

export type FirstStep = { label: string; isDone: boolean; href: Route; help: string }

/** What an administrator of a new workspace may want to do, until it is done or dismissed in this browser. */
export function FirstSteps({ steps }: { steps: readonly FirstStep[] }) {
  const [isOpen, setOpen] = useState(true)
  if (!isOpen) return null
  const done = steps.filter(({ isDone }) => isDone).length
  function dismiss() {
    rememberInBrowser(STEPS_COOKIE)
    setOpen(false)
  }
  return (
    <Panel
      title={`First steps: ${done} of ${steps.length} done`}
      action={
        <Button variant="ghost" size="icon" aria-label="Dismiss first steps" onClick={dismiss}>
          <X aria-hidden />
        </Button>
      }
    >
      <ul className="flex flex-col gap-1">
        {steps.map(({ label, isDone, href, help }) => (
          <li key={label} className="flex flex-wrap items-center gap-x-2">
            {isDone ? (
              <CheckCircle2 role="img" aria-label="Done" className="size-4 text-ok" />
            ) : (
              <Circle role="img" aria-label="To do" className="size-4 text-ink-3" />
            )}
            <Link href={href} className={isDone ? 'text-ink-2' : 'font-medium hover:underline'}>
              {label}
            </Link>
            <a
              href={withBasePath(help)}
              target="_blank"
              rel="noreferrer"
              className="text-accent text-xs hover:underline"
            >
              Documentation<span className="sr-only"> of: {label}</span>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
