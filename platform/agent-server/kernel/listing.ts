/** What the searches of all resources share. */

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

/** Sorting and the page. `fallback` is sorted by when nothing is asked for; `id` makes the order complete. */
export function orderAndPage({ limit, offset, sort_by, sort_order }: Page, fallback: string, id: string): string {
  const direction = sort_order === 'asc' ? 'asc' : 'desc'
  // The schema of the request lists the columns, so the name is none that a user made up.
  return `order by ${sort_by ?? fallback} ${direction}, ${id} ${direction} limit ${limit ?? 10} offset ${offset ?? 0}`
}

/** How many there are, and where the next page begins, beside a page of them. */
export function pageHeaders(page: Page, count: number, total: number): Record<string, string> {
  const end = (page.offset ?? 0) + count
  return { 'X-Pagination-Total': String(total), ...(end < total ? { 'X-Pagination-Next': String(end) } : {}) }
}

/** The record's fields that were asked for; all of them when none were. */
export function select<T extends object>(record: T, fields: readonly string[] | null | undefined): Partial<T> {
  if (!fields?.length) return record
  return Object.fromEntries(Object.entries(record).filter(([key]) => fields.includes(key))) as Partial<T>
}

export const batches = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
