import { MORE_LABELS } from '@/components/runs/start/option-labels'
import { readConfiguration } from '@/components/runs/start/prefill'
import { readRequest } from '@/components/runs/start/recorded-request'
import type { MoreOptions } from '@/components/runs/start/start-options'
import { printJson } from '@/lib/json/lossless'
import type { Subject } from '@/lib/stream/experiments'

/** An option of a column; without a value, only others set it. */
export type OptionFact = { name: string; value: string | undefined }

/** What a column's options set, by name. */
function factsOf(options: string | undefined): Map<string, string> {
  const { context, more } = readConfiguration(options ?? '{}')
  const keys = Object.keys(MORE_LABELS) as (keyof MoreOptions)[] // its own keys
  return new Map([
    ...Object.entries(readRequest(context)).map(
      ([key, value]) => [`context.${key}`, typeof value === 'string' ? value : printJson(value)] as const,
    ),
    ...keys.filter((key) => more[key] !== '').map((key) => [MORE_LABELS[key], more[key]] as const),
  ])
}

/** What all columns set alike, and for each column the options in which they differ. */
export function compareOptions(subjects: readonly Pick<Subject, 'options'>[]) {
  const all = subjects.map(({ options }) => factsOf(options))
  const names = [...new Set(all.flatMap((facts) => [...facts.keys()]))]
  const isSame = (name: string) => all.every((facts) => facts.get(name) === all[0]?.get(name))
  const factsIn = (facts: ReadonlyMap<string, string> | undefined, some: readonly string[]): OptionFact[] =>
    some.map((name) => ({ name, value: facts?.get(name) }))
  const different = names.filter((name) => !isSame(name))
  return { same: factsIn(all[0], names.filter(isSame)), columns: all.map((facts) => factsIn(facts, different)) }
}
