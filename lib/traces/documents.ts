import { isRecord } from '@/lib/json/guards'
import type { Block } from './blocks/message'
import { readBlock } from './blocks/read-block'
import { at, get, listOf } from './blocks/values'

/** Outputs other than messages: documents that were found, and vectors. */

const KEYS = ['documents', 'output', 'outputs', 'results'] as const

const isDocument = (value: unknown): boolean =>
  isRecord(value) && [value.pageContent, value.page_content].some((text) => typeof text === 'string')

/** The documents of a retriever, plain or as serialised classes; undefined if the outputs are something else. */
export function documentsOf(outputs: unknown): Block[] | undefined {
  const [list, path] = Array.isArray(outputs) ? [outputs, 'outputs'] : listed(outputs)
  const bodies = list.map((one) => (get(one, 'lc') === undefined ? one : get(one, 'kwargs')))
  if (!bodies.some(isDocument)) return undefined
  return bodies.map((body, index) => {
    const here = at(path, index)
    const block = readBlock({ ...(body as object), type: 'source' }, here)
    return { ...block, places: [{ path: here, raw: list[index] }] }
  })
}

function listed(outputs: unknown): [readonly unknown[], string] {
  const key = KEYS.find((one) => listOf(get(outputs, one)).length > 0)
  return key ? [listOf(get(outputs, key)), at('outputs', key)] : [[], 'outputs']
}

/** The dimension of each vector of an embedding; undefined if the outputs are something else. */
export function vectorsOf(outputs: unknown): number[] | undefined {
  const value = ['data', 'embeddings', 'embedding', 'output', 'outputs']
    .map((key) => get(outputs, key))
    .find(Array.isArray)
  const list = Array.isArray(outputs) ? outputs : value
  if (!Array.isArray(list) || list.length === 0) return undefined
  if (list.length > 2 && list.every(isNumber)) return [list.length]
  const vectors = list.map((one) => (Array.isArray(one) ? one : get(one, 'embedding')))
  const isVector = (one: unknown): one is number[] => Array.isArray(one) && one.length > 0 && one.every(isNumber)
  return vectors.every(isVector) ? vectors.map((one) => one.length) : undefined
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
