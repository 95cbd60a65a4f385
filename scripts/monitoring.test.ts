import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

// The dashboard and the alert rules, without Grafana and Prometheus.

const root = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const RULES = 'deploy/helm/pilothouse/rules.yaml'

const METRIC_FILES = [
  'lib/server/process/metrics.ts',
  'lib/server/start/metrics.ts',
  'platform/kernel/metrics.ts',
  'platform/gateway/process.ts',
]
/** Labels that Prometheus adds to what it scrapes, and the console to the series of each of several processes. */
const ADDED = ['instance', 'job', 'pod', 'process']
const METRICS = new Set(
  METRIC_FILES.flatMap((file) =>
    [...read(file).matchAll(/'((?:pilothouse|platform)_[a-z_]+)'/g)].map((match) => match[1]),
  ),
)
/** Names of our metrics in queries, without the suffixes of a histogram. */
const queried = (text: string) =>
  [...text.matchAll(/\b(?:pilothouse|platform)_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''))

type Rule = { alert: string; expr: string; annotations: Record<string, string> }
type Dashboard = {
  panels: { targets: { expr: string; legendFormat?: string }[] }[]
  templating: { list: { definition?: string }[] }
}
const alertRules = (): Rule[] => parse(read(RULES)).groups[0].rules
const dashboard: Dashboard = JSON.parse(read('deploy/grafana/pilothouse.json'))
const dashboardQueries = () => dashboard.panels.flatMap(({ targets }) => targets)

test('dashboard and alert rules query only metrics that are exposed', () => {
  const rules = alertRules()
  const variables = dashboard.templating.list.map(({ definition = '' }) => definition)
  const queries = [...variables, ...[...dashboardQueries(), ...rules].map(({ expr }) => expr)]
  const names = queried(queries.join('\n'))
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !METRICS.has(name))).toEqual([])
  for (const rule of rules)
    expect(rule).toMatchObject({ alert: expect.any(String), annotations: { summary: expect.any(String) } })
})

test('dashboard and alert rules use only labels that their metrics have', () => {
  const sources = METRIC_FILES.map(read).join('\n')
  const labelsOf = (metric: string) => {
    const [, rest = ''] = sources.split(`name: '${metric}',`)
    const [, given = ''] = /labelNames: \[(.+)\]/.exec(rest.split('})')[0] ?? '') ?? []
    return [...given.matchAll(/'(\w+)'/g)].map((match) => match[1])
  }
  const listed = (text = '') => text.split(/[\s,]+/).filter(Boolean)
  const checked: string[] = []
  const problems = [...dashboardQueries(), ...alertRules()].flatMap((one) => {
    const { expr } = one
    const own = queried(expr).flatMap(labelsOf)
    const known = [...own, ...ADDED, ...(expr.includes('_bucket') ? ['le'] : [])]
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap((match) => listed(match[1]))
    const dropped = [...expr.matchAll(/\bwithout \(([^)]*)\)/g)].flatMap((match) => listed(match[1]))
    const matched = [...expr.matchAll(/(\w+)(?:=~?|!~|!=)"/g)].map((match) => match[1] ?? '')
    // What is grouped keeps only the labels of its groups.
    const shown =
      'annotations' in one
        ? [
            ...Object.values(one.annotations)
              .join()
              .matchAll(/\$labels\.(\w+)/g),
          ].map((match) => match[1] ?? '')
        : [...(one.legendFormat ?? '').matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? '')
    const kept = /\b(sum|max)\b/.test(expr) && !expr.includes('without') ? grouped : known
    checked.push(...grouped, ...dropped, ...matched, ...shown)
    return [
      ...[...grouped, ...dropped, ...matched].filter((label) => !known.includes(label)),
      ...shown.filter((label) => !kept.includes(label)),
    ].map((label) => `${label} in ${expr}`)
  })
  expect(problems).toEqual([])
  expect(checked).toEqual(
    expect.arrayContaining(['route', 'status', 'operation', 'outcome', 'area', 'instance', 'pod', 'le']),
  )
})

test('each panel shows the chosen jobs and instances, and none of other programs', () => {
  // Other programs of Node.js have metrics of the same names.
  for (const { expr } of dashboardQueries())
    for (const [, selector] of expr.matchAll(/\{(.*?)\}/g))
      expect(selector).toMatch(/^job=~"\$job",instance=~"\$instance"/)
  expect(dashboardQueries().filter(({ expr }) => !expr.includes('{'))).toEqual([])
  for (const { expr } of alertRules())
    for (const [shared] of expr.matchAll(/\b(?:nodejs|process)_\w+.{6}|\bup.{6}/g)) expect(shared).toMatch(/\{job=~$/)
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
test.skipIf(!hasPromtool)('alerts begin and end as they should (skipped where promtool is missing)', () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', RULES.replace('.yaml', '.test.yaml')], {
    ...{ cwd: root, encoding: 'utf8' },
  })
  expect([status, stderr], stdout).toEqual([0, ''])
})

test('each alert is tried', () => {
  const tried = read(RULES.replace('.yaml', '.test.yaml'))
  expect(alertRules().filter(({ alert }) => !new RegExp(`${alert}\\b`).test(tried))).toEqual([])
})
