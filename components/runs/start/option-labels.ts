import type { MultitaskStrategy } from '@/lib/contracts/agents/run-options'
import type { MoreOptions } from './start-options'

// Apart from the options themselves, which pages load before anyone opens the panel with these words.

export const MULTITASK_CHOICES: readonly { value: MultitaskStrategy; label: string; hint: string }[] = [
  { value: 'enqueue', label: 'Wait', hint: 'Starts when the earlier run has ended.' },
  { value: 'reject', label: 'Reject', hint: 'Does not start while another run is active.' },
  {
    value: 'interrupt',
    label: 'Interrupt',
    hint: 'Stops the earlier run and keeps its changes in the thread.',
  },
  { value: 'rollback', label: 'Roll back', hint: 'Stops the earlier run and removes its changes.' },
]

export const MORE_LABELS: Record<keyof MoreOptions, string> = {
  interruptBefore: 'Stop before nodes',
  interruptAfter: 'Stop after nodes',
  recursionLimit: 'Recursion limit',
  tags: 'Tags',
  metadata: 'Metadata',
  webhook: 'Webhook',
  durability: 'Durability',
}
