/** A JSON syntax error in plain words. Lines and columns start at 1. */
export type JsonProblem = { line: number; column: number; message: string }

const SPACE = /[ \t\r\n]*/y
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y
// Any character except quotes, backslashes and control characters, or an escape.
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const STRING = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const WORD = /true|false|null/y

/**
 * The first syntax error, or undefined for valid JSON. Engines report errors differently, and one omits the position, so
 * this parses the text itself, without recursion so that deep nesting cannot overflow the stack.
 */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const stack: ('{' | '[')[] = []
  let at = 0
  let wants: 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end' = 'value'
  const eat = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    if (!pattern.test(text)) return false
    at = pattern.lastIndex
    return true
  }
  const fail = (message: string): JsonProblem => {
    const before = text.slice(0, at)
    return { line: before.split('\n').length, column: at - before.lastIndexOf('\n'), message }
  }
  for (;;) {
    eat(SPACE)
    const character = text[at]
    if (character === undefined) {
      if (wants === 'comma or end' && stack.length === 0) return undefined
      if (text.trim() === '') return fail('Enter JSON.')
      return fail(
        stack.length > 0
          ? `The text ends before "${stack.at(-1) === '{' ? '}' : ']'}" closes it.`
          : 'Unexpected end of text.',
      )
    }
    if (wants === 'comma or end') {
      const open = stack.at(-1)
      if (!open) return fail('Unexpected text after the end.')
      const close = open === '{' ? '}' : ']'
      at++
      if (character === close) stack.pop()
      else if (character === ',') wants = open === '{' ? 'key' : 'value'
      else {
        at--
        return fail(`Expected "," or "${close}" here.`)
      }
    } else if (wants === 'colon') {
      if (character !== ':') return fail('Expected ":" after the key.')
      at++
      wants = 'value'
    } else if (wants === 'key' || wants === 'key or }') {
      if (character === '}' && wants === 'key or }') {
        at++
        stack.pop()
        wants = 'comma or end'
      } else if (eat(STRING)) wants = 'colon'
      else
        return fail(
          character === '}'
            ? 'Unexpected comma before "}".'
            : stringProblem(character, 'Expected a key in double quotes.'),
        )
    } else if (character === '{' || character === '[') {
      at++
      stack.push(character)
      wants = character === '{' ? 'key or }' : 'value or ]'
    } else if (character === ']' && wants === 'value or ]') {
      at++
      stack.pop()
      wants = 'comma or end'
    } else if (eat(STRING) || eat(NUMBER) || eat(WORD)) wants = 'comma or end'
    else
      return fail(
        character === ']' ? 'Unexpected comma before "]".' : stringProblem(character, valueProblem(character)),
      )
  }
}

/** The first syntax error with its position, as shown below a field. */
export function jsonProblemText(text: string): string | undefined {
  const problem = findJsonProblem(text)
  return problem && `Line ${problem.line}, column ${problem.column}: ${problem.message}`
}

/** Whether a text is meant as such where JSON is accepted too: it is not JSON, and does not begin like it. */
export const isPlainText = (text: string): boolean => /^\s*[^\s[{"]/.test(text) && findJsonProblem(text) !== undefined

const valueProblem = (character: string): string =>
  /\p{L}/u.test(character) ? 'Expected a value here. Text needs double quotes.' : 'Expected a value here.'

function stringProblem(character: string, otherwise: string): string {
  if (character === '"') return 'This string is not closed, or contains a character that must be escaped.'
  return character === "'" ? 'Use double quotes.' : otherwise
}
