import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Block, TraceMessage } from '@/lib/traces/blocks/message'
import { at } from '@/lib/traces/blocks/values'
import { CORPUS, type CorpusRun } from '@/lib/traces/corpus/corpus'
import { SILENT_KEYS } from '@/lib/traces/leftover'
import { readRun } from '@/lib/traces/read-run'
import { FormattedRun } from './formatted-run'
import { shownRun } from './shown-run'
import { shownTexts } from './shown-texts'

// Every run of the corpus, as it was logged and with one key spoilt. TRACE_MUTATIONS asks for more of them.

const MUTATIONS = Number(process.env.TRACE_MUTATIONS ?? 250)
const RUNS = CORPUS.flatMap(({ name, runs }) => runs.map((run) => ({ name: `${name}, ${run.name}`, run })))

/** Sentences anywhere in a value, without what is no text: ids and the like under silent keys, and JSON as text. */
function sentences(value: unknown): string[] {
  if (typeof value === 'string') return /\p{L}{2} \p{L}/u.test(value) && !/^\s*[[{]/.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    SILENT_KEYS.has(key) && !isHolder(inner) ? [] : sentences(inner),
  )
}
const isHolder = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** All that the page shows of a run as text. */
function pageText(run: CorpusRun): string {
  const { read, settings, inputs, outputs } = shownRun(run)
  const texts = [inputs, outputs].flatMap(({ messages, rest, value }, index) =>
    messages && !(index === 1 && (read.documents || read.vectors))
      ? [...shownTexts(messages), ...rest.map(({ text }) => text)]
      : [JSON.stringify(value)],
  )
  return `${texts.join('\n')}\n${JSON.stringify(settings)}`
}
const isOn = (page: string, text: string) => page.includes(text) || page.includes(JSON.stringify(text).slice(1, -1))
const missing = (page: string, run: CorpusRun) =>
  sentences([run.inputs, run.outputs]).filter((text) => !isOn(page, text))

const plain = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#x27;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')

/** What a package lost before it logged the run; the page says so where it was. */
const DEGRADED: Record<string, string> = {
  'ai sdk: thoughts and a picture of Gemini (at once), google.generative-ai': 'the outer run has a file without data',
  'ai sdk: thoughts and a picture of Gemini (streamed), google.generative-ai': 'the outer run has a file without data',
  'gemini: function response and picture in the conversation, ChatGoogleGenerativeAI': 'an answer without its call',
}

test('every sentence of every logged run is on its page, and nothing is called unreadable or empty without a reason', () => {
  const found = RUNS.flatMap(({ name, run }) => {
    const html = plain(renderToStaticMarkup(createElement(FormattedRun, { run, isWhole: true })))
    const lost = sentences([run.inputs, run.outputs]).filter((text) => !isOn(html, text.replace(/\s+/g, ' ')))
    const alarms = ['Not read', 'No content', 'Result null'].filter((text) => html.includes(text))
    return lost.length > 0 || (alarms.length > 0 && !DEGRADED[name]) ? [{ name, lost, alarms }] : []
  })
  expect(found).toEqual([])
})

type Place = { path: string; keys: (string | number)[] }

/** Every key and item in a value. */
function placesIn(value: unknown, path: string, keys: (string | number)[]): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value)
  return own.flatMap((key) => {
    const place = { path: at(path, key), keys: [...keys, key] }
    return [place, ...placesIn((value as Record<string, unknown>)[String(key)], place.path, place.keys)]
  })
}

const SPOILT: [string, (value: unknown) => unknown][] = [
  ['removed', () => undefined],
  ['a number', () => 7],
  ['null', () => null],
  ['an empty object', () => ({})],
  ['in a list', (value) => [value]],
  ['in an object', (value) => ({ within: value })],
  ['as text', (value) => (typeof value === 'string' ? value : JSON.stringify(value))],
]

function spoil(run: CorpusRun, keys: readonly (string | number)[], change: (value: unknown) => unknown): CorpusRun {
  const copy = structuredClone(run)
  let holder = copy as unknown as Record<string, unknown>
  for (const key of keys.slice(0, -1)) holder = holder[String(key)] as Record<string, unknown>
  const last = String(keys.at(-1))
  const changed = change(holder[last])
  if (changed === undefined && Array.isArray(holder)) holder.splice(Number(last), 1)
  else if (changed === undefined) delete holder[last]
  else holder[last] = changed
  return copy
}

const isWithin = (path: string, outer: string) =>
  path === outer || (path.startsWith(outer) && /^[.[]/.test(path.slice(outer.length)))
const bodies = (messages: readonly TraceMessage[] | undefined) =>
  (messages ?? []).flatMap(({ blocks }) => blocks.map((block) => [block.places, body(block)] as const))
/** What a block says, wherever it is. */
const body = (block: Block) =>
  JSON.stringify(block, (key, value: unknown) => (key === 'places' || key === 'flaws' ? undefined : value))

test(`of ${MUTATIONS} runs with a spoilt key no text is lost, and only the block concerned is read otherwise`, () => {
  const property = fc.property(
    fc.nat(RUNS.length - 1),
    fc.nat(),
    fc.constantFrom(...SPOILT),
    (index, nth, [how, change]) => {
      const { name, run } = RUNS[index] as (typeof RUNS)[number] // within its length
      const places = [...placesIn(run.inputs, 'inputs', ['inputs']), ...placesIn(run.outputs, 'outputs', ['outputs'])]
      const place = places[nth % Math.max(1, places.length)]
      if (!place) return
      const spoilt = spoil(run, place.keys, change)
      expect({ name, how, path: place.path, lost: missing(pageText(spoilt), spoilt) }).toMatchObject({ lost: [] })
      // Without an item between them, pieces of a stream are one.
      if (how === 'removed' && typeof place.keys.at(-1) === 'number') return
      const [before, after] = [readRun(run), readRun(spoilt)]
      const all = [...bodies(before.inputs), ...bodies(before.outputs)]
      const isOfBlock = all.some(([own]) => own.some((one) => isWithin(place.path, one.path)))
      if (!isOfBlock) return
      const others = all.filter(([own]) => !own.some((one) => isWithin(place.path, one.path))).map(([, text]) => text)
      const now = [...bodies(after.inputs), ...bodies(after.outputs)].map(([, text]) => text)
      expect({ name, how, path: place.path, others: others.filter((text) => !now.includes(text)) }).toMatchObject({
        others: [],
      })
    },
  )
  fc.assert(property, { numRuns: MUTATIONS })
})
