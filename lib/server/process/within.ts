import 'server-only'

/** The value, or `late` if it takes longer than `ms`. A failure in time is thrown, a later one is ignored. */
export async function within<T, L>(ms: number, value: Promise<T>, late: L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<L>((resolve) => {
    timer = setTimeout(resolve, ms, late)
  })
  return await Promise.race([value, patience]).finally(() => clearTimeout(timer))
}
