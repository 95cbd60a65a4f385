import { z } from 'zod'

/** One invalid field, as FastAPI reports it. */
export const ValidationError = z.object({
  loc: z.array(z.union([z.string(), z.number()])),
  msg: z.string(),
  type: z.string(),
})
export type ValidationError = z.output<typeof ValidationError>

/** The body of a 422. */
export const HTTPValidationError = z.object({ detail: z.array(ValidationError) })
export type HTTPValidationError = z.output<typeof HTTPValidationError>

type Issue = z.core.$ZodIssue
type Loc = ValidationError['loc']

/** For `safeParse`: details that zod's messages lack and FastAPI reports: missing enums and non-integers. */
export const EXACT_WORDS = {
  error: ({ code, input, inst }: z.core.$ZodRawIssue) => {
    if (code === 'invalid_value') return input === undefined ? MISSING[1] : undefined
    const isNone = code === 'invalid_type' && input !== undefined && typeof input !== 'number'
    return isNone && inst instanceof z.ZodNumberFormat ? INTEGER[1] : undefined
  },
}

/** A zod error as the body of a 422, with FastAPI's `loc`, `msg` and `type`. Contains no value that was sent. */
export function toValidationError(error: z.core.$ZodError, place: 'body' | 'query' | 'path'): HTTPValidationError {
  return { detail: error.issues.flatMap((issue) => toErrors(issue, [place])) }
}

function toErrors(issue: Issue, base: Loc): ValidationError[] {
  const loc = [...base, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))]
  const one = (type: string, msg: string): ValidationError[] => [{ loc, msg, type }]
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        loc: [...loc, key],
        msg: 'Extra inputs are not permitted',
        type: 'extra_forbidden',
      }))
    case 'invalid_type':
      return wrongType(issue).flatMap(([type, msg]) => one(type, msg))
    case 'invalid_value':
      return isMissing(issue)
        ? one(...MISSING)
        : one(issue.values.length > 1 ? 'enum' : 'literal_error', `Input should be ${inWords(issue.values)}`)
    case 'too_big':
    case 'too_small':
      return one(...outOfRange(issue))
    case 'invalid_format':
      return wrongFormat(issue).flatMap(([type, msg]) => one(type, msg))
    case 'invalid_union':
      return closestBranch(issue, loc)
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap((inner) => toErrors(inner, loc))
    case 'not_multiple_of':
      return one('multiple_of', `Input should be a multiple of ${issue.divisor}`)
    case 'custom':
      if (isMissing(issue)) return one(...MISSING)
      return one(typeof issue.params?.type === 'string' ? issue.params.type : 'value_error', issue.message)
    default:
      return one('value_error', (issue as Issue).message)
  }
}

const MISSING = ['missing', 'Field required'] as const
const INTEGER = ['int_type', 'Input should be a valid integer'] as const

/** zod tells a missing field from a wrong one only in its message, because `finalize` has removed the input. */
const isMissing = (issue: Issue) => /received undefined$/.test(issue.message) || issue.message === MISSING[1]

const TYPES: Record<string, readonly [type: string, msg: string]> = {
  string: ['string_type', 'Input should be a valid string'],
  number: ['float_type', 'Input should be a valid number'],
  int: INTEGER,
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['dict_type', 'Input should be a valid dictionary'],
  record: ['dict_type', 'Input should be a valid dictionary'],
  null: ['none_required', 'Input should be None'],
}

function wrongType(issue: z.core.$ZodIssueInvalidType): (readonly [string, string])[] {
  if (isMissing(issue)) return [MISSING]
  if (issue.message === INTEGER[1]) return [INTEGER]
  if (issue.expected === 'int' && /received number$/.test(issue.message))
    return [['int_from_float', 'Input should be a valid integer, got a number with a fractional part']]
  return [TYPES[issue.expected] ?? (['value_error', issue.message] as const)]
}

function outOfRange(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): readonly [string, string] {
  const isBig = issue.code === 'too_big'
  const bound = issue.code === 'too_big' ? issue.maximum : issue.minimum
  if (issue.origin === 'string')
    return [
      isBig ? 'string_too_long' : 'string_too_short',
      `String should have at ${isBig ? 'most' : 'least'} ${bound} characters`,
    ]
  if (issue.origin === 'array' || issue.origin === 'set')
    return [isBig ? 'too_long' : 'too_short', `List should have at ${isBig ? 'most' : 'least'} ${bound} items`]
  const than = isBig ? 'less_than' : 'greater_than'
  const words = isBig ? 'less than' : 'greater than'
  return issue.inclusive
    ? [`${than}_equal`, `Input should be ${words} or equal to ${bound}`]
    : [than, `Input should be ${words} ${bound}`]
}

function wrongFormat(issue: z.core.$ZodIssueInvalidStringFormat): (readonly [string, string])[] {
  if (issue.format === 'guid' || issue.format === 'uuid') return [['uuid_parsing', 'Input should be a valid UUID']]
  if (issue.format === 'url') return [['url_parsing', 'Input should be a valid URL']]
  // A rule's own message says more than its pattern.
  return [['string_pattern_mismatch', issue.message]]
}

/** The branch of a union that got furthest into the value, so that the error names the invalid field. */
function closestBranch(issue: z.core.$ZodIssueInvalidUnion, loc: Loc): ValidationError[] {
  const depthOf = (branch: readonly Issue[]) => Math.max(0, ...branch.map((one) => one.path.length))
  const [closest] = [...issue.errors].sort((a, b) => depthOf(b) - depthOf(a))
  return closest && closest.length > 0
    ? closest.flatMap((inner) => toErrors(inner, loc))
    : [{ loc, msg: issue.message, type: 'value_error' }]
}

const inWords = (values: readonly unknown[]): string => {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}` : (quoted[0] ?? '')
}
