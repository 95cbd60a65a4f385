import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { DataPlayer } from './data-player'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

/** Media of this length, whose metadata is read at once. */
function mediaOf(duration: number) {
  vi.spyOn(HTMLMediaElement.prototype, 'duration', 'get').mockReturnValue(duration)
  vi.spyOn(HTMLMediaElement.prototype, 'src', 'set').mockImplementation(function (this: HTMLMediaElement) {
    queueMicrotask(() => this.dispatchEvent(new Event('loadedmetadata')))
  })
  URL.createObjectURL = () => 'blob:of-a-test'
  URL.revokeObjectURL = () => {}
}

test('audio says how long it is before it plays', async () => {
  mediaOf(65.4)
  render(<DataPlayer base64="UklGRg==" type="audio/wav" name="answer.wav" />)
  const button = await screen.findByRole('button', { name: 'Play answer.wav, 1:05' })
  expect(button.textContent).toBe('Play1:05')
})

test('no length is shown for media that has none', async () => {
  mediaOf(Number.POSITIVE_INFINITY)
  render(<DataPlayer base64="UklGRg==" type="video/webm" name="clip.webm" />)
  await Promise.resolve()
  expect(screen.getByRole('button', { name: 'Play clip.webm' }).textContent).toBe('Play')
})
