import { expect, test } from 'vitest'
import { renderDocs } from './docs-page'

const schema = { type: 'object', description: 'a <b> & "c" </script><!--' }
const api = (title = 'A <b>') => ({
  info: { title, version: '1&2' },
  paths: {
    '/threads': {
      get: { operationId: 'listThreads', tags: ['Threads'] },
      post: {
        operationId: 'createThread',
        tags: ['Threads'],
        requestBody: { content: { 'application/json': { schema } } },
      },
    },
    '/ok': { get: { operationId: 'getOk', tags: [] } },
    '/threads/<id>': { get: { operationId: 'getThread', tags: ['Threads'] } },
  },
})

test('without scripts the page lists every operation by its group, with the body that it takes', async () => {
  const { html } = await renderDocs(api())
  const plain = html.slice(html.indexOf('<main'), html.indexOf('</main>'))
  expect(plain).toContain('<h1>A &#60;b&#62; <small>1&#38;2</small></h1>')
  expect([...plain.matchAll(/<h2>(.*?)<\/h2>|<small>([a-z]\w+)<\/small>/g)].map(([, tag, id]) => tag ?? id)).toEqual([
    'Threads',
    'listThreads',
    'createThread',
    'getThread',
    'System',
    'getOk',
  ])
  expect(plain).toContain('<b>POST</b><code>/threads</code>')
  expect(plain).toContain('<code>/threads/&#60;id&#62;</code>')
  expect(plain).toContain('a &#60;b&#62; &#38; \\&#34;c\\&#34; &#60;/script&#62;&#60;!--')
  expect(plain.split('<p>No request body.</p>')).toHaveLength(4)
})

test('the description cannot end its script', async () => {
  const { html } = await renderDocs(api())
  const [, spec = ''] = /<script type="application\/json" id="api">(.*?)<\/script>/s.exec(html) ?? []
  expect(spec).not.toContain('<')
  expect(JSON.parse(spec)).toEqual(api())
  expect(html.match(/<title>(.*?)<\/title>/)?.[1]).toBe('A &#60;b&#62;')
})

test('the page may run its own scripts only, and has the same tag as long as its content is the same', async () => {
  const [first, again, other] = await Promise.all([renderDocs(api()), renderDocs(api()), renderDocs(api('B'))])
  expect(first.policy).toMatch(
    /^default-src 'none'; script-src 'sha256-\S+' 'sha256-\S+'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'$/,
  )
  expect(first.etag).toMatch(/^"[\w-]{43}"$/)
  expect([again.etag, other.etag === first.etag]).toEqual([first.etag, false])
})
