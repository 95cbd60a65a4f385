import type { TextIndex } from './text-index'

/** A value of an indexed text with two-space indentation; keys, numbers and strings stay as written. */
export function indented(index: TextIndex, root: number): string {
  const decoder = new TextDecoder()
  const { bytes } = index
  const end = index.endOf(root)
  let text = ''
  let depth = 0
  let isFirst = true
  const line = () => {
    text += `\n${'  '.repeat(depth)}`
  }
  for (let at = index.skipSpace(root); at < end; at = index.skipSpace(at)) {
    const code = bytes[at] as number
    if (code === 125 || code === 93) {
      depth--
      if (!isFirst) line()
      text += String.fromCharCode(code)
      isFirst = false
      at++
      continue
    }
    if (isFirst && depth > 0) line()
    isFirst = false
    if (code === 123 || code === 91) {
      text += String.fromCharCode(code)
      depth++
      isFirst = true
      at++
    } else if (code === 44) {
      text += ','
      line()
      at++
    } else if (code === 58) {
      text += ': '
      at++
    } else {
      const until = Math.max(code === 34 ? index.stringEnd(at) : index.endOf(at), at + 1)
      text += decoder.decode(bytes.subarray(at, until))
      at = until
    }
  }
  return text
}
