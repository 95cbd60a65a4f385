export const PAGE_SIZE = 20

export const DEPLOYMENT_TYPES = ['dev_free', 'dev', 'prod'] as const
type DeploymentType = (typeof DEPLOYMENT_TYPES)[number]

/** The URL's parameters that narrow the list, each empty. */
export const NO_FILTER = { name_contains: '', status: '', deployment_type: '', image_version: '' }
type Filter = keyof typeof NO_FILTER
const FILTERS = Object.keys(NO_FILTER) as Filter[] // the keys of the line above

type Search = Pick<URLSearchParams, 'get'>
type Filters = Partial<Record<Exclude<Filter, 'deployment_type'>, string>> & { deployment_type?: DeploymentType }

const isKnownType = (value: string) => DEPLOYMENT_TYPES.some((type) => type === value)

/** The API's query for what the page's URL says. Unknown or unusable values are left out, so that no link is a dead end. */
export function listQueryOf(search: Search) {
  const filters: Filters = Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = search.get(name)?.trim()
      return value && (name !== 'deployment_type' || isKnownType(value)) ? [[name, value]] : []
    }),
  )
  const offset = Number(search.get('offset') ?? 0)
  return { ...filters, limit: PAGE_SIZE, offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0 }
}

export const isFiltered = (search: Search): boolean => FILTERS.some((name) => search.get(name))
