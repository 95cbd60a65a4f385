import { expect, test } from 'vitest'
import { adviceOn, FailureReason, isOwnNoise } from './failure-advice'
import { packageEnvironment } from './package-manager'

test.each([
  ['npm error Unsupported URL Type "workspace:": workspace:*', /workspace/],
  [
    'error Error: https://registry.yarnpkg.com/@langchain/langgraph/-/langgraph-0.2.1.tgz: Request failed "404 Not Found"',
    /does not have a package in the version/,
  ],
  [' ERR_PNPM_FETCH_404  GET https://registry.npmjs.org/a/-/a-1.tgz: Not Found - 404', /does not have a package/],
  ['npm error notarget No matching version found for zod@99.', /does not have a package/],
  [`error Couldn't find any versions for "zod" that matches "99"`, /does not have a package/],
  ['ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', /commit the lock file/],
  ['error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.', /commit the lock file/],
  [
    'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
    /commit the lock file/,
  ],
  ['npm error code ENOTFOUND', /was not reached/],
  [' ERR_PNPM_META_FETCH_FAIL  GET https://a: request failed, reason: getaddrinfo EAI_AGAIN a', /was not reached/],
])('%s', (line, advice) => expect(adviceOn(line)).toMatch(advice))

test('an error of the source’s own code has no advice, nor has what is tried again', () => {
  for (const line of [
    ' WARN  GET https://a error (ENOTFOUND). Will retry in 10 seconds. 2 retries left.',
    "src/graph.ts(4,1): error TS2307: Cannot find module 'zod'",
    'Error: 4040 items',
    '',
  ])
    expect(adviceOn(line)).toBeUndefined()
})

test('the reason of a failure is a line that says more than a code', () => {
  const lines = [
    'npm warn deprecated a@1.0.0',
    'npm error code ECONNREFUSED',
    'npm error syscall connect',
    'npm error errno ECONNREFUSED',
    'npm error FetchError: request to https://npm.example.com/a failed, reason: connect ECONNREFUSED 192.0.2.1:443',
    'npm error     at ClientRequest',
  ]
  const reason = new FailureReason()
  for (const line of lines) reason.read(line)
  expect(reason.line).toContain('FetchError')
})

test('npm’s notes on the platform’s settings for other package managers are noise, and on others not', () => {
  const names = Object.keys(packageEnvironment('/cache')).flatMap((name) => /^npm_config_(.+)/.exec(name)?.[1] ?? [])
  const note = (name: string) => `npm warn Unknown env config "${name}". This will stop working in the next version.`
  const known = ['cache', 'update_notifier']
  expect(names.filter((name) => !isOwnNoise(note(name.replaceAll('_', '-'))))).toEqual(known)
  expect(isOwnNoise(note('colour'))).toBe(false)
})
