import 'server-only'
import { RE2JS } from 're2js'
import { AppError } from '@/lib/errors'
import { duration } from '@/lib/format/format'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'
import type { Check, CheckResult, PairResult } from '@/lib/stream/experiments'

const MAX_PATTERN = 500
/** A regex is matched against so much of the output; linear time, but not for free. */
const MAX_MATCHED = 100_000

/** Whether a run's result passes a check. A pure function. */
export function evaluate(check: Check, result: PairResult): CheckResult {
  switch (check.kind) {
    case 'contains':
      return result.output.toLowerCase().includes(check.text.toLowerCase())
        ? passed(`Contains “${check.text}”`)
        : failed(`Does not contain “${check.text}”`)
    case 'regex':
      return compile(check.pattern).matcher(result.output.slice(0, MAX_MATCHED)).find()
        ? passed(`Matches ${check.pattern}`)
        : failed(`Does not match ${check.pattern}`)
    case 'latency':
      if (result.latencyMs === null) return failed('The duration is unknown')
      return result.latencyMs <= check.ms
        ? passed(`Took ${duration(result.latencyMs)}`)
        : failed(`Took ${duration(result.latencyMs)}, more than ${duration(check.ms)}`)
    case 'equals': {
      if (result.values === null) return failed('The state is unknown or too large')
      const found = valueAt(parseJson(result.values), check.path)
      if (found === undefined) return failed(`${check.path} does not exist`)
      const is = printJson(sorted(found))
      return is === printJson(sorted(parseJson(check.value)))
        ? passed(`${check.path} is ${check.value}`)
        : failed(`${check.path} is ${is.slice(0, 200)}`)
    }
  }
}

const passed = (reason: string): CheckResult => ({ isPassed: true, reason })
const failed = (reason: string): CheckResult => ({ isPassed: false, reason })

/** Throws AppError invalid if a check cannot be evaluated, at its place in `checks`. */
export function refuseBadChecks(checks: readonly Check[]): void {
  for (const [index, check] of checks.entries()) {
    const problem = problemOf(check)
    if (problem) throw new AppError('invalid', problem, { fields: [{ path: ['checks', index], message: problem }] })
  }
}

function problemOf(check: Check): string | undefined {
  if (check.kind === 'regex') {
    if (check.pattern.length > MAX_PATTERN) return `A regex has at most ${MAX_PATTERN} characters.`
    try {
      compile(check.pattern)
    } catch {
      return `“${check.pattern}” is not a regex, or uses look-around or back-references, which are not supported.`
    }
  }
  if (check.kind === 'equals') {
    if (!stepsOf(check.path)) return `“${check.path}” is not a path. Write it like messages[-1].content.`
    try {
      parseJson(check.value)
    } catch {
      return `“${check.value}” is not JSON. Put text in double quotes.`
    }
  }
  return undefined
}

// Linear time for any pattern and text, unlike the language's own engine.
const compile = (pattern: string) => RE2JS.compile(pattern)

/** `$.messages[-1].content` as steps; undefined if it is not a path. */
function stepsOf(path: string): (string | number)[] | undefined {
  const text = path.trim().replace(/^\$\.?/, '')
  const steps: (string | number)[] = []
  const step = /\.?(?:\[(-?\d+)\]|\["([^"\]]*)"\]|([^.[\]"]+))/y
  while (step.lastIndex < text.length) {
    const [, index, quoted, name] = step.exec(text) ?? []
    if (index === undefined && quoted === undefined && name === undefined) return undefined
    steps.push(index === undefined ? (quoted ?? name ?? '') : Number(index))
  }
  return steps
}

function valueAt(value: unknown, path: string): unknown {
  let at = value
  for (const step of stepsOf(path) ?? []) {
    if (typeof step === 'number') at = Array.isArray(at) ? at.at(step) : undefined
    else at = isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined
  }
  return at
}

/** Objects with their keys in order, so that equal values have equal texts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}
