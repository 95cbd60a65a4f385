import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { RevisionFacts } from './revision-facts'

afterEach(cleanup)

test('the source is called as on the pages of deployments', () => {
  const at = '2026-11-25T10:00:00Z'
  const revision = { id: 'r', created_at: at, updated_at: at, source: 'external_docker', source_revision_config: {} }
  render(
    <RevisionFacts
      revision={revision as unknown as Revision}
      trigger={{ kind: 'unknown', note: '' }}
      took={{ unknown: '' }}
      served={undefined}
      changes={[]}
    />,
  )
  expect(screen.getByText('Source').nextElementSibling?.textContent).toBe('Image')
})
