import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import dictionary from 'dictionary-en'
import nspell from 'nspell'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file) => readFileSync(path.join(root, file), 'utf8')
/** What users read first. Others name what no dictionary knows. */
const documents = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /^(index|(start|use|recipes|build)\/.+)\.md$/.test(file))
  .map((file) => path.join('docs', file))

/** Words of prose: no code, links, addresses, names of files and variables. */
const wordsOf = (text) =>
  text
    .replace(/^```[\s\S]*?^```$/gm, ' ')
    .replace(/<!--[\s\S]*?-->|<[^>]+>|`[^`\n]*(?:\n[^`\n]*)?`/g, ' ')
    .replace(/\]\([^)]*\)|https?:\S+|\S+@\S+|&\w+;/g, ' ')
    .replace(/[’]/g, "'")
    .split(/[^\p{L}\p{N}'_.$/-]+/u)
    .filter((word) => !/[\d_./$]/.test(word.replace(/[.'/]+$/, '')))
    .flatMap((word) => word.split(/[-/.]/))
    .map((word) => word.replace(/^'+|'+s?$|'s$/g, ''))
    // Names in capitals inside are those of products and code.
    .filter((word) => /^\p{Lu}?\p{Ll}{2,}$/u.test(word))

test('documents are spelled correctly: docs/words.txt has the words that no dictionary has', () => {
  const spell = nspell(Buffer.from(dictionary.aff).toString(), Buffer.from(dictionary.dic).toString())
  for (const word of read('docs/words.txt').split(/\s+/).filter(Boolean)) spell.add(word)
  const wrong = documents.flatMap((file) =>
    [...new Set(wordsOf(read(file)))].filter((word) => !spell.correct(word)).map((word) => `${file}: ${word}`),
  )
  expect(wrong).toEqual([])
})
