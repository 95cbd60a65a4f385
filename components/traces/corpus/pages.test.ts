import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { FeedbackList } from '@/components/traces/trace/feedback-list'
import { CORPUS } from '@/lib/traces/corpus/corpus'
import { isOn, pageOf, sentences } from './testing'

// The page of every run of the corpus, as it was logged.

/** What the page says of a part that it cannot read, or that is empty. */
const ALARMS = ['Not read', 'Partly read', 'No content', 'Result null', 'match the format', 'Nothing logged']

/** The runs that raise one, each with what the package did to it before it was logged. */
const ALARMED: Record<string, string> = {
  'ai sdk: thoughts and a picture of Gemini (at once), google.generative-ai': 'the outer run has a file without data',
  'ai sdk: thoughts and a picture of Gemini (streamed), google.generative-ai': 'the outer run has a file without data',
  'chat: parallel tool calls (streamed), ChatOpenAI': 'two calls are joined into one',
  'gemini: function response and picture in the conversation, ChatGoogleGenerativeAI':
    'the call of the conversation is logged as an empty message',
  'langchain anthropic: a search before the answer, with quotes (streamed), ChatAnthropic':
    'the arguments of a search are kept as an invalid call',
}

const RUNS = CORPUS.flatMap(({ name, runs }) => runs.map((run) => ({ name: `${name}, ${run.name}`, run })))
const PAGES = RUNS.map(({ name, run }) => ({ name, run, page: pageOf(run) }))

test('no run of the corpus is silent: every sentence that was logged is on its page', () => {
  const found = PAGES.flatMap(({ name, run, page }) => {
    const lost = sentences([run.inputs, run.outputs]).filter((text) => !isOn(page, text.replace(/\s+/g, ' ')))
    return lost.length > 0 ? [{ name, lost }] : []
  })
  expect(found).toEqual([])
})

test('no run of the corpus is falsely alarmed: those with an alarm are named with a reason, and no others', () => {
  // A run that failed or never ended has no outputs, and its page says so.
  const found = PAGES.flatMap(({ name, run, page }) => {
    const alarms = ALARMS.filter((text) => page.includes(text))
    return alarms.length > 0 && (run.outputs || alarms.some((text) => text !== 'Nothing logged')) ? [name] : []
  })
  expect([...new Set(found)].sort()).toEqual(Object.keys(ALARMED).sort())
})

test('the decision about the corpus names every degraded case with its reason', () => {
  const file = path.join(import.meta.dirname, '../../../docs/decisions/0056-degraded-traces.md')
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (case|---)/.test(line))
  const lost = CORPUS.flatMap(({ name, lost }) => (lost ? [`| ${name} | ${lost} |`] : []))
  const alarmed = Object.entries(ALARMED).map(([name, why]) => `| ${name} | ${why} |`)
  expect(rows.sort()).toEqual([...lost, ...alarmed].sort())
})

test('feedback is shown as it was given', () => {
  const given = CORPUS.flatMap(({ feedback = [] }) => feedback)
  const html = renderToStaticMarkup(createElement(FeedbackList, { given: given as never, stats: undefined }))
  const texts = given.flatMap(({ key, comment, value, correction }) => [
    key,
    comment,
    value,
    (correction as Record<string, unknown>)?.text,
  ])
  expect(texts.filter((text) => text !== undefined && !html.includes(String(text)))).toEqual([])
  expect(html.match(/<tr/g)).toHaveLength(given.length + 1)
})
