import { send } from '@/scripts/checks/fuzz/send.mjs'
import { type FuzzRequest, requestOf, type Surface } from './requests'
import { problemOf } from './verdict'

/** Problems that the first `count` requests of a seed find, for tests that cannot wait for `scripts/checks/fuzz.mjs`. */
export async function shortFuzz(
  surfaces: readonly Surface[],
  {
    count,
    seed = 1,
    fill,
  }: { count: number; seed?: number; fill(request: FuzzRequest): FuzzRequest & { origin: string } },
): Promise<{ problems: string[]; statuses: Set<number> }> {
  const problems: string[] = []
  const statuses = new Set<number>()
  let next = 0
  const lines = Array.from({ length: 8 }, async () => {
    while (next < count) {
      const number = next++
      const request = fill(requestOf(surfaces, seed, number))
      const answer = await send(request)
      const problem = 'failure' in answer ? answer.failure : problemOf(request, answer, [])
      if (!('failure' in answer)) statuses.add(answer.status)
      if (problem) problems.push(`seed ${seed}, request ${number}, ${request.name}: ${problem}`)
    }
  })
  await Promise.all(lines)
  return { problems, statuses }
}

/** Puts things into a request where it names them, as in `~thread~`. */
export function named(request: FuzzRequest, things: Record<string, string>): FuzzRequest {
  const fill = (text: string) => text.replace(/~(\w+)~/g, (whole, name) => things[name] ?? whole)
  const headers = Object.entries(request.headers).map(([name, text]) => [name, fill(text)])
  return {
    ...request,
    path: fill(request.path),
    headers: Object.fromEntries(headers),
    ...(typeof request.body === 'string' && { body: fill(request.body) }),
  }
}
