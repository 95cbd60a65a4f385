'use client'
import { useState } from 'react'
import { remaining, type StartIssue } from '@/components/runs/start/start-issues'
import { countSet, initialOptions, NO_MORE, type StartOptions } from '@/components/runs/start/start-options'
import { configurationBody, modesIssues } from '@/components/runs/start/start-request'
import { rememberStrategy } from '../composer/multitask'
import type { SideColumn } from './columns'

/** What the composer says of the runs in a column. */
export type SideRunOptions = Pick<StartOptions, 'modes' | 'subgraphs' | 'multitask' | 'more' | 'context'>

/** How runs side by side are started: a context for each assistant, everything else for all of them. */
export function useSideOptions(columns: readonly SideColumn[]) {
  const [shared, setShared] = useState(() => initialOptions('', ''))
  const [contexts, setContexts] = useState<Readonly<Record<string, string>>>({})
  const [issues, setIssues] = useState<readonly StartIssue[]>([])
  const [wrong, setWrong] = useState<Readonly<Record<string, readonly StartIssue[]>>>({})
  const [isOpen, setOpen] = useState(false)
  const contextOf = (key: string) => contexts[key] ?? ''
  return {
    shared,
    issues,
    isOpen,
    contextOf,
    issuesOf: (key: string) => wrong[key] ?? [],
    set: countSet(shared) + columns.filter(({ key }) => contextOf(key) !== '').length,
    toggle: () => setOpen((now) => !now),
    change: (part: Partial<StartOptions>) => {
      if (part.multitask) rememberStrategy(part.multitask)
      setShared((now) => ({ ...now, ...part }))
      setIssues((now) => remaining(now, part))
    },
    changeContext: (key: string, context: string) => {
      setContexts((now) => ({ ...now, [key]: context }))
      setWrong((now) => ({ ...now, [key]: [] }))
    },
    of: (key: string): SideRunOptions => {
      const { modes, subgraphs, multitask, more } = shared
      return { modes, subgraphs, multitask, more, context: contextOf(key) }
    },
    /** Whether they can be sent. Shows what is wrong. */
    check: (): boolean => {
      const ours = [...modesIssues(shared), ...configurationBody(shared).issues].map((one) => ({
        ...one,
        isOurs: true,
      }))
      const theirs = columns.map(
        ({ key }) => [key, configurationBody({ context: contextOf(key), more: NO_MORE }).issues] as const,
      )
      setIssues(ours)
      setWrong(Object.fromEntries(theirs))
      const isFine = ours.length === 0 && theirs.every(([, found]) => found.length === 0)
      if (!isFine) setOpen(true)
      return isFine
    },
  }
}
