import { type AddressInfo, createServer, type Server } from 'node:net'
import fc from 'fast-check'
import { Agent, fetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { classifyAddress, mayConnect, parseRange } from '@/lib/contracts/wire/address'
import { addressConnector, guardedConnector, RefusedAddress } from './address-guard'

// A canary listens where most of these addresses lead and sees every connection that the guard lets through.
const canaries: Server[] = []
let connections = 0
let port = 0

beforeAll(async () => {
  const listen = (host: string, at: number) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((socket) => {
        connections += 1
        socket.on('error', () => {}) // the guard may leave before the answer is read
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello')
      })
      server.once('error', reject).listen(at, host, () => resolve(server))
    })
  const first = await listen('0.0.0.0', 0)
  port = (first.address() as AddressInfo).port
  canaries.push(first)
  canaries.push(
    ...(await listen('::1', port).then(
      (server) => [server],
      () => [],
    )),
  ) // machines without IPv6
})
afterAll(() => {
  for (const server of canaries) server.close()
})

type Addresses = Record<string, string[] | (() => string[])>
const resolver = (addresses: Addresses) => {
  return ((
    hostname: string,
    _options: unknown,
    done: (error: Error | null, found: { address: string; family: number }[]) => void,
  ) => {
    const given = addresses[hostname] ?? []
    const found = typeof given === 'function' ? given() : given
    if (found.length === 0) return done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), [])
    done(
      null,
      found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as NonNullable<Parameters<typeof guardedConnector>[0]['resolve']>
}

const NAMES: Addresses = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  metadata: ['169.254.169.254'],
  'instance-data.ec2.internal': ['169.254.169.254'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  'intranet.example.com': ['10.1.2.3'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'nat64.example.com': ['64:ff9b::7f00:1'],
  'six.example.com': ['::1'],
  'tunnel.example.com': ['2002:7f00:1::'],
  // One refused address is enough: we cannot know which one the socket will pick.
  'mixed.example.com': ['93.184.215.14', '127.0.0.1'],
  'mixed-last.example.com': ['2606:4700::1', '::ffff:10.0.0.1'],
}

const LITERALS = [
  // loopback in every spelling that URL parsers accept
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '127.255.255.254',
  '0177.0.0.1',
  '0177.1',
  '0x7f.0.0.1',
  '0x7f.1',
  '0x7F000001',
  '2130706433',
  '017700000001',
  '127%2e0%2e0%2e1',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '127．0．0．1',
  '0',
  '0.0.0.0',
  '0x0',
  '00',
  '0.0.0.1',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::0.0.0.1]',
  // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP-like
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:0x7f00]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::ffff:0:7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::7f00:1]',
  '[64:ff9b:1:a00::1]',
  '[2002:7f00:1::]',
  '[2002:7f00:1::1]',
  '[2002:a9fe:a9fe::]',
  '[2002:808:808::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[2001::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a00:1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:192.168.1.1]',
  '[::ffff:0.0.0.0]',
  // private and shared ranges
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.254',
  '0xa.0.0.1',
  '167772161',
  '[fc00::1]',
  '[fd00::1]',
  '[fdff:ffff::1]',
  '[fec0::1]',
  // metadata services
  '169.254.169.254',
  '2852039166',
  '0xA9FEA9FE',
  '0251.0376.0251.0376',
  '0xa9.0xfe.0xa9.0xfe',
  '169.254.43518',
  '169.254.170.2',
  '169.254.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '[fe80::1]',
  '[fe80::a9fe:a9fe]',
  '[febf::1]',
  // never a server: multicast, broadcast, documentation, benchmarks, unassigned
  '255.255.255.255',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '198.19.255.255',
  '192.0.0.1',
  '192.88.99.1',
  '[ff02::1]',
  '[ff0e::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[100::1]',
  '[::2]',
  '[4000::1]',
  '[8000::1]',
  '[e000::1]',
  '[2001:2::1]',
  '[2001:10::1]',
  '[2001:20::1]',
]
const HOSTS = [...LITERALS, ...Object.keys(NAMES)]

const agentTo = (reach: 'listed' | 'open', ranges: string[] = [], addresses: Addresses = NAMES) =>
  new Agent({
    connect: addressConnector({
      reach,
      ranges: ranges.map(parseRange).filter((range) => range !== undefined),
      timeoutMs: 2_000,
      resolve: resolver(addresses),
    }),
  })

/** What stopped a request: the guard, the URL parser, or nothing. */
async function outcome(agent: Agent, url: string): Promise<'refused' | 'not a URL' | 'other' | number> {
  if (!URL.canParse(url)) return 'not a URL'
  return fetch(url, { dispatcher: agent, redirect: 'manual' }).then(
    (response) => response.status,
    (error: Error) => (error.cause instanceof RefusedAddress ? 'refused' : 'other'),
  )
}

describe('an unlisted address', () => {
  test('the table covers at least 120 addresses', () => expect(HOSTS.length).toBeGreaterThanOrEqual(120))

  test.each(HOSTS)('http://%s is refused before a connection is opened', async (host) => {
    const agent = agentTo('open')
    connections = 0
    expect(['refused', 'not a URL']).toContain(await outcome(agent, `http://${host}:${port}/`))
    expect(connections).toBe(0)
    await agent.destroy()
  })

  test('the canary works: the same request to a listed origin arrives', async () => {
    const agent = agentTo('listed')
    connections = 0
    expect(await outcome(agent, `http://127.0.0.1:${port}/`)).toBe(200)
    expect(await outcome(agent, `http://localhost:${port}/`)).toBe(200)
    expect(connections).toBe(2)
    await agent.destroy()
  })
})

