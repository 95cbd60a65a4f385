import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { OverviewUse } from './overview-use'

afterEach(cleanup)

const show = (isInContainer: boolean) =>
  act(async () => {
    render(
      <Rights canRun canAdminister isInContainer={isInContainer}>
        <OverviewUse url="http://127.0.0.1:4321/agents/one" graph="chat" isOpen={false} offered={Promise.resolve([])} />
      </Rights>,
    )
  })
const link = () => screen.queryByRole('link', { name: 'Call the agents from elsewhere' })

test('how to call an agent in a container says that others do not reach its address', async () => {
  await show(true)
  expect(screen.getByText(/only works on the machine or in the container/)).toBeTruthy()
  expect(link()).toBeTruthy()
})

test('on one machine, it only has the snippets', async () => {
  await show(false)
  expect(screen.getByText(/runs\/wait/)).toBeTruthy()
  expect(link()).toBeNull()
})
