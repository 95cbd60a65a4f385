import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, test } from 'vitest'
import { readBlocks, readInline, safeLink } from './markdown-model'
import { MarkdownText } from './markdown-text'

afterEach(cleanup)

test('parses the Markdown that models write: headings, lists, code, quotes, emphasis', () => {
  const text =
    '# Title\n\nSome **bold** and `code`.\n- one\n  - two\n1. first\n> said\n\n```js\nlet a = "**no**"\n```\nend'
  expect(readBlocks(text)).toEqual([
    { kind: 'heading', level: 1, text: 'Title' },
    { kind: 'paragraph', text: 'Some **bold** and `code`.' },
    { kind: 'item', depth: 0, marker: '•', text: 'one' },
    { kind: 'item', depth: 1, marker: '•', text: 'two' },
    { kind: 'item', depth: 0, marker: '1.', text: 'first' },
    { kind: 'quote', text: 'said' },
    { kind: 'code', language: 'js', text: 'let a = "**no**"' },
    { kind: 'paragraph', text: 'end' },
  ])
})

describe('hostile text', () => {
  test('stays text: adds no elements, loads nothing and runs nothing', () => {
    const { container } = render(
      <MarkdownText
        text={[
          '<img src=x onerror=alert(1)><script>alert(1)</script>',
          '![p](https://evil.example/p.png) ![q](data:image/svg+xml;base64,PHN2Zz4=)',
          '[a](javascript:alert(1)) [b](data:text/html,x) [c](https://bank.example@evil.example/) [d](//evil.example)',
        ].join('\n\n')}
      />,
    )
    expect(container.querySelectorAll('img, script, iframe, object, svg, style, link')).toHaveLength(0)
    expect(container.textContent).toContain('<img src=x onerror=alert(1)>')
    expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['https://evil.example/p.png'])
  })

  test('a link shows its host, whatever its text says', () => {
    const { container } = render(<MarkdownText text="[https://bank.example](https://xn--evl-wma.example/x)" />)
    expect(container.textContent).toBe('https://bank.example (xn--evl-wma.example)')
    expect(screen.getByRole('link').getAttribute('rel')).toContain('noreferrer')
  })

  test('invisible and bidi characters are shown by name', () => {
    const { container } = render(<MarkdownText text={'**a\u202Eb** `c\u200Bd`'} />)
    expect(container.textContent).toBe('aRLOb cZWSPd')
  })

  test('an inline image of a safe type is shown', () => {
    render(<MarkdownText text="![dot](data:image/png;base64,iVBORw0KGgo=)" />)
    expect(screen.getByRole('img', { name: 'dot' })).toBeTruthy()
  })

  test.each(['[', '*', '**', '`', '_', '![](', '> ', '~~', '- ', '[](a', 'https://'])(
    'a megabyte of %s is parsed within two seconds',
    (piece) => {
      const text = piece.repeat(16_000 / piece.length)
      const started = performance.now()
      for (let part = 0; part < 60; part++)
        for (const block of readBlocks(text)) if ('text' in block) readInline(block.text)
      expect(performance.now() - started).toBeLessThan(2_000)
    },
  )
})

test('a code fence longer than one block continues in the next', () => {
  const code = Array.from({ length: 400 }, (_, line) => `**line ${line}**`).join('\n')
  const { container } = render(<MarkdownText text={`\`\`\`\n${code}\n\`\`\`\nafter **it**`} />)
  expect(container.querySelectorAll('strong')).toHaveLength(1)
  expect(container.textContent).toContain('**line 399**')
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
