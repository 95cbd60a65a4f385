import { expect, test, vi } from 'vitest'
import { StableServices } from './away'
import type { Cluster } from './cluster'

test('a later call for a deployment’s service ends one that still waits for the cluster', async () => {
  const taken: string[] = []
  const problems: string[] = []
  const pointService: Cluster['pointService'] = async ({ metadata }) => {
    if (metadata?.name === 'former') throw new Error('busy')
    taken.push(metadata?.name ?? '')
  }
  const services = new StableServices({ name: 'east', pointService } as Cluster)
  const { signal } = new AbortController()
  const point = (name: string) => services.point('d', { metadata: { name } }, signal, (line) => problems.push(line))
  const former = point('former')
  await vi.waitFor(() => expect(problems).toHaveLength(1))
  await point('next')
  await former
  expect(taken).toEqual(['next'])
  expect(problems).toEqual(['Cluster east takes no changes now: busy. The service of the deployment waits for it.'])
})
