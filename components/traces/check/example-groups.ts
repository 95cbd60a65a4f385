import type { BlockExample } from '@/lib/traces/examples'
import { TRACE_FORMATS } from '@/lib/traces/formats'
import { inMessage } from '@/lib/traces/logged-runs'

type Group = { label: string; examples: { index: number; name: string }[] }

/** The examples by format, each named by what distinguishes it from the others. */
export function exampleGroups(examples: readonly BlockExample[]): Group[] {
  const groups = new Map<string, Group>()
  examples.forEach(({ format, type, reads, block }, index) => {
    const label = TRACE_FORMATS[format].label
    const group = groups.get(label) ?? { label, examples: [] }
    const source = ['url', 'base64', 'id'].find((key) => key in block && reads !== 'tool_call' && 'mime_type' in block)
    const hint = source ? ` by ${source}` : type === reads || !reads ? '' : ` (${reads.replaceAll('_', ' ')})`
    group.examples.push({ index, name: `${type}${hint}` })
    groups.set(label, group)
  })
  return [...groups.values()]
}

/** A complete logged run that contains the block. */
export const exampleText = ({ block }: BlockExample): string =>
  JSON.stringify({ name: 'example', run_type: 'llm', id: 'example', start_time: 0, ...inMessage(block) }, null, 2)
