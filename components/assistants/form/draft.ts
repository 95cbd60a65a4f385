import { type AssistantDraft, DRAFT_FIELDS } from '@/lib/contracts/agents/assistant-edit'
import type { ErrorView, FieldError } from '@/lib/errors'
import { isSameJson, type JsonPath } from '@/lib/json/difference'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'

export const EMPTY_DRAFT: AssistantDraft = { name: '', description: '', context: {}, config: {}, metadata: {} }

type Json = Readonly<Record<string, unknown>>

/** The object with a key set where it stands, or else at the end; `undefined` takes it away. */
export function withKey(target: Json, key: string, value: unknown): Record<string, unknown> {
  // fromEntries defines keys; assigning would mean another thing for `__proto__`.
  if (value === undefined) return Object.fromEntries(Object.entries(target).filter(([name]) => name !== key))
  return Object.fromEntries(
    Object.hasOwn(target, key)
      ? Object.entries(target).map(([name, one]) => [name, name === key ? value : one])
      : [...Object.entries(target), [key, value]],
  )
}

/** A name for a place in the draft, for looking up what is wrong with it. */
export const placeName = (path: JsonPath): string => JSON.stringify(path.map(String))

export type Problems = ReadonlyMap<string, string>

/** The problems with that of one place set, or taken away. */
export function withProblem(problems: Problems, place: string, message: string | undefined): Problems {
  if (problems.get(place) === message) return problems
  const next = new Map(problems)
  if (message === undefined) next.delete(place)
  else next.set(place, message)
  return next
}

/** What a refusal says of the draft's fields by place, and what is left to say beside the button. */
export function placeProblems(error: ErrorView): { problems: Problems; rest: ErrorView | undefined } {
  const isPlaced = ({ path }: FieldError) => DRAFT_FIELDS.some((field) => field === path[0])
  const problems = new Map(error.fields.filter(isPlaced).map(({ path, message }) => [placeName(path), message]))
  const fields = error.fields.filter((one) => !isPlaced(one))
  if (problems.size === 0) return { problems, rest: error }
  return { problems, rest: fields.length > 0 ? { ...error, message: 'The server also rejected:', fields } : undefined }
}

/** JSON text as an object, or what is wrong with it. */
export function readObject(text: string): { value: Record<string, unknown> } | { problem: string } {
  try {
    const value = text.trim() === '' ? {} : parseJson(text)
    return isRecord(value) ? { value } : { problem: 'Enter a JSON object.' }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Base and draft as text, so that what is restored is still an edit of what it began with. */
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

/** Field by field; of context, configuration and metadata key by key. Undefined stands for what is not there. */
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

/** Their draft with my changes on it; of what both changed, mine where it is among `kept` (by place). */
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
