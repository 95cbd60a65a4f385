import type { z } from 'zod'

type Path = readonly PropertyKey[]

/** Parses a value without its unknown keys, and returns the paths of those keys. Throws ZodError for anything else. */
export function parseLeniently(schema: z.ZodType, value: unknown): { data: unknown; ignored: string[] } {
  const ignored: string[] = []
  for (let left = value; ; ) {
    const parsed = schema.safeParse(left)
    if (parsed.success) return { data: parsed.data, ignored }
    const unknown = unknownKeys(parsed.error.issues, [])
    if (unknown.length === 0) throw parsed.error
    for (const path of unknown) {
      left = without(left, path)
      ignored.push(path.map(String).join('.'))
    }
  }
}

/** Paths of the keys that the issues report as unknown, including those inside union alternatives. */
function unknownKeys(issues: readonly z.core.$ZodIssue[], at: Path): Path[] {
  return issues.flatMap((issue): Path[] => {
    const path = [...at, ...issue.path]
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [...path, key])
    return issue.code === 'invalid_union' ? issue.errors.flatMap((errors) => unknownKeys(errors, path)) : []
  })
}

/** A copy without the value at the path; everything off the path is shared with the original. */
function without(value: unknown, [key, ...rest]: Path): unknown {
  if (typeof value !== 'object' || value === null || key === undefined) return value
  if (Array.isArray(value)) return value.map((one, index) => (index === key ? without(one, rest) : one))
  const { [key as string]: found, ...others } = value as Record<string, unknown>
  return rest.length === 0 ? others : { ...others, [key]: without(found, rest) }
}

/** A client as it names itself in its user agent, without version and platform. */
export const clientName = (userAgent: string): string => /^[\w.@-]{1,40}/.exec(userAgent)?.[0] ?? 'unknown'
