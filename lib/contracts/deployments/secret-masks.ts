// Some servers send masks instead of values, and saving a mask overwrites the value. Anything that looks like a mask
// counts as one; at worst, a user types a real value of three stars again.

const MASK_CHARS = '*\u2022\u25cf\u25cb\u2217\u2b24\u25a0\u2588\u25aa\u00b7\u2027\u30fb\uff0a'
const ONLY_MASK = new RegExp(`^[${MASK_CHARS}\\s-]*[${MASK_CHARS}][${MASK_CHARS}\\s-]*$`)
const MASK_RUN = new RegExp(`[${MASK_CHARS}]{3}`)
const ELIDED = /^[\w-]{0,12}(\.{3,}|\u2026)[\w-]{0,12}$/
const WORD =
  '(?:redacted|hidden|masked|secret|encrypted|sealed|filtered|sensitive|omitted|removed|protected|not shown|write[- ]?only)'
const IN_BRACKETS = new RegExp(
  `^[<[({]+[\\s_-]*(?:[\\w -]{0,20}[\\s_-])?${WORD}(?:[\\s_-][\\w -]{0,20})?[\\s_-]*[>\\])}]+$`,
  'i',
)
const BARE = new RegExp(`^_*${WORD}_*$`, 'i')
const CROSSES = /^(x{4,}|X{4,})$/
/** Values that many secrets may share. */
const PLAIN = /^(true|false|yes|no|on|off|enabled|disabled|none|null|\d{1,6})$/i

/** Whether a text has the look of a mask. */
export function looksMasked(value: string): boolean {
  return (
    ONLY_MASK.test(value) ||
    MASK_RUN.test(value) ||
    ELIDED.test(value) ||
    IN_BRACKETS.test(value) ||
    BARE.test(value) ||
    CROSSES.test(value)
  )
}

/**
 * Indexes whose value the server does not really send: none, something that looks like a mask, a known mask
 * (`isKnown`), or one text shared by most of the list.
 */
export function hiddenPlaces(
  secrets: readonly { value: string | null }[],
  isKnown: (value: string) => boolean = () => false,
): Set<number> {
  const common = commonText(secrets)
  const hidden = new Set<number>()
  for (const [index, { value }] of secrets.entries())
    if (value === null || value === common || looksMasked(value) || isKnown(value)) hidden.add(index)
  return hidden
}

/**
 * A text shared by at least three secrets and more than half of them; two empty ones suffice if there are no others.
 */
function commonText(secrets: readonly { value: string | null }[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { value } of secrets) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  for (const [value, count] of counts) {
    if (value === '' && count >= 2 && count === secrets.length) return value
    if (count >= 3 && count * 2 > secrets.length && !PLAIN.test(value)) return value
  }
  return undefined
}
