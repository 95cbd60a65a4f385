import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ShownRun, shownRun } from '@/components/traces/common/shown-run'
import { shownTexts } from '@/components/traces/common/shown-texts'
import { type Block, innerBlocks, type TraceMessage } from '@/lib/traces/blocks/message'
import { at, parseText } from '@/lib/traces/blocks/values'
import { CORPUS, type CorpusRun } from '@/lib/traces/corpus/corpus'
import { SILENT_KEYS, textsIn } from '@/lib/traces/leftover'
import { isOn, pageOf, sentences } from './testing'

// Runs of the corpus with one key removed or changed in type. TRACE_MUTATIONS asks for more of them, `all` for each one.

type Key = string | number
type Place = { path: string; keys: Key[] }

/** Every key and item in a value. */
function placesIn(value: unknown, path: string, keys: Key[]): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value)
  return own.flatMap((key) => {
    const place = { path: at(path, key), keys: [...keys, key] }
    return [place, ...placesIn((value as Record<string, unknown>)[String(key)], place.path, place.keys)]
  })
}

/** Ways to spoil a value; `keeps` what it says in another shape. */
const WAYS: { how: string; keeps: boolean; change: (value: unknown) => unknown }[] = [
  { how: 'removed', keeps: false, change: () => undefined },
  { how: 'a number', keeps: false, change: () => 7 },
  { how: 'null', keeps: false, change: () => null },
  { how: 'an empty object', keeps: false, change: () => ({}) },
  { how: 'in a list', keeps: true, change: (value) => [value] },
  { how: 'in an object', keeps: true, change: (value) => ({ within: value }) },
  { how: 'as text', keeps: true, change: (value) => (typeof value === 'string' ? value : JSON.stringify(value)) },
]
type Case = { name: string; run: CorpusRun; place: Place; way: (typeof WAYS)[number] }

const CASES: readonly Case[] = CORPUS.flatMap(({ name, runs }) =>
  runs.flatMap((run) =>
    [...placesIn(run.inputs, 'inputs', ['inputs']), ...placesIn(run.outputs, 'outputs', ['outputs'])].flatMap((place) =>
      WAYS.map((way) => ({ name: `${name}, ${run.name}`, run, place, way })),
    ),
  ),
)

const valueAt = (run: CorpusRun, keys: readonly Key[]) =>
  keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[String(key)], run)

function spoil({ run, place: { keys }, way: { change } }: Case): CorpusRun {
  const copy = structuredClone(run)
  const holder = valueAt(copy, keys.slice(0, -1)) as Record<string, unknown>
  const last = String(keys.at(-1))
  const changed = change(holder[last])
  if (changed === undefined && Array.isArray(holder)) holder.splice(Number(last), 1)
  else if (changed === undefined) delete holder[last]
  else holder[last] = changed
  return copy
}

/** All that the page shows of a run as text. */
function pageText({ read, settings, inputs, outputs }: ShownRun, run: CorpusRun): string {
  const texts = [inputs, outputs].flatMap(({ messages, rest }, index) =>
    messages && !(index === 1 && (read.documents || read.vectors))
      ? [...shownTexts(messages), ...rest.map(({ text }) => text)]
      : [JSON.stringify(index === 0 ? run.inputs : run.outputs)],
  )
  return `${texts.join('\n')}\n${JSON.stringify(settings)}`
}

