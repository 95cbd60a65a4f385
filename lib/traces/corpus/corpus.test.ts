import { expect, test } from 'vitest'
import { type Block, innerBlocks, type TraceMessage } from '../blocks/message'
import { readCitation } from '../blocks/sources'
import { usageOf } from '../facts'
import { joinTools } from '../join-tools'
import { lightRun, type RunRecord, tokenParts } from '../light-run'
import { readRun } from '../read-run'
import { CORPUS, type CorpusCase, type CorpusRun, type ReadBlock, type Reading } from './corpus'

// What each logged run reads as, against what the provider's documentation says that it means.

const cases = CORPUS.flatMap((one) =>
  [one.reads].flat().map((reads) => [`${one.name}: ${reads.run}`, one, reads] as const),
)

/** The run of that name that the reading is about. */
function runOf({ runs }: CorpusCase, { run, type, nth = 0, says = [] }: Reading): CorpusRun {
  const names = new RegExp(run)
  const isSaid = ({ inputs, outputs }: CorpusRun) =>
    says.every((text) => JSON.stringify([inputs, outputs]).includes(text))
  const found = runs.filter((one) => names.test(one.name) && (!type || one.run_type === type) && isSaid(one))[nth]
  if (!found) throw new Error(`No run ${run} among ${runs.map(({ name }) => name).join(', ')}`)
  return found
}

/** Every text inside a block. */
function textsOf(block: Block): string[] {
  const own = 'text' in block && block.text ? [block.text] : []
  const output = 'output' in block ? block.output : 'result' in block ? block.result?.output : undefined
  const plain = 'source' in block && block.source.from === 'text' ? [block.source.text] : []
  const inner = innerBlocks(block).flatMap(textsOf)
  return [...own, ...plain, ...(inner.length > 0 ? inner : output === undefined ? [] : [said(output)])]
}
const said = (output: unknown) => (typeof output === 'string' ? output : JSON.stringify(output))

/** A block in the notation of the readings; `like` tells which of its keys matter. */
function brief(block: Block, like: ReadBlock | undefined): ReadBlock {
  if (typeof like === 'string') return block.type === 'text' ? block.text : body(block)
  const keys = like ?? {}
  const found: Record<string, unknown> = {}
  for (const key of Object.keys(keys)) found[key] = keyOf(block, key, keys[key])
  return like === undefined ? body(block) : found
}
const body = ({ places: _, ...rest }: Block) => ({ ...rest })

function keyOf(block: Block, key: string, like: unknown): unknown {
  switch (key) {
    case 'text':
    case 'document':
      return 'text' in block ? block.text : undefined
    case 'reasoning':
    case 'refusal':
      return block.type === key ? block.text : block.type
    case 'hidden':
      return block.type === 'reasoning' && block.isHidden ? like : block.type
    case 'call':
      return /^(server_)?tool_call$/.test(block.type) && !('result' in block) && 'name' in block
        ? block.name
        : block.type
    case 'server':
      return block.type === 'server_tool_call' ? block.name : block.type
    case 'id':
      return 'id' in block ? block.id : undefined
    case 'args': {
      const args = 'args' in block ? (block.args as Record<string, unknown>) : undefined
      return Object.fromEntries(Object.keys(like as object).map((name) => [name, args?.[name]]))
    }
    case 'rawArgs':
      return 'args' in block ? block.args : undefined
    case 'name':
      return 'name' in block ? block.name : 'title' in block ? block.title : undefined
    case 'reference':
      return block.type === 'reference' ? block.id : block.type
    case 'status':
      return 'result' in block ? block.result?.status : 'status' in block ? block.status : undefined
    case 'result':
      if (!Array.isArray(like)) return 'toolCallId' in block ? block.toolCallId : block.type
      return 'result' in block ? resultOf(block, like as ReadBlock[]) : block.type
    case 'blocks':
      return innerBlocks(block).map((one, index) => brief(one, (like as ReadBlock[])[index]))
    case 'says':
      return textsOf(block).join('\n').includes(String(like)) ? like : textsOf(block).join('\n')
    case 'image':
    case 'audio':
    case 'file':
      if (block.type !== key) return block.type
      return block.source.from === 'url' ? block.source.url : block.mimeType
    case 'source':
      return block.type === 'source' ? block.url : block.type
    case 'cites': {
      if (block.type !== 'text') return block.type
      return (block.annotations ?? []).map((one) => {
        const { url, title, quote } = readCitation(one, block.text) ?? {}
        return [url ?? null, title, quote]
      })
    }
    default:
      return (block as unknown as Record<string, unknown>)[key]
  }
}

function resultOf(block: Block, like: readonly ReadBlock[]): unknown {
  const inner = innerBlocks(block)
  if (inner.length > 0) return inner.map((one, index) => brief(one, like[index]))
  return [said('result' in block ? block.result?.output : undefined)]
}

const messages = (found: readonly TraceMessage[] | undefined, like: Reading['inputs']) =>
  found?.map(({ role, blocks }, index) => [
    role,
    ...blocks.map((block, place) => brief(block, like?.[index]?.[place + 1])),
  ])

test.each(cases)('%s', (_, one, reads) => {
  const run = runOf(one, reads)
  const read = readRun(run)
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? null)) as unknown
  if (reads.inputs) expect(plain(messages(read.inputs, reads.inputs))).toEqual(plain(reads.inputs))
  if (reads.outputs) expect(plain(messages(read.outputs, reads.outputs))).toEqual(plain(reads.outputs))
  // No false alarm, unless the package itself broke something.
  if (!one.lost) expect(read.flaws).toEqual([])
  if (reads.finish) expect(read.finish?.kind).toBe(reads.finish)
  if (reads.error) expect(String(run.error)).toContain(reads.error)
  if (reads.status) expect(lightRun(run as RunRecord).status).toBe(reads.status)
  const joined = joinTools([...(read.inputs ?? []), ...(read.outputs ?? [])])
  for (const [id, [status, text]] of Object.entries(reads.results ?? {})) {
    const result = joined.results.get(id)
    const inner = (result?.blocks ?? []).flatMap(textsOf)
    const texts = inner.length > 0 ? inner : [said(result?.output)]
    expect([result?.status ?? 'success', texts.join('\n')]).toEqual([status, expect.stringContaining(text)])
  }
  if (reads.documents)
    expect(
      read.documents?.map((block) => [keyOf(block, 'text', 0), keyOf(block, 'title', 0), keyOf(block, 'score', 0)]),
    ).toEqual(reads.documents)
  if (reads.vectors) expect(read.vectors).toEqual(reads.vectors)
  if (reads.usage) expect(usage(run, reads.usage)).toEqual(reads.usage)
})

/** The counts that the reading names. */
function usage(run: CorpusRun, like: Record<string, number>) {
  const found = usageOf(run)
  const parts = tokenParts(found?.inputDetails, found?.outputDetails)
  const all: Record<string, unknown> = {
    ...{ input: found?.input, output: found?.output, total: found?.total },
    ...{ cache_read: parts.cached, cache_write: parts.cacheWritten, cache_write_1h: parts.cacheWritten1h },
    ...{ cache_write_5m: (parts.cacheWritten ?? 0) - (parts.cacheWritten1h ?? 0), reasoning: parts.reasoning },
    ...{ audio_in: parts.audioIn, audio_out: parts.audioOut },
  }
  return Object.fromEntries(Object.keys(like).map((key) => [key, all[key]]))
}