test('an unlisted address needs TLS on a usual port or a range allowed by the operator', async () => {
  const ranges = [parseRange('127.0.0.0/8')].filter((range) => range !== undefined)
  const resolve = resolver({ 'public.example.com': ['2000::1'] })
  for (const [url, allowed, expected] of [
    ['http://public.example.com/', [], 'refused'],
    ['https://public.example.com:9000/', [], 'refused'],
    ['http://[2000::1]/', [], 'refused'],
    [`http://127.0.0.1:${port}/`, [], 'refused'],
    [`http://127.0.0.1:${port}/`, ranges, 200],
    ['https://public.example.com/', [], 'other'],
  ] as const) {
    const agent = new Agent({ connect: guardedConnector({ reach: 'open', ranges: allowed, timeoutMs: 300, resolve }) })
    expect([url, await outcome(agent, url)]).toEqual([url, expected])
    await agent.destroy()
  }
})

test('DNS rebinding fails: the socket connects to the address that was checked', async () => {
  let asked = 0
  // The first answer is a public address that nobody uses.
  const rebinding = { 'rebind.example.com': () => (asked++ === 0 ? ['2000::1'] : ['127.0.0.1']) }
  const agent = new Agent({
    connect: addressConnector({ reach: 'open', ranges: [], timeoutMs: 300, resolve: resolver(rebinding) }),
  })
  connections = 0
  const first = fetch(`http://rebind.example.com:${port}/`, { dispatcher: agent })
  await expect(first).rejects.toThrow()
  expect(asked).toBe(1)
  expect(await outcome(agent, `http://rebind.example.com:${port}/`)).toBe('refused')
  expect(connections).toBe(0)
  await agent.destroy()
})

test('an address that changes after its check is refused by what the socket is connected to', async () => {
  let reads = 0
  const changing = {
    family: 4,
    // A public address while it is checked, ours when the socket uses it.
    get address() {
      return reads++ === 0 ? '93.184.215.14' : '127.0.0.1'
    },
  }
  const resolve = ((_: string, __: unknown, done: (error: null, found: object[]) => void) =>
    done(null, [changing])) as unknown as ReturnType<typeof resolver>
  const agent = new Agent({ connect: addressConnector({ reach: 'open', ranges: [], timeoutMs: 2_000, resolve }) })
  connections = 0
  expect(await outcome(agent, `http://changing.example.com:${port}/`)).toBe('refused')
  expect(reads).toBeGreaterThan(1)
  await agent.destroy()
})

test.each<[string, Error | null, string]>([
  ['a failed look-up', Object.assign(new Error('later'), { code: 'EAI_AGAIN' }), 'EAI_AGAIN'],
  ['a name without addresses', null, 'ENOTFOUND'],
])('%s fails with its code', async (_, error, code) => {
  const resolve = ((_name: string, _options: unknown, done: (error: Error | null, found: object[]) => void) =>
    done(error, [])) as ReturnType<typeof resolver>
  const agent = new Agent({ connect: addressConnector({ reach: 'listed', ranges: [], timeoutMs: 2_000, resolve }) })
  const failed = fetch('http://name.example.com/', { dispatcher: agent })
  await expect(failed).rejects.toMatchObject({ cause: { code } })
  await agent.destroy()
})

describe('a listed origin', () => {
  test.each([
    '169.254.169.254',
    '[fe80::1]',
    '0.0.0.0',
    '[::ffff:169.254.169.254]',
    '[64:ff9b::7f00:1]',
    '224.0.0.1',
    '168.63.129.16',
    'metadata.google.internal',
    'mapped-metadata.example.com',
  ])('does not allow %s, which no deployment uses', async (host) => {
    const agent = agentTo('listed', [], { ...NAMES, 'mapped-metadata.example.com': ['::ffff:169.254.169.254'] })
    expect(await outcome(agent, `http://${host}:${port}/`)).toBe('refused')
    await agent.destroy()
  })
})

describe('a range allowed by the operator', () => {
  test('allows the addresses inside it, in any spelling, and no others', async () => {
    const agent = agentTo('open', ['127.0.0.0/30'])
    for (const host of ['127.0.0.1', '0x7f.1', '[::ffff:127.0.0.1]', '127.0.0.1.nip.io'])
      expect(await outcome(agent, `http://${host}:${port}/`)).toBe(200)
    for (const host of ['127.0.0.4', '[::1]', '10.0.0.1', 'localhost'])
      expect(await outcome(agent, `http://${host}:${port}/`)).toBe('refused')
    await agent.destroy()
  })
})

describe('classification', () => {
  test.each([
    '8.8.8.8',
    '93.184.215.14',
    '2606:4700::1111',
    '2a00:1450::1',
    '64:ff9b::808:808',
    '::ffff:8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '11.0.0.1',
  ])('%s is public', (address) => expect(classifyAddress(address)).toBe('public'))

  test('a mapped address is classified as its IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(classifyAddress(`::ffff:${address}`)).toBe(classifyAddress(address))
      }),
    )
  })

  test('text that is not an address never connects', () => {
    fc.assert(fc.property(fc.string(), (text) => /^[\d.:a-f[\]%]+$/i.test(text) || !mayConnect(text, 'listed', [])))
  })
})
