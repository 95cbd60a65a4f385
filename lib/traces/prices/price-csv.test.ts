import { expect, test } from 'vitest'
import { readPriceCsv } from './price-csv'

const whole = {
  ...{ model: 'gpt-5*', provider: 'openai', input: 1.25, output: 10, cachedInput: 0.125, reasoning: null },
  ...{ cacheWrite: null, cacheWrite1h: null, validFrom: '2026-01-31' },
}

test.each([
  ['commas in the usual order', 'gpt-5*,openai,1.25,10,0.125,,2026-01-31'],
  ['tabs and dollars', 'gpt-5*\topenai\t$1.25\t$ 10\t.125\t\t2026-01-31\r\n'],
  [
    'a header in another order, with columns of others',
    '\nModel;Output;Input;Notes;Cached input;Valid from;provider\n"gpt-5*";10;1.25;"a;b""c";0.125;2026-01-31;openai',
  ],
])('prices are read from %s', (_, text) => {
  expect(readPriceCsv(text)).toEqual({ prices: [whole], problems: [] })
})

test('prices of cache writes are read', () => {
  const [price] = readPriceCsv('model,input,output,cache_write,cache_write_1h\nm,3,15,3.75,6').prices
  expect(price).toMatchObject({ cacheWrite: 3.75, cacheWrite1h: 6 })
})

test('a line that is not a price is reported by number, and the others are read', () => {
  const { prices, problems } = readPriceCsv('a,,1,2\n,,1,2\nb,,much,2\nc,,1\nd,,1,2,-1\ne,,1,2,,,soon\nf,,0,0')
  expect(prices.map(({ model }) => model)).toEqual(['a', 'f'])
  expect(problems.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6])
})
