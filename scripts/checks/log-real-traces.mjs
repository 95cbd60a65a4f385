// Logs runs of real packages against a scripted model server and writes them as the corpus that tests read offline:
//   node scripts/checks/log-real-traces.mjs [--folder .data/real-traces] [--only part-of-a-name]
// With the whole name of a file, only that file is written.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { cases as aiSdk } from './real-traces/cases/ai-sdk.mjs'
import { cases as anthropic } from './real-traces/cases/anthropic.mjs'
import { cases as brokenStreams } from './real-traces/cases/broken-streams.mjs'
import { cases as feedback } from './real-traces/cases/feedback.mjs'
import { cases as gemini } from './real-traces/cases/gemini.mjs'
import { cases as langchainOpenai } from './real-traces/cases/langchain-openai.mjs'
import { cases as langchainOthers } from './real-traces/cases/langchain-others.mjs'
import { cases as moreProviders } from './real-traces/cases/more-providers.mjs'
import { cases as openaiChat } from './real-traces/cases/openai-chat.mjs'
import { cases as openaiResponses } from './real-traces/cases/openai-responses.mjs'
import { cases as spans } from './real-traces/cases/spans.mjs'
import { startModelServer, startRecorder } from './real-traces/model-server.mjs'
import { plainRuns } from './real-traces/plain-runs.mjs'
import { loadConversion, plainSpans } from './real-traces/plain-spans.mjs'
import { toolbox } from './real-traces/toolbox.mjs'

/** Exact versions, so that the corpus says what it holds. */
const PACKAGES = {
  langsmith: '0.12.0',
  openai: '7.57.0',
  '@anthropic-ai/sdk': '1.12.0',
  '@google/genai': '3.1.0',
  langchain: '1.5.14',
  '@langchain/core': '1.4.0',
  '@langchain/openai': '1.6.0',
  '@langchain/anthropic': '1.5.11',
  '@langchain/google-genai': '2.3.2',
  '@langchain/mistralai': '1.2.0',
  '@langchain/ollama': '1.3.0',
  '@langchain/langgraph': '1.7.3',
  ai: '6.0.325',
  '@ai-sdk/openai': '3.0.141',
  '@ai-sdk/anthropic': '3.0.140',
  '@ai-sdk/google': '3.0.141',
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/sdk-trace-node': '2.12.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.1',
  '@traceloop/instrumentation-openai': '0.27.0',
  '@arizeai/openinference-instrumentation-openai': '4.2.7',
  zod: '4.6.7',
}
/** @type {Record<string, any[]>} */
const FILES = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  anthropic,
  gemini,
  'langchain-openai': langchainOpenai,
  'langchain-others': langchainOthers,
  'ai-sdk': aiSdk,
  'more-providers': moreProviders,
  'broken-streams': brokenStreams,
  feedback,
  spans,
}

const root = path.resolve(import.meta.dirname, '../..')
const { values } = parseArgs({ options: { folder: { type: 'string' }, only: { type: 'string' } } })
const folder = path.resolve(values.folder ?? path.join(root, '.data/real-traces'))
const corpus = path.join(root, 'lib/traces/corpus')

mkdirSync(folder, { recursive: true })
writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }, null, 2))
const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
if (spawnSync('npm', install, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0) process.exit(1)

const models = await startModelServer()
const recorder = await startRecorder()
Object.assign(process.env, {
  LANGSMITH_TRACING: 'true',
  LANGSMITH_ENDPOINT: recorder.url,
  LANGSMITH_API_KEY: 'a-key-of-the-recorder',
  LANGSMITH_PROJECT: 'corpus',
  LANGCHAIN_CALLBACKS_BACKGROUND: 'false',
})
const tools = toolbox(folder, models.url)
const runsOfSpans = await loadConversion(root, folder)

/** Waits until every run of a case has arrived. A run whose end was never logged stays open. */
async function logged() {
  let before = -1
  for (let quiet = 0; quiet < 4; ) {
    await new Promise((resolve) => setTimeout(resolve, 150))
    const now = recorder.count * 1000 + recorder.openCount
    quiet = now === before && recorder.count > 0 ? quiet + 1 : now === before ? quiet + 0.25 : 0
    before = now
  }
  return recorder.take()
}

/** What was given, in the order of the keys. */
const plainFeedback = (given) =>
  given
    .map(({ key, score, value, comment, correction }) => ({ key, score, value, comment, correction }))
    .sort((a, b) => a.key.localeCompare(b.key))

async function logCase(one, stream) {
  models.script(one.answers)
  let failure
  try {
    await one.call({ ...tools, stream })
  } catch (error) {
    failure = error
  }
  const own = await logged()
  const { spans, feedback } = recorder.takeOthers()
  const places = { folder, models: models.url }
  const request = spans.length > 0 ? plainRuns([plainSpans(spans)], places)[0] : undefined
  const runs = request ? plainRuns(runsOfSpans(request), places) : plainRuns(own, places)
  const name = one.streams?.length === 2 ? `${one.name} (${stream ? 'streamed' : 'at once'})` : one.name
  if (!!failure !== !!one.isFailing) console.error(`${name}: ${failure?.stack ?? 'did not fail'}`)
  if (runs.length === 0) console.error(`${name}: nothing was logged`)
  const { why, tokens, ...read } = one.lost ?? ((stream && one.lostInStream) || {})
  const reads = why && !Array.isArray(one.reads) ? { ...one.reads, ...read } : one.reads
  const more = {
    ...(tokens && { lostTokens: tokens }),
    ...(request && { spans: request }),
    ...(feedback.length > 0 && { feedback: plainFeedback(feedback) }),
  }
  return { name, isStreamed: stream, reads, lost: why, answered: models.said, runs, ...more }
}

mkdirSync(corpus, { recursive: true })
for (const [file, cases] of Object.entries(FILES)) {
  const done = []
  for (const one of cases) {
    if (values.only && !`${file} ${one.name}`.includes(values.only)) continue
    for (const stream of one.streams ?? [false]) done.push(await logCase(one, stream))
  }
  if (done.length === 0) continue
  const kept = done.filter(({ runs }) => runs.length > 0)
  const text = JSON.stringify(
    { logged: new Date().toISOString().slice(0, 10), packages: PACKAGES, cases: kept },
    null,
    1,
  )
  if (!values.only || values.only === file) writeFileSync(path.join(corpus, `${file}.json`), `${text}\n`)
  else console.log(text)
  console.log(`${file}: ${kept.length} cases, ${Math.round(text.length / 1000)} kB`)
}
models.close()
recorder.close()
process.exit(0)
