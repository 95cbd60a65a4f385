import { ROLES } from '@/lib/contracts/wire/api'
import type { Rights } from '@/lib/contracts/wire/rights'

/** The most names of one role that are told. */
const MOST_NAMES = 3
const SHORT = 8

/** Rights in words: "Developer of concierge and researcher", "Viewer; developer of concierge". */
export function rightsInWords({ role, deployments }: Rights, names: Record<string, string>): string {
  const parts = [...ROLES].reverse().flatMap((one) => {
    const ids = Object.keys(deployments).filter((id) => deployments[id] === one)
    return ids.length > 0
      ? [`${one} of ${listed(ids.map((id) => names[id] ?? `deployment ${id.slice(0, SHORT)}`))}`]
      : []
  })
  const words = [...(role ? [role] : []), ...parts].join('; ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function listed(names: string[]): string {
  const sorted = names.sort((left, right) => left.localeCompare(right))
  const rest = sorted.length - MOST_NAMES
  const told = rest > 1 ? [...sorted.slice(0, MOST_NAMES), `${rest} others`] : sorted
  return told.length === 1 ? (told[0] ?? '') : `${told.slice(0, -1).join(', ')} and ${told.at(-1)}`
}
