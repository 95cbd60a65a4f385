import { type OutputUnit, Validator } from '@cfworker/json-schema'
import type { JsonSchema } from './takes-messages'

/** One error in an input. `path` is a code-style path, empty for the whole input. */
export type InputIssue = { path: string; message: string }

/** Keywords that only report errors below them. */
const WRAPPERS = new Set([
  'properties',
  'items',
  'prefixItems',
  'additionalItems',
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'patternProperties',
  'dependentSchemas',
])
const MAX_ISSUES = 8

/**
 * Validation errors of an input; undefined if the schema itself is unusable. A failed choice (`anyOf`) is one error instead of
 * one per option.
 */
export function checkInput(schema: JsonSchema, input: unknown): InputIssue[] | undefined {
  let errors: OutputUnit[]
  try {
    errors = new Validator(schema, draftOf(schema), false).validate(input).errors
  } catch {
    return undefined
  }
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  const isInsideChoice = (error: OutputUnit) =>
    choices.some((choice) => choice !== error && error.keywordLocation.startsWith(`${choice.keywordLocation}/`))
  const issues = new Map<string, InputIssue>()
  for (const error of errors) {
    if (isInsideChoice(error)) continue
    const isChoice = error.keyword === 'anyOf' || error.keyword === 'oneOf'
    if (WRAPPERS.has(error.keyword) && !isChoice) continue
    const path = readablePath(error.instanceLocation)
    const message = isChoice ? 'does not match any type that the graph accepts.' : plainMessage(error)
    issues.set(`${path} ${message}`, { path, message })
  }
  return [...issues.values()].slice(0, MAX_ISSUES)
}

const draftOf = ({ $schema }: JsonSchema) => {
  const name = typeof $schema === 'string' ? $schema : ''
  if (name.includes('2020-12')) return '2020-12'
  if (name.includes('2019-09')) return '2019-09'
  // Schemas without a draft are draft 7, or 2020-12 without its new keywords; draft 7 rules fit both.
  return '7'
}

function readablePath(pointer: string): string {
  const keys = pointer.replace(/^#\/?/, '').split('/').filter(Boolean)
  return keys.reduce((text, key) => {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
    if (/^\d+$/.test(name)) return `${text}[${name}]`
    return text === '' ? name : `${text}.${name}`
  }, '')
}

function plainMessage({ keyword, error }: OutputUnit): string {
  const quoted = /"([^"]+)"/.exec(error)?.[1]
  if (keyword === 'required' && quoted) return `"${quoted}" is required.`
  if (keyword === 'additionalProperties' && quoted) return `"${quoted}" is not a known key.`
  const types = /type "([^"]*)" is invalid. Expected "([^"]*)"/.exec(error)
  if (types) return `must be of type ${types[2]?.replaceAll('", "', ' or ')}, not ${types[1]}.`
  return error
}
