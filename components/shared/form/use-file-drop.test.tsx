import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useFileDrop } from './use-file-drop'

afterEach(cleanup)

function Place({ onFile }: { onFile: (file: unknown) => void }) {
  const { isOver, handlers } = useFileDrop(onFile)
  return <main {...handlers}>{isOver ? 'over' : 'empty'}</main>
}

test('a dropped file is taken instead of opened by the browser', () => {
  const taken: unknown[] = []
  render(<Place onFile={(file) => taken.push(file)} />)
  const place = screen.getByRole('main')
  // A handler that prevents the default makes dispatch return false; without that the browser opens the file.
  expect(fireEvent.dragOver(place)).toBe(false)
  expect(place.textContent).toBe('over')
  fireEvent.dragLeave(place)
  expect(place.textContent).toBe('empty')
  fireEvent.dragOver(place)
  expect(fireEvent.drop(place, { dataTransfer: { files: ['file'] } })).toBe(false)
  expect(place.textContent).toBe('empty')
  expect(taken).toEqual(['file'])
})
