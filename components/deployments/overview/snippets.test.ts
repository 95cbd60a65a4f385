import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { KEY_VARIABLE } from '@/lib/format/format'
import { SNIPPETS, snippet } from './snippets'

const url = "https://agents.example/it's/$(touch x)/`id`/"

test.each(SNIPPETS)('$label contains the URL and a placeholder for the key, but no key', ({ kind }) => {
  const text = snippet(kind, 'https://agents.example/a/', 'chat')
  expect(text).toContain('https://agents.example/a')
  expect(text).not.toContain('https://agents.example/a/"')
  expect(text).toContain(KEY_VARIABLE)
  expect(text).toContain('chat')
})

test('a shell executes nothing from a hostile URL or name, and sends the body unchanged', () => {
  const script = snippet('curl', url, "it's $(id)").replace(/^curl/, `printf '%s\\n'`)
  const printed = execFileSync('/bin/sh', ['-c', script], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', NODE_ENV: 'test', [KEY_VARIABLE]: 'given by the reader' },
  }).split('\n')
  expect(printed[0]).toBe(`${url.replace(/\/$/, '')}/runs/wait`)
  expect(printed).toContain('X-Api-Key: given by the reader')
  expect(JSON.parse(printed.at(-2) ?? '')).toMatchObject({ assistant_id: "it's $(id)" })
})
