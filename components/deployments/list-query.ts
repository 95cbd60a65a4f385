export const PAGE_SIZE = 20

const PARAMS = ['name_contains', 'status', 'deployment_type', 'image_version'] as const
export type ListFilter = (typeof PARAMS)[number]

/** The API's query for what the page's URL says. Unknown or unusable values are left out, so that no link is a dead end. */
export function listQueryOf(search: Pick<URLSearchParams, 'get'>) {
  const filters = Object.fromEntries(
    PARAMS.flatMap((name) => {
      const value = search.get(name)?.trim()
      return value && (name !== 'deployment_type' || ['dev_free', 'dev', 'prod'].includes(value)) ? [[name, value]] : []
    }),
  ) as Partial<Record<Exclude<ListFilter, 'deployment_type'>, string>> & { deployment_type?: 'dev_free' | 'dev' | 'prod' }
  const offset = Number(search.get('offset') ?? 0)
  return { ...filters, limit: PAGE_SIZE, offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0 }
}
