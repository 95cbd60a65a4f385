import { expect, test } from 'vitest'
import { hasNode, withNode } from './breakpoints'

const ALL = ['agent', 'tools', 'end']

test('a breakpoint is set and removed in the text that the form shows', () => {
  const one = withNode('', 'agent', ALL)
  expect(one).toBe('agent')
  expect(withNode(one, 'tools', ALL)).toBe('agent, tools')
  expect(withNode(' agent ,tools,', 'agent', ALL)).toBe('tools')
  expect([hasNode('agent, tools', 'tools'), hasNode('agent', 'tools')]).toEqual([true, false])
})

test('one node of all is taken out', () => {
  expect(hasNode(' * ', 'tools')).toBe(true)
  expect(withNode('*', 'tools', ALL)).toBe('agent, end')
})
