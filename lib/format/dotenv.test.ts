import fc from 'fast-check'
import { expect, test } from 'vitest'
import { looksLikeEnv, parseEnv, printEnv } from './dotenv'

const read = (text: string) => parseEnv(text).entries.map(({ name, value }) => [name, value])

test.each<[string, string, string[][]]>([
  [
    'plain lines',
    'A=1\nB=two words \n',
    [
      ['A', '1'],
      ['B', 'two words'],
    ],
  ],
  [
    'Windows line ends and a mark at the beginning',
    '\ufeffA=1\r\nB=2\r\n',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  [
    'export prefixes and blanks around =',
    'export A=1\n  export\tB = 2',
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  ['= in a value', 'URL=postgres://u:p@h/db?a=b==', [['URL', 'postgres://u:p@h/db?a=b==']]],
  ['a # that begins no comment', 'A=a#b', [['A', 'a#b']]],
  ['single quotes take all as it is', "A='x \\n # $Y'", [['A', 'x \\n # $Y']]],
  ['double quotes know escapes', 'A="1\\n2\\t\\"q\\" \\\\ \\d"', [['A', '1\n2\t"q" \\ \\d']]],
  ['backticks', 'A=`it\'s "so"`', [['A', 'it\'s "so"']]],
  [
    'several lines in quotes, their line ends kept',
    'K="-----BEGIN\r\nabc=\n-----END" # key\nB=2',
    [
      ['K', '-----BEGIN\r\nabc=\n-----END'],
      ['B', '2'],
    ],
  ],
  [
    'empty values',
    'A=\nB=""\nC=   ',
    [
      ['A', ''],
      ['B', ''],
      ['C', ''],
    ],
  ],
  [
    'a name twice is there twice',
    'A=1\nA=2',
    [
      ['A', '1'],
      ['A', '2'],
    ],
  ],
  [
    'names that no rule allows are left to the rules',
    '1-x=a\nä ö=b',
    [
      ['1-x', 'a'],
      ['ä ö', 'b'],
    ],
  ],
  ['nothing', '', []],
])('%s', (_title, text, entries) => expect(read(text)).toEqual(entries))

test('a line that is not a setting is reported by number, and later lines are still read', () => {
  const { entries, problems, comments } = parseEnv('# c\nA=1\n\nnonsense\n=x\nB="never\nC=3\nD="x" y\nE=5')
  expect(entries.map(({ name, line }) => [name, line])).toEqual([
    ['A', 2],
    ['C', 7],
    ['E', 9],
  ])
  expect(problems.map(({ line }) => line)).toEqual([4, 5, 6, 8])
  expect(comments).toBe(1)
})

test('line numbers count every line of multi-line values', () => {
  const { entries, problems } = parseEnv('A="1\n2\r\n3"\nB=4\nbad')
  expect(entries.map(({ line }) => line)).toEqual([1, 4])
  expect(problems[0]?.line).toBe(5)
})

test('an ambiguous line has a note', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the .env text's own placeholder
  const notes = parseEnv('A=a # b\nB=$HOME/x\nC="${D}"\nE=\'a # b\'\nF=1').entries.map(({ note }) => note !== undefined)
  expect(notes).toEqual([true, true, true, false, false])
})

test('no problem or note quotes the text', () => {
  const { problems, entries } = parseEnv('canary\nA="canary\nB="x" canary\nC=canary # canary $canary')
  expect(JSON.stringify([problems, entries.map(({ note }) => note)])).not.toContain('canary')
})

test('printed text parses to the same entries, whatever it contains', () => {
  const entry = fc.record({
    name: fc.stringMatching(/^[A-Z_]{1,8}$/),
    value: fc.string({ unit: 'binary', maxLength: 40 }),
  })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), (entries) => {
      expect(parseEnv(printEnv(entries)).entries.map(({ name, value }) => ({ name, value }))).toEqual(entries)
    }),
    { numRuns: 500 },
  )
})

test('for any text, each non-blank line is an entry, a problem or a comment', () => {
  const piece = fc.constantFrom(
    'A',
    'b',
    '=',
    '"',
    "'",
    '`',
    '#',
    ' ',
    '\n',
    '\r\n',
    '\r',
    '\\',
    '$',
    'export ',
    '\ufeff',
  )
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
      (text) => {
        const { entries, problems, comments } = parseEnv(text)
        const spanned = entries.reduce((sum, { value }) => sum + (value.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
        const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
        expect(entries.length + problems.length + comments + spanned).toBeGreaterThanOrEqual(
          lines.filter((line) => line.trim() !== '').length - spanned,
        )
        const at = [...entries, ...problems].map(({ line }) => line)
        expect(at.every((line) => line >= 1 && line <= lines.length)).toBe(true)
      },
    ),
    { numRuns: 1_000 },
  )
})

test.each([
  ['A=1', true],
  ['A=1\nB=2', true],
  ['export A=1', true],
  ['# only\n# comments', true],
  ['OPENAI_API_KEY', false],
  ['  OPENAI_API_KEY \n', false],
])('%j counts as pasted settings: %s', (text, expected) => expect(looksLikeEnv(text)).toBe(expected))
