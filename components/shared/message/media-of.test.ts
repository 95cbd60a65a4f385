import { expect, test } from 'vitest'
import { mediaAddress, mediaId, mediaKind, playedType } from './media-of'

const url = 'https://example.com/a'
test.each([
  [{ type: 'audio', url }, 'sound', url, undefined],
  [{ type: 'video_url', video_url: { url } }, 'video', url, undefined],
  [{ type: 'input_file', file_url: url }, 'file', url, undefined],
  [{ type: 'document', source: { type: 'url', url } }, 'file', url, undefined],
  [{ type: 'file', file: { file_id: 'f' } }, 'file', undefined, 'f'],
  [{ type: 'file', fileId: 'f' }, 'file', undefined, 'f'],
  [{ type: 'video', id: 'v' }, 'video', undefined, 'v'],
  [{ type: 'image', url: 'DATA:image/svg+xml,<svg>' }, 'picture', undefined, undefined],
  [{ type: 'constructor', url }, undefined, url, undefined],
])('reads kind, address and id of %j', (block, kind, address, id) => {
  expect([mediaKind(block), mediaAddress(block), mediaId(block)]).toEqual([kind, address, id])
})

test.each([
  ['audio/mpeg', 'file', 'audio/mpeg'],
  ['AUDIO/WAV; codecs=1', 'sound', 'audio/wav'],
  ['wav', 'sound', 'audio/wav'],
  ['video/quicktime', 'video', 'video/mp4'],
  ['text/html', 'sound', undefined],
  ['image/svg+xml', 'video', undefined],
  ['audio/constructor', 'sound', undefined],
  ['unknown kind', 'sound', undefined],
])('%s of a %s is played as %s', (mime, kind, type) => expect(playedType(mime, kind)).toBe(type))
