import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isFault, previousTag } from './release.mjs'

/** A repository with one commit per list of tags, in that order. */
function repositoryOf(...commits) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-tags-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], { cwd: folder })
  git('init', '--quiet', '--initial-branch=main')
  for (const tags of commits) {
    git('commit', '--quiet', '--allow-empty', '--message=one')
    for (const tag of tags) git('tag', tag)
  }
  return { folder, git }
}

test('the release before this commit is the newest one, not this one and none of another branch', () => {
  const { folder, git } = repositoryOf(['v0.9.0'], ['v0.10.0-rc.1'], ['v0.10.0', 'nightly'], ['v0.11.0'])
  expect(previousTag(folder)).toBe('v0.10.0')
  git('checkout', '--quiet', 'v0.10.0')
  expect(previousTag(folder)).toBe('v0.10.0-rc.1')
})

test('before the first release there is none', () => {
  expect(previousTag(repositoryOf([], ['v0.1.0']).folder)).toBeUndefined()
})

test.each([
  '{"at":"2026-11-28","level":"error","event":"page.failed"}',
  '{"level":"warn","event":"recorder.tick_failed","error":{"message":"column \\"questions\\" does not exist","code":"42703"}}',
  '{"level":"info","message":"relation \\"platform.gateways\\" does not exist"}',
  'null value in column "kind" violates not-null constraint',
])('%s is a fault', (line) => expect(isFault(line)).toBe(true))

test.each([
  '{"level":"warn","event":"recorder.claim_failed","error":{"code":"ECONNREFUSED"}}',
  '{"level":"info","event":"audit.anchor","audit_anchor":427,"mac":"a42P01b"}',
  '[start] stopping: SIGTERM',
])('%s is none', (line) => expect(isFault(line)).toBe(false))
