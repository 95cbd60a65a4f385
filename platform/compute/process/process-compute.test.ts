import { createBody } from '../../testing/platform-fixture'
import { computeConformance } from '../testing'

computeConformance(async () => ({
  options: {},
  async source(fixture, name, files) {
    const repository = fixture.repository(name)
    repository.commit(files)
    return {
      body: createBody(name, repository.url),
      change: async (changed) => void repository.commit(changed),
    }
  },
  outlivesPlatform: false,
  close: async () => {},
}))
