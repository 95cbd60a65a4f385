import { MULTITASK_CHOICES } from '@/components/runs/start/start-options'
import type { MultitaskStrategy } from '@/lib/contracts/agents/run-options'

const KEY = 'pilothouse.multitask'

/** What this browser's user chose before; undefined until then. */
export function rememberedStrategy(): MultitaskStrategy | undefined {
  try {
    return MULTITASK_CHOICES.find(({ value }) => value === localStorage.getItem(KEY))?.value
  } catch {
    return undefined // storage is disabled
  }
}

export function rememberStrategy(value: MultitaskStrategy): void {
  try {
    localStorage.setItem(KEY, value)
  } catch {
    // Storage is disabled: the question comes again.
  }
}
