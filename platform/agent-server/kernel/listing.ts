import { isRecord } from '@/lib/json/guards'

/** Shared by the searches of all resources. */

export type Page = {
  limit?: number | null
  offset?: number | null
  sort_by?: string | null
  sort_order?: 'asc' | 'desc' | null
}

/** Conditions of a statement, with the values of their placeholders; `$?` stands for the next one. */
export class Where {
  readonly #conditions: string[] = []
  readonly values: unknown[] = []

  add(condition: string, ...values: unknown[]): this {
    this.#conditions.push(condition.replaceAll('$?', () => `$${this.values.push(values.shift())}`))
    return this
  }

  /** Adds the condition where the value is given. */
  addIf(value: unknown, condition: string, bound: unknown = value): this {
    return value === undefined || value === null ? this : this.add(condition, bound)
  }

  get text(): string {
    return this.#conditions.length ? `where ${this.#conditions.join(' and ')}` : ''
  }
}

/** Sorting and paging. Sorts by `fallback` by default; `id` breaks ties. */
export function orderAndPage({ limit, offset, sort_by, sort_order }: Page, fallback: string, id: string): string {
  const direction = sort_order === 'asc' ? 'asc' : 'desc'
  // Safe to interpolate: the request's schema allows known columns only.
  return `order by ${sort_by ?? fallback} ${direction}, ${id} ${direction} limit ${limit ?? 10} offset ${offset ?? 0}`
}

/** Pagination headers: the total, and where the next page begins. */
export function pageHeaders(page: Page, count: number, total: number): Record<string, string> {
  const end = (page.offset ?? 0) + count
  return { 'X-Pagination-Total': String(total), ...(end < total ? { 'X-Pagination-Next': String(end) } : {}) }
}

/** The requested fields of the record; all fields if none were requested. `parent.key` is one key of an object. */
export function select<T extends object>(record: T, fields: readonly string[] | null | undefined): Partial<T> {
  if (!fields?.length) return record
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      if (fields.includes(key)) return [[key, value]]
      const keys = fields.flatMap((field) => (field.startsWith(`${key}.`) ? field.slice(key.length + 1) : []))
      return isRecord(value) && keys.length > 0 ? [[key, select(value, keys)]] : []
    }),
  ) as Partial<T>
}

export const batches = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
