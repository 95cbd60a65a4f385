import type { ComponentType } from 'react'
import type { DeploymentPlace, ThreadPlace } from '@/lib/contracts/wire/places'
import type { ContextForm } from './composer/context-field'
import type { LightThread } from './use-thread'

/** What a conversation shows of its thread. Features cannot import each other, so the page joins them. */
export type ThreadViews = {
  Context: ContextForm
  /** Several conversations at once. */
  Side: ComponentType<{
    place: DeploymentPlace
    named: string
    serverNow: number
    onRail: () => void
    Context: ContextForm
  }>
  Status: ComponentType<{ status: string | null | undefined }>
  Verbs: ComponentType<{ place: ThreadPlace; metadata: LightThread['metadata'] | undefined; title: string }>
  /** The questions of a thread whose run has no recording. */
  Waiting: ComponentType<ThreadPlace>
  State: ComponentType<ThreadPlace & { assistant: string | undefined; isBusy: boolean }>
  History: ComponentType<ThreadPlace & { assistant: string | undefined }>
}
