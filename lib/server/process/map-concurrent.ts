import 'server-only'

/** Like `Promise.all` over `map`, with at most `limit` calls at a time. */
export async function mapConcurrent<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
  atOnce = 6,
): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const next = async () => {
    for (const [index, item] of queue) results[index] = await work(item, index)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, next))
  return results
}
