/** A parameter of a page's URL that narrows its list. */
export type FilterDefinition<Name extends string = string> = {
  name: Name
  label: string
  /** What may be chosen; without it any text. */
  choices?: readonly Choice[]
  /** A choice that is none of those filters as well: servers may know more. */
  isOpen?: boolean
  /** Several values, separated by commas. */
  isList?: boolean
  hint?: string
  /** What is wrong with a text; it is said, and not taken. */
  problemOf?: (text: string) => string | undefined
}
type Choice = { value: string; label: string }

export type Chip<Name extends string = string> = { name: Name; label: string; value: string; text: string }

type Search = Pick<URLSearchParams, 'get'>

/** A filter's value as its server takes it, or undefined where the URL says nothing of it, or what cannot be used. */
export function filterValue(filter: Omit<FilterDefinition, 'label'>, search: Search): string | undefined {
  const value = search.get(filter.name)?.trim()
  if (!value) return undefined
  if (filter.isList)
    return (
      value
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
        .join(',') || undefined
    )
  const isUsable = !filter.choices || filter.isOpen || filter.choices.some((choice) => choice.value === value)
  return isUsable ? value : undefined
}

/** The filters of a URL in words. */
export const chipsOf = <Name extends string>(
  filters: readonly FilterDefinition<Name>[],
  search: Search,
): Chip<Name>[] =>
  filters.flatMap((filter) => {
    const value = filterValue(filter, search)
    if (value === undefined) return []
    const choice = filter.choices?.find((one) => one.value === value)
    const text = choice?.label ?? (filter.isList ? value.replaceAll(',', ', ') : value)
    return [{ name: filter.name, label: filter.label, value, text }]
  })
