import { describe, expect, test } from 'vitest'
import {
  changeOf,
  makesRevision,
  mayBeEmpty,
  SETTINGS,
  type Setting,
  type Settings,
  settingsDifference,
  settingsFor,
  settingsOf,
  settingsPatch,
} from './deployment-settings'

const REF = 'source_revision_config.repo_ref'
const PATH = 'source_revision_config.graph_config_path'
const PUSH = 'source_config.build_on_push'
const INSTALL = 'source_config.install_command'
const BUILD = 'source_config.build_command'
const URL = 'source_config.custom_url'
const IMAGE = 'source_revision_config.image_uri'

test('each source has its settings; an unknown one has all', () => {
  expect(settingsFor('github')).toEqual([REF, PATH, PUSH, INSTALL, BUILD])
  expect(settingsFor('external_docker')).toEqual([IMAGE, URL])
  expect(settingsFor('internal_docker')).toEqual([IMAGE])
  expect(settingsFor('internal_source')).toEqual([PATH, INSTALL, BUILD])
  expect(settingsFor('newer')).toEqual([...SETTINGS])
})

test('settings are read from both parts of a record, and are null if they are neither text nor boolean', () => {
  const record = {
    source_config: { build_on_push: false, install_command: '', build_command: 7, custom_url: null },
    source_revision_config: { repo_ref: 'main', graph_config_path: {} },
  }
  expect(settingsOf(record)).toEqual({
    [REF]: 'main',
    [PATH]: null,
    [IMAGE]: null,
    [PUSH]: false,
    [INSTALL]: '',
    [BUILD]: null,
    [URL]: null,
  })
  expect(settingsOf({ source_config: 'x' })).toEqual(Object.fromEntries(SETTINGS.map((setting) => [setting, null])))
})

test('only commands may be empty', () => {
  expect(SETTINGS.filter(mayBeEmpty)).toEqual([INSTALL, BUILD])
})

test('only what is built or rolled out makes a revision', () => {
  expect(SETTINGS.filter(makesRevision)).toEqual([REF, PATH, IMAGE])
})

describe('differences', () => {
  const before = settingsOf({
    source_config: { build_on_push: true, install_command: 'npm ci' },
    source_revision_config: { repo_ref: 'main' },
  })
  const difference = (draft: Partial<Settings>, settings: readonly Setting[] = SETTINGS) =>
    settingsDifference(before, { ...before, ...draft }, settings)

  test('are none for the same settings, whatever space is around them', () => {
    expect(difference({})).toEqual([])
    expect(difference({ [REF]: ' main ' })).toEqual([])
  })
  test('have the old and the new value without space around it', () => {
    expect(difference({ [REF]: ' dev ', [PUSH]: false, [INSTALL]: '' })).toEqual([
      { setting: REF, from: 'main', to: 'dev' },
      { setting: PUSH, from: true, to: false },
      { setting: INSTALL, from: 'npm ci', to: '' },
    ])
  })
  test('leave out what stays unset', () => {
    expect(difference({ [BUILD]: ' ', [PATH]: null, [REF]: null })).toEqual([])
    const unset = { ...before, [PUSH]: null }
    expect(settingsDifference(unset, { ...unset, [PUSH]: false }, SETTINGS)).toEqual([])
    expect(settingsDifference(unset, { ...unset, [PUSH]: true }, SETTINGS)).toEqual([
      { setting: PUSH, from: null, to: true },
    ])
  })
  test('turn build on push off with a tag', () => {
    expect(difference({ [REF]: ' refs/tags/v1' })).toEqual([
      { setting: REF, from: 'main', to: 'refs/tags/v1' },
      { setting: PUSH, from: true, to: false },
    ])
    const off = { ...before, [PUSH]: false }
    expect(settingsDifference(off, { ...off, [REF]: 'refs/tags/v1' }, [PUSH])).toEqual([])
  })
  test('are of the given settings only', () => {
    expect(difference({ [REF]: 'dev', [BUILD]: 'make' }, [BUILD])).toEqual([{ setting: BUILD, from: null, to: 'make' }])
  })
  test('become the parts of an update', () => {
    const change = changeOf(difference({ [REF]: 'dev', [BUILD]: 'make', [PUSH]: false }))
    expect(change).toEqual({ [REF]: 'dev', [BUILD]: 'make', [PUSH]: false })
    expect(settingsPatch(change)).toEqual({
      source_revision_config: { repo_ref: 'dev' },
      source_config: { build_command: 'make', build_on_push: false },
    })
    expect(settingsPatch({})).toEqual({})
  })
})
