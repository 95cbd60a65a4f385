import { readFileSync } from 'node:fs'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Snippets } from './snippets'

test('snippets that need a key lead to the section that says where it is', () => {
  render(<Snippets label="Language" all={[{ label: 'curl', text: 'curl https://a.example' }]} />)
  const href = screen.getByRole('link', { name: 'Where to find it' }).getAttribute('href')
  expect(href).toBe('/docs/use/overview#call-it-from-code')
  expect(readFileSync('docs/use/overview.md', 'utf8')).toContain('\n## Call it from code\n')
})
