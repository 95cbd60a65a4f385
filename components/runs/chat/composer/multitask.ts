import { MULTITASK_STRATEGIES, type MultitaskStrategy } from '@/lib/contracts/agents/run-options'

const KEY = 'pilothouse.multitask'

/** What this browser's user chose before; undefined until then. */
export function rememberedStrategy(): MultitaskStrategy | undefined {
  try {
    return MULTITASK_STRATEGIES.find((one) => one === localStorage.getItem(KEY))
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
