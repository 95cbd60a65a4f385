import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readMarkdown, safeLink } from './markdown-model'
import { MarkdownText } from './markdown-text'

// Loaded lazily, which is slow on a busy machine.
beforeAll(() => Promise.all([import('./highlight'), import('./typeset')]))
afterEach(cleanup)

const shown = (text: string, isOpen = false) => render(<MarkdownText text={text} isOpen={isOpen} />).container

test('draws what models write: headings, nested lists and emphasis, quotes, code', () => {
  const container = shown(
    '# Title\n\nSome **bold _and_** `code`.\n\n3. one\n   - two\n\n> said\n\n```js\nlet a = "**no**"\n```\nend',
  )
  expect(container.querySelector('strong em')?.textContent).toBe('and')
  expect(container.querySelector('ol ul li')?.textContent).toBe('•two')
  expect(container.querySelector('ol > li')?.textContent).toContain('3.one')
  expect(container.querySelector('blockquote')?.textContent).toBe('said')
  expect(container.querySelector('pre')?.textContent).toBe('let a = "**no**"')
  expect(container.querySelectorAll('h1, h2')).toHaveLength(0)
})

test.each(['0', '1', '7'])('a list that starts at %s is numbered from there', (start) => {
  const items = shown(`${start}. a\n${Number(start) + 1}. b`).querySelectorAll('li')
  expect([...items].map((item) => item.textContent)).toEqual([`${start}.a`, `${Number(start) + 1}.b`])
})

test('draws tables with their alignment, and task lists', () => {
  shown('| city | people |\n|:--|--:|\n| *Rome* | 2,8 |\n\n- [x] done\n- [ ] open')
  expect(screen.getByRole('columnheader', { name: 'people' }).className).toContain('text-right')
  expect(screen.getByRole('cell', { name: 'Rome' }).querySelector('em')).toBeTruthy()
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Done' }).checked).toBe(true)
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Not done' }).disabled).toBe(true)
})

test('a footnote mark leads to its note', async () => {
  shown('Known[^a].\n\n[^a]: From *the* book')
  await userEvent.click(screen.getByRole('button', { name: 'Footnote a' }))
  expect(document.activeElement?.textContent).toBe('aFrom the book')
})

test('code gets colours when it is complete, and can be copied', async () => {
  const text = '```python\nreturn "x"\n```'
  const { container, rerender } = render(<MarkdownText text={text.slice(0, -4)} isOpen />)
  expect(screen.getByRole('button', { name: 'Copy code' })).toBeTruthy()
  expect(container.querySelector('pre span')).toBeNull()
  rerender(<MarkdownText text={text} />)
  await waitFor(() => expect(container.querySelector('pre .text-accent')?.textContent).toBe('return'))
  expect(container.querySelector('pre')?.textContent).toBe('return "x"')
})

test('typesets formulas, and leaves money and broken formulas as written', async () => {
  const container = shown(
    'Euler: $e^{i\\pi} = -1$ and \\(a_1\\).\n\n$$\n\\frac{a}{b}\n$$\n\n$\\frac{$ costs $5 and $10',
  )
  await waitFor(() => expect(container.querySelectorAll('.katex')).toHaveLength(3))
  expect(container.querySelectorAll('.katex-display')).toHaveLength(1)
  expect(container.textContent).toContain('$5 and $10')
})

describe('hostile text', () => {
  test('stays text: adds no elements, loads nothing and runs nothing', () => {
    const container = shown(
      [
        '<img src=x onerror=alert(1)><script>alert(1)</script>',
        '![p](https://evil.example/p.png) ![q](data:image/svg+xml;base64,PHN2Zz4=)',
        '[a](javascript:alert(1)) [b](data:text/html,x) [c](https://bank.example@evil.example/) [d](//evil.example)',
        '<javascript:alert(1)> <https://evil.example/auto>',
      ].join('\n\n'),
    )
    expect(container.querySelectorAll('img, script, iframe, object, svg, style, link')).toHaveLength(0)
    expect(container.textContent).toContain('<img src=x onerror=alert(1)>')
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      'https://evil.example/p.png',
      'https://evil.example/auto',
    ])
  })

  test('formulas load, link and run nothing', async () => {
    const container = shown(
      '$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://evil.example/p.png}$ $\\htmlStyle{position:fixed}{y}$ $z$',
    )
    await waitFor(() => expect(container.querySelector('.katex')).toBeTruthy())
    expect(container.querySelectorAll('a, img')).toHaveLength(0)
    expect(container.innerHTML).not.toContain('fixed"')
  })

  test('a link shows its host, whatever its text says', () => {
    const container = shown('[https://bank.example](https://xn--evl-wma.example/x)')
    expect(container.textContent).toBe('https://bank.example (xn--evl-wma.example)')
    expect(screen.getByRole('link').getAttribute('rel')).toContain('noreferrer')
    expect(container.querySelectorAll('a a')).toHaveLength(0)
  })

  test('invisible and bidi characters are shown by name', () => {
    expect(shown('**a\u202Eb** `c\u200Bd`').textContent).toBe('aRLOb cZWSPd')
  })

  test('an inline image of a safe type is shown', () => {
    shown('![dot](data:image/png;base64,iVBORw0KGgo=)')
    expect(screen.getByRole('img', { name: 'dot' })).toBeTruthy()
  })

  test.each([
    ...['[', '*', '**', '`', '_', '![](', '> ', '~~', '- ', '[](a', 'https://', '1. ', '\n- ', '\n> '],
    ...['*a_', '_a*', 'a*', '**a ', '$', '$a', '\\(', '[^', '[^a]: ', '|', '|-', '<a', '`` ', '&', '[a]('],
  ])('a part full of %j is read without a freeze', (piece) => {
    const text = piece.repeat(6_000 / piece.length)
    const times = [1, 2, 3].map(() => {
      const started = performance.now()
      readMarkdown(text)
      return performance.now() - started
    })
    expect(Math.min(...times)).toBeLessThan(100)
  })
})

test('code longer than one part continues in the next', () => {
  const code = Array.from({ length: 1600 }, (_, line) => `**line ${line}**`).join('\n')
  const container = shown(`\`\`\`\n${code}\n\`\`\`\nafter **it**`)
  expect(container.querySelectorAll('strong')).toHaveLength(1)
  expect([...container.querySelectorAll('pre')].map((pre) => pre.textContent).join('\n')).toBe(code)
})

test.each([
  ['https://a.example/x?y=1', 'a.example'],
  ['mailto:a@b.example', 'a@b.example'],
  ['javascript:alert(1)', undefined],
  ['vbscript:x', undefined],
  ['file:///etc/passwd', undefined],
  ['blob:https://a.example/1', undefined],
  ['/relative', undefined],
])('the host of the link %s', (url, host) => expect(safeLink(url)?.host).toBe(host))
