import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { addressWarning, helmCommands, isAddress, npmCommand } from './join-commands'

const given = { url: 'https://platform.example.com', token: 'phl_t', namespaces: ['agents', 'more'] }

/** The words that a shell gives to each program. */
function wordsOf(commands: string): string[][] {
  const print = `printf '%s\\n' "$@"; echo --`
  const script = ['kubectl', 'helm'].map((name) => `${name}() { set -- ${name} "$@"; ${print}; }`).join('\n')
  const env = `npm() { set -- npm "$@" "$PILOTHOUSE_LISTENER_URL" "$PILOTHOUSE_LISTENER_TOKEN" "$PILOTHOUSE_LISTENER_ALLOW_HTTP"; ${print}; }`
  const out = execFileSync('sh', ['-c', `${script}\n${env}\n${commands}`], { encoding: 'utf8' })
  return out
    .split('--\n')
    .filter(Boolean)
    .map((block) => block.replace(/\n$/, '').split('\n'))
}

test('the chart gets the secret, the address and the namespaces', () => {
  const [namespace, secret, helm] = wordsOf(helmCommands(given))
  expect(namespace).toEqual(['kubectl', 'create', 'namespace', 'pilothouse'])
  expect(secret?.at(-1)).toBe('--from-literal=PILOTHOUSE_LISTENER_TOKEN=phl_t')
  expect(helm).toEqual([
    ...['helm', 'install', 'listener', 'deploy/helm/pilothouse-listener', '--namespace', 'pilothouse'],
    ...['--set', 'existingSecret=listener', '--set', 'image.repository=registry.example.com/pilothouse-platform'],
    ...['--set', 'url=https://platform.example.com', '--set', 'namespaces={agents,more}'],
  ])
})

test('the program gets the address and the token', () => {
  expect(wordsOf(npmCommand(given))).toEqual([['npm', 'run', 'listener', given.url, 'phl_t', '']])
})

test('http:// to another machine is permitted, and warned of; a loopback address is not for a cluster', () => {
  const url = 'http://platform.pilothouse.svc'
  expect(wordsOf(helmCommands({ ...given, url }))[2]?.slice(-2)).toEqual([
    '--set-string',
    'env.PILOTHOUSE_LISTENER_ALLOW_HTTP=true',
  ])
  expect(wordsOf(npmCommand({ ...given, url }))[0]?.at(-1)).toBe('true')
  expect(wordsOf(npmCommand({ ...given, url: 'http://127.0.0.1:4000' }))[0]?.at(-1)).toBe('')
  expect(addressWarning(url)).toContain('secrets')
  expect(addressWarning('http://localhost:4000')).toContain('Only this machine')
  expect(addressWarning(given.url)).toBeUndefined()
})

test('a token and an address with a quote stay one word each', () => {
  const token = "phl_'; exit 1; $(exit 2) '"
  expect(wordsOf(npmCommand({ ...given, token }))[0]?.[4]).toBe(token)
  expect(wordsOf(helmCommands({ ...given, token }))[1]?.at(-1)).toBe(
    `--from-literal=PILOTHOUSE_LISTENER_TOKEN=${token}`,
  )
  const url = "https://a.example/'; exit 1; '"
  expect(wordsOf(npmCommand({ ...given, url }))[0]?.[3]).toBe(url)
  expect([isAddress(given.url), isAddress('platform'), isAddress('ftp://a')]).toEqual([true, false, false])
})
