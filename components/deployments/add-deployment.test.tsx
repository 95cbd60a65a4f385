import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { AddDeployment, NoDeployments } from './add-deployment'

afterEach(cleanup)

test.each([
  [true, 'New deployment', '/w/deployments/new', 'Create one from a repository or an image.'],
  [false, 'Add agent server', '/w/settings', 'Add a running agent server by its address.'],
])('what can be added where there is a control plane: %s', (hasControlPlane, verb, href, words) => {
  render(
    <Rights canRun canAdminister hasControlPlane={hasControlPlane}>
      <AddDeployment workspace="w" />
      <NoDeployments />
    </Rights>,
  )
  expect(screen.getByRole('link', { name: verb }).getAttribute('href')).toBe(href)
  expect(screen.getByText(words)).toBeTruthy()
})
