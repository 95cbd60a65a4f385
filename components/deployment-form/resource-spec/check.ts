import { isLosslessNumber } from 'lossless-json'
import {
  CPU_LIMITS,
  CPUS,
  DB_CPUS,
  type ResourceProblem,
  resourceProblems,
  SCALES,
  SIZES,
} from '@/lib/contracts/deployments/resource-defaults'
import { isRecord } from '@/lib/json/guards'
import { isExact } from '@/lib/json/lossless'
import { type FieldShape, KNOWN_KEYS, SECTIONS, type Shape } from './spec-shapes'
import { asDouble, isSame, isUnset, type Path, partAt, type Spec, Unfinished } from './spec-value'

// Mirrors the contract's schema, which the browser does not load. A test compares the two.

export type Problem = ResourceProblem

type Range = { min: number; max?: number; isWhole: boolean; isAbove?: boolean }
const RANGES: ReadonlyMap<string, Range> = new Map<string, Range>([
  ...SCALES.map((field) => [field, { min: 0, isWhole: true }] as const),
  ...SIZES.map((field) => [field, { min: 1, isWhole: true }] as const),
  ...CPUS.map((field) => [field, { min: 0.1, max: 8, isWhole: false }] as const),
  ...CPU_LIMITS.map((field) => [field, { min: 0.1, max: 16, isWhole: false }] as const),
  ...DB_CPUS.map((field) => [field, { min: 0, isAbove: true, isWhole: false }] as const),
])

/**
 * Validation errors of a draft. Values that came from the server (`base`) are never errors, because even unknown fields are
 * sent back unchanged.
 */
export function problemsOf(draft: Spec, base: Spec = {}): Problem[] {
  const wasThere = new Set(crossProblems(base).map(keyOf))
  return [
    ...fieldProblems(draft).filter(({ path }) => !isKept(draft, base, path)),
    ...crossProblems(draft).filter((one) => !wasThere.has(keyOf(one))),
  ]
}

const keyOf = ({ path, message }: Problem) => JSON.stringify([path, message])

function isKept(draft: Spec, base: Spec, path: Path): boolean {
  const mine = partAt(draft, path)
  return !isUnset(mine) && partsAt(base, path).some((theirs) => isSame(mine, theirs))
}

/** The values at a path, ignoring list positions, so that a moved item still counts as the same. */
function partsAt(value: unknown, path: Path): unknown[] {
  const [key, ...rest] = path
  if (key === undefined) return [value]
  if (typeof key === 'number') return Array.isArray(value) ? value.flatMap((one) => partsAt(one, rest)) : []
  return isRecord(value) && Object.hasOwn(value, key) ? partsAt(value[key], rest) : []
}

function fieldProblems(spec: Spec): Problem[] {
  const figures = [...RANGES].flatMap(([field, range]) => {
    const message = figureProblem(spec[field], range)
    return message ? [{ path: [field], message }] : []
  })
  const fields = SECTIONS.flatMap((section) => section.fields.flatMap((field) => fieldProblem(field, spec, [])))
  const unknown = Object.keys(spec).filter((key) => !KNOWN_KEYS.has(key))
  return [...figures, ...fields, ...unknown.map((key) => ({ path: [key], message: UNKNOWN }))]
}
const UNKNOWN = 'Unknown field'

function figureProblem(value: unknown, { min, max, isWhole, isAbove }: Range): string | undefined {
  if (isUnset(value)) return undefined
  const number = asDouble(value)
  if (number === undefined || !Number.isFinite(number)) return isWhole ? 'Enter a whole number' : 'Enter a number'
  if (isLosslessNumber(value) && !isExact(value.toString())) return 'Use fewer digits'
  if (isWhole && !Number.isSafeInteger(number)) return 'Enter a whole number'
  if (isAbove && number <= min) return `Must be more than ${min}`
  if (number < min) return `At least ${min}`
  return max !== undefined && number > max ? `At most ${max}` : undefined
}

function fieldProblem({ key, shape, isRequired }: FieldShape, parent: Spec, at: Path): Problem[] {
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined
  const path = [...at, key]
  if (isUnset(value)) return isRequired ? [{ path, message: 'Required' }] : []
  if (isRequired && value === '') return [{ path, message: 'Required' }]
  return shapeProblems(shape, value, path)
}

function shapeProblems(shape: Shape, value: unknown, path: (string | number)[]): Problem[] {
  if (value instanceof Unfinished) return [{ path, message: value.message }]
  const fails = (is: boolean, message: string): Problem[] => (is ? [] : [{ path, message }])
  switch (shape.kind) {
    case 'text': {
      if (typeof value !== 'string') return fails(false, 'Enter text')
      if (shape.choices) return fails(shape.choices.includes(value), `One of ${shape.choices.join(', ')}`)
      return fails(shape.pattern?.test(value) ?? true, shape.expects ?? '')
    }
    case 'flag':
      return fails(typeof value === 'boolean', 'Enter true or false')
    case 'texts':
      return Array.isArray(value)
        ? value.flatMap((one, at) => (typeof one === 'string' ? [] : [{ path: [...path, at], message: 'Enter text' }]))
        : fails(false, 'Enter a list of texts')
    case 'map':
      return isRecord(value)
        ? Object.entries(value).flatMap(([key, one]) =>
            typeof one === 'string' ? [] : [{ path: [...path, key], message: 'Enter text; put numbers in quotes' }],
          )
        : fails(false, 'Enter keys with text values')
    case 'json':
      return fails(isRecord(value), 'Enter a JSON object')
    case 'jsons':
      return fails(Array.isArray(value) && value.every(isRecord), 'Enter a list of JSON objects')
    case 'record':
      return isRecord(value) ? recordProblems(shape.fields, value, path) : fails(false, 'Enter a JSON object')
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((one: unknown, at) =>
            isRecord(one)
              ? recordProblems(shape.fields, one, [...path, at])
              : [{ path: [...path, at], message: one instanceof Unfinished ? one.message : 'Enter a JSON object' }],
          )
        : fails(false, 'Enter a list')
  }
}

function recordProblems(fields: readonly FieldShape[], value: Spec, path: (string | number)[]): Problem[] {
  const known = new Set(fields.map(({ key }) => key))
  const unknown = Object.keys(value).filter((key) => !known.has(key))
  const both = known.has('valueFrom') && !!value.value && !!value.valueFrom
  return [
    ...fields.flatMap((field) => fieldProblem(field, value, path)),
    ...(both ? [{ path: [...path, 'valueFrom'], message: 'Cannot be combined with a value' }] : []),
    ...unknown.map((key) => ({ path: [...path, key], message: UNKNOWN })),
  ]
}

/** Rules between fields, applied to the parts of a draft that have the right type. */
function crossProblems(spec: Spec): Problem[] {
  const figures = [...RANGES.keys()].map((field) => [field, asDouble(spec[field])])
  const items = (value: unknown): Spec[] => (Array.isArray(value) ? value.map((one) => (isRecord(one) ? one : {})) : [])
  const named = (value: unknown) =>
    items(value).map(({ name }) => ({ name: typeof name === 'string' ? name : undefined }))
  const containers = (value: unknown) =>
    items(value).map(({ name, volumeMounts }) => ({
      name: typeof name === 'string' ? name : undefined,
      volumeMounts: named(volumeMounts),
    }))
  return resourceProblems({
    ...Object.fromEntries(figures),
    volumes: named(spec.volumes),
    volume_mounts: named(spec.volume_mounts),
    init_containers: containers(spec.init_containers),
    sidecars: containers(spec.sidecars),
  })
}
