import { expect, test } from 'vitest'
import {
  changeOf,
  type Settings,
  settingsDifference,
  settingsFor,
  settingsOf,
  settingsPatch,
} from '@/lib/contracts/deployments/deployment-settings'
import { rebased, settingConflicts, settingIssues } from './settings-draft'

const REF = 'source_revision_config.repo_ref'
const PUSH = 'source_config.build_on_push'
const INSTALL = 'source_config.install_command'
const CONFIG = 'source_revision_config.graph_config_path'
const before = settingsOf({
  source_config: { build_on_push: true, install_command: null },
  source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
})
const github = settingsFor('github')
const patchOf = (change: Partial<Settings>) => {
  const differences = settingsDifference(before, { ...before, ...change }, github)
  return settingsPatch(changeOf(differences))
}

test('each source has only the settings that apply to it', () => {
  expect(github).toEqual([REF, CONFIG, PUSH, INSTALL, 'source_config.build_command'])
  expect(settingsFor('external_docker')).toEqual(['source_revision_config.image_uri', 'source_config.custom_url'])
})

test('only changed settings are sent', () => {
  expect(patchOf({})).toEqual({})
  expect(patchOf({ [REF]: ' main ', [INSTALL]: '' })).toEqual({})
  expect(patchOf({ [REF]: 'next', [INSTALL]: 'npm ci' })).toEqual({
    source_revision_config: { repo_ref: 'next' },
    source_config: { install_command: 'npm ci' },
  })
})

test('choosing a tag turns build on push off', () => {
  expect(patchOf({ [REF]: 'refs/tags/v1' })).toEqual({
    source_revision_config: { repo_ref: 'refs/tags/v1' },
    source_config: { build_on_push: false },
  })
})

test('an invalid value is reported at its setting', () => {
  const draft = { ...before, [REF]: '', [INSTALL]: 'a | b' }
  expect(settingIssues(settingsDifference(before, draft, github))).toEqual({
    [REF]: 'Cannot be empty',
    [INSTALL]: expect.stringContaining('"|"'),
  })
})

test('after a conflict, my changes stay unless I gave them up; everything else is theirs', () => {
  const mine = { ...before, [REF]: 'mine', [PUSH]: false }
  const theirs = { ...before, [REF]: 'theirs', [CONFIG]: 'other.json' }
  const rows = settingConflicts(before, mine, theirs, github)
  expect(rows.map(({ setting }) => setting)).toEqual([REF, CONFIG, PUSH])
  expect(rebased(rows, theirs, [])).toEqual({ ...theirs, [REF]: 'mine', [PUSH]: false })
  expect(rebased(rows, theirs, [REF])).toEqual({ ...theirs, [PUSH]: false })
})
