import { expect, test } from 'vitest'
import { inlineDataOf } from './inline-data'

test.each([
  [
    'a file',
    { type: 'file', data: 'QUJD', mime_type: 'application/pdf', filename: 'a.pdf' },
    ['application/pdf', 'a.pdf'],
  ],
  [
    'a file of LangChain’s JavaScript',
    { type: 'file', data: 'QUJD', mimeType: 'application/pdf', metadata: { filename: 'a.pdf' } },
    ['application/pdf', 'a.pdf'],
  ],
  ['a data URI', { type: 'file', file: { file_data: 'data:text/html;base64,QUJD' } }, ['text/html', 'file.bin']],
  ['a document', { type: 'document', source: { media_type: 'text/plain', data: 'QUJD' } }, ['text/plain', 'file.txt']],
  ['a sound', { type: 'input_audio', input_audio: { data: 'QUJD', format: 'wav' } }, ['wav', 'file.wav']],
  [
    'a drawing that could run',
    { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,QUJD' } },
    ['image/svg+xml', 'file.bin'],
  ],
  [
    'a name with a path and a hidden end',
    { type: 'file', data: 'QUJD', filename: '../x/\u202Efdp.exe' },
    ['unknown kind', '_x__fdp.exe'],
  ],
])('reads base64 data from %s', (_name, block, [mime, name]) =>
  expect(inlineDataOf(block)).toEqual({ base64: 'QUJD', mime, name }),
)

test('text and addresses are not inline data', () => {
  expect(inlineDataOf({ type: 'text', text: 'x' })).toBeUndefined()
  expect(inlineDataOf({ type: 'file', url: 'https://a.example/x.pdf' })).toBeUndefined()
})
