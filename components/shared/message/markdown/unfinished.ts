const OPEN_FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})[^\n]*$/

/**
 * Completes Markdown that is still arriving, so that no mark is shown that the next characters will hide: an open
 * emphasis or code is closed, and a mark with nothing behind it is left out.
 */
export function finishMarkdown(text: string, opening = ''): string {
  const lines = text.split('\n')
  let fence = OPEN_FENCE.exec(opening.trimEnd())?.[1]
  let paragraph = 0
  lines.forEach((line, index) => {
    const [, mark] = OPEN_FENCE.exec(line) ?? []
    if (fence) {
      if (mark?.startsWith(fence) && line.trim() === mark) {
        fence = undefined
        paragraph = index + 1
      }
    } else if (mark) fence = mark
    // An empty last line is only the end of the one before.
    else if (line === '' && index === lines.length - 1) return
    else if (/^\s*$|^ {0,3}#{1,6} |^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line)) paragraph = index
  })
  const last = lines.at(-1) ?? ''
  if (fence) {
    // The last line may become the closing fence, or is still the opening one.
    if (/^[ \t]*(?:`+|~+)$/.test(last) && !OPEN_FENCE.test(last)) return lines.slice(0, -1).join('\n')
    return OPEN_FENCE.test(last) ? `${text}\n` : text
  }
  const head = lines.slice(0, paragraph).join('\n')
  const tail = finishTable(lines.slice(paragraph))
  return paragraph > 0 ? `${head}\n${tail}` : tail
}

const isRow = (line = '') => /^[ \t]*\|/.test(line)
const cellsOf = (row: string) =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)

/** A paragraph that may end with the head of a table, which would be shown as text until the rule below it is whole. */
function finishTable(lines: readonly string[]): string {
  const last = lines.at(-1) ?? ''
  const isBelow = isRow(lines.at(-2)) && /^[ \t]*\|?[ \t:|-]*$/.test(last)
  const body = isBelow ? lines.slice(0, -1) : lines
  const cells = cellsOf(body.at(-1) ?? '').length
  const isWhole = isBelow && cellsOf(last).filter((cell) => /^[ \t]*:?-+:?[ \t]*$/.test(cell)).length === cells
  if (!isRow(body.at(-1)) || isRow(body.at(-2)) || isWhole) return finishInline(lines.join('\n'))
  const shown = finishInline(body.join('\n'))
  return /(^|\n)[ \t]*\|[ \t]*$/.test(shown)
    ? shown.slice(0, Math.max(0, shown.lastIndexOf('\n')))
    : `${shown}\n|${'---|'.repeat(cells)}`
}

function finishInline(text: string): string {
  // A line that has only begun: a list marker, a rule or a fence.
  const begun =
    /(^|\n)[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*(?:[*_~]{1,3}|`{1,2}|[-+]|#{1,6}|\${1,2}|\\|\[[ xX]?\]?)[ \t]*$/.exec(
      text,
    )
  if (begun) return finishInline(text.slice(0, begun.index + (begun[1]?.length ?? 0)).trimEnd())
  const open: string[] = []
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at, at + 64)
    const math = /^(?:\$\$|\\\[|\\\()/.exec(rest)?.[0]
    if (math) {
      const closing = { $$: '$$', '\\[': '\\]', '\\(': '\\)' }[math] ?? '$$'
      const end = text.indexOf(closing, at + 2)
      if (end === -1 && !text.slice(at + 2).trim()) return closeAll(text.slice(0, at), open)
      if (end === -1) return closeAll(withPending(text.slice(0, at), text.slice(at + 2)), open)
      at = end + 2
      continue
    }
    // A mark that may become a formula's.
    if (/^[$\\]$/.test(rest)) return closeAll(text.slice(0, at), open)
    if (rest[0] === '\\') {
      at += 2
      continue
    }
    const [run = ''] = /^(?:`+|\*+|_+|~+)/.exec(rest) ?? []
    if (run.startsWith('`')) {
      const end = text.indexOf(run, at + run.length)
      if (end === -1) {
        const code = text.slice(at + run.length).replace(/`+$/, '')
        return closeAll(code.trim() ? `${text.slice(0, at)}${run}${code}${run}` : text.slice(0, at), open)
      }
      at = end + run.length
      continue
    }
    if (run) {
      const next = text[at + run.length]
      const previous = text[at - 1]
      if (next === undefined) {
        const kept = text.slice(0, at).trimEnd()
        return closeAll(kept, open)
      }
      toggle(open, run, {
        canOpen: /\S/.test(next),
        canClose: previous !== undefined && /\S/.test(previous),
        previous,
        next,
      })
    }
    at += run.length || 1
  }
  // The target of a link that has not arrived whole.
  const link = /!?\[([^\][\n]{1,300})\](?:\([^()\s]*)$/.exec(text)
  const note = /\[(?:\^[^\]\s]*)?$/.exec(text)
  const shown = link ? text.slice(0, link.index) + link[1] : text.slice(0, note?.index)
  return closeAll(shown, open)
}

type Flanks = { canOpen: boolean; canClose: boolean; previous: string | undefined; next: string }

function toggle(open: string[], run: string, { canOpen, canClose, previous, next }: Flanks) {
  // Underscores within a word are part of it.
  if (run[0] === '_' && /\w/.test(previous ?? ' ') && /\w/.test(next)) return
  let left = run
  while (canClose && left && open.at(-1)?.[0] === left[0] && left.length >= (open.at(-1)?.length ?? 0))
    left = left.slice(open.pop()?.length)
  if (!canOpen) return
  if (left.length >= 3 && left[0] !== '~') open.push(left.slice(0, 1), left.slice(0, 2))
  else if (left) open.push(left)
}

/** Closes what is open. Opening marks with nothing behind them are left out, because they would close nothing. */
function closeAll(text: string, open: readonly string[]): string {
  const left = [...open]
  let kept = left.length > 0 ? text.trimEnd() : text
  for (let last = left.at(-1); last && kept.endsWith(last); last = left.at(-1)) {
    kept = kept.slice(0, -last.length).trimEnd()
    left.pop()
  }
  return kept + left.reverse().join('')
}

/** A formula without its end is shown by its source. */
function withPending(before: string, source: string): string {
  const code = source
    .replace(/[$\\]$/, '')
    .replaceAll('`', "'")
    .trim()
  return code ? `${before}\`${code.replaceAll(/\n\s*\n/g, '\n')}\`` : before.trimEnd()
}
