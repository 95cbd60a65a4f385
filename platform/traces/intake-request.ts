import { MULTIPART_FIELDS, type MultipartField, parsePartName } from '@/lib/contracts/traces/intake'
import { isRecord, isUuid } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'
import type { Json } from '@/lib/traces/blocks/values'
import type { Part } from './multipart'

/** One request's post or patch of one run: its small fields, and the JSON texts of the large ones. */
export type RunUpdate = {
  kind: 'post' | 'patch'
  id: string
  main: Json
  fields: Partial<Record<MultipartField, Buffer>>
}
export type Attachment = { runId: string; name: string; contentType: string; data: Buffer }
export type Problem = { loc: (string | number)[]; msg: string; type: string }

/** An id in its stored form. */
export const uuidOf = (value: unknown): string | undefined =>
  typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined

/** Collects the contents of a request. Unusable parts are reported, the rest is processed. */
export class IntakeRequest {
  readonly problems: Problem[] = []
  attachments: Attachment[] = []
  feedback: Json[] = []
  readonly #pieces = new Map<string, RunUpdate>()
  /** Bytes of the body so far, uncompressed. */
  bytes = 0
  /** Runs dropped after they were read. */
  dropped = 0

  get runs(): RunUpdate[] {
    return [...this.#pieces.values()]
  }

  /** Drops what is said about a run. */
  drop({ kind, id }: RunUpdate): void {
    if (this.#pieces.delete(`${kind} ${id}`)) this.dropped += 1
  }

  refuse(loc: (string | number)[], msg: string, type = 'value_error'): undefined {
    // Limited, because a line for each of a thousand bad parts would exceed some clients' response limit.
    if (this.problems.length < 100) this.problems.push({ loc: ['body', ...loc], msg, type })
  }

  /** One part of a multipart body. */
  add(part: Part): undefined {
    const { name, data, length } = part
    const parsed = parsePartName(name)
    if (!parsed) return this.refuse([name], 'No part of this name is known')
    if (length !== undefined && length !== data.length)
      return this.refuse([name], `The part has ${data.length} bytes, its length says ${length}`, 'length')
    if (parsed.kind === 'feedback') return this.#addFeedback(name, data)
    const id = uuidOf(parsed.runId)
    if (!id) return this.refuse([name], 'Input should be a valid UUID', 'uuid_parsing')
    if (parsed.kind === 'attachment') {
      this.attachments.push({ runId: id, name: parsed.name, contentType: part.contentType, data: Buffer.from(data) })
      return undefined
    }
    const value = this.#parse(data, [name])
    if (!value) return
    const piece = this.#piece(parsed.kind, id)
    if (parsed.field === 'extra' && !isRecord(value.json))
      return this.refuse([name], 'Input should be a valid dictionary', 'dict_type')
    if (parsed.field) piece.fields[parsed.field] = data
    else if (isRecord(value.json)) this.#fill(piece, value.json, [name])
    else this.refuse([name], 'Input should be a valid dictionary', 'dict_type')
  }

  /** A run of a JSON body, its large fields still in it. */
  addRun(kind: 'post' | 'patch', run: unknown, loc: (string | number)[], givenId?: string): undefined {
    if (!isRecord(run)) return this.refuse(loc, 'Input should be a valid dictionary', 'dict_type')
    const id = uuidOf(givenId ?? run.id)
    if (!id) return this.refuse([...loc, 'id'], 'Input should be a valid UUID', 'uuid_parsing')
    this.#fill(this.#piece(kind, id), run, loc)
  }

  #piece(kind: RunUpdate['kind'], id: string): RunUpdate {
    const key = `${kind} ${id}`
    const known = this.#pieces.get(key)
    if (known) return known
    const piece: RunUpdate = { kind, id, main: {}, fields: {} }
    this.#pieces.set(key, piece)
    return piece
  }

  #fill(piece: RunUpdate, run: Json, loc: (string | number)[]): void {
    const main = { ...run }
    if (main.extra !== undefined && main.extra !== null && !isRecord(main.extra)) {
      this.refuse([...loc, 'extra'], 'Input should be a valid dictionary', 'dict_type')
      delete main.extra
    }
    for (const field of MULTIPART_FIELDS) {
      if (main[field] !== undefined && main[field] !== null) piece.fields[field] = Buffer.from(printJson(main[field]))
      delete main[field]
    }
    // Keep the run without its invalid ids: a tree with a gap is better than no run.
    for (const key of ['trace_id', 'parent_run_id', 'session_id', 'reference_example_id'])
      if (main[key] !== undefined && main[key] !== null && !uuidOf(main[key])) {
        this.refuse([...loc, key], 'Input should be a valid UUID', 'uuid_parsing')
        delete main[key]
      }
    Object.assign(piece.main, main)
  }

  #addFeedback(name: string, data: Buffer): undefined {
    const value = this.#parse(data, [name])
    if (value && isRecord(value.json)) this.feedback.push(value.json)
    else if (value) this.refuse([name], 'Input should be a valid dictionary', 'dict_type')
  }

  #parse(data: Buffer, loc: string[]): { json: unknown } | undefined {
    try {
      return { json: parseJson(data.toString('utf8')) }
    } catch (error) {
      this.refuse(loc, `JSON decode error: ${(error as Error).message}`, 'json_invalid')
      return undefined
    }
  }
}
