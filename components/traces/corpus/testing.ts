import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { FormattedRun } from '@/components/traces/common/formatted-run'
import type { LoggedRun } from '@/lib/traces/detect'
import { SILENT_KEYS } from '@/lib/traces/leftover'

/** What tests look for on the page of a run, and the page as text. */

/** Sentences anywhere in a value, without what is no text: ids and the like under silent keys, and JSON as text. */
export function sentences(value: unknown): string[] {
  if (typeof value === 'string') return /\p{L}{2} \p{L}/u.test(value) && !/^\s*[[{]/.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    SILENT_KEYS.has(key) && !isHolder(inner) ? [] : sentences(inner),
  )
}
const isHolder = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

export const isOn = (page: string, text: string) =>
  page.includes(text) || page.includes(JSON.stringify(text).slice(1, -1))

/** The texts of the page in reading order, with single spaces. */
export const pageOf = (run: LoggedRun): string =>
  renderToStaticMarkup(createElement(FormattedRun, { run, isWhole: true }))
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#x27;/g, "'")
    .replace(/&quot;/g, '"')
    .replace(/&gt;/g, '>')
    .replace(/&lt;/g, '<')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
