import { type AssistantDraft, DRAFT_FIELDS } from '@/lib/contracts/agents/assistant-edit'
import type { ErrorView, FieldError } from '@/lib/errors'
import { isSameJson, type JsonPath } from '@/lib/json/difference'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'

export const EMPTY_DRAFT: AssistantDraft = { name: '', description: '', context: {}, config: {}, metadata: {} }

type Json = Readonly<Record<string, unknown>>

/** The object with a key set in place, or appended; `undefined` removes it. */
export function withKey(target: Json, key: string, value: unknown): Record<string, unknown> {
  // fromEntries defines `__proto__` as a plain key; an assignment would set the prototype.
  if (value === undefined) return Object.fromEntries(Object.entries(target).filter(([name]) => name !== key))
  return Object.fromEntries(
    Object.hasOwn(target, key)
      ? Object.entries(target).map(([name, one]) => [name, name === key ? value : one])
      : [...Object.entries(target), [key, value]],
  )
}

/** A map key for a path in the draft. */
export const placeName = (path: JsonPath): string => JSON.stringify(path.map(String))

export type Problems = ReadonlyMap<string, string>

/** The problems with one path's problem set, or removed if `message` is undefined. */
export function withProblem(problems: Problems, place: string, message: string | undefined): Problems {
  if (problems.get(place) === message) return problems
  const next = new Map(problems)
  if (message === undefined) next.delete(place)
  else next.set(place, message)
  return next
}

/** Splits a server error into problems per field of the draft and the rest, shown next to the button. */
export function placeProblems(error: ErrorView): { problems: Problems; rest: ErrorView | undefined } {
  const isPlaced = ({ path }: FieldError) => DRAFT_FIELDS.some((field) => field === path[0])
  const problems = new Map(error.fields.filter(isPlaced).map(({ path, message }) => [placeName(path), message]))
  const fields = error.fields.filter((one) => !isPlaced(one))
  if (problems.size === 0) return { problems, rest: error }
  return { problems, rest: fields.length > 0 ? { ...error, message: 'The server also rejected:', fields } : undefined }
}

/** Parses a JSON object, or says what is wrong with the text. */
export function readObject(text: string): { value: Record<string, unknown> } | { problem: string } {
  try {
    const value = text.trim() === '' ? {} : parseJson(text)
    return isRecord(value) ? { value } : { problem: 'Enter a JSON object.' }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** The draft as text with its base, so that a restored draft is still compared with the version it started from. */
export const keepDraft = (base: AssistantDraft, draft: AssistantDraft): string =>
  isSameJson(base, draft) ? '' : printJson({ base, draft })

export function restoreDraft(text: string): { base: AssistantDraft; draft: AssistantDraft } | undefined {
  if (!text) return undefined
  const read = readObject(text)
  const { base, draft } = 'value' in read ? read.value : {}
  return isDraft(base) && isDraft(draft) ? { base, draft } : undefined
}
const isDraft = (value: unknown): value is AssistantDraft =>
  isRecord(value) && typeof value.name === 'string' && isRecord(value.context) && isRecord(value.metadata)

/** A part of the draft whose original, my and their values differ. */
export type ThreeWay = {
  path: readonly ['name' | 'description'] | readonly ['context' | 'config' | 'metadata', string]
  base: unknown
  mine: unknown
  theirs: unknown
  /** Whose value stays; `choose`: both changed it. */
  keeps: 'mine' | 'theirs' | 'same' | 'choose'
}

/** The differing fields; context, config and metadata are compared key by key. Absent values are undefined. */
export function threeWays(base: AssistantDraft, mine: AssistantDraft, theirs: AssistantDraft): ThreeWay[] {
  return DRAFT_FIELDS.flatMap((field): ThreeWay[] => {
    if (field === 'name' || field === 'description') return row([field], base[field], mine[field], theirs[field])
    const [was, own, now] = [base[field], mine[field], theirs[field]]
    const keys = new Set([now, own, was].flatMap(Object.keys))
    const at = (object: Json, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined)
    return [...keys].flatMap((key) => row([field, key], at(was, key), at(own, key), at(now, key)))
  })
}

function row(path: ThreeWay['path'], base: unknown, mine: unknown, theirs: unknown): ThreeWay[] {
  const [byMe, byThem] = [!isSameJson(base, mine), !isSameJson(base, theirs)]
  if (!byMe && !byThem) return []
  const keeps = byMe && byThem ? (isSameJson(mine, theirs) ? 'same' : 'choose') : byMe ? 'mine' : 'theirs'
  return [{ path, base, mine, theirs, keeps }]
}

/** Their draft with my changes on it. Where both changed a value, mine is used if its path is in `kept`. */
export function mergedDraft(
  rows: readonly ThreeWay[],
  theirs: AssistantDraft,
  kept: ReadonlySet<string>,
): AssistantDraft {
  const draft = { ...theirs }
  for (const { path, mine, keeps } of rows) {
    if (keeps !== 'mine' && !(keeps === 'choose' && kept.has(placeName(path)))) continue
    if (path.length === 1) draft[path[0]] = String(mine)
    else draft[path[0]] = withKey(draft[path[0]], path[1], mine)
  }
  return draft
}
