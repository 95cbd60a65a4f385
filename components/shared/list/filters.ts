/** A URL parameter that filters a list. */
export type FilterDefinition<Name extends string = string> = {
  name: Name
  label: string
  /** The choices; any text without them. */
  choices?: readonly Choice[]
  /** Whether other values than the choices are accepted, because servers may know more. */
  isOpen?: boolean
  /** Several values, separated by commas. */
  isList?: boolean
  hint?: string
  /** Values to offer while a text is typed; others are accepted, too. */
  suggestions?: readonly string[] | undefined
  /** Validates a text; returns the error. */
  problemOf?: (text: string) => string | undefined
}
type Choice = { value: string; label: string }

export type Chip<Name extends string = string> = { name: Name; label: string; value: string; text: string }

type Search = Pick<URLSearchParams, 'get'>

/** The value to send to the server; undefined if the URL has none or an invalid one. */
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

/** The filters in a URL with their display text. */
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