const isWithin = (path: string, outer: string) =>
  path === outer || (path.startsWith(outer) && /^[.[]/.test(path.slice(outer.length)))
const isNear = (block: Block, path: string) =>
  block.places.some((one) => isWithin(path, one.path) || isWithin(one.path, path))
const blocksOf = ({ read }: ShownRun): Block[] =>
  [...(read.inputs ?? []), ...(read.outputs ?? [])].flatMap(({ blocks }: TraceMessage) => blocks)
const withInner = (block: Block): Block[] => [block, ...innerBlocks(block).flatMap(withInner)]

const ABOUT_BLOCKS = new Set(['places', 'flaws'])
/** What a block says, wherever it is. */
const body = (block: Block) =>
  JSON.stringify(block, (key, value: unknown) => (ABOUT_BLOCKS.has(key) ? undefined : value))
const wordsOf = (blocks: readonly Block[]) => blocks.map((block) => body(block).replaceAll('\\', '')).join('\n')

/** The labels of the raw views of a block, or of what is left of it. Undefined if its side is shown as JSON. */
function labelsOf(after: ShownRun, block: Block, here: readonly Block[], { keys }: Place): string[] | undefined {
  const side = keys[0] === 'inputs' ? after.inputs : after.outputs
  if (!side.messages) return undefined
  const all = here.flatMap(withInner)
  const raw = all.flatMap((one) => (one.type === 'raw' ? [`Not read: ${one.reason}`] : []))
  const partly = all
    .flatMap((one) => (one.type === 'raw' ? [] : one.flaws.slice(0, 1)))
    .map(({ reason }) => `Partly read: ${reason}`)
  const rest = side.rest.some(({ path }) => isNear(block, path)) ? [`Also logged (${side.rest.length})`] : []
  return [...raw, ...partly, ...rest]
}

/** Whether a key's own value is nothing that the page shows: names of types, places in a stream, a free object. */
const isUnsaid = ({ keys }: Place) =>
  keys.some(
    (key) => SILENT_KEYS.has(String(key)) || key === 'index' || key === 'providerMetadata' || key === 'metadata',
  )

/** Whether a text occurs with no letter, digit or `_` next to it. */
function says(all: string, text: string): boolean {
  for (let index = all.indexOf(text); index >= 0; index = all.indexOf(text, index + 1))
    if (!/\w/.test(`${all[index - 1] ?? ''}${all[index + text.length] ?? ''}`)) return true
  return false
}

/** The texts of a value, and those inside JSON text. */
const wordsIn = (value: unknown): string[] =>
  textsIn({ value }).flatMap((text) => {
    const parsed = /^\s*[[{]/.test(text) ? parseText(text).value : undefined
    return parsed === undefined ? [text] : wordsIn(parsed)
  })

/** What the block no longer says though it is still logged in it, and the 7 that it does not say either. */
function silentOf({ run, place, way }: Case, block: Block, here: readonly Block[]): string[] {
  const [before, now] = [wordsOf([block]), wordsOf(here)]
  const own = new Set(wordsIn(valueAt(run, place.keys)))
  const texts = block.places.flatMap(({ raw }) => wordsIn(raw))
  const lost = texts.filter((text) => says(before, text) && !says(now, text) && (way.keeps || !own.has(text)))
  const isPassedOver = way.how === 'a number' && typeof valueAt(run, place.keys) !== 'number' && !now.includes('7')
  return isUnsaid(place) ? [] : [...lost, ...(isPassedOver ? ['7'] : [])]
}

/** What is wrong with a spoilt run; its other blocks must say what they said, the one concerned all, or that it cannot. */
function check(one: Case) {
  const { name, run, place, way } = one
  const about = { name, how: way.how, path: place.path }
  const spoilt = spoil(one)
  const after = shownRun(spoilt)
  const page = pageText(after, spoilt)
  const lost = sentences([spoilt.inputs, spoilt.outputs]).filter((text) => !isOn(page, text))
  expect({ ...about, lost }).toEqual({ ...about, lost: [] })
  // Without an item between them, pieces of a stream are one.
  if (way.how === 'removed' && typeof place.keys.at(-1) === 'number') return
  const before = blocksOf(shownRun(run))
  const concerned = before.filter((block) => block.places.some(({ path }) => isWithin(place.path, path)))
  if (concerned.length === 0) return
  const now = blocksOf(after)
  const bodies = now.map(body)
  const others = before.filter((block) => !concerned.includes(block)).map(body)
  expect({ ...about, others: others.filter((text) => !bodies.includes(text)) }).toEqual({ ...about, others: [] })
  for (const block of concerned) {
    if (bodies.includes(body(block))) continue
    const here = now.filter(({ places }) => places.some(({ path }) => isNear(block, path)))
    const labels = labelsOf(after, block, here, place)
    if (!labels) continue
    if (labels.length === 0) expect({ ...about, silent: silentOf(one, block, here) }).toEqual({ ...about, silent: [] })
    else {
      const html = pageOf(spoilt)
      const absent = labels.filter((label) => !html.includes(label.slice(0, LABEL)))
      expect({ ...about, absent }).toEqual({ ...about, absent: [] })
    }
  }
}
/** Characters of a label that the page shows. */
const LABEL = 160

const asked = process.env.TRACE_MUTATIONS ?? '250'
test(`of ${asked} runs with a spoilt key no text is lost, and only the block concerned degrades, to a labelled raw view`, () => {
  if (asked === 'all') for (const one of CASES) check(one)
  else
    fc.assert(
      fc.property(fc.nat(CASES.length - 1), (index) => check(CASES[index] as Case)), // within its length
      { numRuns: Number(asked) },
    )
}, 900_000)
